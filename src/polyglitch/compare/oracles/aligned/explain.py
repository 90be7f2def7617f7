"""The reasons of a verdict in words, and the words at fault as spans of both outputs; first of all the hard facts.

Facts that both sources state and only one output keeps, numbers and negation, weigh more than any wording. A rule, not
a weight: translators seldom break them, so labelled pairs are too few to learn them from, and a reader forgives them
least.

Which words to mark is read off the marks that people set in violated pairs: they mark the words that carry meaning,
what stands for them in the other output too, and small words only inside a phrase ("school of thought").
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from polyglitch.compare.oracles.aligned.links import (
    NONE,
    Linked,
    Pairing,
    Relation,
    Sentence,
    Side,
    Word,
)
from polyglitch.compare.oracles.aligned.model import CLOSE
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.records import Span

FIGURES = re.compile(r"\d[\d.,]*")
LEAST = 3  # "one" is an article, "two" is also "both" or "a pair"


class Broken(NamedTuple):
    """A fact that one output states and the other does not: which, whose word says it."""

    kind: str
    output: int
    place: int


def broken_facts(linked: Linked, source: str, target: str) -> list[Broken]:
    """The numbers and negations of one output that the other lacks though both sources have them or neither."""
    return broken_numbers(linked, target) + broken_negations(linked, source, target)


def value(word: Word) -> str:
    """A number as its digits, whatever the signs between them; empty if it is none or too small to tell."""
    found = FIGURES.match(word.key) if word.kind == "number" else None
    digits = re.sub(r"\D", "", found.group()) if found else ""
    return digits if digits and int(digits) >= LEAST else ""


def values(sentence: Sentence) -> Counter[str]:
    """How often each number stands in a sentence."""
    return Counter(found for word in sentence.words if (found := value(word)))


def broken_numbers(linked: Linked, target: str) -> list[Broken]:
    """Numbers that the sources state as often as each other and only one output has."""
    before = [values(side.source) for side, _ in linked.sides]
    found = []
    for number, (side, other) in enumerate(linked.sides):
        for at, word in enumerate(side.output.words):
            held = value(word)
            stated = held and before[0][held] == before[1][held] > 0
            if stated and not says(other.output, held, target):
                found.append(Broken("number", number, at))
    return found


def repeated_numbers(linked: Linked, target: str) -> frozenset[tuple[int, int]]:
    """The changed numbers, by output and place, that the other output says in another form: 8 and 八, 15 and quinze."""
    return frozenset(
        (number, at)
        for number, (side, other) in enumerate(linked.sides)
        for at in side.changed
        if (held := value(side.output.words[at]) or spelled(side.output.words[at], target))
        and says(other.output, held, target)
    )


def spelled(word: Word, language: str) -> str:
    """The digits of a number that is written as a word: "quinze"; empty if it is none or too small to tell."""
    number = language_of(language).numbers.get(word.text.lower(), 0)
    return str(number) if number >= LEAST else ""


def says(sentence: Sentence, held: str, language: str) -> bool:
    """Whether a sentence has a number in any form: in figures, as a word, or inside one where words are not spaced."""
    figures = {re.sub(r"\D", "", found) for found in FIGURES.findall(sentence.text)}
    if held in figures or values(sentence)[held]:
        return True
    named = [name for name, number in language_of(language).numbers.items() if str(number) == held]
    return any(name in word.text.lower() for word in sentence.words for name in named)


def broken_negations(linked: Linked, source: str, target: str) -> list[Broken]:
    """Changed negations of the output that has more than the other's, however weak those are counted."""
    before = [negations(side.source, source, broad=True) for side, _ in linked.sides]
    if len(before[0]) != len(before[1]) or any(edits_negation(s, source) for s, _ in linked.sides):
        return []
    for number, (side, other) in enumerate(linked.sides):
        plain = negations(side.output, target, broad=False)
        if len(plain) > len(negations(other.output, target, broad=True)):
            changed = [at for at in plain if side.output_match[at] == NONE]
            return [Broken("negation", number, at) for at in changed]
    return []


def beside_phrase(linked: Linked, fact: Broken) -> bool:
    """Whether a broken fact stands where a sentence says its phrase: what is wrong elsewhere in it is not compared."""
    side, other = linked.sides[fact.output]
    following = side.output_match[fact.place + 1 : fact.place + 2]
    return len(side.output.words) <= len(other.output.words) or any(at != NONE for at in following)


def negations(sentence: Sentence, language: str, broad: bool) -> list[int]:
    """Where a sentence negates; broadly also by words that deny in themselves ("unlikely", "fail")."""
    return [
        at
        for at, word in enumerate(sentence.words)
        if (word.kind == "negation" and not echoes(word, language))
        or (broad and half_negates(word, language))
    ]


def echoes(word: Word, language: str) -> bool:
    """Whether a word may merely repeat a negation, as Portuguese "nenhum" after "não"."""
    echo = language_of(language).negation.echo
    return word.key in echo or word.text.lower() in echo


def half_negates(word: Word, language: str) -> bool:
    """Whether a word negates by what it means, as listed."""
    return denies(word.text.lower(), word.key, language)


@lru_cache(20_000)  # words met lately
def denies(form: str, key: str, language: str) -> bool:
    """The same of its form and key."""
    known = language_of(language).negation
    if any(sign in form for sign in known.characters):
        return True
    listed = weak_negations(language).union(known.echo)
    return form in listed or key in listed


@cache
def weak_negations(language: str) -> frozenset[str]:
    """The words that deny in themselves, as listed."""
    known = language_of(language).negation
    return frozenset((*known.weak, *known.implied))


def edits_negation(side: Side, language: str) -> bool:
    """Whether the edit itself touches a negation, however weak."""
    return any(
        match == NONE and (word.kind == "negation" or half_negates(word, language))
        for word, match in zip(side.source.words, side.source_match, strict=True)
    )


class Suspect(NamedTuple):
    """A changed word: its place, how likely it is at fault, its partner in the other output, whether it is marked."""

    place: int
    chance: float
    partner: int | None
    marked: bool


class About(NamedTuple):
    """What must be known to tell what happened in true words."""

    relation: Relation = "similar"
    asked: int | None = None  # how often both sources negate; nothing where they differ in it
    said: tuple[int, int] = (0, 0)  # how often the outputs do

    @property
    def sides(self) -> tuple[str, str]:
        """What the two outputs are called."""
        if self.relation == "contained":
            return "the sentence", "the phrase"
        return "the first", "the second"


def about(linked: Linked, relation: Relation) -> About:
    """What the sources say that bears on the words for a difference."""
    asked = {count_negations(side.source) for side, _ in linked.sides}
    first, second = (count_negations(side.output) for side, _ in linked.sides)
    return About(relation, asked.pop() if len(asked) == 1 else None, (first, second))


def count_negations(sentence: Sentence) -> int:
    """How many words of a sentence negate."""
    return sum(word.kind == "negation" for word in sentence.words)


def explain(
    outputs: tuple[Sentence, Sentence], suspects: list[list[Suspect]], known: About
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The marked words, joined where they stand together, worst first; before them a part that one output lacks."""
    found: list[tuple[float, str, Span]] = []
    lost = lost_part(suspects) if known.relation == "similar" else None
    if lost:
        found.append((math.inf, *lost_reason(outputs, *lost, known)))
    for number in (0, 1):
        chosen = [
            item for item in suspects[number] if item.marked and not lies_in(item, number, lost)
        ]
        words = outputs[number].words
        changed = {item.place for item in suspects[number]}
        for run in join(chosen):
            begin = led_in(words, run[0].place, changed)
            reason = word_reason(outputs, run, number, begin, known)
            span = Span(number, words[run[0].place].start, words[run[-1].place].end, reason, "pair")
            found.append((max(item.chance for item in run), reason, span))
    found.sort(key=lambda item: (-item[0], item[2].output, item[2].start))
    reasons = tuple(dict.fromkeys(reason for _, reason, _ in found))
    return reasons, tuple(span for _, _, span in found)


Part = tuple[int, int, int]  # which output, its first and its last word


def lost_part(suspects: list[list[Suspect]]) -> Part | None:
    """A stretch of words that one output has and the other has hardly anything in place of."""
    for number in (0, 1):
        longest = max(join(suspects[number]), key=len, default=[])
        if len(longest) >= PART and len(suspects[1 - number]) <= len(longest) * IN_PLACE:
            return number, longest[0].place, longest[-1].place
    return None


def lies_in(item: Suspect, number: int, part: Part | None) -> bool:
    """Whether a word is part of the stretch, or stands for a word of it."""
    if part is None:
        return False
    place = item.place if number == part[0] else item.partner
    return place is not None and part[1] <= place <= part[2]


def lost_reason(
    outputs: tuple[Sentence, Sentence], number: int, first: int, last: int, known: About
) -> tuple[str, Span]:
    """What is said of a stretch that the other output lacks, and where it is."""
    words = outputs[number].words
    start, end = words[first].start, words[last].end
    reason = f"'{outputs[number].text[start:end]}' is missing in {known.sides[1 - number]}"
    return reason, Span(number, start, end, reason, "pair")


def join(items: list[Suspect]) -> list[list[Suspect]]:
    """Neighbours together."""
    runs: list[list[Suspect]] = []
    for item in items:
        if runs and item.place == runs[-1][-1].place + 1:
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def led_in(words: Sequence[Word], place: int, changed: set[int]) -> int:
    """Where a phrase begins: 'directors' reads better with the 'of' that went with it."""
    while place - 1 in changed and words[place - 1].kind == "function":
        place -= 1
    return place


def word_reason(
    outputs: tuple[Sentence, Sentence], run: list[Suspect], number: int, begin: int, known: About
) -> str:
    """What happened to a run of words, told from where the phrase begins."""
    words = [outputs[number].words[item.place] for item in run]
    whole = outputs[number].text[outputs[number].words[begin].start : words[-1].end]
    phrase = outputs[number].text[words[0].start : words[-1].end]
    kinds = {word.kind for word in words}
    if "negation" in kinds:
        negation = next(word.text for word in words if word.kind == "negation")
        return negation_reason(negation, number, known)
    places = sorted(item.partner for item in run if item.partner is not None)
    label = next((f"{kind} " for kind in ("number", "name") if kind in kinds), "")
    if places:
        facing = outputs[1 - number].words
        other = outputs[1 - number].text[facing[places[0]].start : facing[places[-1]].end]
        old, new = (phrase, other) if number == 0 else (other, phrase)
        if known.relation == "contained":
            return f"{label}'{old}' in the sentence, '{new}' in the phrase"
        return f"{label}'{old}' became '{new}'"
    if number == 0 and known.relation != "contained":
        return f"{label}'{whole}' is missing in the second"
    return f"{label}'{whole}' only in {known.sides[number]}"


def negation_reason(negation: str, number: int, known: About) -> str:
    """Whether a negation was lost or added, and where: the output that negates otherwise than its source is wrong."""
    here, there = known.sides[number], known.sides[1 - number]
    if known.asked is not None:
        if known.said[number] > known.asked == known.said[1 - number]:
            return f"negation added in {here}: '{negation}'"
        if known.said[number] == known.asked > known.said[1 - number]:
            return f"negation lost in {there}: '{negation}'"
    return f"negation only in {here}: '{negation}'"


PART = 4  # words that make a part of a sentence rather than a phrase
IN_PLACE = 1 / 3  # of them may have something else in their place
LIGHT = frozenset({"function", "mark"})
Chances = Sequence[
    dict[int, float]
]  # for both outputs each changed word's chance of being at fault

# Shares of the worst word's chance; chosen on the marks of the four methods other than CAT (recipes/oracle_tokens.py).
SMALL = 1.0  # a function word or mark is marked by itself only if it is the worst
COUNTERPART = 0.15  # what stands for a marked word in the other output needs only this
GAP = 2  # changed words between two marked ones of a block that are marked with them


def marked(linked: Linked, pairing: Pairing, chances: Chances, share: float) -> list[set[int]]:
    """The places at fault in both outputs."""
    worst = max((chance for side in chances for chance in side.values()), default=0.0)
    found: list[set[int]] = [set(), set()]
    for number, (side, _) in enumerate(linked.sides):
        for at, chance in chances[number].items():
            light = side.output.words[at].kind in LIGHT
            if chance >= (SMALL if light else share) * worst:
                found[number].add(at)
    partners = (pairing.partner, pairing.turned().partner)
    for number, places in enumerate([sorted(places) for places in found]):
        side, other = linked.sides[number]
        for at in places:
            for place in counterparts(side, other, at, partners[number]):
                heavy = other.output.words[place].kind not in LIGHT
                if heavy and chances[1 - number].get(place, -1.0) >= COUNTERPART * worst:
                    found[1 - number].add(place)
    return [closed(places, set(changed)) for places, changed in zip(found, chances, strict=True)]


def counterparts(
    side: Side, other: Side, at: int, partner: dict[int, tuple[int, float]]
) -> set[int]:
    """Words of the other output that stand for a word: its partner, and what translates the same source word."""
    found = {partner[at][0]} if at in partner else set()
    kept = np.array([match != NONE for match in side.source_match], bool)
    if kept.any() and len(other.behind):
        anchor = int(np.argmax(np.where(kept, side.behind[at], -1.0)))
        if side.behind[at, anchor] >= CLOSE:
            column = other.behind[:, side.source_match[anchor]]
            found |= {int(place) for place in np.flatnonzero(column >= CLOSE)}
    return found


def closed(places: set[int], changed: set[int]) -> set[int]:
    """With the few changed words that stand between two marked ones."""
    ordered = sorted(places)
    found = set(places)
    for one, other in pairwise(ordered):
        between = set(range(one + 1, other))
        if len(between) <= GAP and between <= changed:
            found |= between
    return found
