"""Candidates for slots through the store: a slot that was looked at in this or an earlier run costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.protocols import Candidate, Slot, Tools
from polyglitch.records import digest

KIND = "proposals"


def propose(
    tools: Tools, name: str, language: str | None, slots: Sequence[Slot], top: int
) -> list[list[Candidate]]:
    """What the proposer says of each slot, asked only about the slots that are not known."""
    if not slots:
        return []
    proposer = tools.proposer(name, language)
    keys = [
        digest(
            [proposer.signature, slot.parse.text, str(slot.token.start), slot.token.tag, str(top)]
        )
        for slot in slots
    ]
    known = tools.remember(KIND, keys)
    todo = {key: slot for key, slot in zip(keys, slots, strict=True) if key not in known}
    if todo:
        found = proposer.propose(list(todo.values()), top)
        new = {
            key: [[one.word, one.score] for one in some]
            for key, some in zip(todo, found, strict=True)
        }
        tools.keep(KIND, new)
        known |= new
    return [[Candidate(word, score) for word, score in known[key]] for key in keys]
