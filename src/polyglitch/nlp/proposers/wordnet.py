"""Synonyms from an installed WordNet, in the form that the slot's tag asks for."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import cache

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.languages import serving
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.words import Synset, WordNet, dictionary_folder, open_wordnet
from polyglitch.nlp.proposers.slot_words import ENDINGS, WordClasses, regular, word_classes
from polyglitch.records import Candidate, Slot

SHORT = re.compile(
    r"\A[^aeiou]*[aeiou]+[^aeiou]*(y|e)?"
)  # one syllable, or two that end in y: compared by endings


class WordNetProposer:
    """Fits `Proposer`; words of the most frequent meaning first, whatever the context."""

    def __init__(self, lexicon: WordNet, classes: WordClasses | None) -> None:
        self._lexicon, self._classes = lexicon, classes
        self.signature = f"{lexicon.signature}-synonyms"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` synonyms for each slot; the score falls with the rank of the meaning."""
        return [self._synonyms(slot)[:top] for slot in slots]

    def _synonyms(self, slot: Slot) -> list[Candidate]:
        token = slot.token
        own = self._lexicon.bases(token.text, token.pos) if self._lexicon.knows(token.pos) else []
        found: dict[str, Candidate] = {}
        for rank, synset in enumerate(self._lexicon.synsets(token.text, token.pos), 1):
            for base in synset.words:
                form = self.form(base, token.pos, token.tag)
                if form and base not in own and not differ_by_ending(form, token.text.lower()):
                    found.setdefault(form, Candidate(form, round(1 / rank, 4)))
        return list(found.values())

    def form(
        self, base: str, pos: str, tag: str, among: Container[str] | None = None
    ) -> str | None:
        """The word in the form of a tag; nothing for words of several parts, or where the form is not certain.

        Where only some words count, others are spared the look.
        """
        if not base.isalpha():
            return None
        form = (
            inflected(base, ENDINGS[tag], self._lexicon.irregular(base, pos))
            if tag in ENDINGS
            else base
        )
        if form is None or (among is not None and form not in among):
            return None
        known = base in self._lexicon.bases(form, pos)
        fits = self._classes is None or self._classes.can_be(form, tag)
        return form if known and fits else None


def inflected(base: str, ending: str, irregular: Sequence[str]) -> str | None:
    """The form of a word that ends so, or its irregular form; nothing where it is not certain."""
    listed = [
        one
        for one in irregular
        if one.endswith(ending) or (ending == "ed" and not one.endswith(("s", "ing")))
    ]
    compared = ending in ("er", "est")
    if len(listed) > 1 or (compared and not listed and (irregular or not SHORT.fullmatch(base))):
        return None  # went and gone: which is which is not listed; worst, and "most curious"
    return listed[0] if listed else regular(base, ending)


@cache
def open_wordnet_proposer(language: str) -> WordNetProposer:
    """The proposer for English, or what to install."""
    if language_of(language).wordnet is None:
        raise Missing(f"a WordNet for {language!r}", "the proposer 'wordnet'", serving("wordnet"))
    return WordNetProposer(open_wordnet(), word_classes(language))


# The first that applies is what a word is to another; `synonym` of the first meaning, `shared` of a later one.
RELATIONS = ("opposite", "synonym", "shared", "near", "sibling")
MEANINGS = 4  # the most frequent ones, whose wider words are looked at; rarer ones mislead
WIDER, NARROWER, SIMILAR, OPPOSITE = "@", "~", "&", "!"


class WordRelations:
    """Looks up the words around a word; knows nothing of sentences."""

    def __init__(self, lexicon: WordNet, forms: WordNetProposer) -> None:
        self._lexicon, self._forms = lexicon, forms
        self.signature = f"{lexicon.signature}-relations"

    def of(
        self, word: str, pos: str, tag: str, among: Container[str] | None = None
    ) -> dict[str, str]:
        """The words related to a word, by the kind of relation; of all or of some words."""
        found: dict[str, str] = {}
        for kind, bases in self._related(word, pos):
            for base in bases:
                form = self._forms.form(base, pos, tag, among)
                if form is not None:
                    found.setdefault(form, kind)
        return found

    def fields(self, word: str, pos: str) -> frozenset[str]:
        """The fields of the two most frequent meanings: persons, food, artefacts, communication."""
        return frozenset(synset.field for synset in self._lexicon.synsets(word, pos)[:2])

    def senses(self, word: str, pos: str) -> int:
        """How many meanings a word has."""
        return len(self._lexicon.synsets(word, pos))

    def _related(self, word: str, pos: str) -> list[tuple[str, list[str]]]:
        """Base forms by relation, the strongest relation first."""
        synsets = self._lexicon.synsets(word, pos)
        if not synsets:
            return []
        opposites = sorted(self._opposites(word, pos, synsets))
        shared = [name for synset in synsets[1:] for name in synset.words]
        near, siblings = [], []
        for synset in synsets[:MEANINGS]:
            near += self._follow(synset, WIDER + NARROWER + SIMILAR)
            for wider in self._lexicon.pointed(synset, WIDER):
                siblings += self._follow(wider, NARROWER)
            for head in self._lexicon.pointed(synset, SIMILAR):
                siblings += self._follow(head, SIMILAR)
        return [
            ("opposite", opposites),
            ("synonym", list(synsets[0].words)),
            ("shared", shared),
            ("near", near),
            ("sibling", siblings),
        ]

    def _opposites(self, word: str, pos: str, synsets: list[Synset]) -> set[str]:
        """The opposites of a word with their synonyms (slowly, rapidly), and of what it is similar to (tiny, big)."""
        found = set(self._lexicon.antonyms(word, pos))
        for synset in synsets[:MEANINGS]:
            for head in self._lexicon.pointed(synset, SIMILAR):
                found |= set(self._follow(head, OPPOSITE))
        for one in sorted(found):
            first = self._lexicon.synsets(one, pos)[:1]
            found |= {name for synset in first for name in self._follow(synset, SIMILAR)}
            found |= {name for synset in first for name in synset.words}
        return found

    def _follow(self, synset: Synset, symbols: str) -> list[str]:
        return self._lexicon.words_pointed(synset, symbols)


@cache
def open_word_relations(language: str) -> WordRelations | None:
    """The relations of an installed WordNet of the language, or nothing where there is none."""
    if language_of(language).wordnet is None or dictionary_folder() is None:
        return None
    lexicon = open_wordnet()
    return WordRelations(lexicon, WordNetProposer(lexicon, word_classes(language)))
