"""What was computed last, by key: methods that share seeds share what is dear to compute about them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The values made last, at most so many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: OrderedDict[K, V] = OrderedDict()

    def get(self, keys: Sequence[K], make: Callable[[list[K]], list[V]]) -> list[V]:
        """The value of each key, made now, all together, where it was not made lately."""
        new = [key for key in dict.fromkeys(keys) if key not in self._seen]
        found = dict(zip(new, make(new), strict=True)) if new else {}
        for key in keys:
            if key not in found:
                found[key] = self._seen[key]
        for key, value in found.items():
            self._seen[key] = value
            self._seen.move_to_end(key)
        while len(self._seen) > self._most:
            self._seen.popitem(last=False)
        return [found[key] for key in keys]
