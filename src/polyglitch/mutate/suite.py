"""Cases that are the rows of a corpus as they are: with the labels of an imported suite, or alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import structs

from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Input, Seed, new_case
from polyglitch.registry import component


@component
def suite_cases(names: tuple[tuple[str, str], ...] = ()) -> Mutation:
    """The text as it is; the label may hold several, parted by `|`. `names` renames labels.

    A row that `polyglitch generate` wrote keeps what must hold of it, and is asked with all its `inputs`: an expansion
    after the test of its seed, so that pass to fail is told here as well.
    """
    rename = dict(names)

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        for seed in seeds:
            relation = str(seed.data.get("relation") or "")
            if not seed.label and relation.partition(":")[0] in ("", "label"):
                continue
            labels = [label.strip() for label in (seed.label or "").split("|") if label.strip()]
            expected = tuple(rename.get(label.lower(), label) for label in labels)
            capability = str(
                seed.data.get("capability") or seed.data.get("functionality") or "suite"
            )
            title = str(seed.data.get("capability_title") or in_words(capability))
            data = {"capability": capability, "title": title}
            if seed.data.get("parent"):
                data["parent"] = str(seed.data["parent"])
            inputs = tuple(texts_of(seed))
            yield new_case(seed, relation or f"label:{capability}", inputs, None, expected, data)

    return mutate


def texts_of(seed: Seed) -> Iterator[Input]:
    """What is asked: the text, with those that a row names before or beside it."""
    told = seed.data.get("inputs")
    texts = told if isinstance(told, list | tuple) else ()
    if len(texts) < 2 or not all(isinstance(text, str) for text in texts):
        yield seed.input
        return
    for text in texts:
        yield structs.replace(seed.input, text=text)


@cache  # a suite has some dozens of them, and thousands of rows of each
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
