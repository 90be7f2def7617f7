"""The oracle of a method by name: the one published with it, or any that `list oracles` shows.

On labelled pairs `witnesses` is better than the oracle published with each method (docs/explanation/oracle.md), so it
is what they use unless told otherwise; a setting of the published one, such as a threshold, asks for that one.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, get_type_hints

import msgspec

from polyglitch import registry
from polyglitch.compare.metrics.measure import thresholds_by_name
from polyglitch.compare.oracles.similarity import METRICS, THRESHOLDS, Vote, similar_enough
from polyglitch.component import Component
from polyglitch.errors import UsageError
from polyglitch.protocols import Oracle

PUBLISHED, WITNESSES, ALIGNED = "published", "witnesses", "aligned"
THRESHOLD = "threshold"
ATTENTION = "links=attention"


def choose_oracle(name: str | None, **settings: Any) -> str:
    """The oracle by the name given, else the published one if any of its own settings was given, else `witnesses`."""
    given = [key for key, value in settings.items() if value is not None and value is not False]
    if name is None:
        return PUBLISHED if given else WITNESSES
    if name != PUBLISHED and given:
        raise UsageError(
            f"{given[0]}={settings[given[0]]!r} is a setting of the published oracle, and oracle={name!r} is given; "
            f"leave one of the two out, or give a threshold of its own as oracle={WITNESSES}:0.5"
        )
    return name


def by_similarity(
    name: str | None,
    metrics: tuple[str, ...] | None,
    vote: Vote | None,
    weights: tuple[float, ...],
    threshold: float | None,
    faithful: bool,
    reverse: bool = False,
    thresholds: tuple[float, ...] = (),
) -> tuple[str, Oracle]:
    """The oracle of a method that is published with four similarities, by name and made."""
    name = choose_oracle(
        name,
        metrics=metrics,
        vote=vote,
        weights=weights or None,
        thresholds=thresholds or None,
        threshold=threshold,
        faithful=faithful,
    )
    chosen = METRICS if metrics is None else metrics
    published = similar_enough(
        metrics=chosen,
        thresholds=THRESHOLDS | thresholds_by_name(chosen, thresholds),
        vote="all" if vote is None else vote,
        faithful=faithful,
        reverse=reverse,
        weights=weights,
        threshold=threshold,
    )
    return name, named_oracle(name, published)


def named_oracle(name: str, published: Oracle | None = None) -> Oracle:
    """`published`, or a registered oracle; its settings follow a colon: `aligned:0.5+links=attention`."""
    if name == PUBLISHED and published is not None:
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


def with_threshold(oracle: Oracle, threshold: float) -> str | None:
    """How to name an oracle with another threshold, all else as it was made; nothing for those of the papers."""
    if not isinstance(oracle, Component) or oracle.name not in (WITNESSES, ALIGNED):
        return None
    links = oracle.arguments.get("links")
    usual = signature(registry.load("oracles", ALIGNED)).parameters["links"].default
    return f"{oracle.name}:{threshold}" + ("" if links in (None, usual) else f"+links={links}")


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
