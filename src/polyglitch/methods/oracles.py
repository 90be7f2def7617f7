"""The oracle of a method by name: the one published with it, or any that `list oracles` shows."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, get_type_hints

import msgspec

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.protocols import Oracle

PUBLISHED = "published"
THRESHOLD = "threshold"
ATTENTION = "links=attention"


def named_oracle(name: str, published: Oracle) -> Oracle:
    """`published`, or a registered oracle; its settings follow a colon: `aligned:0.5+links=attention`."""
    if name == PUBLISHED:
        return published
    registered, _, settings = name.partition(":")
    if registered not in registry.entries("oracles"):
        hint = registry.suggest(registered, (PUBLISHED, *registry.entries("oracles")))
        raise UsageError(f"no oracle is called {registered!r}{hint}")
    factory = registry.load("oracles", registered)
    made: Oracle = factory(**dict(setting(name, factory, text) for text in parts(settings)))
    return made


def oracle_needs(name: str) -> tuple[str, ...]:
    """What an oracle by this name must find in a campaign before it starts."""
    return (f"white box:{ATTENTION}",) if ATTENTION in parts(name.partition(":")[2]) else ()


def parts(settings: str) -> list[str]:
    """The settings of an oracle, one by one."""
    return settings.split("+") if settings else []


def setting(name: str, factory: Callable[..., Any], text: str) -> tuple[str, Any]:
    """A setting as key and value; a bare number is the threshold."""
    key, value = text.split("=", 1) if "=" in text else (THRESHOLD, text)
    known = signature(factory).parameters
    if key not in known:
        hint = registry.suggest(key, tuple(known)) if known else ""
        raise UsageError(f"oracle={name!r}: no {key}{hint}; leave {text!r} out")
    try:
        return key, msgspec.convert(value, get_type_hints(factory)[key], strict=False)
    except msgspec.ValidationError:
        remedy = "a threshold such as aligned:0.5" if key == THRESHOLD else "another value"
        raise UsageError(
            f"oracle={name!r}: {value!r} is no {'number' if key == THRESHOLD else key}; give {remedy}"
        ) from None
