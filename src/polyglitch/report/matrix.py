"""The matrix of several prompts and models as a page, a table or JSON, by the file's extension."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import cell
from polyglitch.registry import suggest
from polyglitch.report.write import replacing
from polyglitch.results.matrix import Matrix, rows_of


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
    from polyglitch.report.rows import csv_line

    return "".join(csv_line(map(cell, row)) for row in rows_of(matrix))


def as_markdown(matrix: Matrix) -> str:
    """The table, for a pull request."""
    from polyglitch.report.markdown import safe

    head, *rows = [[safe(text) for text in row] for row in rows_of(matrix)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_html(matrix: Matrix) -> str:
    """The table as a page that needs nothing else."""
    from polyglitch.report.html import asset, environment, source_hash

    style = asset("report.css")
    page = environment().get_template("matrix.html.j2")
    policy = f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'"
    return page.render(rows=rows_of(matrix), style=style, policy=policy)
