"""The four sentences of a pair linked to each other: what the edit touched, what the outputs share, what stands behind.

A word of the source, its counterpart in the other source and the words of both outputs that translate them are one
unit (the idea of word closures: Xie et al., Word Closure-Based Metamorphic Testing for Machine Translation, 2023).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.compare.aligned.lexicon import Lexicon, Numbers
from polyglitch.compare.aligned.text import Sentence

Relation = Literal["similar", "contained", "different"]
NONE = -1


class Block(NamedTuple):
    """A run of changed words here, and the run that faces it in the other output; ends are past the last."""

    start: int = 0
    end: int = 0
    facing_start: int = 0
    facing_end: int = 0


class Side(NamedTuple):
    """One output with its source, seen against the other output and source."""

    source: Sentence
    output: Sentence
    source_match: list[int]  # for each source word its like in the other source, or NONE: the edit
    output_match: list[int]  # for each output word its like in the other output, or NONE: changed
    behind: Numbers  # for each output word (row) how likely each source word stands behind it
    block: list[Block]  # for each output word the changed block it stands in, empty if it is shared

    @property
    def changed(self) -> list[int]:
        """The places of output words that the other output lacks."""
        return [index for index, match in enumerate(self.output_match) if match == NONE]


class Linked(NamedTuple):
    """A pair with both its sides."""

    first: Side
    second: Side

    @property
    def sides(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        """Each side with the other."""
        return (self.first, self.second), (self.second, self.first)


def link(
    source: Sentence, followup: Sentence, first: Sentence, second: Sentence, lexicon: Lexicon
) -> Linked:
    """Link the four sentences of a pair."""
    edit, tide = match(source.keys, followup.keys)
    here, there = match(first.keys, second.keys)
    one, other = lexicon.links(source.keys, first.keys), lexicon.links(followup.keys, second.keys)
    return Linked(
        Side(source, first, edit, here, one, runs(here, there)),
        Side(followup, second, tide, there, other, runs(there, here)),
    )


def match(one: list[str], other: list[str]) -> tuple[list[int], list[int]]:
    """Partners by key: along a longest common subsequence first, then words that merely moved."""
    ahead, back = [NONE] * len(one), [NONE] * len(other)
    for code in LCSseq.opcodes(one, other):
        if code.tag == "equal":
            for step in range(code.src_end - code.src_start):
                ahead[code.src_start + step] = code.dest_start + step
                back[code.dest_start + step] = code.src_start + step
    free: dict[str, list[int]] = {}
    for index, partner in enumerate(back):
        if partner == NONE:
            free.setdefault(other[index], []).append(index)
    for index, partner in enumerate(ahead):
        if partner == NONE and free.get(one[index]):
            place = free[one[index]].pop(0)
            ahead[index], back[place] = place, index
    return ahead, back


def runs(here: list[int], there: list[int]) -> list[Block]:
    """For each word of one side its block; the facing run is the one that follows the last shared word."""
    found = [Block()] * len(here)
    start = 0
    while start < len(here):
        if here[start] != NONE:
            start += 1
            continue
        end = start
        while end < len(here) and here[end] == NONE:
            end += 1
        place = here[start - 1] + 1 if start else 0
        facing = place
        while facing < len(there) and there[facing] == NONE:
            facing += 1
        found[start:end] = [Block(start, end, place, facing)] * (end - start)
        start = end
    return found
