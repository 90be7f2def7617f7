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

from polyglitch.errors import NothingToTest
from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.protocols import Candidate, Slot, Token, Tools
from polyglitch.records import digest

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
        self.signature = f"word-sets/2:{self._language.code}:{kind}-{digest(list(lines), 8)}"
        self._sets: dict[tuple[str, str], list[str]] = {}  # by part of speech and word
        self._bare: set[str] = set()  # words that often stand without an article
        self._safest: set[tuple[str, str]] = (
            set()
        )  # of the swaps those that nearly any sentence bears
        parts: tuple[str, ...] = ANY
        for line in lines:
            if line.startswith("["):
                parts = tuple(line.strip("[]").split())
                continue
            marks, words = marks_of(line)
            if kind not in SETS or (ALIKE in marks) == SETS[kind]:
                self._add(parts, marks, words)

    def _add(self, parts: Sequence[str], marks: str, words: Sequence[str]) -> None:
        forms = self._language.agreement.forms if STEMS in marks else ("",)
        for ending in forms:
            new = [word.removeprefix("+") + ending for word in words]
            old = [made for made, word in zip(new, words, strict=True) if not word.startswith("+")]
            self._bare |= set(new) if BARE in marks else set()
            if {ALIKE, BARE} & set(marks):
                self._safest |= {(one, other) for one in old for other in new}
            for part, word in ((part, word) for part in parts for word in old):
                some = self._sets.setdefault((part, word), [])
                some += [other for other in new if other != word and other not in some]

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, in the order of the sets, and few: one slot must not fill a report."""
        most = min(top, MOST)
        return [
            [self._candidate(slot, word) for word in self.others(slot)[:most]] for slot in slots
        ]

    def _candidate(self, slot: Slot, word: str) -> Candidate:
        old = slot.token.text
        safe = (old, word) in self._safest or (old.lower(), word) in self._safest
        return Candidate(word, 0.0) if safe else Candidate(word, 0.0, ONE_A_SENTENCE)

    def others(self, slot: Slot) -> list[str]:
        """Every word of the sets that the words around a slot allow."""
        large = self._language.nouns_capitalised and slot.token.pos == "NOUN"
        word = slot.token.text if large else slot.token.text.lower()
        part = slot.token.pos if slot.token.pos in ANY else ANY[-1]
        others = self._sets.get((part, word), [])
        before = slot.parse.tokens[slot.index - 1] if slot.index else None
        if not others or self._held(slot, word, others, before):
            return []
        sounded = self._language.agreement.sounded
        leans = before and (before.text.lower() in sounded if sounded else before.pos != "NOUN")
        return [one for one in others if self._language.sound_alike(word, one)] if leans else others

    def _held(self, slot: Slot, word: str, others: Sequence[str], before: Token | None) -> bool:
        """Whether the words around one hold it in place, whatever it is."""
        if before and before.pos == "PROPN":
            return True  # what is said of a name is known of it: "el Stuttgart alemán"
        around = {token.text.lower() for token in slot.parse.tokens}
        if any(other.lower() in around for other in others):
            return True  # set against another of its kind: "by day or by night"
        agreement = self._language.agreement
        after = slot.parse.tokens[slot.index + 1 : slot.index + 2]
        if after and (after[0].pos == "NUM" or after[0].text[0].isdigit()):
            return True  # "the years 90", "chapter 20"
        bare = slot.token.pos == "NOUN" and before and before.text.lower() in agreement.bare_after
        plural = agreement.bare_plurals and re.search(agreement.bare_plurals, word)
        return bool(bare and not plural and word not in self._bare)


def marks_of(line: str) -> tuple[str, list[str]]:
    """The signs before a set, and its words."""
    words = line.lstrip(ALIKE + STEMS + BARE)
    return line[: len(line) - len(words)], words.split()


SETS = {"alike": True, "unlike": False}
ALIKE, STEMS, BARE = "=", "~", "!"
ANY = ("NOUN", "ADJ", "VERB", "ADV", "X")  # the parts of speech of sets that stand under no heading
MOST = 3  # words a slot
# A swap for a word of the same kind that means something else is taken by fewer readers than one that says nearly the
# same: it passes the default dial alone, in sentences that have no other (`natural_enough`).
ONE_A_SENTENCE = 0.84


def open_word_sets(language: str, kind: str = "") -> WordSets:
    """The sets of a language, or which languages have some."""
    language_of(language).require("word_sets.txt", "sets of words", "the proposer 'word-sets'")
    return WordSets(language, kind)


open_corpus_words.wants_tools = True  # type: ignore[attr-defined]  # the registry gives it the campaign's
