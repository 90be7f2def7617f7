"""Several systems or prompts on one page: what each holds in a sentence and a bar, then where they fail.

Several systems or prompts side by side, as a file's extension asks: capabilities by system, or a matrix.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import cell
from polyglitch.registry import suggest
from polyglitch.report.html import answered, asset, environment, replacing, source_hash
from polyglitch.report.text_formats import safe
from polyglitch.results.answer import relation_in_words, system_in_words
from polyglitch.results.tables import (
    ALL,
    CapabilityResult,
    Cell,
    Column,
    Matrix,
    SystemColumn,
    rows_of,
    table_rows,
)

MOST_NAMED = 3  # of what all fail: a sentence with more is not read


class ComparedSystem(msgspec.Struct, frozen=True):
    """One system, or one prompt with one model."""

    name: str
    uri: str
    link: str  # to its own report, or nothing
    held: int
    decided: int
    passed: bool | None = None
    notes: tuple[str, ...] = ()
    alarm: str = ""  # why its share says nothing, if it does

    @property
    def share(self) -> float | None:
        """Of the tests that could be judged, those that hold."""
        return self.held / self.decided if self.decided else None


class Share(msgspec.Struct, frozen=True):
    """How many tests of one kind a side fails."""

    failed: int
    decided: int
    interval: tuple[float, float]
    more: str = ""

    @property
    def rate(self) -> float:
        """Of the tests that could be judged, those that fail."""
        return self.failed / self.decided


class TestedRow(msgspec.Struct, frozen=True):
    """What is tested, and how many of its tests each side fails."""

    title: str
    name: str
    shares: list[Share | None]

    @property
    def worst(self) -> tuple[float, int]:
        """The largest share that fails, and how many fail in all."""
        found = [share for share in self.shares if share]
        return max((share.rate for share in found), default=0.0), sum(s.failed for s in found)


def side_by_side(sides: Sequence[ComparedSystem], rows: Sequence[TestedRow], about: str) -> str:
    """The page: nothing in it but its own style."""
    style = asset("report.css")
    failing = sorted((row for row in rows if row.worst[1]), key=lambda row: row.worst, reverse=True)
    return (
        environment()
        .get_template("side_by_side.html.j2")
        .render(
            title=about,
            answer=answer(sides),
            shared=shared_faults(sides, failing),
            sides=sides,
            failing=failing,
            holding=[row for row in rows if not row.worst[1]],
            style=style,
            policy=f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'; form-action 'none'",
        )
    )


def answer(sides: Sequence[ComparedSystem]) -> str:
    """Who holds most, and how much the others hold."""
    judged = sorted(
        (side for side in sides if side.share is not None and not side.alarm),
        key=lambda side: -(side.share or 0.0),
    )
    if not judged:
        return "Nothing can be said of any of them."
    best, *others = judged
    if not others and len(sides) > 1:
        told = f"{begun(best.name)} holds {best.share or 0:.1%} of {best.decided:,} tests"
        return f"{told}; what the others hold says nothing."
    if others and best.share == others[-1].share:
        return f"All hold {best.share or 0:.1%} of their tests."
    told = f"{begun(best.name)} holds most: {best.share or 0:.1%} of {best.decided:,} tests"
    return told + "".join(f"; {side.name} {side.share or 0:.1%}" for side in others) + "."


def shared_faults(sides: Sequence[ComparedSystem], failing: Sequence[TestedRow]) -> str:
    """What all of them fail in, the worst first; nothing where there is no such thing."""
    shared = [row.title for row in failing if all(share and share.failed for share in row.shares)]
    shared = [title[:1].upper() + title[1:] for title in shared]
    if not shared or len(sides) < 2:
        return ""
    named = "; ".join(f"“{title}”" for title in shared[:MOST_NAMED])
    most = f" {len(shared)} kinds of test, such as" if len(shared) > MOST_NAMED else ""
    return f"{'Both' if len(sides) == 2 else 'All'} fail in{most} {named}."


def begun(name: str) -> str:
    """A name as it begins a sentence."""
    return name[:1].upper() + name[1:]


def systems_page(columns: Sequence[SystemColumn], files: Sequence[str]) -> str:
    """Several systems on the same tests."""
    sides = [
        ComparedSystem(
            system_in_words(column.system),
            column.system,
            file,
            column.decided - column.failed,
            column.decided,
            column.passed,
            alarm=column.alarm,
        )
        for column, file in zip(columns, files, strict=True)
    ]
    rows = [
        TestedRow(title, title, [share_of(result) for result in results])
        for title, results in table_rows(columns)
    ]
    corpus = next((column.corpus for column in columns if column.corpus), "")
    return side_by_side(
        sides, rows, f"{len(columns)} systems" + (f" on {corpus}" if corpus else "")
    )


def share_of(result: CapabilityResult | None) -> Share | None:
    """A capability of a system as the page shows it."""
    if result is None or result.interval is None:
        return None
    more = f"pass to fail {result.pass_to_fail_in_words}" if result.pass_to_fail else ""
    return Share(result.failed, result.decided, result.interval, more)


def matrix_page(matrix: Matrix) -> str:
    """Several prompts with several models on the same tests."""
    rows = [
        TestedRow(
            relation_in_words(name),
            name,
            [share_of_cell(column.cells.get(name)) for column in matrix.columns],
        )
        for name in matrix.relations
        if name != ALL
    ]
    return side_by_side(
        [side_of(column) for column in matrix.columns], rows, "Prompts and models side by side"
    )


def side_of(column: Column) -> ComparedSystem:
    """A prompt with a model."""
    whole = column.cells.get(ALL)
    held, failed = (whole.holds, whole.violated) if whole else (0, 0)
    against = f"Against the first: {compared_in_words(column)}." if column.against else ""
    notes = (against, took_in_words(column), f"Its findings: {column.look}" if column.look else "")
    return ComparedSystem(
        ", ".join(filter(None, (column.prompt, system_in_words(column.system)))),
        column.name,
        "",
        held,
        held + failed,
        column.passed,
        tuple(filter(None, notes)),
        column.alarm,
    )


def compared_in_words(column: Column) -> str:
    """What differs from the first column on the same tests, and how likely chance alone would make that."""
    fixed, broken, chance = (column.against[name] for name in ("fixed", "broken", "p_value"))
    likely = "under 0.1" if chance < 0.001 else f"{100 * chance:.3g}"
    return f"{fixed} fixed, {broken} broken (by chance alone in {likely}% of cases)"


def took_in_words(column: Column) -> str:
    """What the answers of a column took, as a sentence."""
    told = []
    if column.latency:
        told.append(answered(column.latency))
    told += [f"{count:,} tokens {name}." for name, count in column.tokens.items() if count]
    return " ".join([*told, f"Cost: {column.cost:.4f}."] if column.cost else told)


def share_of_cell(cell: Cell | None) -> Share | None:
    """A relation of a column as the page shows it: what fails instead of what holds."""
    if cell is None or not cell.holds + cell.violated:
        return None
    low, high = cell.interval
    return Share(cell.violated, cell.holds + cell.violated, (1 - high, 1 - low))


def html_overview(columns: Sequence[SystemColumn], files: Sequence[str]) -> str:
    """A page: what each system holds, where they fail, and a link to the report of each."""
    return systems_page(columns, [quote(name) for name in files])


def markdown_overview(
    columns: Sequence[SystemColumn],
    files: Sequence[str] = (),
    published: Mapping[str, str] | None = None,
) -> str:
    """A table: failed of decided cases, the rate with its interval, and pass to fail; published rates beside."""
    heads = [safe(column.system) for column in columns]
    if files:
        heads = [f"[{head}]({quote(file)})" for head, file in zip(heads, files, strict=True)]
    heads += ["published"] if published else []
    lines = ["| capability | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for title, results in table_rows(columns):
        cells = []
        for result in results:
            if result is None or result.rate is None:
                cells.append("-")
                continue
            grown = f", pass to fail {result.pass_to_fail_in_words}" if result.expansions else ""
            told = f"{result.failed:,} of {result.decided:,}: {result.rate_in_words}{grown}"
            cells.append(told)
        cells += [published.get(title, "-")] if published else []
        lines.append(f"| {safe(title)} | " + " | ".join(cells) + " |")
    return "## Capabilities by system\n\n" + "\n".join(lines) + "\n"


OVERVIEWS: dict[str, Callable[[Sequence[SystemColumn], Sequence[str]], str]] = {
    ".html": html_overview,
    ".md": markdown_overview,
}


def write_matrix(path: Path, matrix: Matrix) -> None:
    """Write the matrix, whole or not at all."""
    with replacing(path) as stream:
        stream.write(matrix_writer(path)(matrix))


def matrix_writer(path: Path) -> Callable[[Matrix], str]:
    """What writes the format of a file."""
    known = {".html": as_html, ".md": as_markdown, ".csv": as_csv, ".json": as_json}
    if path.suffix.lower() not in known:
        raise UsageError(
            f"cannot write a matrix of several prompts or systems to {str(path)!r}"
            f"{suggest(path.suffix.lower(), tuple(known))}"
        )
    return known[path.suffix.lower()]


def as_json(matrix: Matrix) -> str:
    """Everything, to be read by programs."""
    return json.dumps(msgspec.to_builtins(matrix), ensure_ascii=False, indent=1) + "\n"


def as_csv(matrix: Matrix) -> str:
    """The table; texts that a spreadsheet would run are made harmless."""
    from polyglitch.report.text_formats import csv_line

    return "".join(csv_line(map(cell, row)) for row in rows_of(matrix))


def as_markdown(matrix: Matrix) -> str:
    """The table, for a pull request."""
    from polyglitch.report.text_formats import safe

    head, *rows = [[safe(text) for text in row] for row in rows_of(matrix)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_html(matrix: Matrix) -> str:
    """The table as a page that needs nothing else."""
    return matrix_page(matrix)
