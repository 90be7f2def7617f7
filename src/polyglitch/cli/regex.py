"""`polyglitch regex`: descriptions in English as regexes."""

from __future__ import annotations

import json
from pathlib import Path

import click

from polyglitch.errors import UsageError


@click.command(name="regex")
@click.option("-i", "--input", "source", required=True, help="Sentences, one a line; - for stdin.")
@click.option(
    "-o", "--output", "target", default="-", help='JSONL with {"text","regex","confidence"}.'
)
@click.option(
    "--style",
    type=click.Choice(["auto", "whole", "search"]),
    default="auto",
    help="whole: the sentence tells the whole text (NL-RX); search: what to look for (KB13).",
)
def command(source: str, target: str, style: str) -> None:
    """Turn descriptions of texts into regular expressions."""
    from polyglitch.files.foreign import decoded_lines
    from polyglitch.represent.descriptions.rerank import Style, describe_all

    if source != "-" and not Path(source).is_file():
        raise UsageError(f"--input {source!r}: no such file")
    with click.open_file(source, "rb") as lines:
        texts = list(decoded_lines(lines, source))
    chosen: Style | None = "whole" if style == "whole" else "search" if style == "search" else None
    with click.open_file(target, "w", encoding="utf-8", atomic=target != "-") as out:
        for found in describe_all(texts, chosen):
            row = {"text": found.text, "regex": found.regex, "confidence": found.confidence}
            if found.unknown:
                row["unknown"] = list(found.unknown)
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
