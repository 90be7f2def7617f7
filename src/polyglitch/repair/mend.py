"""The translations of a sentence and its mutants made consistent: one is believed, the others follow its wording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from polyglitch.issues.kinds import words
from polyglitch.records import Edit
from polyglitch.repair.transfer import transfer


class Member(NamedTuple):
    """The original (which has no edit) or a mutant, with its translation."""

    text: str
    output: str
    edit: Edit | None = None


Glosses = Mapping[str, str]  # what the system makes of a word alone
Judge = Callable[[Mapping[str, str]], int]  # outputs by source: how many violations they leave
Faults = Callable[[str, str], int]  # how many plain facts of a source an output gets wrong


class Choice(NamedTuple):
    """A member that was believed, the outputs that follow from it, and the violations that are left."""

    chosen: Member
    outputs: dict[str, str]
    left: int


def mend(
    members: Sequence[Member], order: Sequence[int], glosses: Glosses, judge: Judge, faults: Faults
) -> Choice | None:
    """The first member in order whose wording leaves no violation, else the one that leaves fewest; if any helps.

    What most translations agree on can still be wrong: members with fewer plain faults come first.
    """
    best: Choice | None = None
    start = judge({member.text: member.output for member in members})
    for place in sorted(order, key=lambda n: faults(members[n].text, members[n].output)):
        outputs = dict(follow(members[place], members, glosses, faults))
        left = judge(outputs)
        if left < (best.left if best else start):
            best = Choice(members[place], outputs, left)
        if left == 0:
            break
    return best


def follow(
    model: Member, members: Sequence[Member], glosses: Glosses, faults: Faults
) -> Iterator[tuple[str, str]]:
    """Every member's source with its translation in the wording of the model, where that adds no fault."""
    for member in members:
        if member.text == model.text:
            yield member.text, member.output
            continue
        told = {word.lower() for word in swapped(model, member, glosses)}
        new = transfer(model.output, member.output, told)
        worse = faults(member.text, new) > faults(member.text, member.output)
        yield member.text, member.output if worse else new


def swapped(one: Member, other: Member, glosses: Glosses) -> list[str]:
    """The translations of the words that set two sources apart."""
    edits = [member.edit for member in (one, other) if member.edit]
    return [
        word
        for edit in edits
        for text in (edit.old, edit.new)
        for word in words(glosses.get(text, ""))
    ]
