"""`polyglitch measure`: any text metric on pairs of texts."""

from __future__ import annotations

import json
from pathlib import Path

import click

from polyglitch.cli.main import say_json
from polyglitch.errors import UsageError


@click.command(name="measure")
@click.option(
    "-i", "--input", "source", required=True, help='JSONL with {"id","a","b"}; - for stdin.'
)
@click.option(
    "-o", "--output", "target", default="-", help="JSONL with a number a metric; - for stdout."
)
@click.option(
    "--metric", "metrics", multiple=True, required=True, help="As `list metrics` names it."
)
def command(source: str, target: str, metrics: tuple[str, ...]) -> None:
    """Score pairs of texts."""
    from polyglitch import registry
    from polyglitch.compare.metrics.measure import measure, read_pairs
    from polyglitch.report.html import replacing

    chosen = [registry.load("metrics", name) for name in metrics]
    if source != "-" and not Path(source).is_file():
        raise UsageError(f"--input {source!r}: no such file")
    with click.open_file(source, "rb") as lines:
        rows = measure(read_pairs(enumerate(lines, 1), source), chosen)
        if target == "-":
            for row in rows:
                say_json(row)
            return
        with replacing(Path(target)) as out:
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
