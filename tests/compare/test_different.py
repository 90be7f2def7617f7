"""The inverted oracle: an output that stays the same is the fault."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from polyglitch.compare.oracles.two_outputs import different_output
from polyglitch.records import Edit, Output, Trial

from .materials import MakeTrial

TOOLS: Any = None


def edited(pair: Trial, old: str, new: str) -> Trial:
    edit = Edit("swap" if new else "removed", 0, len(old), old, new)
    return replace(pair, case=replace(pair.case, edit=edit))


def test_equal_but_for_case_blanks_and_punctuation_is_a_violation(trial: MakeTrial) -> None:
    verdicts = different_output()(
        [
            edited(trial("A porta abriu.", "A janela abriu."), "door", "window"),
            edited(trial("A porta abriu.", "a  porta abriu"), "door", "gate"),
            edited(trial("Ele saiu.", "Ele saiu."), "very quietly", ""),
            trial(Output(status="timeout"), "Ele saiu."),
        ],
        TOOLS,
    )
    assert [v.outcome for v in verdicts] == ["holds", "violated", "violated", "undecided"]
    assert verdicts[1].reasons == ("'door' became 'gate', and the output is the same",)
    assert verdicts[2].severity > verdicts[1].severity  # a lost phrase ranks above a shared word
