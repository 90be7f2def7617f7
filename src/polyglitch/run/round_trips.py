"""From cases to trials: their inputs to the system and, where a method makes a round trip, the answers back again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from polyglitch.errors import LimitReached
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.run.asking import Asker
from polyglitch.run.claimed_answers import Answers

Asked = list[list[Future[Answers]]]  # for each time of asking, the answers to come


class RoundTrips:
    """The systems of a campaign, one a hop, each input asked `repeat` times."""

    def __init__(self, askers: Sequence[Asker], target: str | None, repeat: int) -> None:
        self.askers, self._target, self._repeat = askers, target, repeat

    @property
    def stopped(self) -> LimitReached | None:
        """Why some cases were left unasked; they stay pending."""
        return next((asker.stopped for asker in self.askers if asker.stopped), None)

    def send(self, cases: Sequence[Case]) -> Asked:
        """Send the inputs of some cases on their way."""
        inputs = [item for case in cases for item in case.inputs]
        return [self.askers[0].submit(inputs, turn) for turn in range(self._repeat)]

    def trials(
        self, cases: list[Case], asked: Asked, back: bool
    ) -> tuple[list[Case], list[list[Trial]]]:
        """Wait for the outputs: the cases that were asked, and their trials at each time of asking."""
        rounds = [self._hops(futures, turn, back) for turn, futures in enumerate(asked)]
        if self.stopped:
            cases = [case for case in cases if self._answered(case, rounds)]
        return cases, [
            [
                Trial(case, tuple(self._chain(item, hops, turn) for item in case.inputs))
                for case in cases
            ]
            for turn, hops in enumerate(rounds)
        ]

    def _hops(self, asked: list[Future[Answers]], turn: int, back: bool) -> list[Answers]:
        """What came back at one time of asking, one a hop."""
        hops = [self.askers[0].gather(asked)]
        if back:
            there = [
                Input(output.text, language=self._target)
                for output in hops[0].values()
                if output.ok
            ]
            hops.append(self.askers[1].gather(self.askers[1].submit(there, turn)))
        return hops

    def _chain(self, item: Input, hops: list[Answers], turn: int) -> tuple[Output, ...]:
        """The outputs of an input, one a hop, ending early where one failed."""
        chain = [hops[0][self.askers[0].key(item, turn)]]
        for asker, answers in zip(self.askers[1:], hops[1:], strict=False):
            if not chain[-1].ok:
                break
            back = Input(chain[-1].text, language=self._target)
            chain.append(answers[asker.key(back, turn)])
        return tuple(chain)

    def _answered(self, case: Case, rounds: list[list[Answers]]) -> bool:
        """Whether all of a case was asked before a limit was reached."""
        try:
            return all(
                self._chain(item, hops, turn)
                for turn, hops in enumerate(rounds)
                for item in case.inputs
            )
        except KeyError:
            return False
