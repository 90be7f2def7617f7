"""The words that one of two outputs has and the other has not, by a plain diff: where witnesses look, what a witness
says, and the two that need no model.

The rarity witness takes the rarest changed word, by the frequency lists of wordfreq where that is installed: a word
that its language hardly has is a word left untranslated, misspelled or made up. It knows some forty languages; where
nothing parts words it has nothing to say.

The unknown witness takes a changed word that its language does not have at all: not in the list, nor a form of a verb
that is. It speaks for languages whose conjugations are told (`conjugations.txt`); elsewhere compounds and endings make
too many words that no list has.

The untranslated witness takes a changed word that stands in its output as it stands in the source. Among words that
both outputs share such a word may well be a loan; where only one output has it, it mostly was left.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Protocol
from unicodedata import combining, normalize

from rapidfuzz.distance import LCSseq

from polyglitch.compare.metrics.units import DiffBlock, Units, blocks, cut
from polyglitch.compare.oracles.facts.numbers import fact_lists
from polyglitch.compare.oracles.facts.wording import (
    AT_HOME,
    RARER,
    at_home,
    is_borrowed,
    is_foreign,
    no_name,
)
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.languages.record import Wordings
from polyglitch.nlp.lexicons.words import Frequency, frequencies, frequencies_or_like, lists_at_hand
from polyglitch.protocols import Tools
from polyglitch.records import Trial, two_texts, undecided

ORDINALS = ("first", "second")  # of the two outputs, as reasons say it
RECENT = 4096  # pairs that are kept for the next witness
LOOSE = 3  # words by which a phrase may be longer in its sentence
LONG = 4  # letters of a word that tells a phrase better than an article does
EACH_MORE = 0.1  # shared words that a longer stretch must bring for each word


class ChangedWord(NamedTuple):
    """A word of one output that does not stand there in the other."""

    output: int  # 0 or 1
    start: int
    end: int
    block: int  # the place of difference that it belongs to
    early: bool = False  # it is not changed itself: the other output has something before it


class Pair(NamedTuple):
    """The two outputs of a trial with the inputs they answer, and where they differ."""

    inputs: tuple[str, str]
    outputs: tuple[str, str]
    words: tuple[ChangedWord, ...]

    def text(self, word: ChangedWord) -> str:
        """A changed word as it stands in its output."""
        return self.outputs[word.output][word.start : word.end]


def changed_pair(trial: Trial, language: str | None) -> Pair | None:
    """A pair whose outputs differ, or nothing where they are the same or cannot be compared."""
    if undecided(trial) or len(trial.case.inputs) < 2:
        return None
    texts = (trial.case.inputs[0].text, trial.case.inputs[1].text)
    return compared(texts, two_texts(trial), trial.case.relation, language)


@lru_cache(RECENT)
def compared(
    inputs: tuple[str, str], outputs: tuple[str, str], relation: str, language: str | None
) -> Pair | None:
    """The pair of four texts; one witness after the other asks for it."""
    first, second = outputs
    if first == second:
        return None
    sides = cut(first, language), cut(second, language)
    units = folded(sides[0]), folded(sides[1])
    found = inner(*units) if relation == "contained" else blocks(*units)
    found = [block for block in found if not same_wording(block, units, language)]
    words = tuple(
        word for number, block in enumerate(found) for word in of_block(number, block, sides)
    )
    return Pair(inputs, outputs, words) if words else None


def same_wording(
    block: DiffBlock, units: tuple[list[str], list[str]], language: str | None
) -> bool:
    """Whether a place of difference is two ways to say the very same, by the language's lists: "num", "em um"."""
    known = language_of(language).wordings
    first, second = units[0][block.a_start : block.a_end], units[1][block.b_start : block.b_end]
    after = units[0][block.a_end : block.a_end + 1]
    both = after == units[1][block.b_end : block.b_end + 1]
    owned = both and bool(after) and after[0] in known.possessives
    before = units[0][: block.a_start][-1:]
    if before and before[0] in known.obliging and {*first, *second} == set(known.obliged_by):
        return len(first) == len(second) == 1  # "têm que sair", "têm de sair"
    return any(
        (owned and article_more(longer, shorter, language))
        or (len(shorter) == 1 and known.joined.get(shorter[0]) == " ".join(longer))
        or (len(shorter) == 1 and pronoun_behind(longer, shorter[0], language))
        or same_future(longer, shorter, known)
        for longer, shorter in ((first, second), (second, first))
    )


def pronoun_behind(apart: list[str], joined: str, language: str | None) -> bool:
    """Whether a pronoun stands before its verb in one and leans on it in the other: "se afogar", "afogar-se"."""
    wrongly = language_of(language).concord.misjoined
    return joined == "-".join(reversed(apart)) and not joined.endswith(wrongly)


def article_more(longer: list[str], shorter: list[str], language: str | None) -> bool:
    """Whether one side only has an article more, by itself or taken up by a preposition."""
    if len(longer) != 1 or len(shorter) > 1:
        return False
    known = language_of(language)
    taken = known.wordings.with_article.get(longer[0])
    return taken == shorter[0] if shorter else longer[0] in known.articles


def same_future(longer: list[str], shorter: list[str], known: Wordings) -> bool:
    """Whether one side has an auxiliary and an infinitive, the other the infinitive with an ending: "vai abrir"."""
    if (len(longer), len(shorter)) != (2, 1) or longer[0] not in known.future:
        return False
    stem = known.future_stems.get(longer[1], longer[1])
    return shorter[0] == stem + known.future[longer[0]]


class Places:
    """Counts the places where the outputs differ: a swap asks for one, and what follows from it for another.

    It blames no word, so that it adds to the chance and gives no reason.
    """

    name = "places"
    signature = "places(2)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How many places of difference a pair has; nothing between two scripts.

        Of English and Chinese the words behind a change tell more, and the count drowns them.
        """
        source, target = (two_letters(code) or "" for code in tools.languages)
        if language_of(source).script != language_of(target).script:
            return [None] * len(trials)
        pairs = [changed_pair(trial, target) for trial in trials]
        counts = [len({word.block for word in pair.words}) if pair else 0 for pair in pairs]
        return [
            Statement(self.name, float(count), f"the outputs differ in {count} places")
            if count
            else None
            for count in counts
        ]


def folded(side: Units) -> list[str]:
    """The units as they are compared: a capital at the beginning is no difference."""
    return [unit.casefold() for unit in side.units]


def inner(first: list[str], second: list[str]) -> list[DiffBlock]:
    """The differences of a phrase and the sentence that has it: what stands around the phrase is none."""
    turned = len(second) > len(first)
    longer, shorter = (second, first) if turned else (first, second)
    start, end = place_of(shorter, longer)
    found = []
    for block in blocks(longer[start:end], shorter):
        ours = (block.a_start + start, block.a_end + start)
        theirs = (block.b_start, block.b_end)
        edge = ours[0] == start or ours[1] == end
        if edge and theirs[0] == theirs[1]:
            continue
        empty = (ours[1], ours[1]) if edge else ours
        found.append(DiffBlock(*theirs, *empty) if turned else DiffBlock(*empty, *theirs))
    return found


def place_of(phrase: list[str], sentence: list[str]) -> tuple[int, int]:
    """Where a sentence says a phrase: the stretch that shares most with it, of those the shortest.

    A plain diff takes the first "the" of the sentence for that of the phrase, and all words between for changed ones.
    """
    size, telling = len(phrase), {unit for unit in phrase if len(unit) >= LONG}
    best, place = -1.0, (0, len(sentence))
    for start in range(len(sentence)):
        for end in range(start + 1, min(len(sentence), start + size + LOOSE) + 1):
            some = sentence[start:end]
            shared = LCSseq.similarity(phrase, some) + len(telling.intersection(some))
            worth = shared - EACH_MORE * len(some)
            if worth > best:
                best, place = worth, (start, end)
    return place


def said_phrase(first: str, second: str, language: str | None) -> tuple[int, int, int]:
    """Which output is the sentence, and where it says the other, with the word before: "não dia" for "o dia"."""
    sides = cut(first, language), cut(second, language)
    units = folded(sides[0]), folded(sides[1])
    number = int(len(units[1]) > len(units[0]))
    start, end = place_of(units[1 - number], units[number])
    spans = sides[number].spans[max(0, start - 1) : end]
    return (number, spans[0][0], spans[-1][1]) if spans else (number, 0, 0)


def of_block(number: int, block: DiffBlock, sides: tuple[Units, Units]) -> list[ChangedWord]:
    """The words of one place of difference, without marks between words.

    Where an output lacks what the other has, the next word counts: what was lost makes it come too soon.
    """
    found = []
    ranges = ((block.a_start, block.a_end), (block.b_start, block.b_end))
    for output, (side, (start, end)) in enumerate(zip(sides, ranges, strict=True)):
        told = [
            any(letter.isalnum() for letter in unit) and not abbreviates(side.units, at)
            for at, unit in enumerate(side.units)
        ]
        lost = start == end
        if lost:  # a mark is no word that comes too soon
            start = next((at for at in range(end, len(told)) if told[at]), end)
            end = min(start + 1, len(told))
        found += [
            ChangedWord(output, *side.spans[at], number, lost)
            for at in range(start, end)
            if told[at]
        ]
    return found


def abbreviates(units: Sequence[str], at: int) -> bool:
    """Whether a unit is one small letter with a point: of "a. m." nothing is to be said."""
    letter = units[at]
    return len(letter) == 1 and letter.islower() and units[at + 1 : at + 2] == ["."]


class Statement(NamedTuple):
    """What one witness says of one pair."""

    witness: str  # "confidence", "fluency", "back", "facts", "pair", ...
    suspicion: float  # higher is worse; witness's own scale
    words: str  # the reason, true and readable by a person
    output: int | None = None  # which output is at fault, where it is known
    span: tuple[int, int] | None = None  # of that output's text


class Witness(Protocol):
    """Looks at pairs of outputs in a way of its own."""

    name: str
    signature: str

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """One statement a trial, in order; None where it has nothing to say."""


COMMONEST = (
    8.0  # on the scale of Zipf frequencies: "the" is 7.7, a word in a million 3, an unknown one 0
)


# What a form counts that the list lacks and its verb does not: rarer than most words, and none that is made up.
RARE_FORM = 1.5


class Rarity:
    """Looks the changed words up in a list of frequencies."""

    name = "rarity"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell
        self.signature = f"rarity(lists={lists_at_hand()},version=4)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How rare the rarest changed word is, from 0 to 8; nothing without a list for the language."""
        code = two_letters(self.language or tools.languages[1])
        frequency = frequencies(code or "")
        if frequency is None:
            return [None] * len(trials)
        name = language_of(code).name or str(code)
        pairs = [changed_pair(trial, code) for trial in trials]
        return [pair and rarest(pair, frequency, name, code or "") for pair in pairs]


def rarest(pair: Pair, frequency: Frequency, language: str, code: str = "") -> Statement | None:
    """What is to be said of the rarest changed word."""
    words = [word for word in pair.words if not word.early and pair.text(word)[0].isalpha()]
    # What both have, one of them elsewhere or with a pronoun, is no choice of one output.
    known = [{bare_verb(pair.text(word)) for word in words if word.output == at} for at in (0, 1)]
    words = [word for word in words if bare_verb(pair.text(word)) not in known[1 - word.output]]
    if not words:
        return None
    found, word = min(
        ((max(map(frequency, verb_forms(pair.text(word)))), word) for word in words),
        key=lambda one: one[0],
    )
    said = (
        f"rare in {language}, about one in {counted(10 ** (9 - found))} words"
        if found
        else f"not in the list of {language} words"
    )
    if not found and is_verb_form(pair.text(word).lower(), code):
        found, said = RARE_FORM, f"a rare form of a {language} verb"
    text = f"{pair.text(word)!r} in the {ORDINALS[word.output]} translation is {said}"
    return Statement(Rarity.name, COMMONEST - found, text, word.output, (word.start, word.end))


def verb_forms(text: str) -> list[str]:
    """A word, and the verb in it where a pronoun is joined to it: "desligá-la" is rare, "desligar" is not."""
    stem, _, pronoun = text.rpartition("-")
    if not stem or len(pronoun) > LONGEST_PRONOUN:
        return [text]
    return [text, stem, bare_letters(stem) + "r"]


def bare_verb(text: str) -> str:
    """A word without the pronoun that is joined to it, and without capitals."""
    return verb_forms(text)[:2][-1].casefold()


def bare_letters(text: str) -> str:
    """A text without the accents of its letters."""
    return "".join(one for one in normalize("NFD", text) if not combining(one))


def counted(number: float) -> str:
    """A number as people say it: 89 million, 40,000."""
    return f"{number / 1e6:,.0f} million" if number >= 1e6 else f"{round(number, -3):,.0f}"


class UnknownWord:
    """Looks for changed words that their language does not have, and the source neither."""

    name = "unknown"

    def __init__(self) -> None:
        self.signature = f"unknown(lists={lists_at_hand()})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The first of them; nothing without lists of both languages and the target's conjugations."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        lists = [frequencies(source), frequencies(target)]
        if not conjugations(target) or not all(lists):
            return [None] * len(trials)
        pairs = [changed_pair(trial, target) for trial in trials]
        return [pair and made_up(pair, source, target) for pair in pairs]


def made_up(pair: Pair, source: str, target: str) -> Statement | None:
    """What is to be said of the first word that neither language has."""
    for word in pair.words:
        text = pair.text(word)
        plain = text.isalpha() and len(text) >= SHORTEST_UNKNOWN
        # A capital inside a sentence is a name's.
        if word.early or not plain or (text[0].isupper() and word.start):
            continue
        if not is_known(text.lower(), source, target):
            words = not_listed(text, ORDINALS[word.output], target)
            return Statement(UnknownWord.name, 1.0, words, word.output, (word.start, word.end))
    return None


@lru_cache(RECENT)
def is_known(low: str, source: str, target: str) -> bool:
    """Whether a list has a word, its singular, or a verb that it is a form of."""
    here, there = frequencies(target), frequencies(source)
    if here is None or there is None or here(low) or there(low) or here(low.removesuffix("s")):
        return True
    return is_verb_form(low, target)


@lru_cache(RECENT)
def is_verb_form(low: str, code: str) -> bool:
    """Whether a word is a regular form of a verb that the list has, though the list has not the form itself."""
    here, lines = frequencies(code), conjugations(code)
    if here is None:
        return False
    for line in lines:
        for ending in line[1:]:
            verb = low.removesuffix(ending) + line[0]
            if low.endswith(ending) and here(verb) and line is own_line(verb, lines):
                return True
    return False


def own_line(verb: str, lines: Sequence[Sequence[str]]) -> Sequence[str]:
    """The conjugation of a verb: the one with the longest ending that it has."""
    return max((line for line in lines if verb.endswith(line[0])), key=lambda line: len(line[0]))


@cache
def conjugations(code: str) -> list[list[str]]:
    """The endings of the verbs of a language, that of the infinitive first."""
    return [line.split() for line in language_of(code).lines("conjugations")] if code else []


def not_listed(text: str, ordinal: str, code: str) -> str:
    """The reason in words."""
    name = language_of(code).name or code
    return f"{text!r} in the {ordinal} translation is not in the list of {name} words"


SHORTEST_UNKNOWN = 5  # letters: short ones may be signs or abbreviations
LONGEST_PRONOUN = 3  # letters of a pronoun behind a hyphen: "-lhe", "-nos"
SHORTEST = 4  # letters: shorter words are words of many languages
LIKELY, SURE = 1.0, 2.0  # copied; copied, and hardly a word of the language
AS_COMMON = 0.5  # one that both languages have about as often is: "hotel", "local"
# A word that the other output translates need not be as foreign: from so much rarer than in the source on, and less
# than once in a hundred thousand words, ten of eleven were left ("um swan"), where "tour" and "metal" were chosen.
TRANSLATED_ELSEWHERE, EVERYDAY = 0.4, 4.0


class Untranslated:
    """Looks for words of the source among the changed words of both outputs."""

    name = "untranslated"

    def __init__(self) -> None:
        self.signature = f"untranslated(lists={lists_at_hand()},version=8)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The copied word that looks most like one of the source's language."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        if source == target or language_of(source).script != language_of(target).script:
            return [None] * len(trials)
        pairs = (changed_pair(trial, target) for trial in trials)
        return [pair and left_over(pair, source, target) for pair in pairs]


def left_over(pair: Pair, source: str, target: str) -> Statement | None:
    """What is to be said of the copied words of a pair."""
    given = [plain_words(text, source, target) for text in pair.inputs]
    copied = [word for word in pair.words if is_copied(pair.text(word), given[word.output], target)]
    found = [(how_foreign(pair.text(word).lower(), source, target), word) for word in copied]
    found += [(LIKELY, word) for word in copied if left_once(pair, word, source, target)]
    weight, word = max(found, key=lambda item: item[0], default=(0.0, None))
    return said(pair, word, weight) if word and weight else None


def left_once(pair: Pair, word: ChangedWord, source: str, target: str) -> bool:
    """Whether both sources have a copied word and the other output translates it: "um swan", "um cisne"."""
    low, here, there = pair.text(word).lower(), frequencies(target), frequencies(source)
    if word.early or here is None or there is None or is_borrowed(low, source):
        return False
    shared = all(low in cut(text.lower(), source).units for text in pair.inputs)
    said_too = low in cut(pair.outputs[1 - word.output].lower(), target).units
    rarer = there(low) - here(low) >= TRANSLATED_ELSEWHERE and here(low) < EVERYDAY
    return shared and not said_too and rarer


def plain_words(text: str, source: str, target: str) -> set[str]:
    """The words of a source that are no names; that of its beginning is one where the target has it as often."""
    units = cut(text, source).units
    first = [one.lower() for one in units[:1] if no_name(one.lower(), source, target)]
    return {unit for unit in units if not unit[:1].isupper()} | set(first)


def how_foreign(text: str, source: str, target: str) -> float:
    """How surely a copied word is none of the target's: by lists of frequencies where there are, and by its letters."""
    here, there = frequencies_or_like(target, source), frequencies(source)
    foreign = is_foreign(text, source, target)
    if is_borrowed(text, source):
        return 0.0
    if here is None or there is None:
        return SURE if foreign else LIKELY
    rarer = there(text) - here(text)
    if here(text) >= AT_HOME or rarer <= AS_COMMON or at_home(text, source, target):
        return 0.0
    return SURE if foreign or rarer >= RARER else LIKELY


def is_copied(text: str, given: set[str], target: str) -> bool:
    """Whether a word of an output is one of its source, and none that the language is known to have."""
    low = text.lower()
    known = language_of(target).function_words
    plain = low.isalpha() and len(low) >= SHORTEST
    return plain and low in given and low not in known and low not in fact_lists(target).loans


def said(pair: Pair, word: ChangedWord, weight: float) -> Statement:
    """The statement on one word."""
    ordinal = ("first", "second")[word.output]
    words = f"'{pair.text(word)}' was left as it stands in the source (in the {ordinal})"
    return Statement(Untranslated.name, weight, words, word.output, (word.start, word.end))
