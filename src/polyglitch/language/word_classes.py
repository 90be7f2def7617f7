"""Which parts of speech an English word can have, out of context: from the tables of spaCy's lemmatizer.

The tables list the base forms of nouns, verbs, adjectives and adverbs, the irregular forms, and the endings of the
regular ones. They spare a model the words that cannot stand in a slot; the tagger still has the last word.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.language.spacy_parser import installed, open_spacy

CLASS = {"N": "noun", "V": "verb", "J": "adj", "R": "adv"}
BASE = frozenset({"NN", "VB", "VBP", "JJ", "RB"})  # tags of a word as the dictionary has it
ENDINGS = {  # of regular forms, by Penn tag
    "NNS": "s",
    "VBZ": "s",
    "VBG": "ing",
    "VBD": "ed",
    "VBN": "ed",
    "JJR": "er",
    "JJS": "est",
}
PLURAL_ONLY = frozenset(("people", "police", "cattle"))


class WordClasses:
    """Answers whether a word can have a Penn tag."""

    def __init__(self, lookups: Any) -> None:
        index, rules = lookups.get_table("lemma_index"), lookups.get_table("lemma_rules")
        irregular = lookups.get_table("lemma_exc")
        self._base = {name: frozenset(index[name]) for name in CLASS.values()}
        self._rules = {name: [tuple(rule) for rule in rules[name]] for name in CLASS.values()}
        self._irregular = {name: dict(irregular[name]) for name in CLASS.values()}

    def can_be(self, word: str, tag: str) -> bool:
        """Whether the dictionary allows the tag; tags of closed classes are not judged."""
        name = CLASS.get(tag[:1] if tag[:2] != "RP" else "")
        if name is None:
            return True
        inflected = self._lemmas(word, name)
        if tag in BASE:
            plural = tag == "NN" and (word in PLURAL_ONLY or (inflected and word.endswith("s")))
            return word in self._base[name] and not plural
        if tag == "NNS" and word in PLURAL_ONLY:
            return True
        ending = word.endswith(ENDINGS.get(tag, "")) and inflected
        return bool(ending) or (
            word in self._irregular[name] and not (tag == "VBG" or tag == "VBZ")
        )

    def lemma(self, word: str, tag: str) -> str:
        """The base form under a tag, or the word itself."""
        name = CLASS.get(tag[:1])
        lemmas = self._lemmas(word, name) if name else []
        return lemmas[0] if lemmas else word

    def _lemmas(self, word: str, name: str) -> list[str]:
        """The base forms that a word may be an inflected form of."""
        if word in self._irregular[name]:
            return list(self._irregular[name][word])
        made = (
            word[: len(word) - len(old)] + new
            for old, new in self._rules[name]
            if old and word.endswith(old)
        )
        return [form for form in made if form != word and form in self._base[name]]


@cache
def english_classes() -> WordClasses | None:
    """The dictionary of the installed English pipeline, or nothing when there is none."""
    if not find_spec("spacy") or installed("en") is None:
        return None
    return WordClasses(open_spacy("en").lookups)
