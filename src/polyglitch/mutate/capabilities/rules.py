"""Generative rules: what a sentence becomes. Products of choices are walked, never held."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from polyglitch.mutate.capabilities.spec import Replace, Rule, listed

SLOT = re.compile(r"\{(seed|other)(?::(\w+))?\}")
FINAL = re.compile(r"[\s.!?…,;:]+$")
OPEN_MARK = re.compile(r"\s+([,.;:?!])")
# Words that keep their capital when a sentence becomes a clause.
KEEP_CAPITAL = re.compile(
    r"^(?:I\b|I'|[A-Z]{2}|[A-Z]\.|(?!It|That|This|There|He|She|What|Who|Here|Let)\w+'s\b|\W)"
)


@dataclass(frozen=True)
class Made:
    """A text made by a rule, which choices it took (so that an expansion finds its parent), and its label."""

    text: str
    choice: str
    expected: tuple[str, ...]


def apply(
    rule: Rule,
    number: int,
    text: str,
    label: str | None,
    others: Sequence[str],
    name_first: bool,
    key: str = "",
) -> Iterator[Made]:
    """The texts that a rule makes of a sentence; `name_first` says that it starts with a name.

    `key` names the sentence that it grew from, so that expansions draw the same choices of a bounded rule.
    """
    expected = labels(rule.expected, label)
    if rule.replace:
        new = replaced(text, rule.replace)
        if new is not None:
            yield Made(new, str(number), expected)
        return
    companions = list(others[: rule.others]) if rule.other else [""]
    parts = [listed(part) for part in rule.concat]
    for place, other in enumerate(companions):
        for indices in choices([len(part) for part in parts], rule.most, f"{key}:{number}:{place}"):
            chosen = " ".join(part[index] for part, index in zip(parts, indices, strict=True))
            made = fill(chosen, text, other, name_first)
            choice = f"{number}:{place}:{'.'.join(map(str, indices))}"
            yield Made(made, choice, expected)


def choices(sizes: Sequence[int], most: int | None, key: str) -> Iterator[tuple[int, ...]]:
    """The product of some choices in order, or so many of it, drawn by a key."""
    total = math.prod(sizes)
    if most is None or most >= total:
        yield from product(*map(range, sizes))
        return
    for number in random.Random(key).sample(range(total), most):  # noqa: S311 - no secret
        indices: list[int] = []
        for size in reversed(sizes):
            number, index = divmod(number, size)
            indices.insert(0, index)
        yield tuple(indices)


def labels(expected: str | tuple[str, ...], label: str | None) -> tuple[str, ...]:
    """The labels to expect; `same` is the sentence's own."""
    return tuple(label or "" if each == "same" else each for each in listed(expected))


def fill(pattern: str, seed: str, other: str, name_first: bool = False) -> str:
    """A pattern with its sentences: as they are, `bare` of the final mark, or as a `clause`."""

    def put(match: re.Match[str]) -> str:
        text = seed if match[1] == "seed" else other
        form = match[2] or ""
        if form in ("bare", "clause", "quote"):
            text = FINAL.sub("", text)
        if form == "clause" and not KEEP_CAPITAL.match(text) and not name_first:
            text = text[:1].lower() + text[1:]
        if form == "quote":
            text = text.strip("\"' ").replace('"', "'")
        return text

    made = OPEN_MARK.sub(r"\1", SLOT.sub(put, pattern)).strip()
    return made[:1].upper() + made[1:]


def replaced(text: str, rule: Replace) -> str | None:
    """The text with a phrase replaced, keeping its capital; nothing where no phrase stands."""
    for old, new in rule.old.items():
        anchor = r"^" if rule.at_start else r"(?<!\w)"
        found = re.compile(anchor + re.escape(old) + r"(?!\w)", re.IGNORECASE)
        if not found.search(text):
            continue

        def put(match: re.Match[str], new: str = new) -> str:
            return new[:1].upper() + new[1:] if match[0][:1].isupper() else new

        return found.sub(put, text, count=0 if rule.every else 1)
    return None
