"""`polyglitch corpus`: what a corpus holds, in the figures that papers print of theirs."""

from __future__ import annotations

from typing import Any

import click

from polyglitch.cli.main import read_fields, reading, say, say_json


@click.command(name="corpus")
@click.argument("file")
@click.option("--language", help="Of the texts, as a two-letter code.")
@reading
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    file: str,
    language: str | None,
    fields: tuple[str, ...],
    format: str | None,
    encoding: str | None,
    as_json: bool,
) -> None:
    """Count the texts of FILE, their words and contexts, and the rows that were left out."""
    from polyglitch.corpus.read import open_corpus
    from polyglitch.corpus.statistics import corpus_statistics

    corpus = open_corpus(
        file, fields=read_fields(fields), format=format, encoding=encoding, language=language
    )
    found = corpus_statistics(corpus)
    if as_json:
        say_json(found)
    else:
        say(table(file, found))


def table(file: str, found: dict[str, Any]) -> str:
    """The figures for a person."""
    lines = [f"{file}: {found['texts']:,} texts, {found['distinct_texts']:,} distinct"]
    for name in ("text", "context"):
        row = found.get(name)
        if row:
            lines.append(
                f"  words a {name:<8} {row['least']} to {row['most']}, mean {row['mean']:.1f}, median "
                f"{row['median']:g}; {row['words']:,} words, {row['distinct_words']:,} distinct"
            )
    if found["labels"]:
        told = ", ".join(f"{name} {count:,}" for name, count in found["labels"].items())
        lines.append(f"  labels           {told}")
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in found["skipped"].items())
    lines.append(f"  rows left out    {skipped or 'none'}")
    return "\n".join(lines)
