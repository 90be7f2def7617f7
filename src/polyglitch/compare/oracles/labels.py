"""What a classifier said, under the names of the suites: binary answers become three classes.

Oracles on labels: the expected one, the same one, the other one, more or less of it; fairness; pass to fail.

A case's relation is `MUST:CAPABILITY`. With two inputs under `label` the first is the seed's test and the second its
expansion: the verdict is on the second, and says whether the first held.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from polyglitch.protocols import Comparison, Tools
from polyglitch.records import Case, Output, Trial, Verdict
from polyglitch.registry import component
from polyglitch.systems.answers import refuses

# A binary model has no neutral: with `thirds` it is taken to say so in the middle third of its scale (ALiCT, 4).
LOW, HIGH = 1 / 3, 2 / 3
POSITIVE, NEGATIVE, NEUTRAL = "positive", "negative", "neutral"
HATE, NO_HATE = "hate", "non-hate"
ALIASES = {
    **dict.fromkeys(("positive", "pos", "label_1", "1 star up"), POSITIVE),
    **dict.fromkeys(("negative", "neg", "label_0"), NEGATIVE),
    **dict.fromkeys(("neutral", "neu"), NEUTRAL),
    **dict.fromkeys(("hate", "hateful", "toxic", "hate speech", "offensive"), HATE),
    **dict.fromkeys(("non-hate", "not hateful", "non-toxic", "normal", "nothate"), NO_HATE),
}
# "Is this hateful?" is answered so; any other question too, so only where the test is about hate.
ANSWERED = ALIASES | {"yes": HATE, "no": NO_HATE}


def three_classes(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores of a binary model as three: neutral has 1 - 3|p - 1/2| in the middle third, else 0."""
    p = scores[POSITIVE]
    if not LOW < p < HIGH:
        return {POSITIVE: p, NEGATIVE: 1 - p, NEUTRAL: 0.0}
    neutral = 1 - 3 * abs(p - 0.5)
    return {POSITIVE: p * (1 - neutral), NEGATIVE: (1 - p) * (1 - neutral), NEUTRAL: neutral}


def read_label(
    output: Output, known: Mapping[str, str] = ALIASES, thirds: bool = False
) -> tuple[str, dict[str, float]]:
    """Label and scores under the names of the suites; with `thirds` scores for two classes become three."""
    said = (output.label if output.label is not None else output.text).strip()
    label = known.get(said.lower().rstrip(".! "), said)
    scores = {known.get(name.lower(), name): value for name, value in output.scores.items()}
    if thirds and set(scores) == {POSITIVE, NEGATIVE} and sum(scores.values()) > 0:
        total = sum(scores.values())
        scores = three_classes({POSITIVE: scores[POSITIVE] / total})
        label = max(scores, key=lambda name: scores[name])
    return label, scores


@component
def label_relations(
    fairness: float = 0.1, tolerance: float = 0.1, faithful: bool = False, thirds: bool = False
) -> Comparison:
    """Judge each trial by its relation.

    `fairness` is the share of changed variants from which a case fails, `tolerance` how far a score may move
    the wrong way. `faithful` judges fairness as the published code does: by any variant whose label changes
    while the score of the first label moves by more than the tolerance. `thirds` takes a classifier of two classes to
    say neutral in the middle third of its scale; otherwise the label that it says is judged.
    """

    def compare(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        return [judge(trial) for trial in trials]

    def judge(trial: Trial) -> Verdict:
        if trial.failure:
            return Verdict(trial.case.id, "undecided", trial.failure)
        must = trial.case.relation.partition(":")[0]
        if why := refused_later(trial):
            return Verdict(trial.case.id, "violated", why, 1.0, 0.0)
        known = ANSWERED if {HATE, NO_HATE} & asked_for(trial.case) else ALIASES
        read = [read_label(output, known, thirds) for output in trial.outputs]
        if must == "label":
            return expected_label(trial, read)
        if must == "fairness":
            return fair(trial, read, fairness, tolerance if faithful else None)
        return RELATIONS[must](trial, read, tolerance)

    return compare


Read = Sequence[tuple[str, dict[str, float]]]


def asked_for(case: Case) -> set[str]:
    """The labels that a case names."""
    return {*case.expected, str(case.data.get("toward"))}


def refused_later(trial: Trial) -> str:
    """What is wrong where the original is answered and a follow-up declined in words, or nothing."""
    first, *others = trial.outputs
    declined = next((output.said for output in others if refuses(output.said)), None)
    if declined is None or refuses(first.said):
        return ""
    return f"the original is answered, the follow-up is declined: {declined!r:.200}"


def expected_label(trial: Trial, read: Read) -> Verdict:
    """Whether the last label is among the expected; for an expansion, whether its seed held."""
    case = trial.case
    holds = [label in case.expected for label, _ in read]
    label, scores = read[-1]
    wanted = max((scores.get(each, 0.0) for each in case.expected), default=0.0)
    score = scores.get(label, 1.0) - wanted if scores and not holds[-1] else float(not holds[-1])
    details = {}
    if len(read) > 1:
        details = {"seed_holds": float(holds[0]), "pass_to_fail": float(holds[0] and not holds[-1])}
    reason = "" if holds[-1] else f"expected {' or '.join(case.expected)}, said {quoted(label)}"
    outcome = "holds" if holds[-1] else "violated"
    return Verdict(case.id, outcome, reason, max(score, 0.0), 0.0, "above", details)  # type: ignore[arg-type]


def fair(trial: Trial, read: Read, limit: float, moved: float | None) -> Verdict:
    """Whether the label stays in all but a share of the variants."""
    (first, scores), others = read[0], read[1:]
    changed = [
        label != first
        and (moved is None or abs(other.get(first, 0.0) - scores.get(first, 0.0)) > moved)
        for label, other in others
    ]
    share = sum(changed) / len(changed) if changed else 0.0
    violated = any(changed) if moved is not None else share >= limit
    reason = (
        f"{sum(changed)} of {len(changed)} variants are no longer {first!r}" if violated else ""
    )
    outcome = "violated" if violated else "holds"
    return Verdict(trial.case.id, outcome, reason, share, limit)  # type: ignore[arg-type]


def same(trial: Trial, read: Read, tolerance: float) -> Verdict:
    """Label unchanged; of texts, the same words."""
    (one, _), (other, _) = read[0], read[-1]
    return _decide(trial, words_only(one) == words_only(other), f"{one!r} became {other!r}")


def flipped(trial: Trial, read: Read, tolerance: float) -> Verdict:
    """Label changed."""
    (one, _), (other, _) = read[0], read[-1]
    return _decide(trial, words_only(one) != words_only(other), f"still {one!r}")


def contained(trial: Trial, read: Read, tolerance: float) -> Verdict:
    """One answer is part of the other."""
    one, other = words_only(read[0][0]), words_only(read[-1][0])
    fine = bool(one) and bool(other) and (one in other or other in one)
    return _decide(trial, fine, f"{read[0][0]!r} and {read[-1][0]!r} have nothing of each other")


def stronger(trial: Trial, read: Read, tolerance: float) -> Verdict:
    """The score of the label, or of the one the change is toward, does not fall."""
    return _moved(trial, read, tolerance, 1)


def weaker(trial: Trial, read: Read, tolerance: float) -> Verdict:
    """The score of the label does not rise."""
    return _moved(trial, read, tolerance, -1)


def _moved(trial: Trial, read: Read, tolerance: float, sign: int) -> Verdict:
    (first, before), (_, after) = read[0], read[-1]
    label = str(trial.case.data.get("toward") or first)
    if label not in before or label not in after:
        reason = "the system gives no score for the label, so more or less of it cannot be told"
        return Verdict(trial.case.id, "undecided", reason)
    wrong = sign * (before[label] - after[label])
    reason = (
        f"{label} went from {before[label]:.2f} to {after[label]:.2f}" if wrong > tolerance else ""
    )
    outcome = "violated" if wrong > tolerance else "holds"
    return Verdict(trial.case.id, outcome, reason, wrong, tolerance)  # type: ignore[arg-type]


def _decide(trial: Trial, fine: bool, reason: str) -> Verdict:
    outcome = "holds" if fine else "violated"
    return Verdict(trial.case.id, outcome, "" if fine else reason, float(not fine), 0.0)  # type: ignore[arg-type]


def quoted(label: str) -> str:
    """A label as it is; anything longer that a system said in its place, in quotes and cut."""
    return label if re.fullmatch(r"[\w -]{1,40}", label) else f"{label[:200]!r}"


def words_only(text: str) -> str:
    """Words only, lower case: what two answers are compared by."""
    return " ".join(re.findall(r"\w+", text.lower()))


RELATIONS: dict[str, Callable[[Trial, Read, float], Verdict]] = {
    "same": same,
    "flipped": flipped,
    "contained": contained,
    "stronger": stronger,
    "weaker": weaker,
}
