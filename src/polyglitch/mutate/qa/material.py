"""What the relations of QAQA are made from, prepared for some seeds at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from polyglitch.mutate.qa.selection import Chosen, SentencePool, choose
from polyglitch.mutate.qa.statement import embedded, is_yes_no, yes_no_statements
from polyglitch.mutate.qa.wording import bare, capitals_of, small
from polyglitch.mutate.slots import begins_with_name
from polyglitch.protocols import Embedder, Parse, Parser
from polyglitch.records import Seed, digest

PARTNERS = 8  # rows that are tried as the other question of TI and ETI


@dataclass(frozen=True)
class Partner:
    """Another question of the pool, as a clause and, where it is a yes/no question, as a statement."""

    seed: Seed
    clause: str
    statement: str | None


@dataclass(frozen=True)
class Material:
    """A seed with all that its follow-ups need."""

    seed: Seed
    parse: Parse
    question: str  # ready to stand within a sentence, without its question mark
    statement: str | None
    sentences: tuple[Chosen, ...]
    partners: tuple[Partner, ...]
    random: random.Random


def prepare(
    seeds: Sequence[Seed], pool: SentencePool, parser: Parser, embedder: Embedder, seed_number: int
) -> list[Material]:
    """The material of some seeds, everything parsed and embedded in batches."""
    parses = parse_questions(seeds, parser)
    statements = in_case(seeds, yes_no_statements(parses, parser))
    chosen = choose(seeds, parses, pool, embedder, parser, PARTNERS)
    others = {item.row.id: item.row for found in chosen for item in found}
    partners = make_partners(list(others.values()), parser)
    return [
        Material(
            seed,
            parse,
            small(bare(seed.input.text), begins_with_name(parse)),
            statement,
            tuple(found),
            fitting(seed, [partners[row] for row in dict.fromkeys(c.row.id for c in found)]),
            random.Random(digest([str(seed_number), seed.id])),  # noqa: S311 - repeatable choice
        )
        for seed, parse, statement, found in zip(seeds, parses, statements, chosen, strict=True)
    ]


def parse_questions(seeds: Sequence[Seed], parser: Parser) -> list[Parse]:
    """The questions parsed, with the capitals that their contexts give them."""
    return parser.parse([capitals_of(s.input.text, s.input.context, s.input.title) for s in seeds])


def in_case(seeds: Sequence[Seed], texts: Sequence[str | None]) -> list[str | None]:
    """The texts without the capitals that only the parser needed: a follow-up changes one thing."""
    return [
        text.lower() if text is not None and seed.input.text == seed.input.text.lower() else text
        for seed, text in zip(seeds, texts, strict=True)
    ]


def make_partners(rows: Sequence[Seed], parser: Parser) -> dict[str, Partner | None]:
    """Each row's question as clause and statement, or nothing where the rules give none."""
    parses = parse_questions(rows, parser)
    clauses = in_case(rows, embedded(parses, parser))
    statements = in_case(rows, yes_no_statements(parses, parser))
    return {
        row.id: Partner(row, clause, statement) if clause is not None else None
        for row, clause, statement in zip(rows, clauses, statements, strict=True)
    }


def fitting(seed: Seed, partners: Sequence[Partner | None]) -> tuple[Partner, ...]:
    """The partners whose clause reads after `whether` or `I'm not sure`: no commas, not the same row."""
    return tuple(
        partner
        for partner in partners
        if partner is not None and partner.seed.id != seed.id and ", " not in partner.clause
    )


def is_binary(seed: Seed) -> bool:
    """Whether a seed asks for yes or no."""
    return is_yes_no(seed.input.text)
