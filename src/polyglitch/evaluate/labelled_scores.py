"""Scores with labels, from a run or a file, and a chosen threshold as the parameters of a method."""

from __future__ import annotations

import csv
import inspect
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_type_hints

from polyglitch import registry
from polyglitch.compare.metrics.measure import find_metric
from polyglitch.errors import UsageError
from polyglitch.evaluate.calibration import Direction, Sample, ThresholdCandidate
from polyglitch.protocols import Oracle
from polyglitch.registry import suggest, with_threshold
from polyglitch.results.labelled import DISPUTED, UNSURE, LabelledCase

SCORE = "score"
YES = frozenset(("1", "true", "yes", "bug", "violated", "incorrect", "y", "t"))
NO = frozenset(("0", "false", "no", "not a bug", "holds", "correct", "n", "f"))


def from_judgements(items: Sequence[LabelledCase], method: str) -> Sample:
    """The scores of a method's labelled sentences: those it can be set to use, else the one it reports by."""
    known = [item for item in items if item.method == method]
    decided = [item for item in known if item.decided and item.verdict.score is not None]
    left_out = Counter(item.said.word for item in known if not item.decided)
    left_out |= Counter({"no score": sum(i.decided and i.verdict.score is None for i in known)})
    if not decided:
        raise UsageError(f"method {method!r}: {nothing_decided(left_out)}")
    columns: dict[str, list[float]] = {}
    direction = decided[0].verdict.direction
    for name in metric_names(decided, direction) if "metrics" in parameters_of(method) else ():
        columns[name] = [item.verdict.details[name] for item in decided]
    if not columns:
        columns[SCORE] = [float(item.verdict.score or 0.0) for item in decided]
    return Sample(
        columns,
        [item.bug for item in decided],
        [item.seed for item in decided],
        direction,
        {word: count for word, count in left_out.items() if count},
    )


def nothing_decided(left_out: Counter[str]) -> str:
    """Why no label can be learned from, and what would help."""
    if left_out[DISPUTED]:
        return (
            f"reviewers are evenly split on {left_out[DISPUTED]:,} labelled sentences and agree on none; have another "
            "reviewer label them, or join the labels with --join any"
        )
    if left_out[UNSURE]:
        return f"all {left_out[UNSURE]:,} labels say unsure; label some as bug or not in `polyglitch review`"
    if left_out["no score"]:
        return f"the verdicts on {left_out['no score']:,} labelled sentences have no score to set a threshold on"
    return "no sentence is labelled; label some in `polyglitch review`"


def metric_names(items: Sequence[LabelledCase], direction: Direction) -> list[str]:
    """The details that every verdict has and that are metrics by name, with faults on the side that is reported."""
    shared = set.intersection(*(set(item.verdict.details) for item in items))
    metrics = registry.entries("metrics")
    kind = "similarity" if direction == "below" else "distance"
    return [
        name
        for name in items[0].verdict.details
        if name in shared and name in metrics and find_metric(name).direction == kind
    ]


def from_file(
    path: Path, scores: Sequence[str], label: str, direction: Direction, group: str | None = None
) -> Sample:
    """Scores and labels from columns of a .csv, .tsv or .jsonl file; rows that say neither are counted."""
    columns: dict[str, list[float]] = {name: [] for name in scores}
    bugs: list[bool] = []
    groups: list[str] = []
    left_out: Counter[str] = Counter()
    for number, row in enumerate(rows_of(path), 1):
        for name in (*scores, label, *([group] if group else [])):
            if name not in row:
                raise UsageError(
                    f"{path}, row {number}: no column {name!r}{suggest(name, tuple(row))}"
                )
        said = str(row[label]).strip().lower()
        values = [number_in(row[name]) for name in scores]
        if said not in YES | NO or None in values:
            left_out[f"{label} {said!r}" if said not in YES | NO else "no score"] += 1
            continue
        for name, value in zip(scores, values, strict=True):
            columns[name].append(value or 0.0)
        bugs.append(said in YES)
        groups.append(str(row[group]) if group else str(number))
    return Sample(columns, bugs, groups, direction, dict(left_out.most_common()))


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table or of lines of JSON."""
    if not path.is_file():
        raise UsageError(f"{str(path)!r}: no such file")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        if path.suffix == ".jsonl":
            for number, line in enumerate(stream, 1):
                try:
                    row = json.loads(line) if line.strip() else None
                except json.JSONDecodeError as error:
                    raise UsageError(f"{path}, line {number}: not JSON: {error}") from None
                if isinstance(row, dict):
                    yield row
        elif path.suffix in (".csv", ".tsv"):
            yield from csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ",")
        else:
            raise UsageError(f"{str(path)!r}: give a .csv, .tsv or .jsonl file")


def number_in(value: Any) -> float | None:
    """A finite number, or nothing."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def parameters_of(method: str) -> dict[str, Any]:
    """The parameters of a method with their types."""
    factory = registry.load("methods", method)
    types = get_type_hints(factory)
    return {name: types.get(name) for name in inspect.signature(factory).parameters}


def settings(
    method: str, found: ThresholdCandidate, direction: Direction, oracle: Oracle | None = None
) -> dict[str, Any]:
    """What to set so that the method reports by this candidate; nothing where it has no such parameter.

    The oracle is that of the run that the scores are from: it may have a threshold of its own.
    """
    if oracle and (named := with_threshold(oracle, found.threshold)):
        return {"oracle": named}
    known = parameters_of(method)
    several = list(found.metrics) if "metrics" in known and found.metrics != (SCORE,) else []
    weights = [round(weight, 4) for weight in found.weights]
    if several and "weights" in known and "threshold" not in known:  # the first is that of the mean
        return {"metrics": several, "weights": weights, "thresholds": [found.threshold]}
    if several and "weights" in known and "threshold" in known:
        return {"metrics": several, "weights": weights, "threshold": found.threshold}
    if several or len(found.metrics) > 1 or "threshold" not in known:
        return {}
    whole = known["threshold"] in (int, int | None)
    step = math.floor if direction == "above" else math.ceil
    return {"threshold": step(found.threshold) if whole else found.threshold}
