"""One translation rewritten after another: the wording of the more consistent one, the swapped word of the other.

This is the repair of TransRepair (Sun et al., ICSE 2020), with two outputs of the system in place of an aligner: what
stands in both is common, and of the stretches that differ those that translate the swapped words, or agree with them
in their endings, stay as they are; all others are taken over.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from polyglitch.issues.kinds import is_negation
from polyglitch.repair.plain import WORD
from polyglitch.repair.same_bug import like_any, same_word

SHORT = 3  # letters: articles and prepositions, which follow the gender of the word after them


class Word(NamedTuple):
    """A word of an output with the blanks before it."""

    text: str
    before: str


def cut(text: str) -> list[Word]:
    """The words and marks of a text."""
    found, end = [], 0
    for match in WORD.finditer(text):
        found.append(Word(match.group(), text[end : match.start()]))
        end = match.end()
    return found


def transfer(model: str, own: str, glosses: Collection[str]) -> str:
    """`own` in the wording of `model`; `glosses` are translations of the words that set their sources apart."""
    ours, theirs = cut(own), cut(model)
    steps = merged([word.text.lower() for word in ours], [word.text.lower() for word in theirs])
    kept: list[Word] = []
    for same, mine, other in steps:
        beside = bool(kept) and like_any(kept[-1].text, list(glosses))
        lone = mine.start == mine.stop or other.start == other.stop
        if same or (beside and lone):  # a word more or less beside a swapped one belongs to it
            kept += ours[mine]
        else:
            kept += settle(ours[mine], theirs[other], glosses)
    text = "".join((word.before if place else "") + word.text for place, word in enumerate(kept))
    return text[:1].upper() + text[1:] if own[:1].isupper() else text


def merged(ours: list[str], theirs: list[str]) -> list[tuple[bool, slice, slice]]:
    """Stretches that are the same and stretches that differ, in turn; a deletion beside an insertion is one."""
    found: list[tuple[bool, slice, slice]] = []
    for step in Indel.opcodes(ours, theirs):
        same = step.tag == "equal"
        mine, other = slice(step.src_start, step.src_end), slice(step.dest_start, step.dest_end)
        if found and not same and not found[-1][0]:
            _, before, against = found.pop()
            mine, other = slice(before.start, mine.stop), slice(against.start, other.stop)
        found.append((same, mine, other))
    return found


def settle(mine: Sequence[Word], other: Sequence[Word], glosses: Collection[str]) -> Sequence[Word]:
    """Which side of a difference to take."""
    own_due, their_due = due(mine, glosses), due(other, glosses)
    if not own_due and not their_due:
        return mine if only_endings(mine, other) else other
    rest_mine = [word for place, word in enumerate(mine) if place not in own_due]
    rest_other = [word for place, word in enumerate(other) if place not in their_due]
    if follows(rest_mine, rest_other):
        return mine  # an article that agrees with the swapped word
    if not own_due or not their_due:
        return mine  # nothing says where the swapped word belongs in the other's wording
    first, last = min(their_due), max(their_due)
    return [*other[:first], *mine[min(own_due) : max(own_due) + 1], *other[last + 1 :]]


def due(words: Sequence[Word], glosses: Collection[str]) -> set[int]:
    """The places of the words that translate a swapped one."""
    return {
        place
        for place, word in enumerate(words)
        if len(word.text) > SHORT and like_any(word.text, list(glosses))
    } or {place for place, word in enumerate(words) if word.text.lower() in glosses}


def follows(mine: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether what is left beside the swapped words are endings, or short words that negate nothing."""
    if any(is_negation(word.text) and len(word.text) > 2 for word in (*mine, *other)):
        return False
    short = all(len(word.text) <= SHORT + 1 for word in (*mine, *other))
    return (short and len(mine) == len(other)) or only_endings(mine, other)


def only_endings(mine: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether two stretches are the same words in other forms."""
    if len(mine) != len(other) or not mine:
        return not mine and not other
    return all(
        same_word(one.text, two.text) or other_ending(one.text.lower(), two.text.lower())
        for one, two in zip(mine, other, strict=True)
    )


def other_ending(one: str, other: str) -> bool:
    """Whether two short words differ in their last letter at most, and neither negates."""
    if abs(len(one) - len(other)) > 1 or max(len(one), len(other)) > SHORT + 2:
        return False
    stem = min(len(one), len(other)) - 1
    negating = any(len(word) > 2 and is_negation(word) for word in (one, other))
    return one[:stem] == other[:stem] and not negating
