"""The facts witness: what one output breaks of its own source, and the other does not."""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.compare.oracles.aligned.oracle import in_output
from polyglitch.compare.oracles.facts.checks import one_sided
from polyglitch.compare.oracles.two_outputs import two_texts, undecided
from polyglitch.compare.oracles.witnesses.changed_words import changed_pair
from polyglitch.compare.oracles.witnesses.statement import Statement
from polyglitch.languages import two_letters
from polyglitch.protocols import Tools
from polyglitch.records import Trial


class OwnFacts:
    """Holds each output against the input it answers: negation, numbers, dates, names, repeated words."""

    name = "facts"
    signature = "facts(1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The finding that weighs most among those that one output has and the other has not."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        return [self.said(trial, source, target) for trial in trials]

    def said(self, trial: Trial, source: str, target: str) -> Statement | None:
        """What is to be said of one pair."""
        if undecided(trial) or len(trial.case.inputs) < 2:
            return None
        texts = trial.case.inputs[0].text, trial.case.inputs[1].text
        found = one_sided(texts, two_texts(trial), source, target)
        if not found:
            return None
        # Of several "não" the one that the other output has not is the one that is too much.
        pair = changed_pair(trial, target)
        changed = {(word.output, word.start) for word in pair.words} if pair else set()
        number, item = max(
            found, key=lambda one: (one[1].weight, (one[0], one[1].start) in changed)
        )
        whole = item.end - item.start >= len(
            trial.outputs[number].text
        )  # lost: no place of its own
        span = None if whole else (item.start, item.end)
        return Statement(self.name, item.weight, in_output(number, item.reason), number, span)
