"""Which words cannot stand in a slot whatever a model says of them: told from the sentence and lists alone.

Which parts of speech an English word can have, out of context: from the tables of spaCy's lemmatizer.

The tables list the base forms of nouns, verbs, adjectives and adverbs, the irregular forms, and the endings of the
regular ones. They spare a model the words that cannot stand in a slot; the tagger still has the last word.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.parsers.spacy import installed, open_spacy
from polyglitch.protocols import Slot

ARTICLE = re.compile(r"\b(an?)( +)$", re.IGNORECASE)
# Spelling misleads for these beginnings: heard as a consonant though written with a vowel, and the reverse.
CONSONANT_SOUND = re.compile(
    r"(uni(?!d(?!ir)|m|n|ll|ss)|unanim|us[aeu]|eu|ewe|one([^r]|$)|once|ubiq|ufo|ut[eio]|ukr|ur[aeiou](?!st)"
    r"|ouija|uvula|u[ks]$)",
    re.IGNORECASE,
)
VOWEL_SOUND = re.compile(r"(hour|hono(u)?r|honest|heir)", re.IGNORECASE)
ONE_OF = frozenset(("a", "an", "another", "each", "every", "one", "either", "neither"))
INFLECTED = frozenset(("NOUN", "VERB", "ADJ", "ADV"))
DETERMINES = frozenset(("det", "poss", "nummod", "predet", "det:poss", "nmod:poss"))


def sounds_open(word: str) -> bool:
    """Whether a word begins with a vowel as it is heard, and so takes `an`."""
    return bool(VOWEL_SOUND.match(word)) or (
        word[:1].lower() in "aeiou" and not CONSONANT_SOUND.match(word)
    )


def match_article(article: str, word: str) -> str:
    """`a` or `an`, as the word after it sounds, keeping capitals."""
    new = "an" if sounds_open(word) else "a"
    if article == "AN":
        return new.upper()
    return new.capitalize() if article[0].isupper() else new


def article_before(slot: Slot) -> re.Match[str] | None:
    """The article before a slot, where it is one that goes with the sound of the word."""
    found = ARTICLE.search(slot.parse.text[: slot.token.start])
    sounded = language_of(slot.parse.language).sounded_articles
    return found if found and found[1].lower() in sounded else None


def with_word(slot: Slot, word: str) -> tuple[str, int]:
    """The sentence with another word in the slot, its article put right, and where that word starts."""
    token, text = slot.token, slot.parse.text
    before, after = text[: token.start], text[token.end :]
    if found := article_before(slot):
        before = before[: found.start()] + match_article(found[1], word) + found[2]
    word = match_case(word, token.text)
    return before + word + after, len(before)


def match_case(word: str, model: str) -> str:
    """`word` in capitals where the model is."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word


def repeats(slot: Slot, word: str) -> bool:
    """Whether a word is in the rest of the sentence already, in any form."""
    new = word.lower()
    return any(
        new in (token.lemma.lower(), token.text.lower())
        or (token.pos in INFLECTED and differ_by_ending(new, token.text.lower()))
        for place, token in enumerate(slot.parse.tokens)
        if place != slot.index
    )


def same_word(slot: Slot, word: str) -> bool:
    """Whether a word is another form of the one that stands there, an irregular one too: "drawn" for "drew"."""
    classes, token = word_classes(slot.parse.language or ""), slot.token
    return classes is not None and classes.lemma(word, token.tag) in (
        token.lemma.lower(),
        classes.lemma(token.text.lower(), token.tag),
    )


def breaks_gender(slot: Slot, word: str) -> bool:
    """Whether a word for a woman becomes one for a man, or the other way, and the sentence goes on about "her"."""
    old, new = slot.token.text.lower(), word.lower()
    words = language_of(slot.parse.language).words
    rest = {
        token.text.lower() for place, token in enumerate(slot.parse.tokens) if place != slot.index
    }
    return any(
        old in words(own) and new in words(other) and bool(rest & words(own))
        for own, other in (("female", "male"), ("male", "female"))
    )


def goes_with_article(slot: Slot, word: str) -> bool:
    """Whether a singular noun suits its article: none after "a" that has no plural, none bare that has one."""
    if slot.token.tag != "NN":
        return True
    mass = language_of(slot.parse.language).words("mass_nouns")
    new, determiners = word.lower(), determined_by(slot)
    if determiners & ONE_OF:
        return new not in mass or slot.token.text.lower() in mass
    return bool(determiners) or new in mass


def determined_by(slot: Slot) -> set[str]:
    """The articles, possessives and numbers before a noun, or before the noun it is coordinated with."""
    tokens, place = slot.parse.tokens, slot.index
    while True:
        found = {t.text.lower() for t in tokens if t.head == place and t.relation in DETERMINES}
        token = tokens[place]
        if found or token.relation != "conj" or token.head == place:
            return found
        place = token.head


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
def word_classes(language: str) -> WordClasses | None:
    """The dictionary of the installed pipeline of a language, or nothing when there is none."""
    tables = language_of(language).lemma_tables
    if not tables or not find_spec("spacy") or installed(language) is None:
        return None
    return WordClasses(open_spacy(language).lookups)
