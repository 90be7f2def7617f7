"""The relations for LLM features as their data file tells them, and the cases they make of rows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, Literal

import msgspec

from polyglitch.errors import Missing, UsageError
from polyglitch.files.settings import parse_toml
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.mutate.llm.changes import (
    CHANGES,
    INPUT_CHANGES,
    FeatureRow,
    Lacking,
    has_options,
    wording,
)
from polyglitch.mutate.llm.context_changes import (
    CONTEXT_CHANGES,
    date_pattern,
    no_such_time,
    paragraphs,
    wrong_answers,
)
from polyglitch.mutate.relations import change as reused_change
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Input, Parse, Seed, Token, digest, new_case
from polyglitch.registry import component, suggest

JOIN = "\n\x1e\n"  # between context and question while both are changed as one text
HIDDEN = "\x1f"  # stands for a day while other numbers are changed
POOL = 256  # rows among which another row is drawn
Need = Literal[
    "context",
    "label",
    "options",
    "paragraphs",
    "other",
    "other label",
    "turns",
    "chat",
    "statement",
    "inference",
    "code",
    "examples",
    "tools",
    "labels",
    "keys",
    "swap",
    "paraphraser",
    "translator",
    "back",
]


class Relation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is changed, where, and what must happen to the claims."""

    name: str
    title: str
    must: Literal["same", "follows", "differs"]
    change: str
    on: Literal["question", "context", "both", "input"] = "question"
    needs: tuple[Need, ...] = ()
    arguments: dict[str, str] = {}
    reuse: bool = False  # a change of mutate/relations
    keeps_dates: bool = False  # days of dates are hidden from the change: there is no 33 March
    source: str = ""
    llmorph: str = ""  # what LLMorph calls it, where it has it


class Feature(msgspec.Struct, frozen=True):
    """What a feature under test offers beside its rows: parts of its prompt, and models that rewrite questions."""

    parts: tuple[str, ...] = ()
    models: dict[str, tuple[str, ...]] = {}  # systems to ask one after the other, by what for

    def part(self, name: str) -> list[str] | None:
        """What the prompt says of one of its parts, or nothing where it has none."""
        found = next((p for p in self.parts if p.partition(":")[0] == name), None)
        return None if found is None else found.split(":")[1:]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relation: tuple[Relation, ...]


@cache
def bundled() -> tuple[Relation, ...]:
    """Every relation of the data file."""
    path = files("polyglitch").joinpath("resources", "llm", "relations.toml")
    return msgspec.convert(parse_toml(path.read_text("utf-8"), str(path)), _File).relation


def choose_relations(names: Sequence[str] = ()) -> tuple[Relation, ...]:
    """Some relations by name, or all."""
    known = {relation.name: relation for relation in bundled()}
    for name in names:
        if name not in known:
            raise UsageError(f"llm: no relation is called {name!r}{suggest(name, tuple(known))}")
    return tuple(known[name] for name in names) if names else bundled()


@component
def llm_cases(
    relations: tuple[str, ...] = (),
    per_relation: int = 1,
    parts: tuple[str, ...] = (),
    models: dict[str, tuple[str, ...]] | None = None,
) -> Mutation:
    """Cases of every relation that a row has what it takes for; `per_relation` bounds those of a row."""
    chosen = choose_relations(relations)
    feature = Feature(parts, models or {})
    if per_relation < 1:
        raise UsageError(f"llm.per_relation={per_relation}: give at least 1")

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        pool = list(islice(iter(tools.corpus()), POOL)) or list(seeds)
        for seed in seeds:
            made: set[str] = set()
            for relation in chosen:
                for case in islice(cases_of(relation, seed, pool, tools, feature), per_relation):
                    if case.id not in made:
                        made.add(case.id)
                        yield case

    return mutate


def cases_of(
    relation: Relation, seed: Seed, pool: Sequence[Seed], tools: Tools, feature: Feature
) -> Iterator[Case]:
    """The cases of one relation for one row."""
    row = row_of(relation, seed, pool, tools, feature)
    if not all(has(need, seed, row, feature) for need in relation.needs):
        return
    data: dict[str, Any] = {"relation": relation.name, "title": relation.title}
    made = followups(relation, seed.input, row, tools, feature)
    if "swap" in relation.needs:
        data["swapped"] = swapped_answers(feature)
    with suppress(Lacking, Missing):  # a relation is for the languages that have its phrases
        for item in made:
            inputs = (seed.input, item)
            yield new_case(seed, f"{relation.must}:{relation.name}", inputs, None, (), data)


def followups(
    relation: Relation, item: Input, row: FeatureRow, tools: Tools, feature: Feature
) -> Iterator[Input]:
    """The inputs that a relation makes of one, each once."""
    if relation.on == "input":
        given = (
            relation.arguments | swapped_names(feature)
            if "swap" in relation.needs
            else relation.arguments
        )
        for made in INPUT_CHANGES[relation.change](item, row, **given):
            if made != item and made.text.strip():
                yield made
        return
    text = {
        "question": item.text,
        "context": item.context or "",
        "both": f"{item.context}{JOIN}{item.text}" if item.context else item.text,
    }[relation.on]
    for new in dict.fromkeys(changed(relation, text, row, tools, feature)):
        if new == text or not new.strip() or no_such_time(new, text):
            continue
        fields: dict[str, Any] = {"text": new}
        if relation.on == "context":
            fields = {"context": new}
        elif relation.on == "both" and item.context:
            context, _, question = new.partition(JOIN)
            fields = {"context": context, "text": question}
        yield msgspec.structs.replace(item, **fields)


def swapped_names(feature: Feature) -> dict[str, str]:
    """The two variables that trade places."""
    first, second = (feature.part("swap") or ["/"])[0].split("/")
    return {"first": first, "second": second}


def swapped_answers(feature: Feature) -> list[list[str]]:
    """The answers that trade places with them."""
    told = (feature.part("swap") or ["", ""])[1]
    return [pair.split("=", 1) for pair in told.split("/") if "=" in pair]


def changed(
    relation: Relation, text: str, row: FeatureRow, tools: Tools, feature: Feature
) -> Iterator[str]:
    """The texts that a change makes."""
    if not relation.reuse:
        keys = {"keys": (feature.part("keys") or [""])[0]} if "keys" in relation.needs else {}
        known = CHANGES | CONTEXT_CHANGES
        yield from known[relation.change](text, row, **relation.arguments, **keys)
        return
    hidden, days = hide_days(text, row.language) if relation.keeps_dates else (text, [])
    parse = plain_parse(hidden, row.language)
    for made in reused_change(relation.change, parse, tools, {"most": 8}):
        first, *pieces = made.split(HIDDEN)
        yield first + "".join(day + piece for day, piece in zip(days, pieces, strict=True))


def hide_days(text: str, language: str) -> tuple[str, list[str]]:
    """A text with a sign for each day of a date, and the days in their order."""
    days: list[str] = []

    def hide(match: re.Match[str]) -> str:
        days.append(match[1] or match[2])
        return match[0].replace(days[-1], HIDDEN)

    return date_pattern(language).sub(hide, text), days


def row_of(
    relation: Relation, seed: Seed, pool: Sequence[Seed], tools: Tools, feature: Feature
) -> FeatureRow:
    """What a change may look at; other rows are drawn by the campaign's seed."""
    dice = random.Random(digest([relation.name, seed.id, str(tools.seed)]))  # noqa: S311 - repeatable
    language = seed.input.language or tools.languages[0] or DEFAULT
    others = [o for o in pool if o.input.context and o.input.context != seed.input.context]
    labels = [o.label for o in pool if o.label and o.label != seed.label]
    contrary = wording(language)["contrary"].get((seed.label or "").lower())
    if contrary:
        labels = [contrary]
    else:
        names = wording(language).get("names", {})
        labels = wrong_answers(
            seed.label or "", seed.input.text, labels, names, language_of(language).numbers
        )

    def ask(kind: str, text: str) -> str | None:
        template = wording(language)["rewrite"] if kind == "paraphrase" else "{text}"
        said: str | None = template.replace("{text}", text)
        for uri in feature.models[kind]:
            said = tools.ask(uri, said) if said else None
        return said

    return FeatureRow(
        language,
        seed.label,
        dice.choice(labels) if labels else None,
        dice.choice(others).input.context if others else None,
        dice,
        ask,
    )


def has(need: Need, seed: Seed, row: FeatureRow, feature: Feature) -> bool:
    """Whether a row, or the feature, has what a relation needs."""
    item = seed.input
    words = wording(row.language)
    return {
        "context": lambda: bool(item.context),
        "label": lambda: bool(seed.label),
        "options": lambda: has_options(item.text),
        "paragraphs": lambda: len(paragraphs(item.context or "")) > 1,
        "other": lambda: bool(row.other_context),
        "other label": lambda: bool(row.other_label),
        "turns": lambda: bool(item.turns),
        "chat": lambda: bool(item.turns) or "chat" in feature.parts,
        "statement": lambda: item.text.rstrip()[-1:] in ".!",
        "inference": lambda: (
            bool(item.context) and (seed.label or "").lower() in words["inference"]
        ),
        "code": lambda: "def " in f"{item.text} {item.context or ''}",
        "paraphraser": lambda: "paraphrase" in feature.models,
        "translator": lambda: "translate" in feature.models,
        "back": lambda: "back" in feature.models,
    }.get(need, lambda: feature.part(need) is not None)()


def plain_parse(text: str, language: str) -> Parse:
    """Words with their places, names by their capitals: all that changes of letters ask of a parser."""
    tokens = []
    for number, match in enumerate(re.finditer(r"\w+(?:['’]\w+)?|[^\w\s]", text)):
        inner = match.start() > 0 and text[: match.start()].rstrip()[-1:] not in ".!?:\n\x1e"
        pos = "PROPN" if inner and match[0][0].isupper() else "X"
        tokens.append(
            Token(match[0], match.start(), match.end(), "", pos, match[0].lower(), number, "")
        )
    return Parse(text, tuple(tokens), None, False, language)
