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
Sound = Callable[
    [str, str], bool
]  # whether an output says nothing that its source plainly does not


class Choice(NamedTuple):
    """A member that was believed, the outputs that follow from it, and the violations that are left."""

    chosen: Member
    outputs: dict[str, str]
    left: int


def mend(
    members: Sequence[Member], order: Sequence[int], glosses: Glosses, judge: Judge, sound: Sound
) -> Choice | None:
    """The first member in order whose wording leaves no violation, else the one that leaves fewest; if any helps.

    What most translations agree on can still be wrong: a member that is not sound comes after all that are.
    """
    best: Choice | None = None
    start = judge({member.text: member.output for member in members})
    for place in sorted(order, key=lambda n: not sound(members[n].text, members[n].output)):
        outputs = dict(follow(members[place], members, glosses, sound))
        left = judge(outputs)
        if left < (best.left if best else start):
            best = Choice(members[place], outputs, left)
        if left == 0:
            break
    return best


def follow(
    model: Member, members: Sequence[Member], glosses: Glosses, sound: Sound
) -> Iterator[tuple[str, str]]:
    """Every member's source with its translation in the wording of the model, where that stays sound."""
    for member in members:
        if member.text == model.text:
            yield member.text, member.output
            continue
        told = {word.lower() for word in swapped(model, member, glosses)}
        new = transfer(model.output, member.output, told)
        worse = sound(member.text, member.output) and not sound(member.text, new)
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
