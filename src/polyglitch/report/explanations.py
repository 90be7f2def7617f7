"""What can be drawn of how a model reads a text: how much each word matters, and the least that keeps the answer."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from polyglitch.records import Case, Verdict

LEVELS = 6  # steps of colour
TITLE = "What the model looks at"
MOST_SHOWN = 400  # tokens: an explanation is for sentences


class Heat(msgspec.Struct, frozen=True):
    """Tokens with how much each matters to the model, from 0 to `LEVELS`; below 0 a weight speaks against."""

    tokens: list[tuple[str, int, float]]
    title: str = TITLE


class Least(msgspec.Struct, frozen=True):
    """The template that keeps a prediction: its words, nothing where any word would do."""

    label: str
    words: list[str | None]
    kept: float  # the share of random fillings that kept the prediction


class Explanations(msgspec.Struct, frozen=True):
    """All of it, for one violation."""

    heat: list[Heat]
    least: list[Least]


def explanations_of(case: Case, verdict: Verdict | None = None) -> Explanations:
    """What a case and its verdict hold; entries of another shape than expected are passed over."""
    data = case.data | (verdict.drawn if verdict else {})
    heat = [heat_of(entry) for entry in as_list(data.get("heat"))]
    least = [least_of(entry) for entry in as_list(data.get("template"))]
    return Explanations([each for each in heat if each], [each for each in least if each])


def as_list(value: Any) -> list[Any]:
    """One entry or several, as several."""
    return value if isinstance(value, list) else [] if value is None else [value]


def heat_of(entry: Any) -> Heat | None:
    """`{"tokens": [...], "weights": [...], "title": "..."}` in steps of colour."""
    if not isinstance(entry, dict):
        return None
    tokens, weights = entry.get("tokens"), entry.get("weights")
    if not isinstance(tokens, list) or not isinstance(weights, list) or len(tokens) != len(weights):
        return None
    if not all(isinstance(weight, int | float) and math.isfinite(weight) for weight in weights):
        return None
    most = max((abs(weight) for weight in weights), default=0) or 1.0
    steps = [
        (str(token), round(abs(weight) / most * LEVELS), float(weight))
        for token, weight in zip(tokens, weights, strict=True)
    ]
    return Heat(steps[:MOST_SHOWN], str(entry.get("title") or TITLE))


def least_of(entry: Any) -> Least | None:
    """`{"label": "...", "words": ["...", null], "kept": 0.97}`."""
    try:
        return msgspec.convert(entry, Least)
    except msgspec.ValidationError:
        return None
