"""Whether a sentence fits a condition. What costs least is looked at first.

The sentences of a corpus that capabilities may take: read, parsed and grown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.expansion import Seen, expand
from polyglitch.mutate.capabilities.spec import LENGTH, Capability, Condition, listed, spoken
from polyglitch.nlp.lexicons.terms import (
    CLASSES,
    INDEPENDENT,
    SentimentLexicon,
    open_lexicon,
    term_lists,
    terms,
)
from polyglitch.nlp.parsers.constituents import open_grammar
from polyglitch.nlp.proposers.slot_words import begins_with_name
from polyglitch.nlp.sentences import readable
from polyglitch.protocols import Tools
from polyglitch.records import Parse, Seed
from polyglitch.registry import suggest

SIDES = ("positive", "negative", "neutral")
CLEAR = {"praise": "positive", "blame": "negative"}  # by the bundled words alone
SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "expl", "csubj")
FINITE = (
    "VBD",
    "VBP",
    "VBZ",
    "MD",
    "VERB",
    "AUX",
)  # universal tags do not tell finite verbs from others
SEVERAL = re.compile(r"[.!?…][\"'”)]*\s+\S|[a-z][.!?][A-Z]|[*>~]|\.\.")
MARKS = frozenset(".!?…\"'”’")


class NotParsed(Exception):
    """A condition asked for the parse of a sentence that has none yet."""


def not_parsed() -> Parse:
    """Stands in for the parse until it is known that one is needed."""
    raise NotParsed


@dataclass(frozen=True)
class CorpusSentence:
    """A sentence of a labelled corpus; parsed when a condition first asks."""

    text: str
    label: str | None
    lexicon: SentimentLexicon
    parsed: Callable[[], Parse]
    language: str = DEFAULT
    data: dict[str, Any] = field(default_factory=dict)

    def words(self) -> int:
        """How many tokens, the final mark left out."""
        tokens = self.parsed().tokens
        return len(tokens) - (1 if tokens and set(tokens[-1].text) <= MARKS else 0)

    def clause(self) -> bool:
        """Whether it can stand after `that`: its main verb is finite and has a subject before it."""
        tokens = self.parsed().tokens
        root = next((i for i, token in enumerate(tokens) if token.head == i), None)
        if (
            root is None
            or tokens[0].tag in ("WP", "WRB", "WDT", "UH")
            or self.text.rstrip("\"' ").endswith("?")
            or SEVERAL.search(self.text)
        ):
            return False
        below = [token for token in tokens if token.head == root]
        subject = any(t.relation in SUBJECTS and t.start < tokens[root].start for t in below)
        # A subject before any verb keeps out inversions; a fragment has a verb without a subject.
        return subject and any(t.tag in FINITE for t in (tokens[root], *below))

    def has(self, name: str) -> bool:
        """Whether a word is of a list: by sentiment and class, or by the name of a word list."""
        side, _, kind = name.partition(" ")
        if name in CLEAR:
            lexicon = open_lexicon(self.language, ("bundled",))
            side = CLEAR[name]
            return any(
                lexicon.polarity(token.text, token.lemma) == side for token in self.parsed().tokens
            )
        if side not in SIDES:
            return bool(pattern(terms(name, self.language)).search(self.text))
        return any(
            (kind == "word" or CLASSES.get(token.pos) == kind)
            and self.lexicon.polarity(token.text, token.lemma) == side
            for token in self.parsed().tokens
            if token.pos in CLASSES
        )


def fits(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether all keys of a condition hold."""
    return (
        (not condition.label or sentence.label in listed(condition.label))
        and _fields_fit(sentence, condition)
        and _text_fits(sentence.text, condition)
        and _terms_fit(sentence, condition)
        and (condition.words is None or _length_fits(sentence.words(), condition.words))
        and (condition.clause is None or sentence.clause() == condition.clause)
        and (not condition.has or any(map(sentence.has, listed(condition.has))))
        and not any(map(sentence.has, listed(condition.lacks)))
        and (not condition.any or any(fits(sentence, each) for each in condition.any))
        and all(fits(sentence, each) for each in condition.all)
        and not any(fits(sentence, each) for each in condition.none)
    )


def may_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether a sentence that was not parsed fits, or might once it is."""
    try:
        return fits(sentence, condition)
    except NotParsed:
        return True


def _fields_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    for name, wanted in condition.field.items():
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        if str(sentence.data.get(name)) not in map(str, values):
            return False
    return True


def _text_fits(text: str, condition: Condition) -> bool:
    lower = text.lower()
    starts = tuple(each.lower() for each in listed(condition.starts))
    ends = tuple(each.lower() for each in listed(condition.ends))
    return (
        (not starts or lower.startswith(starts))
        and (not ends or lower.endswith(ends))
        and (not condition.contains or bool(pattern(listed(condition.contains)).search(text)))
    )


def _terms_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether word lists fit, as far as the text alone tells: asked before anything is parsed."""
    has = listed(condition.has)
    if has and all(map(_by_text, has)) and not any(map(sentence.has, has)):
        return False
    return not any(sentence.has(name) for name in listed(condition.lacks) if _by_text(name))


def _by_text(name: str) -> bool:
    return name.partition(" ")[0] not in SIDES and name not in CLEAR


def _length_fits(length: int, wanted: str) -> bool:
    match = LENGTH.match(wanted)
    assert match is not None  # noqa: S101 - checked when the file was read
    if match[3]:
        return int(match[3]) <= length <= int(match[4])
    bound = int(match[2])
    compare: dict[str, bool] = {
        "<": length < bound,
        "<=": length <= bound,
        ">": length > bound,
        ">=": length >= bound,
    }
    return compare[match[1]]


@cache
def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Any of some words, phrases or marks, whole words, whatever their case."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_bounded, longest_first)), re.IGNORECASE)


def _bounded(word: str) -> str:
    inner = re.escape(word).replace(r"\ ", r"\s+")
    before = r"(?<!\w)" if word[0].isalnum() and word != "n't" else ""
    return before + inner + (r"(?!\w)" if word[-1].isalnum() else "")


@dataclass(frozen=True)
class FoundSeed:
    """A seed as a sentence, with its parse and what it grew into."""

    seed: Seed
    sentence: CorpusSentence
    parse: Parse
    grown: tuple[tuple[Expanded, CorpusSentence], ...] = ()


def find(
    seeds: Sequence[Seed],
    labels: str,
    lexicons: tuple[str, ...],
    chosen: Sequence[Capability],
    tools: Tools,
) -> list[FoundSeed]:
    """The seeds that may fit a capability, as readable, parsed sentences under the suite's own labels."""
    language = spoken(chosen, seeds[0].input.language if seeds else None)
    rated = language if language_of(language).file("sentiment.toml") else chosen[0].language
    names, lexicon = label_names(labels), open_lexicon(rated, lexicons)
    wanted = [capability.where for capability in chosen]
    wanted += [rule.other for capability in chosen for rule in capability.make if rule.other]
    drafts: list[tuple[Seed, CorpusSentence]] = []
    for seed in seeds:
        label = names.get((seed.label or "").lower(), seed.label)
        text = readable(seed.input.text)
        sentence = CorpusSentence(text, label, lexicon, not_parsed, language, seed.data)
        if text and any(may_fit(sentence, condition) for condition in wanted):
            drafts.append((seed, sentence))
    parses = tools.words(language).parse([sentence.text for _, sentence in drafts])
    return [
        FoundSeed(seed, with_parse(sentence, parse), parse)
        for (seed, sentence), parse in zip(drafts, parses, strict=True)
    ]


def with_parse(sentence: CorpusSentence, parse: Parse) -> CorpusSentence:
    """The sentence of a parse, with the label and data of another."""
    return replace(sentence, text=parse.text, parsed=lambda: parse)


def grow(
    found: list[FoundSeed],
    chosen: Sequence[Capability],
    most: int,
    proposer: str,
    tools: Tools,
    grammar: str = "",
    added: tuple[str, ...] = (),
) -> list[FoundSeed]:
    """The sentences that some capability takes, with their expansions, re-parsed."""
    language = chosen[0].language
    wanted = [
        item for item in found if any(c.expand and fits(item.sentence, c.where) for c in chosen)
    ]
    if not wanted:
        return found
    parser, words = tools.parser(language), tools.proposer(proposer, language)
    lexicon = open_lexicon(language, added) if added else wanted[0].sentence.lexicon
    rows = expand(
        [item.parse for item in wanted],
        parser,
        words,
        open_grammar(grammar or language),
        lexicon,
        most,
        Seen(words),
    )
    grown = {
        id(item): tuple((row, with_parse(item.sentence, row.parse)) for row in some)
        for item, some in zip(wanted, rows, strict=True)
    }
    return [FoundSeed(i.seed, i.sentence, i.parse, grown.get(id(i), ())) for i in found]


def grown_texts(
    texts: Sequence[str], language: str, most: int, proposer: str, tools: Tools, grammar: str = ""
) -> list[list[str]]:
    """For each text at most so many that say the same with more words; for tests that are there already."""
    parser, words = tools.parser(language), tools.proposer(proposer, language)
    rows = expand(
        parser.parse(texts),
        parser,
        words,
        open_grammar(grammar or language),
        open_lexicon(language, INDEPENDENT),
        most,
        Seen(words),
    )
    return [[row.parse.text for row in some] for some in rows]


def starts_with_name(parse: Parse, language: str) -> bool:
    """Whether the first word keeps its capital inside a sentence; taggers take `Trans people` for a name."""
    if not parse.tokens:
        return False
    first = parse.tokens[0]
    if first.text.lower() in first_words(language):
        return first.text in term_lists(language).get("written capital", ())
    return first.tag.startswith("NNP") and begins_with_name(parse)


@cache
def first_words(language: str) -> frozenset[str]:
    """What names of groups begin with, in lower case."""
    return frozenset(term.split()[0].lower() for term in term_lists(language).get("identity", ()))


@cache
def label_names(name: str) -> dict[str, str]:
    """What a corpus calls its labels, to what capabilities call them."""
    path = files("polyglitch").joinpath("resources", "capabilities", "labels.toml")
    table = tomllib.loads(path.read_text("utf-8"))
    if name not in table:
        raise UsageError(f"no set of labels is called {name!r}{suggest(name, tuple(table))}")
    return table["words"] | table[name]  # type: ignore[no-any-return]
