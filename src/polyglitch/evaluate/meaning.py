"""How well meaning is read: round trips that people judged, descriptions with a regex, how common relations are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from polyglitch.compare.metrics.measure import find_metric
from polyglitch.errors import UsageError
from polyglitch.evaluate.calibration import area, choose
from polyglitch.represent.abstraction.relations import relations
from polyglitch.represent.automata.dfa import equivalent
from polyglitch.represent.descriptions.rerank import Style, describe, style_of
from polyglitch.represent.regex.parse import BadRegex, parse
from polyglitch.results.tables import Interval, wilson

DRAWS = 500  # of a bootstrap: the ends of an interval move by less than .01
Side = Literal["below", "above"]  # of a threshold, where a bug is
METRICS = ("semmt-r", "semmt-d", "semmt-h", "semmt-r-plain", "leven", "bleu")


class RoundTrip(msgspec.Struct, frozen=True):
    """A sentence, what came back, and whether somebody says that its meaning changed."""

    source: str
    back: str
    bug: bool
    held_out: bool = True
    kind: str = ""  # of the bug, as the paper's table 4 names them
    through: str = ""  # the system that was asked for the middle


class MetricRow(msgspec.Struct, frozen=True):
    """How well a metric tells the round trips that were held out."""

    metric: str
    auc: float
    interval: Interval
    f: float  # with the threshold that is best on the others, or on the same where there are none
    precision: float
    recall: float
    threshold: float


def read_round_trips(path: Path) -> list[RoundTrip]:
    """The rows of a file of JSON lines."""
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            rows.append(msgspec.json.decode(line, type=RoundTrip))
        except msgspec.DecodeError as error:
            raise UsageError(f"{path}:{number}: {error}; rows have source, back and bug") from None
    held = [row.bug for row in rows if row.held_out]
    if not any(held) or all(held):
        raise UsageError(
            f"{path}: {len(held)} rows are held out, {sum(held)} of them bugs; both kinds are needed"
        )
    return rows


def metric_row(name: str, rows: Sequence[RoundTrip]) -> MetricRow:
    """One metric on the rows held out, its threshold from the others."""
    metric = find_metric(name)
    direction: Side = "below" if metric.direction == "similarity" else "above"
    scores = [float(score) for score in metric.score([(row.source, row.back) for row in rows])]
    held = [(score, row.bug) for score, row in zip(scores, rows, strict=True) if row.held_out]
    known = [(score, row.bug) for score, row in zip(scores, rows, strict=True) if not row.held_out]
    tune = known if len({bug for _, bug in known}) == 2 else held
    cut = choose(*columns(tune), direction=direction)
    past = [
        score <= cut.threshold if direction == "below" else score >= cut.threshold
        for score, _ in held
    ]
    true = sum(one and bug for one, (_, bug) in zip(past, held, strict=True))
    bugs = sum(bug for _, bug in held)
    return MetricRow(
        metric=name,
        auc=area(*columns(held), direction),
        interval=bootstrapped(held, direction),
        f=2 * true / (sum(past) + bugs),
        precision=true / max(1, sum(past)),
        recall=true / bugs,
        threshold=cut.threshold,
    )


class MiddleRow(msgspec.Struct, frozen=True):
    """How the trips through one system came back, and how well SemMT-H tells it."""

    through: str
    trips: int
    bugs: int
    share: float
    interval: Interval
    auc: float | None  # none where all are bugs, or none is


def by_middle(rows: Sequence[RoundTrip], metric: str = "semmt-h") -> list[MiddleRow]:
    """The round trips by the system that was asked for the middle: bugs of all, the area of those held out."""
    groups: dict[str, list[RoundTrip]] = {}
    for row in rows:
        groups.setdefault(row.through or "not said", []).append(row)
    found = []
    for through, some in groups.items():
        count, held = sum(row.bug for row in some), [row for row in some if row.held_out]
        labels = [row.bug for row in held]
        scores = [float(s) for s in find_metric(metric).score([(r.source, r.back) for r in held])]
        auc = area(scores, labels) if len(set(labels)) == 2 else None
        interval = wilson(count, len(some))
        found.append(MiddleRow(through, len(some), count, count / len(some), interval, auc))
    return found


def columns(pairs: Sequence[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    """Scores and labels."""
    return [score for score, _ in pairs], [bug for _, bug in pairs]


def bootstrapped(pairs: Sequence[tuple[float, bool]], direction: Side) -> Interval:
    """The 95% interval of the area, by drawing bugs and others again."""
    chance = random.Random(0)  # noqa: S311 - a bootstrap, no secret
    bad, fine = [p for p in pairs if p[1]], [p for p in pairs if not p[1]]
    found = sorted(
        area(
            *columns(chance.choices(bad, k=len(bad)) + chance.choices(fine, k=len(fine))), direction
        )
        for _ in range(DRAWS)
    )
    return found[round(0.025 * DRAWS)], found[round(0.975 * DRAWS) - 1]


def descriptions_right(rows: Sequence[tuple[str, str]], style: Style | None) -> tuple[int, int]:
    """Of how many descriptions the regex is the given one, by equivalence; and how many there are."""
    chosen = style or style_of([text for text, _ in rows])
    right = 0
    for text, regex in rows:
        found = describe(text, chosen).regex
        right += bool(found) and equivalent(parse(found), parse(regex))
    return right, len(rows)


def read_descriptions(path: Path) -> list[tuple[str, str]]:
    """Description and regex a line, parted by a tab; lines that begin with # are remarks."""
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        text, tab, regex = line.partition("\t")
        if line.startswith("#") or not line.strip():
            continue
        try:
            parse(regex)
        except BadRegex as error:
            raise UsageError(f"{path}:{number}: {error}") from None
        if not tab:
            raise UsageError(f"{path}:{number}: no tab between description and regex")
        rows.append((text, regex))
    if not rows:
        raise UsageError(f"{path}: holds no description")
    return rows


def prevalence(texts: Iterable[str]) -> dict[str, Any]:
    """How many sentences quantify or relate something (the paper's table 1), with intervals."""
    total = counted = logical = either = 0
    for text in texts:
        kinds = {relation.kind for relation in relations(text)}
        total += 1
        counted += "count" in kinds
        logical += bool(kinds - {"count"})
        either += bool(kinds)
    return {
        "sentences": total,
        **{
            name: {
                "found": found,
                "share": found / total if total else 0.0,
                "interval": wilson(found, total),
            }
            for name, found in (("quantifier", counted), ("logic", logical), ("either", either))
        },
    }
