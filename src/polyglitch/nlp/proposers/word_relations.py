"""How WordNet relates other words to a word, each in the form that the slot's tag asks for."""

from __future__ import annotations

from functools import cache

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.wordnet import Synset, WordNet, dictionary_folder, open_wordnet
from polyglitch.nlp.proposers.slot_words import word_classes
from polyglitch.nlp.proposers.wordnet import WordNetProposer

# The first that applies is what a word is to another; `synonym` of the first meaning, `shared` of a later one.
RELATIONS = ("opposite", "synonym", "shared", "near", "sibling")
MEANINGS = 4  # the most frequent ones, whose wider words are looked at; rarer ones mislead
WIDER, NARROWER, SIMILAR, OPPOSITE = "@", "~", "&", "!"


class WordRelations:
    """Looks up the words around a word; knows nothing of sentences."""

    def __init__(self, lexicon: WordNet, forms: WordNetProposer) -> None:
        self._lexicon, self._forms = lexicon, forms
        self.signature = f"{lexicon.signature}-relations"

    def of(self, word: str, pos: str, tag: str) -> dict[str, str]:
        """The words related to a word, by the kind of relation."""
        found: dict[str, str] = {}
        for kind, bases in self._related(word, pos):
            for base in bases:
                form = self._forms.form(base, pos, tag)
                if form is not None:
                    found.setdefault(form, kind)
        return found

    def fields(self, word: str, pos: str) -> frozenset[str]:
        """The fields of the two most frequent meanings: persons, food, artefacts, communication."""
        return frozenset(synset.field for synset in self._lexicon.synsets(word, pos)[:2])

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
        """The opposites of a word and, of an adjective, of those it is similar to (tiny, big)."""
        found = set(self._lexicon.antonyms(word, pos))
        for synset in synsets[:MEANINGS]:
            for head in self._lexicon.pointed(synset, SIMILAR):
                found |= set(self._follow(head, OPPOSITE))
        for one in sorted(found):
            first = self._lexicon.synsets(one, pos)[:1]
            found |= {name for synset in first for name in self._follow(synset, SIMILAR)}
        return found

    def _follow(self, synset: Synset, symbols: str) -> list[str]:
        return [name for one in self._lexicon.pointed(synset, symbols) for name in one.words]


@cache
def open_word_relations(language: str) -> WordRelations | None:
    """The relations of an installed WordNet of the language, or nothing where there is none."""
    if language_of(language).wordnet is None or dictionary_folder() is None:
        return None
    lexicon = open_wordnet()
    return WordRelations(lexicon, WordNetProposer(lexicon, word_classes(language)))
