"""What a translation must not be: of another language or script, cut off, repeating itself, partly left as it was, or
with other negations than its source.

Negations are told by closed lists: whole words, never beginnings of words. A language may negate twice where another
does once ("não ... nada", "никто не"), deny by a word ("failed to") or negate idly ("not only"). So two counts are made
of each text: negations that the other text must have, and whatever could stand for one. Only what exceeds the other's
larger count is a finding.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.facts.numbers import (
    FactFinding,
    FactWord,
    deniers,
    fact_lists,
    fact_words,
    kept_titles,
    phrase_places,
    without_titles,
)
from polyglitch.languages import language as language_of
from polyglitch.languages.record import letters_by_script
from polyglitch.nlp.lexicons.words import common_glosses, frequencies, frequencies_or_like

WEIGHT = 0.9
COUNTED = 0.6  # both texts negate, one of them once more: that may be style
REACH = 9  # words between the two parts of a negation in two parts
CLAUSE_ENDS = frozenset(".;:!?")


class Negations(NamedTuple):
    """Places of words: plain negations, and all that may stand for one."""

    plain: list[int]
    broad: list[int]


def negation_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A negation that only one of the two has."""
    known = [language_of(code) for code in (source_language, language)]
    if not all(each.negation.words and each.spaced for each in known):
        return []  # where nothing parts words a list of words tells nothing
    before, after = without_titles(
        fact_words(source, source_language), fact_words(output, language)
    )
    slips = slipped(after, language)
    asked = read_negations(before, source_language, demanding=True)
    given = read_negations(after, language, demanding=False)
    open_ones = asked._replace(broad=unanswered(before, asked, after, source_language, language))
    if len(given.plain) > len(open_ones.broad):
        told = {one.start for one in slips}
        rest = added(before, open_ones, after, given)
        return [*slips, *(one for one in rest if one.start not in told)]
    if slips:
        return slips
    if len(asked.plain) > len(given.broad):
        reason = f"{named(before, asked.plain)} in the source, and the translation {has(after, given.broad)}"
        weight = COUNTED if given.broad else WEIGHT
        return [FactFinding("negation", reason, 0, len(output), weight)]
    return []


def slipped(words: tuple[FactWord, ...], language: str) -> list[FactFinding]:
    """Negations that stand before a noun which nothing sets against another: "não prazo" for "no prazo"."""
    forms, nouns = fact_lists(language).negation, language_of(language).words("plain_nouns")
    if not forms.slip or not nouns:
        return []
    articles, found = language_of(language).articles, []
    for at in range(len(words) - 1):
        before, noun = words[at - 1] if at else None, at + 1
        if words[noun].low in forms.before_nouns and noun + 1 < len(words):
            noun += 1
        marked = before is not None and not before.is_word
        apart = marked and words[noun].low not in forms.set_phrases
        apart = apart or (before is not None and before.low in forms.contrasts)
        apart = apart or words[min(noun + 1, len(words) - 1)].low in articles  # "não todo o bolo"
        if words[at].low in forms.slip and words[noun].low in nouns and not apart:
            reason = f"'{words[at].text}' stands before '{words[noun].text}', a noun"
            found.append(FactFinding("negation", reason, words[at].start, words[at].end, WEIGHT))
    return found


def unanswered(
    before: tuple[FactWord, ...],
    asked: Negations,
    after: tuple[FactWord, ...],
    source_language: str,
    language: str,
) -> list[int]:
    """What of the source may stand behind a negation; not "missed" where the translation says "perdi"."""
    told = {word.low for word in after}
    answers = answers_of(source_language, language)
    implied = [at for at in asked.broad if at not in asked.plain]
    others = told - negating_forms(language)  # "não" is "no", which answers nothing
    english = glosses_of(others, source_language, language) if implied else frozenset()
    answered = {
        at
        for at in implied
        if before[at].low in english or told_by(told, answers.get(before[at].low, ()))
    }
    return [at for at in asked.broad if at not in answered]


def glosses_of(words: set[str], source_language: str, language: str) -> frozenset[str]:
    """What the words of a translation are in the language of the source, where a list ships: "desemprego"."""
    pivot = language_of(language).pivot
    if pivot is None or pivot.into != source_language:
        return frozenset()
    known = common_glosses(language)
    return frozenset(known[word] for word in words if word in known)


def told_by(told: set[str], answers: tuple[str, ...]) -> bool:
    """Whether one of the words is there; those with a star are beginnings."""
    return any(
        any(low.startswith(one[:-1]) for low in told) if one.endswith("*") else one in told
        for one in answers
    )


@cache
def answers_of(source_language: str, language: str) -> dict[str, tuple[str, ...]]:
    """The words by which a language says what denies in another without a negation."""
    listed = fact_lists(language).negation.answers.get(source_language, {})
    return {word: tuple(said.split()) for words, said in listed.items() for word in words.split()}


def added(
    before: tuple[FactWord, ...],
    asked: Negations,
    after: tuple[FactWord, ...],
    given: Negations,
) -> list[FactFinding]:
    """Every negation of the translation: which of several is too much cannot be told."""
    reason = (
        f"{named(after, given.plain)} in the translation, and the source {has(before, asked.broad)}"
    )
    weight = COUNTED if asked.broad else WEIGHT
    return [
        FactFinding("negation", reason, after[at].start, after[at].end, weight)
        for at in given.plain
    ]


def named(words: tuple[FactWord, ...], places: list[int]) -> str:
    """`'not' stands`, `'not' and 'never' stand`."""
    found = " and ".join(f"'{words[at].text}'" for at in places)
    return f"{found} {'stands' if len(places) == 1 else 'stand'}"


def has(words: tuple[FactWord, ...], places: list[int]) -> str:
    """What there is of negation in the other text."""
    if not places:
        return "has no negation"
    return f"has only '{words[places[0]].text}'" if len(places) == 1 else "has fewer of them"


def read_negations(words: tuple[FactWord, ...], code: str, demanding: bool) -> Negations:
    """The negations of a text; `demanding` ones are those that a translation must have, else those it may not add."""
    known, forms = language_of(code).negation, fact_lists(code).negation
    idioms = phrase_places(words, forms.phrases)
    idle = {at for place in idioms for at in place}
    paired = pairs(words, code)
    plain: list[int] = []
    echo: list[int] = []
    broad: list[int] = []
    for at, word in enumerate(words):
        if numbers_something(words, at):
            continue
        if forms.first and (word.low in forms.first or at in paired.values()):
            (plain if at in paired and at not in idle else broad).append(at)
        elif not negates(word.low, code):
            if denies(word.low, code) or (at in idle and word.low in known.all):
                broad.append(at)
        elif at in idle or (not demanding and word.low in deniers(code)):
            broad.append(at)
        elif forms.first and word.low in forms.second:
            if word.low in deniers(code):  # else it may be another word: "une personne"
                broad.append(at)
        else:
            (echo if word.low in known.echo or word.low in forms.echo else plain).append(at)
    if not plain and echo:
        plain = echo[:1]  # alone, "ninguém" is the negation itself
    # An idiom may deny without a negation of its own: "short of".
    silent = [place[0] for place in idioms if not any(negates(words[at].low, code) for at in place)]
    return Negations(plain, sorted({*plain, *echo, *broad, *silent}))


def pairs(words: tuple[FactWord, ...], code: str) -> dict[int, int]:
    """Negations in two parts: the place of the first with that of the second, which may stand before it."""
    forms = fact_lists(code).negation
    found: dict[int, int] = {}
    for at, word in enumerate(words):
        if word.low in forms.first:
            ahead, behind = clause(words, at, 1), clause(words, at, -1)
            second = [place for place in ahead if words[place].low in forms.second]
            second += [place for place in behind if words[place].low in forms.before]
            free = [place for place in second if place not in found.values()]
            if free:
                found[at] = free[0]
    return found


def clause(words: tuple[FactWord, ...], at: int, step: int) -> list[int]:
    """The places from a word to the end of its clause, or to its beginning."""
    found: list[int] = []
    place = at + step
    while 0 <= place < len(words) and len(found) < REACH and words[place].text not in CLAUSE_ENDS:
        found.append(place)
        place += step
    return found


def numbers_something(words: tuple[FactWord, ...], at: int) -> bool:
    """Whether a word is short for "number": No. 1."""
    if at + 2 >= len(words) or words[at + 1].text != ".":
        return False
    return words[at + 2].text[:1].isdigit()


def denies(low: str, code: str) -> bool:
    """Whether a word, or a part of a compound with hyphens, denies by what it means: non-fiction."""
    if "-" not in low:
        return low in deniers(code) or denied_by_prefix(low, code)
    return any(part in deniers(code) for part in (low, *low.split("-")))


def denied_by_prefix(low: str, code: str) -> bool:
    """Whether a word is a common one behind a prefix that denies: "unsaved" may well be "não salvo"."""
    common = frequencies(code)
    prefixes = fact_lists(code).negation.prefixes
    stems = [low.removeprefix(one) for one in prefixes if low.startswith(one)]
    long_ones = [stem for stem in stems if len(stem) >= LONG_STEM]  # "under" is no "der" denied
    return common is not None and any(common(stem) >= COMMON for stem in long_ones)


def negates(low: str, code: str) -> bool:
    """Whether a word is a negation, alone or in a contraction: don't, nobody's."""
    return not {low, low.rpartition("'")[0]}.isdisjoint(negating_forms(code))


@cache
def negating_forms(code: str) -> frozenset[str]:
    """The words that negate, and the contractions that hold one."""
    known = language_of(code)
    words = frozenset(known.negation.words)
    short = (form for form, full in known.contractions.items() if words & set(full.split()))
    return words | frozenset(short)


LANGUAGE, CUT, REPEATED, COPIED, NAME = 0.95, 0.8, 0.8, 0.75, 0.7
LONG_ENOUGH = 8  # words of a source whose length tells anything
TOO_SHORT = 0.4  # a translation with fewer words than this share lost something
MOSTLY = 0.5  # of the letters are in the script of the language
TELLING = 3  # function words of the source language that tell its text
LEAST_LETTERS = 4  # of a copied word: shorter ones are words of many languages
AT_HOME = (
    2.6  # on Zipf's scale, once in 2.5 million words: words left over that were read stay under 2.4
)
LONG_STEM = 5  # letters of a word that a prefix denies
COMMON = 3.0  # on Zipf's scale, once in a million words
RARER = 1.3  # on Zipf's scale: a word that its own language has twenty times more often is no loan
HARDLY_EVER, FAR_MORE = 2.0, 2.0  # on Zipf's scale: once in ten million words; a hundred times
WRITTEN_WITH = {"Kana": ("Kana", "Han")}  # scripts that are written with others
KEEP = re.compile(
    r"\{\w*\}|%[sd]\b|https?://\S+|(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]++|\b(?=\w{3})[A-Z]++\d[A-Z\d]*+\b"
)


def language_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A translation that is the source over again, or in another script or language."""
    words = [word for word in fact_words(output, language) if word.is_word]
    expected = language_of(language).script
    scripts = letters_by_script(output)
    total = scripts.total()
    whole = (0, len(output), LANGUAGE)
    allowed = WRITTEN_WITH.get(expected, (expected,))
    if (
        language
        and total >= LEAST_LETTERS
        and sum(scripts[one] for one in allowed) < MOSTLY * total
    ):
        reason = f"the translation is written in {scripts.most_common(1)[0][0]} letters, not in {expected}"
        return [FactFinding("language", reason, *whole)] if len(words) > 1 else []
    own, other = tell_words(language), tell_words(source_language)
    if not own or not other or expected != language_of(source_language).script:
        return []
    only_there = told_apart(source_language, language)
    foreign = [word for word in words if word.low in only_there]
    native = [word for word in words if word.low in own]
    if len(foreign) >= TELLING and len(foreign) > len(native):
        reason = f"the translation is in the language of the source: '{foreign[0].text}', '{foreign[1].text}'"
        return [FactFinding("language", reason, *whole)]
    return []


@cache
def tell_words(code: str) -> frozenset[str]:
    """The function words of a language."""
    return language_of(code).function_words


@cache
def told_apart(code: str, other: str) -> frozenset[str]:
    """The function words of a language that another has not."""
    return tell_words(code) - tell_words(other)


def length_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A translation that ends too soon."""
    if not language_of(language).spaced or not language_of(source_language).spaced:
        return []
    before = [word for word in fact_words(source, source_language) if word.is_word]
    after = [word for word in fact_words(output, language) if word.is_word]
    if len(before) < LONG_ENOUGH or len(after) >= TOO_SHORT * len(before):
        return []
    reason = f"the source has {len(before)} words, the translation {len(after)}"
    return [FactFinding("cut off", reason, 0, len(output), CUT)]


def repeat_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Words and runs of words that stand twice in a row, where the source repeats nothing."""
    if repeats(fact_words(source, source_language), frozenset()):
        return []
    allowed = frozenset(fact_lists(language).doubled)
    found = []
    words = fact_words(output, language)
    for one, other in repeats(words, allowed):
        reason = f"'{output[one.start : other.end]}' stands twice in a row"
        found.append(FactFinding("repeated", reason, one.start, other.end, REPEATED))
    for one, other in of_itself(words, language):
        reason = f"'{output[one.start : other.end]}' is a thing of itself"
        found.append(FactFinding("repeated", reason, one.start, other.end, REPEATED))
    return found[:1]


def stand_in_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """A number where the source has a word for a noun: "o caro um" for "the expensive one"."""
    lists, known = fact_lists(language), language_of(language)
    told, words = stand_ins(source, source_language), fact_words(output, language)
    if not told or not lists.no_stand_ins:
        return []
    goes_on = {*known.agreement.prepositions, *known.agreement.refers}
    for at, word in enumerate(words):
        before = [one.low for one in words[max(0, at - 2) : at]]
        ends = at + 1 == len(words) or not words[at + 1].is_word or words[at + 1].low in goes_on
        if word.low not in lists.no_stand_ins or not ends or len(before) < 2:
            continue
        described = before[0] in lists.articles_before and words[at - 1].is_word
        closed = before[1] in known.function_words or before[1] in known.quantity
        if described and not closed:
            reason = f"'{word.text}' is a number, and stands for '{told}' in the source"
            return [FactFinding("wording", reason, word.start, word.end, WEIGHT)]
    return []


def stand_ins(source: str, language: str) -> str:
    """The first word of a source that stands for a noun: "the cheaper one", and not "chapter one"."""
    lists, words = fact_lists(language), fact_words(source, language)
    for at in range(1, len(words)):
        before, word, beside = words[at - 1], words[at], words[at - 1 : at + 2]
        counts = before.low in lists.counted_by or {one.low for one in beside} & {*lists.counts_on}
        if word.low in lists.stand_ins and before.is_word and not counts:
            return word.text
    return ""


def of_itself(words: tuple[FactWord, ...], language: str) -> list[tuple[FactWord, FactWord]]:
    """First and last word of a noun that is said to be its own: "os dedos dos dedos" for toes."""
    joins = fact_lists(language).joins_nouns
    return [
        (one, other)
        for one, between, other in zip(words, words[1:], words[2:], strict=False)
        if between.low in joins and one.low == other.low and len(one.low) >= LEAST_LETTERS
    ]


def repeats(
    words: tuple[FactWord, ...], allowed: frozenset[str]
) -> list[tuple[FactWord, FactWord]]:
    """First and last word of what repeats the words just before it."""
    found = []
    texts = [word.text for word in words]
    for size in (1, 2, 3, 4, 5, 6):
        for at in range(len(words) - 2 * size + 1):
            if texts[at : at + size] != texts[at + size : at + 2 * size]:
                continue
            one, other = words[at : at + size], words[at + size : at + 2 * size]
            # Two letters at least: "a a" is also an article after a preposition, and a figure may well be repeated.
            plain = all(word.text.isalpha() for word in one) if size == 1 else one[0].is_word
            usual = " ".join(word.low for word in one) in allowed
            if plain and not usual and (size > 1 or len(one[0].low) > 1):
                found.append((other[0], other[-1]))
    return found


def copied_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Words of the source that stand in the translation as they were, though they are no words of its language."""
    like = frequencies_or_like(language, source_language)
    told = fact_lists(language).unlike or tell_words(language) or like
    if language == source_language or not told:
        return []
    sources, words = fact_words(source, source_language), fact_words(output, language)
    before, found = {word.text for word in sources}, []
    titles, ordered = kept_titles(sources, words)[1], command(sources, source_language)
    if sources and no_name(sources[0].low, source_language, language):
        ordered = sources[0].text
    parties = contract_parties(sources, source_language)
    for at, word in enumerate(words):
        if word.text not in before:
            continue
        beside = [words[place].text for place in (at - 1, at + 1) if 0 <= place < len(words)]
        named = all(other[:1].isupper() for other in beside)  # part of a name: Simple and Select
        plain = word.text == word.low and not named and at not in titles
        copied = plain or (at == 0 and word.text == ordered) or word.text in parties
        party = word.text in parties and no_name(word.low, source_language, language)
        if copied and (party or is_foreign(word.low, source_language, language)):
            reason = f"'{word.text}' was left as it stands in the source"
            found.append(FactFinding("untranslated", reason, word.start, word.end, COPIED))
    return found


def contract_parties(words: tuple[FactWord, ...], language: str) -> frozenset[str]:
    """Common words that a contract writes as names: "the Lessee shall"; a name of several words is one."""
    lists, known = fact_lists(language), language_of(language)
    if not lists.parties:
        return frozenset()
    before_party = {*known.articles, *known.function_words}
    definite = {*known.articles} - {*known.sounded_articles}  # "a Prayer" is the title of a song
    return frozenset(
        word.text
        for before, word, after in zip(words, words[1:], words[2:], strict=False)
        if word.text.istitle() and not after.text[:1].isupper()
        if (before.low in definite and word.low.endswith(lists.parties))
        or (before.low in before_party and word.low in lists.also_party)
    )


def command(words: tuple[FactWord, ...], language: str) -> str:
    """The verb that a sentence begins with, which its capital does not make a name: "Whisk three eggs"."""
    if len(words) < 2 or not words[0].text.istitle():
        return ""
    spoken = language_of(language)
    counted = words[1].low in spoken.numbers or words[1].low in spoken.quantity
    follows = counted or words[1].low in spoken.articles or words[1].text.isdecimal()
    return words[0].text if follows else ""


def no_name(low: str, source_language: str, language: str) -> bool:
    """Whether a word that begins a sentence is a common one, whatever its capital: names are as common elsewhere."""
    here, there = frequencies_or_like(language, source_language), frequencies(source_language)
    if here is None or there is None:
        return False
    return here(low) < AT_HOME <= there(low) and there(low) - here(low) >= RARER


def is_foreign(low: str, source_language: str, language: str) -> bool:
    """Whether a word can hardly be one of a language: by its letters, or as a common word of the other."""
    lists = fact_lists(language)
    if not low.replace("-", "").isalpha() or low in tell_words(language):
        return False
    if low in lists.loans or low.removesuffix("s") in lists.loans:
        return False
    if is_borrowed(low, source_language):
        return False
    if language_of(language).script != language_of(source_language).script:
        return len(low) >= LEAST_LETTERS
    if low in tell_words(source_language):
        return len(low) >= LEAST_LETTERS - 1
    if at_home(low, source_language, language):
        return False
    told = unlike_letters(language).search(low) or far_more_common(low, source_language, language)
    return len(low) >= LEAST_LETTERS and bool(told)


def is_borrowed(low: str, source_language: str) -> bool:
    """Whether a word of the source is a loan there too, by its letters: "soufflé" may stay what it is."""
    return not low.isascii() and any(
        letter in fact_lists(source_language).borrowed for letter in low
    )


@cache
def unlike_letters(language: str) -> re.Pattern[str]:
    """Letters that words of a language do not have, as one pattern; it finds nothing where none are listed."""
    letters = (
        re.escape(piece.removesuffix("$")) + ("$" if piece.endswith("$") else "")
        for piece in fact_lists(language).unlike
    )
    return re.compile("|".join(letters) or r"(?!)")


def at_home(low: str, source_language: str, language: str) -> bool:
    """Whether a word is a loan by lists of both languages: "menu" and "workshop" are, "whole" is met in quotations.

    What is rare in the plural may be one all the same: "backups".
    """
    here, there = frequencies_or_like(language, source_language), frequencies(source_language)
    forms = {low, low.removesuffix("s")} if len(low) > LEAST_LETTERS else {low}
    return here is not None and any(
        here(form) >= AT_HOME and (there is None or there(form) - here(form) < FAR_MORE)
        for form in forms
    )


def far_more_common(low: str, source_language: str, language: str) -> bool:
    """Whether a word is hardly ever met in a language, and a hundred times as often in the other, by lists of both."""
    here = frequencies_or_like(language, source_language)
    there = frequencies(source_language)
    if here is None or there is None:
        return False
    return here(low) < HARDLY_EVER and there(low) - here(low) >= FAR_MORE


def name_findings(
    source: str, output: str, source_language: str, language: str
) -> list[FactFinding]:
    """Codes, addresses and placeholders that are not kept, and people's names after a title."""
    found = []
    folded = fold(output)
    for piece in dict.fromkeys(KEEP.findall(source)):
        if fold(piece.rstrip(".,;:!?)")) not in folded:
            reason = f"'{piece}' stands in the source, and not in the translation"
            found.append(FactFinding("name", reason, 0, len(output), NAME))
    if language_of(language).script != language_of(source_language).script:
        return found
    titles = frozenset(title for title in language_of(source_language).titles if len(title) <= 3)
    for name in titled(fact_words(source, source_language), titles):
        if fold(name) not in folded:
            reason = f"the name '{name}' stands in the source, and not in the translation"
            found.append(FactFinding("name", reason, 0, len(output), NAME))
    return found


def titled(words: tuple[FactWord, ...], titles: frozenset[str]) -> list[str]:
    """Names right after a short title: Mr. Cohen."""
    found = []
    for at, word in enumerate(words[:-1]):
        follower = (
            words[at + 2] if words[at + 1].text == "." and at + 2 < len(words) else words[at + 1]
        )
        if (
            word.low in titles
            and word.text[:1].isupper()
            and follower.text[:1].isupper()
            and len(follower.text) > 2
        ):
            found.append(re.sub(r"['\u2019]s?$", "", follower.text))
    return found


@cache
def fold(text: str) -> str:
    """A text without accents and capitals."""
    return "".join(
        c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c)
    )
