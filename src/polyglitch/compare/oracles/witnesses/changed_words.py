"""The words that one of two outputs has and the other has not, by a plain diff: where witnesses look."""

from __future__ import annotations

from typing import NamedTuple

from polyglitch.compare.metrics.diff import DiffBlock, blocks
from polyglitch.compare.metrics.units import Units, cut
from polyglitch.compare.oracles.two_outputs import two_texts, undecided
from polyglitch.records import Trial


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
    first, second = two_texts(trial)
    if first == second:
        return None
    sides = cut(first, language), cut(second, language)
    found = blocks(folded(sides[0]), folded(sides[1]))
    if trial.case.relation == "contained":
        found = inner(found, sides)
    words = tuple(
        word for number, block in enumerate(found) for word in of_block(number, block, sides)
    )
    texts = (trial.case.inputs[0].text, trial.case.inputs[1].text)
    return Pair(texts, (first, second), words) if words else None


def folded(side: Units) -> list[str]:
    """The units as they are compared: a capital at the beginning is no difference."""
    return [unit.casefold() for unit in side.units]


def inner(found: list[DiffBlock], sides: tuple[Units, Units]) -> list[DiffBlock]:
    """The differences of a phrase and the sentence that has it: what stands around the phrase is none."""
    sizes = [len(side.units) for side in sides]
    longer = sizes.index(max(sizes))
    kept = []
    for block in found:
        ours = (block.a_start, block.a_end) if longer == 0 else (block.b_start, block.b_end)
        theirs = (block.b_start, block.b_end) if longer == 0 else (block.a_start, block.a_end)
        around = ours[0] == 0 or ours[1] == sizes[longer]
        if around and theirs[0] == theirs[1]:
            continue
        empty = (ours[1], ours[1]) if around else ours
        pair = (empty, theirs) if longer == 0 else (theirs, empty)
        kept.append(DiffBlock(*pair[0], *pair[1]))
    return kept


def of_block(number: int, block: DiffBlock, sides: tuple[Units, Units]) -> list[ChangedWord]:
    """The words of one place of difference, without marks between words.

    Where an output lacks what the other has, the next word counts: what was lost makes it come too soon.
    """
    found = []
    ranges = ((block.a_start, block.a_end), (block.b_start, block.b_end))
    for output, (side, (start, end)) in enumerate(zip(sides, ranges, strict=True)):
        lost = start == end and end < len(side.units)
        for at in range(start, end + lost):
            if lost or any(letter.isalnum() for letter in side.units[at]):
                found.append(ChangedWord(output, *side.spans[at], number, lost))
    return found
