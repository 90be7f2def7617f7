"""Home: all runs of a store, how each came out, what goes on now, and two of them side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from polyglitch.errors import UsageError
from polyglitch.evaluate.regression import compare_outcomes
from polyglitch.report.cards import Violation, show_violation
from polyglitch.report.comparison import comparison_values
from polyglitch.results.answer import kept_gate, percent, relation_in_words, title_of, titles_of
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import DONE, History
from polyglitch.review.pages import render, session_of
from polyglitch.review.queue_view import Desks

MOST_RUNS = 200
MOST_COLUMNS = 12  # of a matrix: what most runs have in common comes first
MOST_LIVE = 20  # findings shown of a run that goes on
WIDTH, HEIGHT, EDGE = 220, 48, 6  # of a trend


class RunLine(msgspec.Struct, frozen=True):
    """A run as home shows it."""

    id: str
    title: str
    system: str
    created: str
    done: bool
    methods: tuple[str, ...]
    cases: int
    issues: int
    holds: float | None
    held: str
    passed: bool | None
    degenerate: bool
    series: str  # runs with the same corpus and methods can be followed over time
    by_method: dict[str, float | None]
    by_test: dict[str, float | None]


class Trend(msgspec.Struct, frozen=True):
    """How the share that holds went over the runs of one series, drawn."""

    name: str
    points: str
    dots: tuple[tuple[float, float, str], ...]
    in_words: str


def run_line(row: dict[str, Any]) -> RunLine:
    """A row of the store in words and figures."""
    definition, figures = row["definition"], row["figures"]
    gate = kept_gate(figures)
    decided = figures.get("cases", 0) - figures.get("undecided", 0)
    methods = tuple(method["name"] for method in definition["methods"])
    tested: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for relation, one in figures.get("by_relation", {}).items():
        for place, word in enumerate(("holds", "violated")):
            tested[relation_in_words(relation, titles_of(figures))][place] += one[word]
    return RunLine(
        id=row["id"],
        title=title_of(definition),
        system=definition["systems"][0],
        created=row["created"],
        done=row["state"] == DONE,
        methods=methods,
        cases=figures.get("cases", 0),
        issues=figures.get("issues", 0),
        holds=gate.holds if gate and decided else None,
        held=percent(gate.holds) if gate and decided else "",
        passed=gate.passed if gate else None,
        degenerate=bool(figures.get("degenerate", {}).get("found")),
        series=f"{', '.join(methods)} on {definition['corpus']['name']}",
        by_method={name: one["share"] for name, one in figures.get("by_method", {}).items()},
        by_test={
            name: holds / (holds + failed) if holds + failed else None
            for name, (holds, failed) in tested.items()
        },
    )


def trends(lines: Sequence[RunLine]) -> list[Trend]:
    """A drawn line for every series of two runs or more, the oldest run at the left."""
    series: dict[str, list[RunLine]] = defaultdict(list)
    for line in reversed(lines):
        if line.done and line.holds is not None:
            series[line.series].append(line)
    return [trend(name, some) for name, some in series.items() if len(some) > 1]


def trend(name: str, some: Sequence[RunLine]) -> Trend:
    """One series, scaled to its own lowest and highest share."""
    shares = [line.holds or 0.0 for line in some]
    low, high = min(shares), max(shares)
    step = (WIDTH - 2 * EDGE) / (len(some) - 1)
    rise = (HEIGHT - 2 * EDGE) / ((high - low) or 1.0)
    dots = tuple(
        (round(EDGE + place * step, 1), round(HEIGHT - EDGE - (share - low) * rise, 1), line.held)
        for place, (share, line) in enumerate(zip(shares, some, strict=True))
    )
    told = f"{len(some)} runs, from {some[0].held} to {some[-1].held} of the tests holding"
    return Trend(name, " ".join(f"{x},{y}" for x, y, _ in dots), dots, told)


def columns(lines: Sequence[RunLine], which: str) -> list[str]:
    """The columns of a matrix, what most runs have first."""
    counts: dict[str, int] = defaultdict(int)
    for line in lines:
        for name in getattr(line, which):
            counts[name] += 1
    return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_COLUMNS]


class Home:
    """The pages about runs."""

    def __init__(self, desks: Desks) -> None:
        self.desks, self.store = desks, desks.store

    def page(self, request: Request) -> Response:
        """All runs, the newest first."""
        rows = self.store.runs.rows()
        lines = [run_line(row) for row in islice(rows, MOST_RUNS)]
        judged = [line for line in lines if line.by_method]
        return HTMLResponse(
            render(
                "home",
                where=self.store.where,
                lines=lines,
                unseen=len(rows) - len(lines),
                trends=trends(lines),
                judged=judged,
                methods=columns(judged, "by_method"),
                tests=columns(judged, "by_test"),
                size=(WIDTH, HEIGHT),
                token=session_of(request).token,
            )
        )

    def live(self, request: Request) -> Response:
        """A run while it goes on: counts, and findings as they come."""
        return HTMLResponse(render("live", **self._going(request)))

    def live_piece(self, request: Request) -> Response:
        """What changes of it."""
        return HTMLResponse(render("live_piece", **self._going(request)))

    def _going(self, request: Request) -> dict[str, Any]:
        history = self._history(request.path_params["run"])
        counts: dict[str, dict[str, int]] = {}
        for (method, outcome), count in self.store.verdicts.outcomes(history.run_id).items():
            row = counts.setdefault(method, {"holds": 0, "violated": 0, "undecided": 0})
            row[outcome] += count
        return {
            "run": history.run_id,
            "title": title_of(history.definition),
            "done": history.finished,
            "counts": dict(sorted(counts.items())),
            "total": sum(sum(row.values()) for row in counts.values()),
            "newest": newest(history),
        }

    def compare(self, request: Request) -> Response:
        """Two runs side by side."""
        chosen = request.query_params.getlist("run")
        if len(chosen) == 2:  # the boxes of the list: the newer run stands above the older
            return RedirectResponse(f"/compare?old={chosen[1]}&new={chosen[0]}", 303)
        names = [request.query_params.get(name, "") for name in ("old", "new")]
        if not all(names):
            raise HTTPException(400, "Choose two runs to compare: tick both and press the button.")
        before, after = (self._history(name) for name in names)
        found = compare_outcomes(
            self.store.verdicts.case_outcomes(before.run_id),
            self.store.verdicts.case_outcomes(after.run_id),
        )
        values = comparison_values(found, before, after)
        return HTMLResponse(render("two_runs", passed=None, old=names[0], new=names[1], **values))

    def _history(self, run: str) -> History:
        try:
            return History(self.store, run)
        except UsageError:
            raise HTTPException(404, "There is no such run in this store.") from None


def newest(history: History) -> list[tuple[str, Violation]]:
    """The last violations of a run, the newest first."""
    source, target = history.definition["languages"]
    most = ReportLimits().characters
    return [
        (method, show_violation(history.trial(case), verdict, (source, target), most))
        for method, case, verdict in history.store.verdicts.newest(history.run_id, MOST_LIVE)
    ]
