"""Two runs as a page: what was fixed and broken, whether that could be chance, and examples with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from polyglitch.evaluate.regression import RunComparison
from polyglitch.report.cards import Violation, show_violation
from polyglitch.report.html import asset, environment, replacing, source_hash
from polyglitch.results.answer import kept_gate, title_of
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import History, short_id

EXAMPLES = 20  # of each word: enough to see what changed, and a page that is read
AXIS = 640  # width of the drawn interval


class Compared(msgspec.Struct, frozen=True):
    """A case with what the old run and the new run made of it."""

    method: str
    old: Violation
    new: Violation


class ComparedRun(msgspec.Struct, frozen=True):
    """One of the two runs, in words."""

    name: str
    run: str
    title: str
    system: str
    created: str
    holds: str


def write_comparison(
    path: str | Path,
    found: RunComparison,
    before: History,
    after: History,
    passed: bool | None = None,
) -> Path:
    """Write the comparison as one HTML file that needs nothing else."""
    path = Path(path)
    style = asset("report.css")
    with replacing(path) as stream:
        stream.write(
            environment()
            .get_template("compare.html.j2")
            .render(
                **comparison_values(found, before, after),
                passed=passed,
                style=style,
                policy=f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'; form-action 'none'",
            )
        )
    return path


def comparison_values(found: RunComparison, before: History, after: History) -> dict[str, object]:
    """What the page and its twin in the browser show."""
    words = (
        ("Broken", "fails now and held before", found.broken, found.broken_cases),
        ("Fixed", "holds now and failed before", found.fixed, found.fixed_cases),
        ("Flaky", "changed from time to time", found.flaky, found.flaky_cases),
    )
    return {
        "found": found,
        "sides": (side_of("Old", before), side_of("New", after)),
        "examples": [
            (name, about, count, examples(cases[:EXAMPLES], before, after))
            for name, about, count, cases in words
        ],
        "axis": drawn_interval(found),
        "axis_width": AXIS,
    }


def side_of(name: str, history: History) -> ComparedRun:
    """A run in words."""
    gate = kept_gate(history.row["figures"])
    return ComparedRun(
        name,
        short_id(history),
        title_of(history.definition),
        history.definition["systems"][0],
        history.row["created"],
        gate.sentence.replace("decided cases", "tests") if gate else "",
    )


def examples(cases: Sequence[tuple[str, str]], before: History, after: History) -> list[Compared]:
    """Cases as the old and as the new run answered them."""
    made = []
    for method, case_id in cases:
        pair = [shown_case(history, method, case_id) for history in (before, after)]
        if pair[0] and pair[1]:
            made.append(Compared(method, pair[0], pair[1]))
    return made


def shown_case(history: History, method: str, case_id: str) -> Violation | None:
    """A case of a run as a page shows it."""
    source, target = history.definition["languages"]
    most = ReportLimits().characters
    for case, verdict in history.store.verdicts.get(history.run_id, method, ids=[case_id]):
        return show_violation(history.trial(case), verdict, (source, target), most)
    return None


def drawn_interval(found: RunComparison) -> dict[str, float]:
    """The change of the failed share and its interval as places on an axis around no change."""
    reach = max(abs(found.interval[0]), abs(found.interval[1]), abs(found.change), 0.01) * 1.15
    ends = {"low": found.interval[0], "high": found.interval[1], "change": found.change}
    return {name: round((value + reach) / (2 * reach) * AXIS, 1) for name, value in ends.items()}
