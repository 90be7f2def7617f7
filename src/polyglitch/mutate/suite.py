"""Cases that are the rows of a corpus as they are: with the labels of an imported suite, or alone."""

from __future__ import annotations

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
            data = {"capability": capability}
            yield new_case(seed, f"label:{capability}", (seed.input,), None, expected, data)

    return mutate


@component
def as_they_are(relation: str) -> Mutation:
    """One case a seed, unchanged: for what must hold of any single output."""

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        return (new_case(seed, relation, (seed.input,)) for seed in seeds)

    return mutate
