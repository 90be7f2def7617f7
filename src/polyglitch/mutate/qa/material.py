"""What the relations of QAQA are made from, prepared for some seeds at a time; above all sentences to insert: near a
question in meaning, complete by themselves, and no answer to it.

Published code searches contexts first and sentences within them; the paper, and this, searches sentences at once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.mutate.qa.statement import embedded, is_yes_no, yes_no_statements
from polyglitch.mutate.qa.wording import bare, capitals_of, content_words, core, small, words
from polyglitch.nlp.embedders.sentence_vectors import SentenceIndex, open_index
from polyglitch.nlp.proposers.slot_words import begins_with_name, word_classes
from polyglitch.nlp.sentences import split_sentences
from polyglitch.protocols import Embedder, Parser
from polyglitch.records import Parse, Seed, Token, digest

LARGEST = 40_000  # rows of the corpus that a pool is made of, as published
LOOKED_AT = 60  # nearest sentences that are looked at for each question
SHORTEST, LONGEST = 5, 24  # words of a sentence worth inserting
# A sentence with so large a share of the question's words is taken to answer or to contradict it.
ANSWERING = 0.7
BRACKETS = re.compile(r"(?<!\s)\s*[(\[][^()\[\]]*[)\]]")
SMALL = re.compile(r"\b[a-z][\w'’-]*")
# Lists, asides and quotations: cut out of their paragraph they rarely read well after "Someone told me that".
LOOSE = re.compile(r"[,;:?!\"“”|=*/]|--| [-–—] ")

# Words that stand for a thing where they are an object, or after an adjective.
STANDS_FOR, ONES = frozenset(("it", "itself")), frozenset(("one", "ones"))
OBJECTS = frozenset(("dobj", "obj", "dative", "iobj"))


@dataclass(frozen=True)
class PoolSentence:
    """A sentence of the pool and the row it is from."""

    text: str
    row: int


@dataclass(frozen=True)
class SentencePool:
    """Sentences that may be inserted, the rows they are from, and their index."""

    rows: tuple[Seed, ...]
    sentences: tuple[PoolSentence, ...]
    index: SentenceIndex
    common: frozenset[str]  # words written small somewhere: no names


@dataclass(frozen=True)
class Chosen:
    """A sentence chosen for a question: ready to stand after `that`, with its row and its likeness."""

    text: str
    starts_with_name: bool
    row: Seed
    likeness: float


def make_pool(seeds: Iterable[Seed], embedder: Embedder, largest: int = LARGEST) -> SentencePool:
    """The usable sentences of all contexts; a sentence that stands in several belongs to the first."""
    rows = tuple(seed for seed in islice(seeds, largest) if seed.input.context)
    found: dict[str, int] = {}
    read: set[str] = set()
    common: set[str] = set(words("function_words"))
    for number, seed in enumerate(rows):
        context = seed.input.context or ""
        if context not in read:
            read.add(context)
            common.update(SMALL.findall(context))
            for sentence in split_sentences(context, seed.input.language or DEFAULT):
                text = tidied(sentence)
                if text is not None:
                    found.setdefault(text, number)
    sentences = tuple(PoolSentence(text, row) for text, row in found.items())
    index = open_index([item.text for item in sentences], embedder)
    return SentencePool(rows, sentences, index, frozenset(common))


def tidied(sentence: str) -> str | None:
    """The sentence without brackets and opener, or nothing if it leans on its neighbours."""
    text = BRACKETS.sub("", sentence)
    opener, comma, rest = text.partition(", ")
    if comma and opener.lower() in words("openers"):
        text = rest[:1].upper() + rest[1:]
    found = text.split()
    if not SHORTEST <= len(found) <= LONGEST or not text.endswith(".") or LOOSE.search(text):
        return None
    lowered = [word.lower().strip(".'") for word in found]
    if not text[0].isupper() or lowered[0] in words("leaning"):
        return None
    return None if words("pronouns") & set(lowered) else text


def declarative(parse: Parse) -> bool:
    """Whether the parse is of one whole statement: a subject, then a finite verb, and one root."""
    roots = [index for index, token in enumerate(parse.tokens) if token.head == index]
    if len(roots) != 1:
        return False
    root = roots[0]
    around = [token for token in parse.tokens if token.head == root]
    subject = any(t.relation in ("nsubj", "nsubjpass") and t.pos != "PRON" for t in around)
    verbs = [parse.tokens[root], *(t for t in around if t.relation in ("aux", "auxpass"))]
    finite = any(token.tag in ("VBZ", "VBP", "VBD", "MD") for token in verbs)
    whole = subject and finite and parse.tokens[root].pos in ("VERB", "AUX")
    return whole and not any(points_out(token, root) for token in parse.tokens)


def points_out(token: Token, root: int) -> bool:
    """Whether a word stands for a thing of a sentence before: "users clean it", "the oldest one"."""
    word = token.text.lower()
    return (word in STANDS_FOR and token.relation in OBJECTS and token.head == root) or (
        word in ONES and token.relation != "nummod"
    )


def starts_with_name(parse: Parse, pool: SentencePool) -> bool:
    """Whether the first word of a sentence keeps its capital within another."""
    first, second = parse.tokens[0], parse.tokens[1]
    word = first.text.lower()
    if word in words("never_names"):
        return False
    if first.pos == second.pos == "PROPN" and word not in words("function_words"):
        return True
    known = word_classes(parse.language)
    if first.pos == "PROPN" and second.tag in ("NN", "NNS") and known:
        listed = known.can_be(word, "JJ") or known.can_be(word, "NN")
        if listed and word not in language_of(parse.language).words("always_capital"):
            return False  # "Brown bears", "Sourdough bread"
    if first.pos == "NOUN" and first.tag == "NN" and not begins_with_name(parse):
        # Taggers take rare names for nouns: a word that neither a dictionary nor a context has in small letters is one.
        listed = known is None or known.can_be(word, first.tag)
        return not listed and word not in pool.common
    # A name that some context has in small letters is none, words of nations and days aside.
    return begins_with_name(parse) and (first.pos != "PROPN" or word not in pool.common)


def answers_it(text: str, seed: Seed) -> bool:
    """Whether a sentence holds the answer in so many words."""
    if seed.label is None or seed.label.lower() in ("yes", "no", "no answer"):
        return False
    aliases = [alias for alias in seed.data.get("aliases", []) if isinstance(alias, str)]
    return any(
        re.search(rf"\b{re.escape(answer.lower().rstrip('.'))}\b", text.lower())
        for answer in (seed.label, *aliases)
    )


def about_the_same(seed: Seed, other: Seed) -> bool:
    """Whether two rows come from one passage or one article."""
    same_title = seed.input.title is not None and seed.input.title == other.input.title
    return same_title or seed.input.context == other.input.context


def choose(
    seeds: Sequence[Seed],
    questions: Sequence[Parse],
    pool: SentencePool,
    embedder: Embedder,
    parser: Parser,
    most: int,
) -> list[list[Chosen]]:
    """For each question the nearest sentences that may be inserted, at most `most`."""
    near = pool.index.search(embedder.embed([core(parse) for parse in questions]), LOOKED_AT)
    candidates = [
        [
            (pool.sentences[place], score)
            for place, score in places
            if not about_the_same(seed, pool.rows[pool.sentences[place].row])
            and not answers_it(pool.sentences[place].text, seed)
        ]
        for seed, places in zip(seeds, near, strict=True)
    ]
    texts = list(dict.fromkeys(item.text for found in candidates for item, _ in found))
    parses = dict(zip(texts, parser.parse(texts), strict=True))
    return [
        [
            Chosen(
                item.text.rstrip("."),
                starts_with_name(parses[item.text], pool),
                pool.rows[item.row],
                score,
            )
            for item, score in found
            if declarative(parses[item.text]) and not covers(parses[item.text], question)
        ][:most]
        for found, question in zip(candidates, questions, strict=True)
    ]


def covers(sentence: Parse, question: Parse) -> bool:
    """Whether a sentence speaks of nearly all that a question asks about."""
    asked = content_words(question.tokens)
    return bool(asked) and len(asked & content_words(sentence.tokens)) / len(asked) >= ANSWERING


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
