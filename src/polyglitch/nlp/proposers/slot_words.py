"""Which words of a sentence may be replaced, and which cannot stand there whatever a model says of them: told from the
sentence and lists alone.

Each rule looks at one slot; `open_slots` asks them all. A word that a fixed phrase, a name or a number holds in place
has no natural substitute, and a mutant that reads badly says nothing about the system under test.

Which parts of speech an English word can have, out of context: from the tables of spaCy's lemmatizer.

The tables list the base forms of nouns, verbs, adjectives and adverbs, the irregular forms, and the endings of the
regular ones. They spare a model the words that cannot stand in a slot; the tagger still has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

import msgspec

from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.near_words import near_words
from polyglitch.nlp.parsers.choose import installed, open_spacy
from polyglitch.records import (
    Parse,
    Slot,
    Token,
)

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
DESCRIBE = ("ADJ", "NOUN", "PROPN", "NUM", "ADV")  # what may stand between an article and its noun
DETERMINES = frozenset(("det", "poss", "nummod", "predet", "det:poss", "nmod:poss"))
SlotRule = Callable[[Slot], bool]
NAME_TAGS = frozenset(("NNP", "NNPS"))
GLUE = frozenset("-'’/@_–$%#&")
APOSTROPHES = frozenset("'’")
NOUN_PLACES = frozenset(
    ("nsubj", "nsubjpass", "dobj", "dative", "pobj", "iobj", "obj", "obl", "nsubj:pass")
)
COMPOUND = frozenset(("compound", "nmod", "flat", "fixed", "goeswith"))


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
    begin = new[:3]  # forms of one word share it, and asking only these is four times as fast
    for place, token in enumerate(slot.parse.tokens):
        if place == slot.index:
            continue
        text = token.text.lower()
        if new in (text, token.lemma.lower()):
            return True
        if text[:3] == begin and token.pos in INFLECTED and differ_by_ending(new, text):
            return True
    return False


def same_word(slot: Slot, word: str) -> bool:
    """Whether a word is another form of the one that stands there, an irregular one too: "drawn" for "drew"."""
    classes, token = word_classes(slot.parse.language or ""), slot.token
    return classes is not None and classes.lemma(word, token.tag) in (
        token.lemma.lower(),
        classes.lemma(token.text.lower(), token.tag),
    )


def breaks_gender(slot: Slot, word: str) -> bool:
    """Whether a word for a woman becomes one for a man, or the other way, and the sentence goes on about "her".

    A cousin may be either: one of whom it says "she" becomes no uncle.
    """
    old, new = slot.token.text.lower(), word.lower()
    known = language_of(slot.parse.language)
    words = known.words
    turned = [
        own
        for own, other in (("female", "male"), ("male", "female"))
        if new in words(other) and old not in words(other)
    ]
    if not turned:
        return False
    rest = {
        token.text.lower() for place, token in enumerate(slot.parse.tokens) if place != slot.index
    }
    return any(
        rest & (words(own) if old in words(own) else words(own) & known.function_words)
        for own in turned
    )


def goes_with_article(slot: Slot, word: str) -> bool:
    """Whether a singular noun suits its article: none after "a" that has no plural, none bare that has one."""
    if slot.token.tag != "NN":
        return True
    known = language_of(slot.parse.language)
    mass, times = known.words("mass_nouns"), known.words("times")
    new, determiners = word.lower(), determined_by(slot)
    if new in times and slot.token.text.lower() in times:
        return True  # "next month"
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
            return found or standing_before(slot)
        place = token.head


def standing_before(slot: Slot) -> set[str]:
    """The article or pronoun that stands before a noun and what describes it, whatever a parser made of it.

    In chat the article hangs on what is no noun ("on the couch lol"), and "that" is taken for a conjunction.
    """
    known = language_of(slot.parse.language).words("determiners")
    for token in reversed(slot.parse.tokens[: slot.index]):
        if token.text.lower() in known:
            return {token.text.lower()}
        if token.pos not in DESCRIBE:
            break
    return set()


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


ES = re.compile(r"(s|x|z|ch|sh|o)$")
Y_AFTER_CONSONANT = re.compile(r"[^aeiou]y$")


def regular(base: str, ending: str) -> str:
    """A regular form: cities, passes, hoping, tried."""
    if Y_AFTER_CONSONANT.search(base) and ending != "ing":
        return base[:-1] + ("ies" if ending == "s" else f"i{ending}")
    if ending == "s":
        return base + ("es" if ES.search(base) else "s")
    return (base[:-1] if base.endswith("e") else base) + ending


def beside_regular(base: str, irregular: list[str]) -> bool:
    """Whether a verb has a regular past beside its irregular one: burnt and burned."""
    return base[-1] not in "dt" and any(
        form.endswith("t") and form.startswith(base[:-1]) for form in irregular
    )


class WordClasses:
    """Answers whether a word can have a Penn tag."""

    def __init__(
        self, lookups: Any, plural_only: Collection[str] = (), same_in_plural: Collection[str] = ()
    ) -> None:
        self._plural_only = frozenset(plural_only)
        self._unchanged = self._plural_only.union(same_in_plural)
        index, rules = lookups.get_table("lemma_index"), lookups.get_table("lemma_rules")
        irregular = lookups.get_table("lemma_exc")
        self._base = {name: frozenset(index[name]) for name in CLASS.values()}
        self._rules = {name: [tuple(rule) for rule in rules[name]] for name in CLASS.values()}
        self._irregular = {name: dict(irregular[name]) for name in CLASS.values()}
        self._forms: dict[str, dict[str, list[str]]] = {name: {} for name in CLASS.values()}
        for name, words in self._irregular.items():
            for form, bases in words.items():
                for base in bases:
                    self._forms[name].setdefault(base, []).append(form)

    def can_be(self, word: str, tag: str) -> bool:
        """Whether the dictionary allows the tag; tags of closed classes are not judged."""
        name = CLASS.get(tag[:1] if tag[:2] != "RP" else "")
        if name is None:
            return True
        # All words are asked about once a tag: base forms are looked for only where they decide.
        if tag in BASE:
            if word not in self._base[name]:
                return False
            plural = word.endswith("s") and bool(self._lemmas(word, name))
            return not (tag == "NN" and (word in self._plural_only or plural))
        if tag == "NNS" and word in self._unchanged:
            return True
        if tag == "NNS" and any(map(self._is_plural, self._lemmas(word, name))):
            return False  # "outskirtses", "stairses"
        if word in self._irregular[name] and tag not in ("VBG", "VBZ"):
            return True
        return word.endswith(ENDINGS.get(tag, "")) and bool(self._lemmas(word, name))

    def lemma(self, word: str, tag: str) -> str:
        """The base form under a tag, or the word itself."""
        name = CLASS.get(tag[:1])
        lemmas = self._lemmas(word, name) if name else []
        return lemmas[0] if lemmas else word

    def forms(self, base: str, tag: str) -> set[str]:
        """What a base form may look like under a tag; not all of it need be words."""
        if tag not in ENDINGS or (tag == "NNS" and self._is_plural(base)):
            return {base}
        listed = self._forms[CLASS[tag[:1]]].get(base, [])
        if tag in ("VBD", "VBN"):  # all forms of a verb are listed: dropped, dropping
            listed = [form for form in listed if not form.endswith(("ing", "s"))]
        past = [
            form for form in listed if form.endswith(("n", "ne"))
        ]  # fallen, gone: beside fell, went
        if tag in ("VBD", "VBN") and past and len(past) < len(listed):
            listed = past if tag == "VBN" else [form for form in listed if form not in past]
        ending = ENDINGS[tag]
        if tag in ("VBD", "VBN") and listed and not beside_regular(base, listed):
            return set(listed)  # repaid and no "repayed"
        return {*listed, regular(base, ending), base + base[-1] + ending}

    def _is_plural(self, noun: str) -> bool:
        """Whether a noun of the dictionary needs no ending to be plural: "outskirts", "stairs", "series"."""
        ended = noun.endswith("s") and not noun.endswith("ss")
        return noun in self._unchanged or (ended and bool(self._lemmas(noun, CLASS["N"])))

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
    known = language_of(language)
    lists = known.words("plural_only"), known.words("same_in_plural")
    return WordClasses(open_spacy(language).lookups, *lists)


COMMON = {"NNP": "NN", "NNPS": "NNS"}  # the tags of names, and of nouns in the same number


def common_nouns(parse: Parse) -> Parse:
    """The same with words as nouns or verbs that were taken for names: "open the oven", "Skim the milk"."""
    if not any(
        token.tag in COMMON and (not place or token.text.islower())
        for place, token in enumerate(parse.tokens)
    ):
        return parse
    classes = word_classes(parse.language)
    if classes is None:
        return parse
    tokens = [
        msgspec.structs.replace(token, tag=COMMON[token.tag], pos="NOUN")
        if token.tag in COMMON
        and token.text.islower()
        and classes.can_be(token.text, COMMON[token.tag])
        else token
        for token in parse.tokens
    ]
    if gives_order(parse, classes):
        tokens[0] = msgspec.structs.replace(tokens[0], tag="VB", pos="VERB")
    return msgspec.structs.replace(parse, tokens=tuple(tokens))


def gives_order(parse: Parse, classes: WordClasses) -> bool:
    """Whether a sentence begins with what a tagger takes for a name and may be a verb with its object after it."""
    first, *rest = parse.tokens
    determined = bool(rest) and rest[0].text.lower() in language_of(parse.language).words(
        "determiners"
    )
    return first.tag in COMMON and determined and classes.can_be(first.text.lower(), "VB")


def whole_word(slot: Slot) -> bool:
    """Whether the word stands alone: letters only, not glued to a hyphen or an apostrophe.

    An article that leans on it (l'hôtel) is a word of its own where the language elides; a new word must let it lean.
    """
    token, text = slot.token, slot.parse.text
    before = "" if leant_on(slot) else text[max(0, token.start - 1) : token.start]
    around = before + text[token.end : token.end + 1]
    # Some corpora set a blank before an apostrophe or a hyphen: "the party ' s leader".
    apart = text[token.end : token.end + 3] in (" ' ", " ’ ", " - ", " 's")
    parted = text[max(0, token.start - 3) : token.start] in (" - ", " ' ", " ’ ")
    return (
        len(token.text) > 1
        and token.text.isalpha()
        and not set(around) & GLUE
        and not (apart or parted)
    )


def leant_on(slot: Slot) -> bool:
    """Whether an article or the like leans on the word, in a language that tells before which sounds one does."""
    known, before = language_of(slot.parse.language), slot.token.start - 1
    leans = slot.parse.text[before : before + 1] in APOSTROPHES
    return leans and known.elides and bool(known.agreement.onsets)


def not_a_name(slot: Slot) -> bool:
    """Whether the word is no name, no part of one and no title before one."""
    token, tokens = slot.token, slot.parse.tokens
    if begins_with_order(slot.parse, slot.index):
        return True
    if is_name(slot.parse, token) or token.pos == "PROPN":
        return False
    large = language_of(slot.parse.language).nouns_capitalised and token.pos == "NOUN"
    if slot.index and token.text[0].isupper() and not large:
        return False  # adjectives of nations, words of headings
    after = tokens[slot.index + 1 : slot.index + 2]
    return not (after and is_name(slot.parse, after[0]) and token.pos == "NOUN")


def is_name(parse: Parse, token: Token) -> bool:
    """Whether the tagger took a word for a name, by the finest tag it has."""
    return token.tag in NAME_TAGS or (parse.universal and token.pos == "PROPN")


def begins_with_order(parse: Parse, place: int) -> bool:
    """Whether the first word is no name, though the tagger took it for one: an order, where a language lists verbs."""
    known, token = language_of(parse.language), parse.tokens[place]
    taken = place == 0 and token.pos == "PROPN" and bool(known.more_parts)
    return taken and token.text.lower() in known.words("never_names")


def begins_with_name(parse: Parse) -> bool:
    """Whether the first word keeps its capital inside a sentence: a name, and none that taggers only take for one."""
    first = parse.tokens[0] if parse.tokens else None
    if first is None:
        return False
    known = language_of(parse.language)
    word = first.text.lower()
    if word in known.words("always_capital"):
        return True
    if first.pos != "PROPN":
        return False
    return word not in known.words("never_names") and word not in known.function_words


def not_a_measure(slot: Slot) -> bool:
    """Whether the word belongs to no measure: a number, the unit after it, what is said of both (six feet tall)."""
    tokens, token = slot.parse.tokens, slot.token
    words = language_of(slot.parse.language).words
    units = words("units")
    before = tokens[max(0, slot.index - 2) : slot.index]
    counted_by = before and is_number(before[-1]) and not free_after_figure(slot)
    if counted_by and (token.text.lower() in units or in_figures(before[-1])):
        return False
    if len(before) == 2 and is_number(before[0]) and before[1].text.lower() in units:
        return False
    if token.pos != "NUM" and token.tag != "CD":
        return not before or before[-1].text.lower() not in words("large_numbers")
    after = tokens[slot.index + 1 : slot.index + 2]
    counted = bool(after) and (
        after[0].pos in ("NOUN", "ADJ") if slot.parse.universal else after[0].tag in ("NNS", "JJ")
    )
    counts = counted and after[0].text.lower() not in units
    return counts and token.text.isalpha()


def free_after_figure(slot: Slot) -> bool:
    """Whether the word may be replaced though a figure stands before it: "3 mai", "300 habitants"."""
    free = language_of(slot.parse.language).words("after_figures")
    return bool(free) and slot.token.text.lower() in free


def is_number(token: Token) -> bool:
    """Whether a word is a number, in figures or in letters."""
    return token.tag == "CD" or token.pos == "NUM" or in_figures(token)


def in_figures(token: Token) -> bool:
    """Whether a word has figures, or is a sign that stands before or after them."""
    return any(letter.isdigit() or letter in "$€£%" for letter in token.text)


def not_fixed(slot: Slot) -> bool:
    """Whether the word is one that other words do not replace: light nouns, quantities, auxiliaries."""
    token = slot.token
    known = language_of(slot.parse.language)
    # Where nobody listed them, the closed classes at least are known.
    held = (known.words("never_replaced") - known.words("times")) or known.function_words
    return token.pos != "AUX" and token.lemma.lower() not in held and token.text.lower() not in held


def not_fixed_or_listed(slot: Slot) -> bool:
    """The same, with the words for which others are written down: "begin" gives way to "start" and to nothing else."""
    lemma = slot.token.lemma.lower()
    return not_fixed(slot) or near_words(slot.parse.language or "").say_the_same(
        lemma, slot.token.pos
    )


def not_in_idiom(slot: Slot) -> bool:
    """Whether the word is outside all fixed phrases."""
    return slot.index not in idiom_words(slot.parse)


@lru_cache(maxsize=256)
def idiom_words(parse: Parse) -> frozenset[int]:
    """The places of the words that belong to a fixed phrase."""
    tokens = parse.tokens
    forms = [(token.text.lower(), token.lemma.lower()) for token in tokens]
    found: set[int] = set()
    known = language_of(parse.language).phrases("idioms")
    for start, (text, lemma) in enumerate(forms):
        for phrase in {*known.get(text, ()), *known.get(lemma, ())}:
            window = forms[start : start + len(phrase)]
            if len(window) == len(phrase) and all(
                word in form or word == "*" for word, form in zip(phrase, window, strict=True)
            ):
                found |= set(range(start, start + len(phrase)))
    return frozenset(found)


def not_in_compound(slot: Slot) -> bool:
    """Whether a noun neither modifies the next noun nor is modified by the one before."""
    tokens, token = slot.parse.tokens, slot.token
    beside = token.relation in COMPOUND and abs(token.head - slot.index) == 1
    if beside and not free_after_figure(slot):
        return False
    before = tokens[slot.index - 1] if slot.index else None
    after = tokens[slot.index + 1] if slot.index + 1 < len(tokens) else None
    if token.pos == "NOUN" and after is not None and after.pos == "NOUN":
        return False
    joined = before is not None and before.relation in COMPOUND and before.head == slot.index
    return not (token.pos == "NOUN" and joined and before is not None and before.pos == "NOUN")


def not_with_particle(slot: Slot) -> bool:
    """Whether a verb is whole in itself, without a particle such as `up` that belongs to it."""
    return not any(
        token.head == slot.index and token.relation in ("prt", "compound:prt")
        for token in slot.parse.tokens
    )


def not_for_a_noun(slot: Slot) -> bool:
    """Whether an adjective goes with a noun or a verb, and does not stand for one: "in the final"."""
    adjective = slot.token.tag.startswith("JJ") or (
        slot.parse.universal and slot.token.pos == "ADJ"
    )
    return not (adjective and slot.token.relation in NOUN_PLACES)


# In the order of their cost.
NATURAL_SLOTS: tuple[SlotRule, ...] = (
    whole_word,
    not_a_name,
    not_fixed,
    not_a_measure,
    not_for_a_noun,
    not_in_compound,
    not_with_particle,
    not_in_idiom,
)


def open_slots(
    parse: Parse,
    pos: tuple[str, ...],
    edges: bool,
    rules: tuple[SlotRule, ...] = NATURAL_SLOTS,
    compared: bool = True,
) -> list[int]:
    """Indices of the words that may be replaced: by universal part of speech and by all rules.

    `compared` says whether comparatives and superlatives too, where the language's own tags tell them.
    """
    places = range(len(parse.tokens)) if edges else range(1, len(parse.tokens) - 1)
    known = language_of(parse.language)
    return [
        place
        for place in places
        if (
            known.is_part(parse.tokens[place].tag, parse.tokens[place].pos, pos, compared)
            or ("VERB" in pos and begins_with_order(parse, place))
        )
        and all(rule(Slot(parse, place)) for rule in rules)
    ]
