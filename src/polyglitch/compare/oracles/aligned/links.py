"""The four sentences of a pair, read as words with a key to compare by and a kind that says what weighs, and linked to
each other: what the edit touched, what the outputs share, what stands behind.

A word of the source, its counterpart in the other source and the words of both outputs that translate them are one unit
(the idea of word closures: Xie et al., Word Closure-Based Metamorphic Testing for Machine Translation, 2023). Changed
words of two outputs are paired off: what one lost the other may say in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple, Protocol

from rapidfuzz.distance import LCSseq, Prefix

from polyglitch.compare.metrics.units import cut, han
from polyglitch.compare.oracles.aligned.lexicon import Lexicon, Numbers
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.records import Parse

Kind = Literal["content", "function", "mark", "number", "name", "negation"]

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "X", "INTJ"})
SHORT = 3  # letters; without tags, words up to this length count as function words
CURRENCIES = frozenset({"US", "R", "A", "C", "HK", "NT", "NZ", "U.S."})  # dollars and reais
NUMBER = re.compile(r"[\d０-９]")


class Word(NamedTuple):
    """A word with its place in the text, the form it is compared by, and what kind of word it is."""

    text: str
    start: int
    end: int
    key: str
    kind: Kind
    pos: str
    head: int


class Sentence(NamedTuple):
    """A text and its words."""

    text: str
    words: tuple[Word, ...]
    parsed: bool = False  # whether heads mean anything

    @property
    def keys(self) -> list[str]:
        """What the words are compared by."""
        return [word.key for word in self.words]


@cache
def negations_of(language: str) -> frozenset[str]:
    """The words that negate in a language; none for a language without a list."""
    return frozenset(language_of(language).negation.all)


@cache
def number_words(language: str) -> dict[str, str]:
    """Numbers written as words, with their digits, up to the largest that the weights were learned with."""
    known = language_of(language)
    return {
        name: str(value)
        for name, value in known.numbers.items()
        if 0 < value <= known.largest_number_compared and name not in known.articles
    }


def read_parse(parse: Parse, language: str) -> Sentence:
    """A sentence from a parser's words."""
    words = tuple(
        word_of(token.text, token.start, token.end, token.lemma, token.pos, token.head, language)
        for token in parse.tokens
    )
    parsed = any(token.head != index for index, token in enumerate(parse.tokens))
    return Sentence(parse.text, with_currency(words), parsed)


def read_plain(text: str, language: str) -> Sentence:
    """A sentence without a parser: words by script, and a guess at which are function words."""
    units = cut(text, language)
    words = []
    for index, (unit, place) in enumerate(zip(units.units, units.spans, strict=True)):
        pos = guess(unit, index, language)
        lemma = agreeing(unit, pos, language)
        words.append(word_of(unit, *place, lemma, pos, index, language))
    return Sentence(text, tuple(words))


def with_currency(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The letters of "US $" as the mark they are part of, not as a name."""
    return tuple(
        word._replace(kind="mark", key=following.text)
        if following and following.text == "$" and word.text in CURRENCIES
        else word
        for word, following in zip_longest(words, words[1:])
    )


def guess(unit: str, index: int, language: str) -> str:
    """A part of speech from the looks of a word."""
    if not any(character.isalnum() for character in unit):
        return "PUNCT"
    if index and unit[:1].isupper() and not language_of(language).nouns_capitalised:
        return "PROPN"
    if unit.lower() in language_of(language).function_words:
        return "ADP"
    return "NOUN" if han().search(unit) or len(unit) > SHORT else "ADP"


def agreeing(unit: str, pos: str, language: str) -> str:
    """A word of unknown class as if it agreed with another: most that differ in such an ending alone do."""
    parts = language_of(language).agreement.parts
    return agreed(unit.lower(), parts[0], language) if parts and pos == "NOUN" else unit


def word_of(
    text: str, start: int, end: int, lemma: str, pos: str, head: int, language: str
) -> Word:
    """A word with its key and kind."""
    return Word(text, start, end, *key_and_kind(text, lemma, pos, language), pos, head)


@lru_cache(20_000)  # words met lately
def key_and_kind(text: str, lemma: str, pos: str, language: str) -> tuple[str, Kind]:
    """What a word is compared by, and what kind of word it is."""
    key = (lemma or text).lower().replace("\u2019", "'")
    if len(key) > 2 and "." in key and key.replace(".", "").isalpha():
        key = key.replace(".", "")  # U.S. and US are one
    key = number_words(language).get(key, agreed(key, pos, language))
    return key, kind_of(text, key, pos, language)


def agreed(key: str, pos: str, language: str) -> str:
    """The key without gender and number where words agree, and without an article taken up by a preposition.

    Those changes follow from the edit: a word is not another for agreeing with another noun.
    """
    known = language_of(language)
    if key in known.counts_as:
        return known.counts_as[key]
    if pos not in known.agreement.parts or len(key) <= SHORT or not key.isalpha():
        return key
    stem = key.removesuffix("s")
    return stem[:-1] + known.agreement.masculine.get(stem[-1:], stem[-1:])


def kind_of(text: str, key: str, pos: str, language: str) -> Kind:
    """What kind of word it is, hard facts first."""
    if text.lower() in negations_of(language) or key in negations_of(language):
        return "negation"
    if NUMBER.search(key):
        return "number"
    if pos in ("PUNCT", "SYM") or not any(character.isalnum() for character in text):
        return "mark"
    if pos == "PROPN" or (text.isascii() and not language_of(language).spaced):
        return "name"
    return "content" if pos in CONTENT else "function"


def frequencies(sentences: Sequence[Sentence]) -> dict[str, int]:
    """In how many distinct sentences each key stands."""
    counts: dict[str, int] = {}
    for text in {sentence.text: sentence for sentence in sentences}.values():
        for key in set(text.keys):
            counts[key] = counts.get(key, 0) + 1
    return counts


Relation = Literal["similar", "contained", "different"]
NONE = -1


class LinkedBlock(NamedTuple):
    """A run of changed words here, and the run that faces it in the other output; ends are past the last."""

    start: int = 0
    end: int = 0
    facing_start: int = 0
    facing_end: int = 0


class Side(NamedTuple):
    """One output with its source, seen against the other output and source."""

    source: Sentence
    output: Sentence
    source_match: list[int]  # for each source word its like in the other source, or NONE: the edit
    output_match: list[int]  # for each output word its like in the other output, or NONE: changed
    behind: Numbers  # for each output word (row) how likely each source word stands behind it
    block: list[
        LinkedBlock
    ]  # for each output word the changed block it stands in, empty if it is shared

    @property
    def changed(self) -> list[int]:
        """The places of output words that the other output lacks."""
        return [index for index, match in enumerate(self.output_match) if match == NONE]


class Linked(NamedTuple):
    """A pair with both its sides."""

    first: Side
    second: Side

    @property
    def sides(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        """Each side with the other."""
        return (self.first, self.second), (self.second, self.first)


def link(
    source: Sentence, followup: Sentence, first: Sentence, second: Sentence, lexicon: Lexicon
) -> Linked:
    """Link the four sentences of a pair."""
    edit, tide = match(source.keys, followup.keys)
    here, there = match(first.keys, second.keys)
    one, other = lexicon.links(source.keys, first.keys), lexicon.links(followup.keys, second.keys)
    return Linked(
        Side(source, first, edit, here, one, runs(here, there)),
        Side(followup, second, tide, there, other, runs(there, here)),
    )


def match(one: list[str], other: list[str]) -> tuple[list[int], list[int]]:
    """Partners by key: along a longest common subsequence first, then words that merely moved."""
    ahead, back = [NONE] * len(one), [NONE] * len(other)
    for code in LCSseq.opcodes(one, other):
        if code.tag == "equal":
            for step in range(code.src_end - code.src_start):
                ahead[code.src_start + step] = code.dest_start + step
                back[code.dest_start + step] = code.src_start + step
    free: dict[str, list[int]] = {}
    for index, partner in enumerate(back):
        if partner == NONE:
            free.setdefault(other[index], []).append(index)
    for index, partner in enumerate(ahead):
        if partner == NONE and free.get(one[index]):
            place = free[one[index]].pop(0)
            ahead[index], back[place] = place, index
    return ahead, back


def runs(here: list[int], there: list[int]) -> list[LinkedBlock]:
    """For each word of one side its block; the facing run is the one that follows the last shared word."""
    found = [LinkedBlock()] * len(here)
    start = 0
    while start < len(here):
        if here[start] != NONE:
            start += 1
            continue
        end = start
        while end < len(here) and here[end] == NONE:
            end += 1
        place = here[start - 1] + 1 if start else 0
        facing = place
        while facing < len(there) and there[facing] == NONE:
            facing += 1
        found[start:end] = [LinkedBlock(start, end, place, facing)] * (end - start)
        start = end
    return found


class Likeness(Protocol):
    """How alike words of the target language are."""

    def __call__(self, one: str, other: str) -> float | None:
        """Of two words; nothing if one is unknown."""

    def nearest(self, one: str, others: Iterable[str]) -> float:
        """The likeness of the word that comes nearest; none known is none near."""


WEIGHTY = frozenset({"content", "number", "name", "negation"})
EXCUSED = 0.5  # a word so likely to translate an edited one is not in want of a partner
LEAST = 0.3  # words less alike than this are not partners
BEGUN = 3  # letters that two forms of a word begin with at least
STEM, ENDING = (
    0.5,
    5,
)  # of two forms of a word: the share they begin with, the letters that follow at most


class Pairing(NamedTuple):
    """Changed words of two sides: how alike each two are, and who is whose partner."""

    rows: list[int]  # changed words of this side
    columns: list[int]  # changed words of the other
    alike: Numbers  # rows x columns: meaning, from -1 to 1, 0 where unknown
    form: Numbers  # rows x columns: letters, from 0 to 1
    turns: Numbers  # rows x columns: how readily a shared source word gives the one for the other
    partner: dict[int, tuple[int, float]]  # word here: word there and how alike

    def turned(self) -> Pairing:
        """The same from the other side."""
        back = {there: (here, value) for here, (there, value) in self.partner.items()}
        return Pairing(self.columns, self.rows, self.alike.T, self.form.T, self.turns.T, back)


def weighty(side: Side, places: Sequence[int]) -> list[int]:
    """Those of the places whose words carry meaning and do not come of the edit."""
    edited = [index for index, match in enumerate(side.source_match) if match == NONE]
    return [
        at
        for at in places
        if side.output.words[at].kind in WEIGHTY
        and (not edited or side.behind[at, edited].sum() < EXCUSED)
    ]


def pair_off(one: Side, other: Side, lexicon: Lexicon, likeness: Likeness | None) -> Pairing:
    """Pair the changed words that carry meaning, the most alike first."""
    rows, columns = one.changed, other.changed
    shape = (len(rows), len(columns))
    alike, form, turns = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    shared = [
        word.key for word, at in zip(one.source.words, one.source_match, strict=True) if at != NONE
    ]
    here = [one.output.words[at] for at in rows]
    there = [other.output.words[at] for at in columns]
    ahead = lexicon.ahead(shared, [word.key for word in there])
    back = lexicon.behind(shared, [word.key for word in here])
    for i, word in enumerate(here):
        for j, rival in enumerate(there):
            alike[i, j] = (likeness(word.key, rival.key) or 0.0) if likeness else 0.0
            form[i, j] = shared_form(word.text, rival.text)
    if shared and here and there:
        turns = (ahead[None, :, :] * back[:, None, :]).max(-1)
    score = np.maximum(np.maximum(alike, form), np.sqrt(turns))
    return Pairing(rows, columns, alike, form, turns, partners(one, other, rows, columns, score))


def partners(
    one: Side, other: Side, rows: list[int], columns: list[int], score: Numbers
) -> dict[int, tuple[int, float]]:
    """One partner each, the best pairs first."""
    here, there = set(weighty(one, rows)), set(weighty(other, columns))
    found: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for place in np.argsort(-score, axis=None, kind="stable"):
        i, j = divmod(int(place), len(columns))
        if score[i, j] < LEAST:
            break
        if (
            rows[i] in here
            and columns[j] in there
            and rows[i] not in found
            and columns[j] not in taken
        ):
            found[rows[i]] = (columns[j], float(score[i, j]))
            taken.add(columns[j])
    return found


def shared_form(one: str, other: str) -> float:
    """The share of letters that two words begin with or, where a letter is a word, that the other holds.

    Two forms of one word share most of it and differ in an ending; "Amazon" and "Amazônia" merely begin alike.
    """
    one, other = one.lower(), other.lower()
    if not one.isascii() and not other.isascii() and han().search(one) and han().search(other):
        return sum(character in other for character in one) / len(one)
    if one[:BEGUN] != other[:BEGUN]:  # nearly always
        return 0.0
    same = Prefix.similarity(one, other)
    longest = max(len(one), len(other))
    alike = same >= BEGUN and same >= STEM * longest and longest - same <= ENDING
    return same / longest if alike else 0.0
