"""Words without a model of their language: of the campaign's own sentences, and of sets that are written down.

Words of the campaign's own sentences serve any language that a tagger knows.

A word may stand for another of the same part of speech that ends alike, which in most languages keeps gender, number
and person. Words that the corpus has after the same neighbour come first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from polyglitch.errors import NothingToTest, UsageError
from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.proposers.slot_words import begins_with_order
from polyglitch.protocols import Tools
from polyglitch.records import Candidate, Parse, Slot, Token, digest

READ = 2000  # sentences: some 8,000 words of the open classes
SHORTEST = 3  # letters
SAME_NEIGHBOUR = 5  # what a time after the same word counts, beside a time anywhere
Place = tuple[str, str, str]  # part of speech, own tag where the language has one, ending


class CorpusProposer:
    """Fits `Proposer`; the corpus is read when the first slot is asked about."""

    def __init__(self, language: str, tools: Tools) -> None:
        self._language, self._code, self._tools = language_of(language), language, tools
        self._seen: dict[Place, Counter[str]] = {}
        self._after: Counter[tuple[str, str]] = Counter()
        self._determined: dict[str, set[str]] = {}  # the endings of the determiners before a word
        self._signature = ""

    @property
    def signature(self) -> str:
        """The language and the words that were read."""
        self._read()
        return self._signature

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the most usual there first."""
        self._read()
        return [self._fitting(slot)[:top] for slot in slots]

    def _fitting(self, slot: Slot) -> list[Candidate]:
        old = slot.token.text.lower()
        before = slot.parse.tokens[slot.index - 1].text.lower() if slot.index else ""
        taken = {token.text.lower() for token in slot.parse.tokens}
        found = [
            (word, seen + SAME_NEIGHBOUR * self._after[before, word])
            for word, seen in self._seen.get(self._place(slot.token), Counter()).items()
            if word.lower() not in taken
            and not differ_by_ending(word.lower(), old)
            and self._agree(old, word.lower())
        ]
        ranked = sorted(found, key=lambda pair: (-pair[1], pair[0]))
        return [Candidate(word, round(math.log(seen), 4)) for word, seen in ranked]

    def _read(self) -> None:
        if self._signature:
            return
        texts = [seed.input.text for seed in islice(self._tools.corpus(), READ)]
        if not texts:
            raise NothingToTest(
                "the proposer 'corpus' takes its words from the corpus: it has none"
            )
        held = self._language.function_words
        for parse in self._tools.parser(self._code).parse(texts):
            before = determiner = ""
            for token in parse.tokens:
                word = self._word(token)
                if word.isalpha() and len(word) >= self._least and word.lower() not in held:
                    self._seen.setdefault(self._place(token), Counter())[word] += 1
                    self._after[before, word] += 1
                    if determiner:
                        self._determined.setdefault(word.lower(), set()).add(determiner)
                before, determiner = token.text.lower(), self._ending_of(token)
        self._signature = f"corpus:{self._language.code}-{digest(texts, 12)}"

    def _ending_of(self, token: Token) -> str:
        """What a determiner tells of the next word's gender and number; nothing where words do not agree."""
        if not self._language.agreement.endings or "DET" not in token.tag + token.pos:
            return ""
        return re.sub(".*?([aeiou]?s?)$", r"\1", token.text.lower())

    def _agree(self, old: str, new: str) -> bool:
        """Whether two words were seen with like determiners, or one of them with none."""
        one, other = self._determined.get(old, set()), self._determined.get(new, set())
        return not one or not other or bool(one & other)

    @property
    def _least(self) -> int:
        return SHORTEST if self._language.spaced else 1

    def _word(self, token: Token) -> str:
        large = self._language.nouns_capitalised and token.pos == "NOUN"
        return token.text if large else token.text.lower()

    def _place(self, token: Token) -> Place:
        own = token.tag if token.tag in self._language.own_tags else ""
        word = token.text.lower()
        # Where nothing parts words there are no endings either: words of one length fit best.
        ending = word[-2:] if self._language.spaced else str(len(word))
        return token.pos, own, ending


def open_corpus_words(language: str, tools: Tools) -> CorpusProposer:
    """The proposer of a campaign."""
    return CorpusProposer(language, tools)


class WordSets:
    """Words that may stand for each other in nearly any sentence, as `word_sets.txt` of the language has them.

    `kind` says which: sets whose words say nearly the same (`alike`), sets whose words do not (`unlike`), or all.
    """

    def __init__(self, language: str, kind: str = "") -> None:
        self._language = language_of(language)
        lines = self._language.lines("word_sets")
        heads = self._language.lines("compound_heads")
        self._conjugations = [line.split() for line in self._language.lines("conjugations")]
        told = digest([*lines, *heads, *self._language.lines("conjugations")], 8)
        self.signature = f"word-sets/5:{self._language.code}:{kind}-{told}"
        self._sets: dict[tuple[str, str], list[str]] = {}  # by part of speech and word
        self._bare: set[str] = set()  # words that often stand without an article
        self._safest: set[tuple[str, str]] = (
            set()
        )  # of the swaps those that nearly any sentence bears
        # A verb, adverb or number that is asked for as such gives way to its like alone.
        parts = tuple(part for part in ANY if part not in self._language.more_parts)
        for line in lines:
            if line.startswith("["):
                parts = tuple(line.strip("[]").split())
                continue
            marks, words = marks_of(line)
            if kind not in SETS or (ALIKE in marks) == SETS[kind]:
                self._add(parts, marks, words)
        wanted = kind not in SETS or SETS[kind]  # the whole and its last part say nearly the same
        some = [word for line in heads for word in line.split()] if wanted else []
        self._heads = frozenset(word for word in some if not word.startswith("-"))
        self._whole = frozenset(word[1:] for word in some if word.startswith("-"))

    def _add(self, parts: Sequence[str], marks: str, words: Sequence[str]) -> None:
        for new in self._forms(marks, words):
            old = [made for made, word in zip(new, words, strict=True) if not word.startswith("+")]
            self._bare |= set(new) if BARE in marks else set()
            if {ALIKE, BARE} & set(marks):
                self._safest |= {(one, other) for one in old for other in new}
            for part, word in ((part, word) for part in parts for word in old):
                some = self._sets.setdefault((part, word), [])
                some += [other for other in new if other != word and other not in some]

    def _forms(self, marks: str, words: Sequence[str]) -> list[list[str]]:
        """A set as it is written, or one set for each form of its stems or infinitives."""
        bare = [word.removeprefix("+") for word in words]
        if STEMS in marks:
            return [[word + ending for word in bare] for ending in self._language.agreement.forms]
        if CONJUGATED not in marks:
            return [bare]
        made = dict.fromkeys(zip(*(self._conjugated(word) for word in bare), strict=True))
        # A form that serves two persons or tenses is left alone where the other verb has a form for each.
        seen = [Counter(column) for column in zip(*made, strict=True)]
        replaced = [place for place, word in enumerate(words) if not word.startswith("+")]
        return [list(some) for some in made if all(seen[at][some[at]] == 1 for at in replaced)]

    def _conjugated(self, infinitive: str) -> list[str]:
        """The forms of a verb, in the order of `conjugations.txt`, by the longest ending that it has there."""
        fitting = [each for each in self._conjugations if infinitive.endswith(each[0])]
        if not fitting:
            raise UsageError(f"word_sets.txt: no conjugation of {infinitive!r} is told")
        endings = max(fitting, key=lambda each: len(each[0]))
        stem = infinitive.removesuffix(endings[0])
        return [stem + ending for ending in endings]

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, in the order of the sets, and few: one slot must not fill a report."""
        most = min(top, MOST)
        return [
            sorted(self._candidates(slot), key=lambda one: -one.accepted)[:most] for slot in slots
        ]

    def _candidates(self, slot: Slot) -> list[Candidate]:
        """The words for a slot; near a name those alone that say nearly the same: what is said of it is known."""
        reach = NEAR[slot.token.pos == "ADJ"]
        near = range(max(slot.index - reach, 0), slot.index + reach + 1)
        named = self._language.names_hold and any(self._is_name(slot.parse, n) for n in near)
        before = slot.parse.tokens[slot.index - 1].text.lower() if slot.index else ""
        degree = before in self._language.comparison or before in self._language.words("degrees")
        whole = self._language.words("no_degree") if degree else frozenset()
        found = [self._candidate(slot, word) for word in self.others(slot) if word not in whole]
        return [one for one in found if not named or one.accepted > ONE_A_SENTENCE]

    def _is_name(self, parse: Parse, place: int) -> bool:
        """Whether a name stands at a place, and no order that begins the sentence, which taggers take for one."""
        if not 0 <= place < len(parse.tokens):
            return False
        token = parse.tokens[place]
        named = token.pos == "PROPN" and not token.text[0].islower()
        return named and not begins_with_order(parse, place)

    def _candidate(self, slot: Slot, word: str) -> Candidate:
        old = slot.token.text
        safe = (
            (old, word) in self._safest
            or (old.lower(), word) in self._safest
            or word == self._head_of(old)
        )
        safe = safe or slot.token.pos in self._language.more_parts
        return Candidate(word, 0.0) if safe else Candidate(word, 0.0, ONE_A_SENTENCE)

    def others(self, slot: Slot) -> list[str]:
        """Every word of the sets that the words around a slot allow."""
        large = self._language.nouns_capitalised and slot.token.pos == "NOUN"
        word = slot.token.text if large else slot.token.text.lower()
        part = slot.token.pos if slot.token.pos in ANY else ANY[-1]
        others = self._sets.get((part, word), [])
        if part == "NOUN" and (head := self._head_of(word)) and head not in others:
            others = [*others, head]
        before = slot.parse.tokens[slot.index - 1] if slot.index else None
        if not others or self._held(slot, word, others, before):
            return []
        sounded = self._language.agreement.sounded
        leans = before and (before.text.lower() in sounded if sounded else before.pos != "NOUN")
        return [one for one in others if self._language.sound_alike(word, one)] if leans else others

    def _head_of(self, word: str) -> str:
        """The last part of a compound where it may stand for the whole, or nothing."""
        if not self._heads or word in self._whole:
            return ""
        ends = (word[at].upper() + word[at + 1 :] for at in range(FIRST_PART, len(word) - 3))
        return next((end for end in ends if end in self._heads), "")

    def _held(self, slot: Slot, word: str, others: Sequence[str], before: Token | None) -> bool:
        """Whether the words around one hold it in place, whatever it is."""
        if self._is_name(slot.parse, slot.index - 1):
            return True  # what is said of a name is known of it: "el Stuttgart alemán"
        around = Counter(token.text.lower() for token in slot.parse.tokens)
        if around[word.lower()] > 1 or any(other.lower() in around for other in others):
            return True  # said again, or set against another of its kind: "by day or by night"
        agreement = self._language.agreement
        after = slot.parse.tokens[slot.index + 1 : slot.index + 2]
        counted = after and (after[0].pos == "NUM" or after[0].text[0].isdigit())
        numbered = slot.token.pos not in self._language.more_parts  # but "about 300"
        if counted and numbered and word not in self._bare:
            return True  # "the years 90", "chapter 20"; not the month of a date
        bare = slot.token.pos == "NOUN" and before and before.text.lower() in agreement.bare_after
        plural = agreement.bare_plurals and re.search(agreement.bare_plurals, word)
        return bool(bare and not plural and word not in self._bare)


def marks_of(line: str) -> tuple[str, list[str]]:
    """The signs before a set, and its words."""
    words = line.lstrip(ALIKE + STEMS + BARE + CONJUGATED)
    return line[: len(line) - len(words)], words.split()


SETS = {"alike": True, "unlike": False}
ALIKE, STEMS, BARE, CONJUGATED = "=", "~", "!", "*"
ANY = (
    "NOUN",
    "ADJ",
    "VERB",
    "ADV",
    "NUM",
    "X",
)  # the parts of speech of sets that stand under no heading
MOST = 3  # words a slot
# Words on each side among which a name counts as near: of a noun, and of an adjective, which may tell whence it is.
NEAR = (2, 4)
FIRST_PART = 4  # letters that a compound has before its last part: shorter ones are mostly prefixes ("Auswahl")
# A swap for a word of the same kind that means something else is taken by fewer readers than one that says nearly the
# same: it passes the default dial alone, in sentences that have no other (`natural_enough`).
ONE_A_SENTENCE = 0.9


def open_word_sets(language: str, kind: str = "") -> WordSets:
    """The sets of a language, or which languages have some."""
    language_of(language).require("word_sets.txt", "sets of words", "the proposer 'word-sets'")
    return WordSets(language, kind)


open_corpus_words.wants_tools = True  # type: ignore[attr-defined]  # the registry gives it the campaign's
