"""What was computed last, by key: methods that share seeds share what is dear to compute about them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values made last, at most so many."""

    def __init__(self, most: int) -> None:
        self._seen: LRUCache[K, V] = LRUCache(most)

    def get(self, keys: Sequence[K], make: Callable[[list[K]], list[V]]) -> list[V]:
        """The value of each key, made now, all together, where it was not made lately."""
        distinct = list(dict.fromkeys(keys))
        new = [key for key in distinct if key not in self._seen]
        # Read before anything new is kept: a long batch may push out what it asks for.
        found = {key: self._seen[key] for key in distinct if key in self._seen}
        found |= dict(zip(new, make(new), strict=True)) if new else {}
        self._seen.update(found)
        return [found[key] for key in keys]
