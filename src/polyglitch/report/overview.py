"""Several systems or prompts side by side, as a file's extension asks: capabilities by system, or a matrix."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import cell
from polyglitch.registry import suggest
from polyglitch.report.side_by_side import matrix_page, systems_page
from polyglitch.report.text_formats import safe
from polyglitch.report.write import replacing
from polyglitch.results.tables import Matrix, SystemColumn, rows_of, table_rows


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
