"""One translation rewritten after another: the wording of the more consistent one, the swapped word of the other.

This is the repair of TransRepair (Sun et al., ICSE 2020), with two outputs of the system in place of an aligner: what
stands in both is common, and of the stretches that differ those that translate the swapped words, or agree with them
in their endings, stay as they are; all others are taken over.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

from polyglitch.issues.groups import is_negation
from polyglitch.languages.record import share_most
from polyglitch.repair.pair import WORD
from polyglitch.repair.shrink import like_any

SHORT = 3  # letters: articles and prepositions, which follow the gender of the word after them


class TransferWord(NamedTuple):
    """A word of an output with the blanks before it."""

    text: str
    before: str


def cut(text: str) -> list[TransferWord]:
    """The words and marks of a text."""
    found, end = [], 0
    for match in WORD.finditer(text):
        found.append(TransferWord(match.group(), text[end : match.start()]))
        end = match.end()
    return found


def transfer(model: str, own: str, glosses: Collection[str]) -> str:
    """`own` in the wording of `model`; `glosses` are translations of the words that set their sources apart."""
    ours, theirs = cut(own), cut(model)
    steps = merged([word.text.lower() for word in ours], [word.text.lower() for word in theirs])
    kept: list[TransferWord] = []
    for same, mine, other in steps:
        beside = any(
            like_any(w.text, list(glosses))
            for w in (*ours[: mine.start][-1:], *ours[mine.stop :][:1])
        )
        if same:
            kept += ours[mine]
        else:
            kept += settle(ours[mine], theirs[other], glosses, beside)
    text = ""
    for word in kept:
        # The first word of a text has no blank before it, and may have come to stand after another.
        glued = not word.before and text[-1:].isalnum() and word.text[:1].isalnum()
        text += (word.before or " " * glued if text else "") + word.text
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


def settle(
    mine: Sequence[TransferWord],
    other: Sequence[TransferWord],
    glosses: Collection[str],
    beside: bool,
) -> Sequence[TransferWord]:
    """Which side of a difference to take; `beside` says that a swapped word stands next to it.

    Where a stretch holds a swapped word, or agrees with one, the two sides cannot be mixed without tearing articles and
    endings from their noun: it stays as it is, unless it negates and the other side does not.
    """
    own_due, their_due = due(mine, glosses), due(other, glosses)
    if not own_due and not their_due:
        bound = beside and (not mine or not other or all_short((*mine, *other)))
        return mine if bound or only_endings(mine, other) or ends_differ(mine, other) else other
    denied = any(map(negates, mine)) and not any(map(negates, other))
    if not denied or not own_due or not their_due:
        return mine
    first, last = min(their_due), max(their_due)
    return [*other[:first], *mine[min(own_due) : max(own_due) + 1], *other[last + 1 :]]


def negates(word: TransferWord) -> bool:
    """Whether a word negates; two letters are too few to tell, since languages share them."""
    return len(word.text) > 2 and is_negation(word.text)


def all_short(words: Sequence[TransferWord]) -> bool:
    """Whether there are articles and prepositions only."""
    return all(len(word.text) <= SHORT + 1 for word in words)


def ends_differ(mine: Sequence[TransferWord], other: Sequence[TransferWord]) -> bool:
    """Whether one long word faces another with another ending: of another gender or number, as like as not."""
    if len(mine) != 1 or len(other) != 1 or min(len(mine[0].text), len(other[0].text)) <= SHORT:
        return False
    one, two = mine[0].text, other[0].text
    plural = one.endswith("s") and two.endswith("s")  # the letter before it tells then
    return one[-2] != two[-2] if plural else one[-1] != two[-1]


def due(words: Sequence[TransferWord], glosses: Collection[str]) -> set[int]:
    """The places of the words that translate a swapped one."""
    return {
        place
        for place, word in enumerate(words)
        if len(word.text) > SHORT and like_any(word.text, list(glosses))
    } or {place for place, word in enumerate(words) if word.text.lower() in glosses}


def only_endings(mine: Sequence[TransferWord], other: Sequence[TransferWord]) -> bool:
    """Whether two stretches are the same words in other forms."""
    if len(mine) != len(other) or not mine:
        return not mine and not other
    return all(
        share_most(one.text, two.text) or other_ending(one.text.lower(), two.text.lower())
        for one, two in zip(mine, other, strict=True)
    )


def other_ending(one: str, other: str) -> bool:
    """Whether two short words differ in their last letter at most, and neither negates."""
    if abs(len(one) - len(other)) > 1 or max(len(one), len(other)) > SHORT + 2:
        return False
    if one.endswith("s") and other.endswith("s"):
        one, other = one[:-1], other[:-1]
    stem = max(min(len(one), len(other)) - 1, 0)
    negating = any(negates(TransferWord(word, "")) for word in (one, other))
    return one[:stem] == other[:stem] and not negating
