"""QAAskeR's relation: question and answer make a statement, and whoever gave the answer must stand by it.

The published method asks about the system's answer with another wh-question, which is often not English or has other
right answers too (78 of 100 of its BoolQ reports are false alarms by its labels). Here the statement itself is asked
about: "Is it true that ...?". For a wh-question it is made from the corpus's answer, so that it can be built before
the system is asked: yes is right if the system gave that answer, no if it gave another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from polyglitch.mutate.qa.material import declarative, in_case, parse_questions
from polyglitch.mutate.qa.statement import asks_for_subject, span, take_apart, to_statements
from polyglitch.mutate.qa.wording import bare, small, templates, why, words
from polyglitch.protocols import Mutation, Parser, Tools
from polyglitch.records import Case, Input, Parse, Seed, digest, new_case
from polyglitch.registry import component

SAME, OPPOSITE, STANDS = "same answer", "opposite answer", "stands by it"
PREPOSITIONS = ("in", "on", "at", "since", "during", "before", "after", "by", "from", "to", "until")
DAY = re.compile(r"\b\d{1,2} [A-Z][a-z]+|\b[A-Z][a-z]+ \d{1,2}\b")


@component
def ask_back() -> Mutation:
    """One follow-up a seed: for yes/no questions, and for who, what, which, when, where, how many."""

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        asked = [seed for seed in seeds if seed.input.context]
        if not asked:
            return
        parser = tools.parser(asked[0].input.language)
        parses = parse_questions(asked, parser)
        bodies = to_statements(parses, parser)
        made = [
            complete(seed, parse, body, parser)
            for seed, parse, body in zip(asked, parses, bodies, strict=True)
        ]
        made = in_case(asked, made)
        checked = iter(parser.parse([f"{text}." for text in made if text is not None]))
        for seed, parse, text in zip(asked, parses, made, strict=True):
            if text is not None and well_formed(next(checked)):
                yield asked_back(seed, parse, text, tools.seed)

    return mutate


def well_formed(parse: Parse) -> bool:
    """Whether a statement reads as one; `it` and `there` may be its subject."""
    pronoun = bool(parse.tokens) and parse.tokens[0].text.lower() in words("lone_subjects")
    return pronoun or declarative(parse)


def complete(seed: Seed, parse: Parse, body: str | None, parser: Parser) -> str | None:
    """The statement of a question, with the answer in its place where the question is a wh-question."""
    asked = take_apart(parse)
    if asked is not None and not asked.opening:
        return body
    answer = (seed.label or "").strip().rstrip(".")
    if not answer or seed.data.get("kind") not in (None, "extractive"):
        return None
    if asked is None or asks_for_subject(asked):
        return with_subject(parse, answer)
    return with_answer(body, span(parse, asked.opening).lower(), answer, parser) if body else None


def with_subject(parse: Parse, answer: str) -> str | None:
    """`Who gave the books?` as `Agnes gave the books`."""
    phrase, verb = [], None
    for token in parse.tokens:
        if token.pos in ("VERB", "AUX"):
            verb = token
            break
        phrase.append(token)
    if verb is None or not phrase or phrase[0].text.lower() not in ("who", "what", "which"):
        return None
    return f"{small_article(answer)} {bare(parse.text[verb.start :])}"


def with_answer(body: str, phrase: str, answer: str, parser: Parser) -> str | None:
    """The answer put where the question phrase belongs, by what the phrase asks for."""
    first, _, rest = phrase.partition(" ")
    answer = small_article(answer)
    if first in ("when", "where"):
        return f"{body} {located(answer, first)}"
    if first == "how":
        kind, _, noun = rest.partition(" ")
        if kind in ("many", "much"):
            if answer.lower() in ("one", "1"):
                return None  # the noun would have to change
            of = "of " if kind == "much" else ""
            named = not noun or noun in answer.lower()
            counted = answer if named else f"{answer} {of}{noun}"
            return after_verb(body, counted, parser)
        be_last = body.rsplit(" ", 1)[-1] in words("be")
        return f"{body} {answer} {kind}" if kind and not noun and be_last else None
    if first in ("what", "who", "whom", "which"):
        return after_verb(body, answer, parser)
    return None


def located(answer: str, phrase: str) -> str:
    """A time or a place with the preposition it needs."""
    if answer.split(" ")[0].lower() in PREPOSITIONS:
        return answer
    return f"on {answer}" if phrase == "when" and DAY.search(answer) else f"in {answer}"


def after_verb(body: str, answer: str, parser: Parser) -> str:
    """The answer as the object: after a preposition left at the end, else after the verb."""
    parse = parser.parse([body])[0]
    last = parse.tokens[-1]
    root = next(i for i, token in enumerate(parse.tokens) if token.head == i)
    particles = [i for i, t in enumerate(parse.tokens) if t.head == root and t.relation == "prt"]
    place = parse.tokens[max([root, *particles])].end
    if last.pos == "ADP" or parse.tokens[root].pos not in ("VERB", "AUX"):
        place = len(body)
    return f"{body[:place]} {answer}{body[place:]}"


def small_article(answer: str) -> str:
    """The answer as it stands within a sentence: an article at its start is written small."""
    first = answer.split(" ")[0].lower()
    return small(answer, is_name=first not in ("the", "a", "an", *PREPOSITIONS))


def asked_back(seed: Seed, parse: Parse, statement: str, seed_number: int) -> Case:
    """The case: the question, and the question whether its statement is true."""
    choice = random.Random(digest([str(seed_number), seed.id]))  # noqa: S311 - repeatable choice
    asked = take_apart(parse)
    relation, which = STANDS, "templates"
    data: dict[str, Any] = {"relation": "ask back", "why": why("ask_back"), "inserted": statement}
    if asked is not None and not asked.opening:
        relation, which = choice.choice([(SAME, "templates"), (OPPOSITE, "opposite")])
    else:
        data["claims"] = [seed.label, *seed.data.get("aliases", [])]
    text = choice.choice(templates("ask_back", which)).format(statement=statement)
    item = seed.input
    changed = Input(text, item.context, item.title, item.language)
    return new_case(seed, relation, (item, changed), data=data)
