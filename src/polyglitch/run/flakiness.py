"""A system asked several times: what it does each time is told from what it does by chance.

A case whose verdict changes from time to time is undecided, with the reason `UNSTABLE`. So is one that is violated
each time, if the same input alone is answered as differently: then the change of the input explains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from polyglitch.records import UNSTABLE, Output, Trial, Verdict

ALIKE = (
    "similar",
    "same",
)  # relations whose two inputs ask for the same answer: one can stand for both
SHOWN = 3  # different answers that a reason quotes
Judge = Callable[[Sequence[Trial]], list[Verdict]]


def merge_repeats(
    rounds: Sequence[Sequence[Trial]], verdicts: list[Verdict], judge: Judge
) -> list[Verdict]:
    """One verdict a case from those of the first time; only cases with changing answers are judged again."""
    changing = [
        place
        for place, trials in enumerate(zip(*rounds, strict=True))
        if len({answers(trial) for trial in trials}) > 1
    ]
    if not changing:
        return verdicts
    again = [judge([trials[place] for place in changing]) for trials in rounds[1:]]
    said = {
        place: [verdicts[place], *(later[number] for later in again)]
        for number, place in enumerate(changing)
    }
    doubtful = [place for place, found in said.items() if outcomes(found) == {"violated"}]
    chance = by_chance(rounds, doubtful, judge)
    for place, found in said.items():
        trials = [trials[place] for trials in rounds]
        verdicts[place] = merged(found, trials, place in chance)
    return verdicts


def merged(found: list[Verdict], trials: Sequence[Trial], chance: bool) -> Verdict:
    """The verdict of a case whose answers change."""
    first, times = found[0], sum(verdict.outcome != "undecided" for verdict in found)
    violated = sum(verdict.outcome == "violated" for verdict in found)
    if first.outcome == "undecided" or outcomes(found) == {"holds"}:
        return first
    ways = different_answers(trials)
    if violated == times and not chance:
        return replace(first, reasons=(*first.reasons, f"violated each of {times} times", *ways))
    why = f"violated {violated} of {times} times"
    if chance:
        why += ", and the original alone is answered as differently"
    details = first.details | {"times": float(times), "times violated": float(violated)}
    return Verdict(first.case_id, "undecided", UNSTABLE, details=details, reasons=(why, *ways))


def by_chance(
    rounds: Sequence[Sequence[Trial]], places: Sequence[int], judge: Judge
) -> frozenset[int]:
    """The cases whose original, answered twice, violates the relation with itself."""
    alone: list[tuple[int, Trial]] = []
    for place in places:
        first = rounds[0][place]
        if first.case.relation.partition(":")[0] not in ALIKE or len(first.chains) < 2:
            continue
        original = first.case.inputs[0]
        case = replace(first.case, inputs=(original, original), edit=None)
        for later in rounds[1:]:
            alone.append((place, Trial(case, (first.chains[0], later[place].chains[0]))))
    verdicts = judge([trial for _, trial in alone]) if alone else []
    pairs = zip(alone, verdicts, strict=True)
    return frozenset(place for (place, _), said in pairs if said.outcome == "violated")


def outcomes(found: Sequence[Verdict]) -> set[str]:
    """The outcomes there were; a time without an answer says nothing."""
    return {str(verdict.outcome) for verdict in found} - {"undecided"}


def answers(trial: Trial) -> tuple[str, ...]:
    """What came back, without how long it took."""
    return tuple(said(output) for chain in trial.chains for output in chain)


def said(output: Output) -> str:
    """An answer as it is compared: its label or text, or why there is none."""
    if not output.ok:
        return output.status
    return output.text if output.label is None else output.label


def different_answers(trials: Sequence[Trial]) -> tuple[str, ...]:
    """For each input with several answers, what they were."""
    told = []
    for place, item in enumerate(trials[0].case.inputs):
        ways = list(dict.fromkeys(said(trial.outputs[place]) for trial in trials))
        if len(ways) > 1:
            quoted = " / ".join(ways[:SHOWN]) + (" / ..." if len(ways) > SHOWN else "")
            told.append(f"'{item.text}' was answered in {len(ways)} ways: {quoted}")
    return tuple(told)
