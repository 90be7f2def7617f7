"""Cases that are the rows of a corpus as they are: with the labels of an imported suite, or alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from polyglitch.component import component
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Seed, new_case


@component
def suite_cases(names: tuple[tuple[str, str], ...] = ()) -> Mutation:
    """The text as it is; the label may hold several, parted by `|`. `names` renames labels."""
    rename = dict(names)

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        for seed in seeds:
            if not seed.label:
                continue
            labels = [label.strip() for label in seed.label.split("|")]
            expected = tuple(rename.get(label.lower(), label) for label in labels)
            capability = str(
                seed.data.get("capability") or seed.data.get("functionality") or "suite"
            )
            data = {"capability": capability, "title": in_words(capability)}
            yield new_case(seed, f"label:{capability}", (seed.input,), None, expected, data)

    return mutate


def in_words(name: str) -> str:
    """The name of a capability without a title: `derog_neg_emote_h` as `Derog neg emote h`."""
    words = re.sub(r"[-_\s]+", " ", re.sub(r"\A\d+[-_.]\s*", "", name)).strip()
    return words[:1].upper() + words[1:] if words else name


@component
def as_they_are(relation: str) -> Mutation:
    """One case a seed, unchanged: for what must hold of any single output."""

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        return (new_case(seed, relation, (seed.input,)) for seed in seeds)

    return mutate
