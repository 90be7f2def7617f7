"""The threshold curves of a run: issues always, precision and recall where sentences are labelled."""

from __future__ import annotations

from itertools import islice

from msgspec.structs import replace

from polyglitch.after.judgements import Judgements
from polyglitch.curves import Curve, issue_points
from polyglitch.evaluate.labelled import Judged
from polyglitch.history import History
from polyglitch.records import Verdict

LOOKED_AT = 50  # verdicts that tell whether a method has one threshold for all


def run_curves(history: History) -> tuple[Curve, ...]:
    """A curve for each method whose issues are not all equally severe."""
    judged = Judgements(history).items()
    made = (
        method_curve(history, method["name"], judged) for method in history.definition["methods"]
    )
    return tuple(curve for curve in made if curve)


def method_curve(history: History, method: str, judged: list[Judged]) -> Curve | None:
    """How many issues a method would raise with its line drawn further out, by how far."""
    severities = history.store.worst_severities(history.run_id, method)
    if len(set(severities)) < 2:
        return None
    known = [item for item in judged if item.method == method and item.decided]
    points = issue_points(severities, [(severity(item), item.bug) for item in known])
    labelled = len(known)
    verdict = common_verdict(history, method)
    if verdict is None or verdict.threshold is None:
        return Curve(method, "past the limit by at least", tuple(points), labelled=labelled)
    sign = 1 if verdict.direction == "above" else -1
    placed = [
        replace(point, threshold=verdict.threshold + sign * point.threshold) for point in points
    ]
    side = "at least" if sign == 1 else "at most"
    marks = (("limit", verdict.threshold),)
    return Curve(method, f"score {side}", tuple(placed[::sign]), marks, labelled)


def severity(item: Judged) -> float:
    """How far past its limit a labelled sentence is; one that was not reported is before any."""
    return item.verdict.severity if item.shelf == "issue" else float("-inf")


def common_verdict(history: History, method: str) -> Verdict | None:
    """A verdict of the method's issues, if all have the same threshold."""
    issues = islice(history.store.issues(history.run_id, method), LOOKED_AT)
    ids = [issue.case_ids[0] for issue in issues]
    found = [verdict for _, verdict in history.store.verdicts(history.run_id, method, ids=ids)]
    limits = {(verdict.threshold, verdict.direction) for verdict in found}
    return found[0] if len(limits) == 1 else None
