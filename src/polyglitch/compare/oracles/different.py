"""The inverted oracle (PatInv): inputs of different meaning must not get the same output."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from polyglitch.compare.metrics.units import units
from polyglitch.compare.oracles.two_outputs import Judge, two_texts, undecided
from polyglitch.component import component
from polyglitch.protocols import Tools
from polyglitch.records import Trial, Verdict


@component
def different_output() -> Judge:
    """Violated if the outputs are equal but for case, blanks and punctuation.

    The published code asks for equality to the letter and ranks nothing. Here the score is how many
    source words the output does not care about, and what was removed counts one more than what was
    replaced: two words may share a translation, a word and nothing may not.
    """

    def judge(trial: Trial) -> Verdict:
        first, second = map(letters_only, two_texts(trial))
        if first != second:
            return Verdict(trial.case.id, "holds", score=0.0, threshold=0.0)
        edit = trial.case.edit
        changed = len(units(edit.old)) + (not edit.new) if edit else 1
        what = (
            f"'{edit.old}' {'became ' + repr(edit.new) if edit.new else 'was removed'}"
            if edit
            else ""
        )
        return Verdict(
            trial.case.id,
            "violated",
            score=float(changed),
            threshold=0.0,
            reasons=(f"{what or 'the input changed'}, and the output is the same",),
        )

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [undecided(trial) or judge(trial) for trial in trials]

    return judge_all


class Kept(dict[int, int | None]):
    """For `str.translate`: nothing for blanks and punctuation, looked up once a character."""

    def __missing__(self, code: int) -> int | None:
        c = chr(code)
        self[code] = None if c.isspace() or unicodedata.category(c).startswith("P") else code
        return self[code]


KEPT = Kept()


def letters_only(text: str) -> str:
    """Letters, digits and symbols only: what tells one output from another."""
    return unicodedata.normalize("NFKC", text).casefold().translate(KEPT)
