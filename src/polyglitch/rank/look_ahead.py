"""What a model says of a mutant before it is asked for it: how much less likely the first output becomes.

The output to the original is scored for the original and for the mutant: one forward pass each, nothing is decoded. A
piece that looks at the replaced word must change; what counts are the others. The model is the system under test where
it says how likely an output is, else a lens: another model that stands in for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import AligningLens, Floats, ForcedReading, Lens, System, Tools
from polyglitch.records import Case, Edit, Input, Output, digest

Ask = Callable[[Sequence[Input]], Sequence[Output]]
AT_ONCE = 256  # cases that are read in one call
LEAST = -20.0  # log-probability: below it a model's tail tells nothing


@dataclass(frozen=True)
class Glimpse:
    """What a model shows of a case before its follow-up is asked."""

    drop: float = 0.0  # nats that the first output loses at pieces that do not hang on the edit
    left: float = 0.0  # doubt of those pieces for the mutant, the sum of 1 - p
    doubt: float = 0.0  # of the first output for the original, the mean of 1 - p
    worst: float = 0.0  # the greatest doubt of one piece, in nats
    attention: float = 0.0  # how much of the output looks at the edited word, in pieces


class LookAhead:
    """Reads the outputs to originals for their mutants; what was read is kept."""

    def __init__(self, lens: Lens, ask: Ask, tools: Tools) -> None:
        self._lens, self._tools = lens, tools
        other = stand_in(tools)
        self._ask: Ask = other.ask if other else ask
        self._kind = f"ahead:2:{lens.signature}"

    def glimpses(self, cases: Sequence[Case]) -> list[Glimpse | None]:
        """What is seen of each case; nothing where there is no pair or no answer to look at."""
        pairs = [case if len(case.inputs) == 2 and case.edit else None for case in cases]
        firsts = list(dict.fromkeys(case.inputs[0] for case in pairs if case))
        answers = dict(zip(firsts, self._ask(firsts), strict=True)) if firsts else {}
        found: list[Glimpse | None] = [None] * len(cases)
        clear = [
            (number, case, answers[case.inputs[0]].text)
            for number, case in enumerate(pairs)
            if case and answers[case.inputs[0]].ok
        ]
        for start in range(0, len(clear), AT_ONCE):
            some = clear[start : start + AT_ONCE]
            seen = self._look([case for _, case, _ in some], [text for _, _, text in some])
            for (number, _, _), glimpse in zip(some, seen, strict=True):
                found[number] = glimpse
        return found

    def _look(self, cases: Sequence[Case], outputs: Sequence[str]) -> list[Glimpse]:
        keys = [
            digest([*(item.text for item in case.inputs), *places(case.edit), output], 32)
            for case, output in zip(cases, outputs, strict=True)
        ]
        known = self._tools.remember(self._kind, keys)
        todo = [number for number, key in enumerate(keys) if key not in known]
        if todo:
            before = self._read([(cases[n].inputs[0], outputs[n]) for n in todo])
            after = self._read([(cases[n].inputs[1], outputs[n]) for n in todo])
            fresh = {
                keys[n]: [round(value, 5) for value in glimpse(cases[n].edit, first, second)]
                for n, first, second in zip(todo, before, after, strict=True)
            }
            self._tools.keep(self._kind, fresh)
            known |= fresh
        return [Glimpse(*known[key]) for key in keys]

    def _read(self, pairs: Sequence[tuple[Input, str]]) -> list[ForcedReading]:
        """The reading of each input and output; of pairs that several mutants share, once."""
        distinct = list(dict.fromkeys(pairs))
        inputs, outputs = [item for item, _ in distinct], [text for _, text in distinct]
        if isinstance(self._lens, AligningLens):
            read = self._lens.read(inputs, outputs)
        else:
            scores = self._lens.score(inputs, outputs, self._tools.languages[1])
            read = [unaligned([one.log_probability for one in row]) for row in scores]
        found = dict(zip(distinct, read, strict=True))
        return [found[pair] for pair in pairs]


def stand_in(tools: Tools) -> System | None:
    """Another model that is looked into with its own answers, which cost the system no query."""
    lens = tools.lens
    return lens if isinstance(lens, System) and not tools.lens_is_own else None


def places(edit: Edit | None) -> tuple[str, str]:
    """Where an edit stands, as words of a key."""
    return (str(edit.start), str(edit.end)) if edit else ("", "")


def unaligned(log_probabilities: Sequence[float]) -> ForcedReading:
    """The reading of a model that does not show what it looks at."""
    values = np.asarray(log_probabilities, np.float32)
    return ForcedReading(values, (), np.zeros((len(values), 0), np.float32))


def glimpse(edit: Edit | None, before: ForcedReading, after: ForcedReading) -> tuple[float, ...]:
    """The numbers of a `Glimpse`, from the first output read for the original and for the mutant."""
    first = np.maximum(before.log_probabilities, LEAST)
    second = np.maximum(after.log_probabilities, LEAST)
    if not len(first) or len(first) != len(second):
        return (0.0,) * 5
    looks = on_edit(edit, before)
    drops = first - second
    return (
        float(((1 - looks) * drops).sum()),
        float(((1 - looks) * (1 - np.exp(second))).sum()),
        float((1 - np.exp(first)).mean()),
        float(-first.min()),
        float(looks.sum()),
    )


def on_edit(edit: Edit | None, reading: ForcedReading) -> Floats:
    """How much of each piece's attention is on the edited word."""
    if edit is None or not reading.source_spans:
        return np.zeros(len(reading.log_probabilities), np.float32)
    own = [start < edit.end and edit.start < end for start, end in reading.source_spans]
    return np.asarray(reading.attention[:, np.asarray(own)].sum(1), np.float32)
