"""QAQA's five relations: a related but redundant sentence or question must not change the answer.

EQ puts a remark before the question, EC a sentence into the context, EQC does both; TI joins two questions into one,
ETI puts the other question aside. What each rests on is said in `languages/en/qa/templates.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from polyglitch.errors import UsageError
from polyglitch.mutate.qa.material import (
    LARGEST,
    Chosen,
    Material,
    Partner,
    SentencePool,
    is_binary,
    make_pool,
    prepare,
)
from polyglitch.mutate.qa.wording import affirmed, large, small, templates, why
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Input, Seed, new_case
from polyglitch.registry import component, suggest

SAME, BOTH = "same answer", "yes if both are"
Each = Literal["one", "all"]
Expectation = Literal["own", "truth"]


@dataclass(frozen=True)
class Style:
    """How follow-ups are made; `faithful` as the published code does, not as its paper says."""

    expectation: Expectation
    faithful: bool

    @property
    def extra(self) -> int:
        """How many sentences go into a context."""
        return 3 if self.faithful else 1


@component
def insert_sentences(
    relations: tuple[str, ...] = ("EQ", "EC", "EQC", "TI", "ETI"),
    each: Each = "one",
    expectation: Expectation = "own",
    embedder: str = "minilm",
    largest_pool: int = LARGEST,
    faithful: bool = False,
) -> Mutation:
    """Follow-ups by the named relations: one at random a seed, as published, or all that apply.

    What is expected is the system's own answer to the seed, or the corpus's with `expectation="truth"`.
    """
    for name in relations:
        if name not in RELATIONS:
            raise UsageError(f"no relation is called {name!r}{suggest(name, tuple(RELATIONS))}")
    style = Style(expectation, faithful)
    pools: dict[int, SentencePool] = {}  # made on first use, once for all seeds of a campaign

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        asked = [seed for seed in seeds if seed.input.context]
        if not asked:
            return
        language = asked[0].input.language
        parser, vectors = tools.parser(language), tools.embedder(embedder, language)
        if id(tools) not in pools:
            pools[id(tools)] = make_pool(tools.corpus(), vectors, largest_pool)
        materials = prepare(asked, pools[id(tools)], parser, vectors, tools.seed)
        for material in materials:
            order = list(relations)
            if each == "one":
                material.random.shuffle(order)
            made = (RELATIONS[name](material, style) for name in order)
            cases = (case for case in made if case is not None)
            yield from islice(cases, 1) if each == "one" else cases

    return mutate


def equivalent_question(material: Material, style: Style) -> Case | None:
    """EQ: a remark before the question."""
    if not material.sentences:
        return None
    text = remark(material, material.sentences[0], style)
    return follow_up(
        material, "EQ", style, text, material.seed.input.context, material.sentences[:1]
    )


def equivalent_context(material: Material, style: Style) -> Case | None:
    """EC: sentences in the context."""
    chosen = material.sentences[: style.extra]
    if not chosen:
        return None
    context = with_sentences(material.seed, chosen, style)
    return follow_up(material, "EC", style, material.seed.input.text, context, chosen)


def equivalent_both(material: Material, style: Style) -> Case | None:
    """EQC: a remark before the question, and other sentences in the context."""
    chosen = material.sentences[:3]
    if len(chosen) < 2:
        return None
    # Published code adds all three where the expected answer is "no"; the paper has no such case.
    added = chosen if style.faithful and material.seed.label == "no" else chosen[1:2]
    text = remark(material, chosen[0], style)
    context = with_sentences(material.seed, added, style)
    inserted = (chosen[0], *(item for item in added if item is not chosen[0]))
    return follow_up(material, "EQC", style, text, context, inserted)


def integrated(material: Material, style: Style) -> Case | None:
    """TI: two yes/no questions as one; yes if the answers to both are."""
    partner = next((p for p in material.partners if p.statement and is_binary(p.seed)), None)
    if material.statement is None or partner is None or not is_binary(material.seed):
        return None
    seed, other = material.seed, partner.seed
    both = (material.statement, partner.statement or "")
    first, second = map(affirmed, both)
    text = material.random.choice(templates("TI")).format(first=first, second=second)
    combined = together(seed, other, text, style)
    expected: tuple[str, ...] = ()
    if style.expectation == "truth":
        if None in (seed.label, other.label):
            return None
        expected = ("yes" if seed.label == other.label == "yes" else "no",)
    likeness = likeness_of(material, partner)
    data = about("TI", partner.statement or "", likeness) | {"partner": other.id}
    return new_case(seed, BOTH, (seed.input, other.input, combined), None, expected, data)


def put_aside(material: Material, style: Style) -> Case | None:
    """ETI: the other question is mentioned and put aside."""
    kind = is_binary(material.seed)
    partner = next((p for p in material.partners if is_binary(p.seed) == kind), None)
    if partner is None:
        return None
    text = material.random.choice(templates("ETI")).format(
        other=partner.clause, question=material.question, Question=large(material.question)
    )
    combined = together(material.seed, partner.seed, text, style)
    data = about("ETI", partner.clause, likeness_of(material, partner)) | {
        "partner": partner.seed.id
    }
    return case_of(material.seed, combined, style, data)


Relation = Callable[[Material, Style], Case | None]
RELATIONS: dict[str, Relation] = {
    "EQ": equivalent_question,
    "EC": equivalent_context,
    "EQC": equivalent_both,
    "TI": integrated,
    "ETI": put_aside,
}


def remark(material: Material, sentence: Chosen, style: Style) -> str:
    """The question after a remark."""
    found = templates("EQ", "published" if style.faithful else "templates")
    said = small(sentence.text, sentence.starts_with_name)
    return material.random.choice(found).format(sentence=said, question=material.question)


def with_sentences(seed: Seed, chosen: Sequence[Chosen], style: Style) -> str:
    """The context with sentences after it; before it in published code."""
    added = " ".join(f"{item.text}." for item in chosen)
    context = seed.input.context or ""
    return f"{added} {context}" if style.faithful else f"{context} {added}"


def together(seed: Seed, other: Seed, text: str, style: Style) -> Input:
    """A question on two contexts, the seed's last, under both titles."""
    titles = [item.input.title for item in (other, seed) if item.input.title]
    title = None if style.faithful else "; ".join(titles) or None
    context = f"{other.input.context} {seed.input.context}"
    return Input(text, context, title, seed.input.language)


def follow_up(
    material: Material,
    name: str,
    style: Style,
    text: str,
    context: str | None,
    inserted: Sequence[Chosen],
) -> Case | None:
    """The case of a seed and a follow-up with sentences inserted."""
    seed = material.seed
    title = None if style.faithful else seed.input.title  # published code drops it
    likeness = max(item.likeness for item in inserted)
    data = about(name, " ".join(f"{item.text}." for item in inserted), likeness)
    return case_of(seed, Input(text, context, title, seed.input.language), style, data)


def case_of(seed: Seed, changed: Input, style: Style, data: dict[str, Any]) -> Case | None:
    """A case that expects the answer of the seed, or nothing where the truth is not known."""
    expected: tuple[str, ...] = ()
    if style.expectation == "truth":
        if seed.label is None:
            return None
        expected = (seed.label, *seed.data.get("aliases", []))
    return new_case(seed, SAME, (seed.input, changed), None, expected, data)


def about(name: str, inserted: str, likeness: float) -> dict[str, Any]:
    """What a report and a rank want to know of a case."""
    return {
        "relation": name,
        "why": why(name),
        "inserted": inserted,
        "likeness": round(likeness, 4),
    }


def likeness_of(material: Material, partner: Partner) -> float:
    """How near the sentence that led to a partner is to the question."""
    return next((c.likeness for c in material.sentences if c.row.id == partner.seed.id), 0.0)
