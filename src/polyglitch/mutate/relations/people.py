"""Changes of who, where and how many, the same everywhere in the text: the answer must not depend on it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise

from polyglitch.languages import language as language_of
from polyglitch.mutate.capabilities.predicates import pattern
from polyglitch.mutate.capabilities.rules import variants
from polyglitch.nlp.lexicons.terms import WORDING, terms, wording
from polyglitch.nlp.proposers.slot_words import match_case
from polyglitch.records import Parse

WRITTEN_OUT = range(
    2, 13
)  # smaller ones are articles too, larger ones are mostly written in digits

# Thousands may be set apart by a blank: of "1 000" and "12 500 000" no part is a number.
BLANK = "[ \u00a0\u202f]"
# Parts of dates, times and addresses (9/11, 12:30, id=7) are none either.
BEFORE_NUMBER = rf"(?<![\w.,:/='’-])(?<!\d{BLANK})"
AFTER_NUMBER = rf"(?![\w.,:/-]\d|\w|%|-|{BLANK}\d)"
NUMBER = rf"{BEFORE_NUMBER}\d{{2,6}}{AFTER_NUMBER}"

# Where a name is mostly one of a person: "Emma left", "praised Sarah", "my daughter Emma".
PERSON_PLACES = frozenset(
    ("nsubj", "nsubjpass", "nsubj:pass", "poss", "nmod:poss", "dative", "dobj", "obj", "appos")
)


def other_name(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A first name becomes another of the same gender, everywhere."""
    for gender in ("female", "male"):
        names = terms(f"name {gender}", parse.language)
        yield from _all_of_a_kind(parse.text, names, dice)


def other_city(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A city becomes another, everywhere."""
    yield from _all_of_a_kind(parse.text, terms("place city", parse.language), dice)


def other_country(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A country becomes another, everywhere."""
    yield from _all_of_a_kind(parse.text, terms("place country", parse.language), dice)


def other_number(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A number of two or more digits becomes another near it, everywhere; years and parts of numbers are left alone."""
    # Where no blanks part words, a character may stand beside the figures.
    flags = 0 if language_of(parse.language).spaced else re.ASCII
    fixed = _days_and_hours(parse)
    for number in dict.fromkeys(re.findall(NUMBER, parse.text, flags)):
        if number[0] == "0" or (len(number) == 4 and number[:2] in ("18", "19", "20")):
            continue
        if number in fixed:  # "May 34", "19 in the morning"
            continue
        new = str(int(number) + dice.randint(1, 9))
        yield re.sub(rf"{BEFORE_NUMBER}{number}{AFTER_NUMBER}", new, parse.text, flags=flags)


def _days_and_hours(parse: Parse) -> set[str]:
    """The numbers of the text that are days of a month or hours of a day."""
    if language_of(parse.language).file(WORDING) is None:
        return set()
    dates = wording("dates", parse.language)
    months, hours = "|".join(dates["months"]), "|".join(map(re.escape, dates["hours_before"]))
    found = re.findall(
        rf"\b(?:{months})\.? (\d\d)\b|\b(\d\d) (?:{months})\b|\b(\d\d) ?(?:{hours})(?!\w)",
        parse.text,
    )
    return {number for groups in found for number in groups if number}


def digits_for_words(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A small number in digits; of "two hundred" no part."""
    known = language_of(parse.language).numbers.keys()
    for word, value in language_of(parse.language).numbers.items():
        found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", parse.text)
        after = parse.text[found.end() :].split(maxsplit=1)[:1] if found else []
        if found and value in WRITTEN_OUT and not known & set(after):
            yield parse.text[: found.start()] + str(value) + parse.text[found.end() :]


def other_gender(parse: Parse, dice: random.Random) -> Iterator[str]:
    """He becomes she, man becomes woman, everywhere; sentences that have both, an aunt or a Clara are left alone."""
    if _named_person(parse):
        return
    lower = {token.text.lower() for token in parse.tokens}
    known = language_of(parse.language).words
    female = wording("gender", parse.language)
    male = {new: old for old, new in female.items() if old not in ("him", "his")}
    male["her"] = "his"
    sexed = set(wording("sexed", parse.language)["words"])
    if lower & ((known("female") | known("male")) - female.keys() - male.keys() | sexed):
        return
    for table in (female, male):
        other = set(table.values())
        if not lower & set(table) or lower & other - set(table):
            continue
        pieces, end = [], 0
        for token in parse.tokens:
            word = token.text.lower()
            if word not in table:
                continue
            new = table[word]
            if word == "her":
                new = "his" if token.tag == "PRP$" else "him"
            pieces += [parse.text[end : token.start], match_case(new, token.text[:1])]
            end = token.end
        yield "".join(pieces) + parse.text[end:]
        return


def _named_person(parse: Parse) -> bool:
    """Whether somebody is named that a pronoun may stand for: by two words, or as one who does or has something."""
    first = {*terms("name female", parse.language), *terms("name male", parse.language)}
    in_two = any(a.pos == b.pos == "PROPN" for a, b in pairwise(parse.tokens))
    return in_two or any(
        token.text in first or (token.pos == "PROPN" and token.relation in PERSON_PLACES)
        for token in parse.tokens
    )


def other_group(parse: Parse, dice: random.Random) -> Iterator[str]:
    """An identity term becomes another."""
    made = (
        variants(parse, 20) if pattern(terms("identity", parse.language)).search(parse.text) else []
    )
    dice.shuffle(made)
    yield from made


def pronoun_to_group(parse: Parse, dice: random.Random) -> Iterator[str]:
    """A pronoun becomes a person of some group."""
    made = (
        [] if pattern(terms("identity", parse.language)).search(parse.text) else variants(parse, 20)
    )
    dice.shuffle(made)
    yield from made


def _all_of_a_kind(text: str, names: tuple[str, ...], dice: random.Random) -> Iterator[str]:
    for name in names:
        found = re.compile(rf"(?<!\w){name}(?!\w)")
        if found.search(text):
            others = [each for each in names if each not in text]
            yield found.sub(dice.choice(others), text)
