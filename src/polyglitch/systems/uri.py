"""Systems by URI: `scheme:rest`, the scheme a registered name, the rest for its factory."""

from __future__ import annotations

from urllib.parse import quote

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.registry import about, entries, entry, load


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


def with_prompt(uri: str, prompt: str) -> str:
    """The URI of a system that is told a prompt file."""
    scheme, _, rest = uri.strip().partition(":")
    way = entry("systems", scheme).data.get("prompt") if scheme else None
    if way == "option":
        if "prompt=" in rest.partition("?")[2]:
            raise UsageError(f"--prompt {prompt!r}: the system {uri!r} names a prompt already")
        return f"{uri.strip()}{'&' if '?' in rest else '?'}prompt={quote(prompt, safe='/')}"
    if way == "name":
        return f"{scheme}:{prompt}"
    able = [name for name, known in entries("systems").items() if known.data.get("prompt")]
    raise UsageError(
        f"--prompt {prompt!r}: the system {uri!r} takes no prompt; those that do are {', '.join(able)}"
    )


def _lacking(system: object) -> list[str]:
    shape = ("signature", "languages", "batch_size", "parallel", "ask", "close")
    return [name for name in shape if not hasattr(system, name)]
