"""numpy, imported when something of it is first used: the core installs, starts and runs without it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
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


__all__ = ["has_numpy", "np", "npt"]
