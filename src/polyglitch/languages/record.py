"""One language: the record that `language.toml` fills, the data files beside it, which language a code stands for (from
its folder, from a line about it, or from its script alone), and whether two words are forms of one, by spelling.

Which language some texts are in, where nobody tells: by script and by the words that a language uses most.
"""

from __future__ import annotations

import os
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import Missing, UsageError

OWN_LANGUAGES = "POLYGLITCH_LANGUAGES"  # a folder with languages of the user's own, each in a folder named by its code
STOPS = ".。।።։។။"  # of the scripts that are known
# Unicode's names of letters, where a script is called otherwise here.
SCRIPTS = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}
WORD = re.compile(r"[^\W\d_]+|[^\w\s]")  # marks count too: they are as frequent in any language
# Of the letters, the rarer script first: Japanese is written with Han too, and both with Latin names among them.
SHARES = {"Kana": 0.1, "Han": 0.3}
LEAST_COMMON = 0.05  # of the units must be common words of a language: a list of names has none


class Negation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language negates, by closed lists."""

    words: tuple[str, ...] = ()  # that hardly do anything else; the plain particle first
    more: tuple[str, ...] = ()  # that count as a negation where a sentence is read word by word
    echo: tuple[str, ...] = ()  # that may merely repeat a negation, as "nenhum" after "não"
    weak: tuple[str, ...] = ()  # that another language may well put with a negation
    characters: tuple[str, ...] = ()  # that negate within a word, where nothing parts words
    implied: tuple[str, ...] = ()  # that deny without a negation: "has yet to"

    @property
    def all(self) -> tuple[str, ...]:
        """Every word that negates."""
        return (*self.words, *self.more)


class Agreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words agree with a noun."""

    endings: tuple[str, ...] = ()  # that follow from another word and make no other word
    parts: tuple[str, ...] = ()  # universal parts of speech whose forms count as one
    masculine: dict[str, str] = {}  # the ending of the form that stands for all, by ending
    determiners: dict[
        str, str
    ] = {}  # the feminine of each masculine form that stands before a noun
    pronouns: dict[
        str, str
    ] = {}  # the same of pronouns that are no determiners; "-lo" leans on a verb
    addressees: tuple[str, ...] = ()  # pronouns for who is spoken to, which may take any gender
    things: tuple[str, ...] = ()  # pronouns for what was named before
    onsets: tuple[str, ...] = ()  # patterns of beginnings before which other words change: l'hôtel
    sounded: tuple[str, ...] = ()  # the words that change so; any word where none is told
    forms: tuple[str, ...] = ()  # endings of an adjective, one for each of its regular forms
    linking: tuple[str, ...] = ()  # verb forms that tell the state of their subject: is, was
    proclitics: tuple[str, ...] = ()  # forms of the article that are pronouns before a verb
    draws_clitics: tuple[str, ...] = ()  # words that draw such a pronoun before its verb
    joins_clitics: tuple[str, ...] = ()  # endings of verbs that a pronoun is written together with
    relatives: tuple[str, ...] = ()  # words that make a relative pronoun of the article before them
    feminine_in_o: tuple[str, ...] = ()  # feminine words with a masculine ending
    masculine_in_a: tuple[
        str, ...
    ] = ()  # words with a feminine ending that are, or may be, masculine
    people_in_a: tuple[str, ...] = ()  # endings of words for people of either gender
    refers: tuple[str, ...] = ()  # relative pronouns of either gender
    neuters: tuple[str, ...] = ()  # pronouns that are a subject of their own: something, nobody
    genderless: tuple[str, ...] = ()  # determiners that do not tell the gender of their noun
    # Prepositions after which a noun without an article belongs to a phrase or a term: en théorie, séance de cinéma.
    bare_after: tuple[str, ...] = ()
    bare_plurals: str = ""  # a pattern of nouns that may well stand there all the same
    prepositions: tuple[str, ...] = ()  # contracted ones too: no subject stands behind them


class Concord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How gender and number are told where nothing was edited, for the grammar witness."""

    # The feminine of numbers and quantifiers, by the masculine: all of them plural.
    counting: dict[str, str] = {}
    determiners: dict[str, str] = {}  # the feminine of more words before nouns, by the masculine
    uncertain: tuple[str, ...] = ()  # determiners whose form is a word of another kind as well
    feminine_endings: tuple[str, ...] = ()  # of nouns, almost without exception
    masculine_nouns: tuple[str, ...] = ()  # the exceptions
    either_endings: tuple[str, ...] = ()  # of nouns in "o" that may be feminine
    feminine_adjectives: tuple[str, ...] = ()  # endings in "a" that have a masculine in "o"
    participles: tuple[str, ...] = ()  # their endings
    masculine_forms: tuple[str, ...] = ()  # of adjectives that do not end in "o"
    invariable: tuple[str, ...] = ()  # look like adjectives and agree with nothing
    adverbs_too: tuple[str, ...] = ()  # of these, those that agree behind a linking verb
    plural_verbs: tuple[str, ...] = ()  # endings of the third person
    singular_verbs: tuple[str, ...] = ()
    singular_forms: tuple[str, ...] = ()  # verbs in the singular with an ending of the plural
    unnumbered: tuple[str, ...] = ()  # endings of participles, gerunds, infinitives, other persons
    subjects: dict[str, str] = {}  # singular or plural, by pronouns that are always subjects
    speakers: tuple[str, ...] = ()  # the same of the first person
    clause_subjects: tuple[str, ...] = ()  # words that make a clause the subject: who, whoever
    of: tuple[str, ...] = ()  # prepositions that join two nouns
    quantities: tuple[str, ...] = ()  # nouns whose verb may have the number of what is counted
    infinitives: tuple[str, ...] = ()  # their endings
    openers: tuple[str, ...] = ()  # words of a clause whose infinitive may have a subject
    statements: tuple[str, ...] = ()  # words that open a clause with a finite verb: because
    reflexives: tuple[str, ...] = ()  # pronouns that lead a verb back to its subject
    reflexive_linking: tuple[str, ...] = ()  # forms that tell the state of it then: feel
    linking_too: tuple[str, ...] = ()  # verbs that may tell a state besides: arrived torn
    misjoined: tuple[str, ...] = ()  # endings that no verb with its pronoun has
    misgoverned: dict[str, str] = {}  # prepositions that a form of a verb does not take
    ways: tuple[str, ...] = ()  # words behind these that tell how or when, with any verb
    conceding: tuple[str, ...] = ()  # words that ask for the subjunctive
    telling: tuple[str, ...] = ()  # endings that are of the indicative alone
    telling_forms: tuple[str, ...] = ()  # forms that are
    that: tuple[str, ...] = ()  # words that join a clause
    purposes: tuple[str, ...] = ()  # words before these that ask for the subjunctive: until, so
    # Endings of the present of the indicative with the infinitives of which they are no subjunctive.
    presents: dict[str, tuple[str, ...]] = {}
    respelled: tuple[str, ...] = ()  # ends of stems that are spelled so before "e" alone
    third_person: tuple[str, ...] = ()  # endings that no verb of the first has
    ownerless: tuple[str, ...] = ()  # verbs that look so, or that need no subject: it rained
    ago: tuple[str, ...] = ()  # verbs that tell how long ago something was
    denying: tuple[str, ...] = ()  # the word before a verb that denies it
    places: tuple[str, ...] = ()  # prepositions before a noun, with the article that they took up
    conditions: tuple[str, ...] = ()  # words that open a clause with a verb: if, when
    mistaken: tuple[str, ...] = ()  # words that a translator takes a verb for: for
    away: tuple[str, ...] = ()  # adverbs that need a verb of going
    feminine_nouns: tuple[str, ...] = ()  # with an ending that tells nothing or the other gender
    persons: tuple[str, ...] = ()  # endings of verbs of the first person that look like adjectives
    plurals: dict[str, str] = {}  # endings of nouns in the singular, by those of the plural
    either_number: tuple[str, ...] = ()  # nouns in "s" that are no plurals, or are either
    misread: tuple[str, ...] = ()  # determiners whose number a parser cannot tell
    plural_adjectives: dict[str, str] = {}  # endings of either gender, singular by plural


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two ways in which a language says the very same: none of them is an error where the other stands elsewhere."""

    possessives: tuple[str, ...] = ()  # stand with an article or without one
    with_article: dict[str, str] = {}  # the preposition in a form that has taken an article up
    obliging: tuple[str, ...] = ()  # verbs that say "must" with either of two words behind them
    obliged_by: tuple[str, ...] = ()  # these two
    joined: dict[str, str] = {}  # two words, by the one that they may be written as
    future: dict[str, str] = {}  # endings of an infinitive, by the auxiliary that says as much
    future_stems: dict[str, str] = {}  # what an infinitive ends in before these, by its own ending


class Parsing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which parser serves a language."""

    spacy: tuple[str, ...] = ()  # packages, the best first
    bundled: str = ""  # a folder of resources/models
    benepar: str = ""
    tagger: str = ""  # cuts and tags words where the aligned oracle learned them so
    tagger_install: str = ""
    install: str = ""


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package that carries data of the language, and the command that brings it."""

    package: str
    install: str
    into: str = ""  # the other language of a dictionary or translator


class Route(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two translators that run on this machine: to English, and back."""

    there: str
    back: str
    install: str
    least: float = 0.0  # chance that an English swap is natural, below which none comes home


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language; what is not known of it is empty, and what its script tells is filled in."""

    code: str
    name: str = ""
    code3: str = ""  # ISO 639-3, as Apertium names languages
    script: str = "Latin"
    spaced: bool = True  # whether blanks part words
    sentence_marks: tuple[str, ...] = (".", "!", "?")
    decimal_mark: str = "."
    nouns_capitalised: bool = False
    elides: bool = False  # whether articles lean on the next word: l'homme is two units
    articles: tuple[str, ...] = ()
    sounded_articles: tuple[str, ...] = ()  # that change with the sound after them: a, an
    titles: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    common: tuple[str, ...] = ()  # words by which a text is told to be of this language
    quantity: tuple[str, ...] = ()
    comparison: tuple[str, ...] = ()
    numbers: dict[str, int] = {}
    largest_number_compared: int = 0  # of number words that the aligned oracle's weights know
    contractions: dict[str, str] = {}  # written out, by the short form
    counts_as: dict[str, str] = {}  # a form that is compared as another: "na" as "em"
    negation: Negation = Negation()
    agreement: Agreement = Agreement()
    concord: Concord = Concord()
    wordings: Wordings = Wordings()
    # Its function words are hardly words of meaning elsewhere, so they tell one in a text of unknown language.
    telling_stop_words: bool = False
    universal_relations: bool = True  # whether spaCy's pipelines have Universal Dependencies
    own_tags: dict[str, str] = {}  # universal parts of speech by the tags of its own
    own_words: dict[str, str] = {}  # the same of words whose own tag does not tell it
    compared_tags: tuple[str, ...] = ()  # of comparatives and superlatives
    lemma_tables: bool = False  # whether spaCy's pipeline carries tables of word forms
    parser: Parsing = Parsing()
    proposers: tuple[str, ...] = ()  # that know it, beside those that serve any language
    embedders: tuple[str, ...] = ()
    lexicons: tuple[str, ...] = ()  # packages with ratings of its words
    vectors: Package | None = None
    dictionary: Package | None = None
    wordnet: Package | None = None
    pivot: Package | None = None  # a translator of single words into a language with vectors
    english: Route | None = None  # by which words that fit are found through English
    # Parts of speech beside nouns and adjectives of which its word sets have words: a reader took nine of ten of these,
    # more than of nouns.
    more_parts: tuple[str, ...] = ()
    # Whether its small taggers take many a word for another part of speech in a new sentence, so that a swap of its
    # word sets, which tell part of speech, gender and number, is not held against their tags.
    tags_waver: bool = False
    # Whether a word near a name gives way only to one that says nearly the same, as facts of names are known.
    names_hold: bool = False
    swaps_natural: int = (
        0  # of 100 swaps without a model of it those a reader took; 0 where nobody read
    )

    def sound_alike(self, one: str, other: str) -> bool:
        """Whether the words before two words take the same form: l'hôtel, l'hôpital, but le musée."""
        onsets = (re.compile(onset) for onset in self.agreement.onsets)
        return all(bool(onset.match(one)) == bool(onset.match(other)) for onset in onsets)

    def file(self, name: str) -> Traversable | None:
        """A data file of its folder, or nothing."""
        return find(self.code, name)

    def require(self, name: str, what: str, needed_for: str, install: str = "") -> Traversable:
        """A data file, or an error that says what lacks it and which languages have it."""
        found = self.file(name)
        if found is None:
            raise Missing(
                f"{what} for {self.code or 'a text of unknown language'!r}",
                needed_for,
                install or f"bundled for: {', '.join(having(name)) or 'none'}",
            )
        return found

    def table(self, name: str, needed_for: str) -> dict[str, Any]:
        """A TOML file of its folder."""
        self.require(name, f"the data {name!r}", needed_for)
        return _table(self.code, name)

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a list, comments left out; none where there is no such list."""
        return _lines(self.code, name)

    def words(self, name: str) -> frozenset[str]:
        """The words of a list, many a line."""
        return _words(self.code, name)

    def phrases(self, name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
        """The phrases of a list, one a line, by their first word; `*` stands for any one word."""
        return _phrases(self.code, name)

    @property
    def full_stop(self) -> str:
        """The mark that ends a statement."""
        return next((mark for mark in self.sentence_marks if mark in STOPS), ".")

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that say little of their own, in lower case."""
        return self.words("stop_words")

    @property
    def function_words(self) -> frozenset[str]:
        """Words of the closed classes, in lower case."""
        return self.words("function_words") | self.stop_words

    def is_part(self, tag: str, pos: str, parts: tuple[str, ...], compared: bool = True) -> bool:
        """Whether a word is of one of some universal parts of speech; its own tag decides where that is known."""
        if tag not in self.own_tags:
            return pos in parts
        return self.own_tags[tag] in parts and (compared or tag not in self.compared_tags)


def folder() -> Traversable:
    """Where the data of the languages lies."""
    return files("polyglitch").joinpath("languages")


def folders() -> tuple[Traversable, ...]:
    """The same, behind a folder of the user's own where one is named: what is there goes first, file by file."""
    own = os.environ.get(OWN_LANGUAGES, "")
    return (Path(own), folder()) if own else (folder(),)


def find(code: str, name: str) -> Traversable | None:
    """A data file of a language, or nothing."""
    places = (base.joinpath(code or "-", *name.split("/")) for base in folders())
    return next((place for place in places if place.is_file()), None)


@cache
def having(name: str) -> tuple[str, ...]:
    """The codes of the languages that have a data file."""
    codes = {each.name for base in folders() if base.is_dir() for each in base.iterdir()}
    return tuple(code for code in sorted(codes) if find(code, name))


@cache
def _table(code: str, name: str) -> dict[str, Any]:
    place = find(code, name)
    return tomllib.loads(place.read_text("utf-8")) if place else {}


@cache
def _lines(code: str, name: str) -> tuple[str, ...]:
    place = find(code, f"{name}.txt")
    if place is None:
        return ()
    text = place.read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _words(code: str, name: str) -> frozenset[str]:
    return frozenset(word for line in _lines(code, name) for word in line.split())


@cache
def _phrases(code: str, name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in _lines(code, name):
        phrase = tuple(line.lower().split())  # as the words of a sentence are looked up
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}


DEFAULT = "en"  # of suites and commands that do not say theirs


@cache
def language(code: str | None) -> Language:
    """The language of a code (`pt`, `pt-BR`, `por`), or one of which nothing is known."""
    short = two_letters(code) or _first(code)
    # A code is part of a path below: letters only.
    short = short if short.isascii() and short.isalpha() else ""
    own = find(short, "language.toml")
    told = tomllib.loads(own.read_text("utf-8")) if own else others().get(short, {})
    script = told.get("script") or _script_of(short)
    data = {**_by_script(script), **told, "code": short, "script": script}
    try:
        return msgspec.convert(data, Language)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{own or 'others.toml'}: {error}; languages/record.py has the fields"
        ) from None


@cache
def known_languages() -> tuple[Language, ...]:
    """Every language with a folder, by code."""
    return tuple(language(code) for code in having("language.toml"))


@cache
def all_languages() -> tuple[Language, ...]:
    """Every language of which anything is written down, those with a folder first."""
    rest = sorted(set(others()) - {one.code for one in known_languages()})
    return (*known_languages(), *(language(code) for code in rest))


def two_letters(code: str | None) -> str | None:
    """The two-letter code of a language, or nothing where none is known."""
    first = _first(code)
    return first if len(first) == 2 else _by_code3().get(first)


def _first(code: str | None) -> str:
    """A code without its region: pt-BR and pt_BR are pt."""
    return (code or "").replace("_", "-").partition("-")[0].lower()


@cache
def _by_code3() -> dict[str, str]:
    found = {row["code3"]: code for code, row in others().items() if "code3" in row}
    for code in having("language.toml"):
        place = find(code, "language.toml")
        told = tomllib.loads(place.read_text("utf-8")) if place else {}
        found[told.get("code3", code)] = code
    return found


@cache
def others() -> dict[str, dict[str, Any]]:
    """What is known of languages without a folder, by code."""
    return tomllib.loads(folder().joinpath("others.toml").read_text("utf-8"))


@cache
def _scripts() -> dict[str, dict[str, Any]]:
    return tomllib.loads(folder().joinpath("scripts.toml").read_text("utf-8"))


def languages_of_script(script: str) -> tuple[str, ...]:
    """The codes of the languages that are written in a script, the commonest first; Latin names none."""
    return tuple(_scripts().get(script, {}).get("languages", ()))


def _script_of(code: str) -> str:
    return next((name for name, row in _scripts().items() if code in row["languages"]), "Latin")


def _by_script(script: str) -> dict[str, Any]:
    row = _scripts().get(script, {})
    return {key: value for key, value in row.items() if key != "languages"}


def serving(proposer: str) -> str:
    """Which languages a proposer is for, as an error says it."""
    known = [one.code for one in known_languages() if proposer in one.proposers]
    return f"only {', '.join(map(repr, known)) or 'no language'} is known"


# Whether two words are forms of one: each question has its own measure, and its own name. They differ on purpose. What
# proposes or compares words was read and tuned with each; a stemmer of one language serves none of them, since the
# language of a text is not always told and a word list of another must not be mixed in.
SAME_START = 4  # letters that two forms of a word share at least, and more than half of the longer
MOST_SHARED = 0.6  # so much of a beginning shared makes two forms of one word


def shared_beginning(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def differ_by_ending(one: str, other: str) -> bool:
    """Whether only endings part two words: all but two letters of the shorter are shared, and at least three."""
    short, long = sorted((one, other), key=len)
    shared = shared_beginning(short, long)
    return shared >= 3 and shared >= len(short) - 2 and len(long) - shared <= 4


def share_half(one: str, other: str) -> bool:
    """Whether two words are equal, or begin alike for four letters and more than half of the longer."""
    shared = shared_beginning(one, other)
    return one == other or (shared >= SAME_START and 2 * shared > max(len(one), len(other)))


def share_most(one: str, other: str) -> bool:
    """Whether two words, whatever their case, begin alike for three letters and 60% of the longer."""
    one, other = one.lower(), other.lower()
    shared = shared_beginning(one, other)
    longer = max(len(one), len(other))
    return one == other or (shared >= 3 and shared / longer >= MOST_SHARED)


def without_ending(word: str, endings: tuple[str, ...], least: int) -> str:
    """A word without the first of some endings that it has, if at least so many letters are left."""
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


def guess_language(texts: Sequence[str], sample: int = 200) -> str:
    """The language of some texts by script and common words; empty if none is plain."""
    joined = " ".join(texts[:sample])
    script = main_script(joined)
    written = languages_of_script(script)
    if len(written) == 1 or script in SHARES:
        return written[0]
    counts = Counter(WORD.findall(joined.lower()))
    scores = {known.code: sum(counts[word] for word in known.common) for known in known_languages()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= LEAST_COMMON * counts.total() and scores[best] else ""


def main_script(text: str) -> str:
    """The script that a text is written in."""
    letters = letters_by_script(text)
    for script, share in SHARES.items():
        if letters[script] > share * letters.total():
            return script
    return letters.most_common(1)[0][0] if letters else ""


def letters_by_script(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    found: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            found[script_of(character)] += times
    return found


@cache
def script_of(character: str) -> str:
    """The script of a letter, by its Unicode name."""
    first = unicodedata.name(character, "?").split()[0].split("-")[0]
    return SCRIPTS.get(first, first.capitalize())
