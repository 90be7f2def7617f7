"""numpy, imported when something of it is first used: the core installs, starts and runs without it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyglitch.errors import Missing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:

    class _Numpy:
        """Looks like numpy, and asks it for each name once."""

        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            try:
                found = getattr(__import__(self._module, fromlist=[name]), name)
            except ModuleNotFoundError as error:
                if error.name != "numpy":
                    raise
                raise Missing("numpy", "this", "pip install 'polyglitch[numpy]'") from None
            setattr(self, name, found)
            return found

    np, npt = _Numpy("numpy"), _Numpy("numpy.typing")


@cache
def has_numpy() -> bool:
    """Whether it is installed, for what can be done without it, if slower."""
    return find_spec("numpy") is not None


@contextmanager
def one_thread() -> Iterator[None]:
    """Products by one thread, for work beside a system that has all cores.

    OpenBLAS's threads wait for each other by spinning: where a core is never free, that takes three times the
    processor's time, and the system waits too.
    """
    found = openblas()
    if found is None:
        yield
        return
    count, set_count = found
    with _few:
        if not _inside:
            _before.append(count())
            set_count(1)
        _inside.append(None)
    try:
        yield
    finally:
        with _few:
            _inside.pop()
            if not _inside:
                set_count(_before.pop())


# The number is one for the whole process: whoever comes first sets it, whoever leaves last sets it back.
_few, _inside, _before = threading.Lock(), list[None](), list[int]()


@cache
def openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """What tells and sets the number of threads of the OpenBLAS that numpy's wheel brings; nothing without it."""
    import ctypes

    place = find_spec("numpy")
    if place is None or place.origin is None:
        return None
    folder = Path(place.origin).parent.parent / "numpy.libs"
    for file in sorted(folder.glob("*openblas*")):
        library = ctypes.CDLL(str(file))
        for name in ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}"):
            count = getattr(library, name.format("get_num_threads"), None)
            set_count = getattr(library, name.format("set_num_threads"), None)
            if count and set_count:
                return count, set_count
    return None


__all__ = ["has_numpy", "np", "npt", "one_thread"]
