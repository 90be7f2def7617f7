"""Home: all runs of a store, how each came out, what goes on now, and two of them side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
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
from polyglitch.results.answer import (
    day_in_words,
    kept_gate,
    percent,
    system_in_words,
    tested_in_words,
    title_of,
)
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import DONE, History
from polyglitch.review.pages import render, session_of
from polyglitch.review.queue_view import Desks

MOST_RUNS = 200
MOST_COLUMNS = 12  # methods: what most runs have in common comes first
MOST_SIDES = (
    8  # runs beside each other by what is tested, the newest first: more do not fit a screen
)
MOST_LIVE = 20  # findings shown of a run that goes on
WIDTH, HEIGHT, EDGE = 220, 48, 6  # of a trend


class RunLine(msgspec.Struct, frozen=True):
    """A run as home shows it."""

    id: str
    title: str
    system: str  # in words
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


def run_line(row: dict[str, Any], judged: int = 0) -> RunLine:
    """A row of the store in words and figures; `judged` is how far a run is that goes on."""
    definition, figures = row["definition"], row["figures"]
    gate = kept_gate(figures)
    decided = figures.get("cases", 0) - figures.get("undecided", 0)
    methods = tuple(method["name"] for method in definition["methods"])
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for relation, one in figures.get("by_relation", {}).items():
        for place, word in enumerate(("holds", "violated")):
            counts[tested_in_words(relation, figures)][place] += one[word]
    return RunLine(
        id=row["id"],
        title=title_of(definition),
        system=system_in_words(definition["systems"][0]),
        created=row["created"],
        done=row["state"] == DONE,
        methods=methods,
        cases=figures.get("cases", 0) or judged,
        issues=figures.get("issues", 0),
        holds=gate.holds if gate and decided else None,
        held=percent(gate.holds) if gate and decided else "",
        passed=gate.passed if gate else None,
        degenerate=bool(figures.get("degenerate", {}).get("found")),
        series=f"{', '.join(methods)} on {definition['corpus']['name']}",
        by_method={name: one["share"] for name, one in figures.get("by_method", {}).items()},
        by_test={
            name: holds / (holds + failed) if holds + failed else None
            for name, (holds, failed) in counts.items()
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
        (
            round(EDGE + place * step, 1),
            round(HEIGHT - EDGE - (share - low) * rise, 1),
            f"{line.held}, {line.system}, {day_in_words(line.created)}",
        )
        for place, (share, line) in enumerate(zip(shares, some, strict=True))
    )
    first, last = some[0], some[-1]
    several = len({line.system for line in some}) > 1  # then who held what must be said
    ends = [f"{line.held} ({line.system})" if several else line.held for line in (first, last)]
    told = f"{len(some)} runs, from {ends[0]} to {ends[1]} of the tests holding"
    return Trend(name, " ".join(f"{x},{y}" for x, y, _ in dots), dots, told)


def columns(lines: Sequence[RunLine]) -> list[str]:
    """The methods of all runs, what most of them have first."""
    counts = Counter(name for line in lines for name in line.by_method)
    return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_COLUMNS]


class Tested(msgspec.Struct, frozen=True):
    """The runs of a series beside each other by what is tested: where some fail, the weakest first, and where none."""

    name: str
    lines: tuple[RunLine, ...]
    weak: tuple[str, ...]
    held: tuple[str, ...]


def tested(lines: Sequence[RunLine]) -> list[Tested]:
    """A table for every series that tests several things; one with a single thing has it by method already."""
    series: dict[str, list[RunLine]] = defaultdict(list)
    for line in lines:
        if len(line.by_test) > 1:
            series[line.series].append(line)
    return [tests_of(name, some[:MOST_SIDES]) for name, some in series.items()]


def tests_of(name: str, lines: Sequence[RunLine]) -> Tested:
    """What the runs of one series test."""
    lowest: dict[str, float] = {}
    for line in lines:
        for test, share in line.by_test.items():
            if share is not None:
                lowest[test] = min(share, lowest.get(test, 1.0))
    order = sorted(lowest, key=lambda test: (lowest[test], test))
    weak = tuple(test for test in order if lowest[test] < 1)
    return Tested(name, tuple(lines), weak, tuple(order[len(weak) :]))


class Home:
    """The pages about runs."""

    def __init__(self, desks: Desks) -> None:
        self.desks, self.store = desks, desks.store

    def page(self, request: Request) -> Response:
        """All runs, the newest first."""
        rows = self.store.runs.rows()
        lines = [run_line(row, self._judged(row)) for row in islice(rows, MOST_RUNS)]
        judged = [line for line in lines if line.by_method]
        return HTMLResponse(
            render(
                "home",
                where=self.store.where,
                lines=lines,
                unseen=len(rows) - len(lines),
                trends=trends(lines),
                judged=judged,
                methods=columns(judged),
                tested=tested(judged),
                size=(WIDTH, HEIGHT),
                token=session_of(request).token,
            )
        )

    def _judged(self, row: dict[str, Any]) -> int:
        """How many tests of a run that goes on are judged so far; one that is done has it in its figures."""
        if row["state"] == DONE:
            return 0
        return sum(self.store.verdicts.outcomes(row["id"]).values())

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
