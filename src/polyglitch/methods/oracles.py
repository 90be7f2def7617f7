"""The oracle of a method by name: the one published with it, or any that `list oracles` shows."""

from __future__ import annotations

from inspect import signature

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.protocols import Oracle

PUBLISHED = "published"


def named_oracle(name: str, published: Oracle) -> Oracle:
    """`published`, or a registered oracle; what follows a colon is its threshold: `aligned:0.5`."""
    if name == PUBLISHED:
        return published
    registered, _, threshold = name.partition(":")
    if registered not in registry.entries("oracles"):
        hint = registry.suggest(registered, (PUBLISHED, *registry.entries("oracles")))
        raise UsageError(f"no oracle is called {registered!r}{hint}")
    factory = registry.load("oracles", registered)
    if threshold and "threshold" not in signature(factory).parameters:
        raise UsageError(f"oracle={name!r}: {registered!r} has no threshold; leave it out")
    made: Oracle = factory(threshold=number(name, threshold)) if threshold else factory()
    return made


def number(name: str, threshold: str) -> float:
    """A threshold given after a colon."""
    try:
        return float(threshold)
    except ValueError:
        raise UsageError(
            f"oracle={name!r}: {threshold!r} is no number; give a threshold such as aligned:0.5"
        ) from None
