"""Systems by URI: `scheme:rest`, the scheme a registered name, the rest for its factory."""

from __future__ import annotations

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.registry import about, entry, load


def open_system(uri: str, timeout: float = 60.0) -> System:
    """Open the system a URI names; `timeout` is how many seconds an answer may take."""
    scheme, _, rest = uri.strip().partition(":")
    if not scheme:
        raise UsageError(f"system {uri!r} has no scheme; for example python:my_module:translate")
    found = entry("systems", scheme)
    if not rest.strip() and not found.data.get("bare"):
        example = found.data.get("example") or about("systems", scheme)
        raise UsageError(
            f"system {uri!r} says nothing after {scheme + ':'!r}; for example {example}"
        )
    if timeout <= 0:
        raise UsageError(f"timeout is {timeout:g}; give a number of seconds above 0")
    system = load("systems", scheme)(rest.strip(), timeout=timeout)
    if not isinstance(system, System):
        raise UsageError(
            f"system {uri!r}: {found.target} returned {type(system).__name__}, which lacks "
            f"{', '.join(_lacking(system))}; a system has the shape of polyglitch.protocols.System"
        )
    return system


def _lacking(system: object) -> list[str]:
    shape = ("signature", "languages", "batch_size", "parallel", "ask", "close")
    return [name for name in shape if not hasattr(system, name)]
