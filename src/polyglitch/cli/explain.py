"""`polyglitch explain`: which words made a classifier say what it said."""

from __future__ import annotations

import json

import click

WIDTH = 24  # of the longest bar


@click.command(name="explain")
@click.argument("text")
@click.option(
    "--system", required=True, help="The classifier, by URI: vader, hf:..., python:mod:fn."
)
@click.option(
    "--samples", default=500, help="Sentences with words left out, for the contributions."
)
@click.option("--fills", default=1000, help="Random fillings of each template.")
@click.option("--threshold", default=0.9, help="How often fillings must keep the prediction.")
@click.option("--seed", default=0, help="Where random choices start.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    text: str,
    system: str,
    samples: int,
    fills: int,
    threshold: float,
    seed: int,
    as_json: bool,
) -> None:
    """Show what each word contributes, and the shortest template that keeps the prediction."""
    from polyglitch.evaluate.explain import explain
    from polyglitch.systems.uri import open_system

    opened = open_system(system)
    try:
        found = explain(opened, text, samples, fills, threshold, seed)
    finally:
        opened.close()
    if as_json:
        row = {
            "label": found.label,
            "words": found.words,
            "contributions": found.contributions,
            "template": found.template,
            "kept": found.kept,
        }
        click.echo(json.dumps(row, ensure_ascii=False))
        return
    click.echo(f"label: {found.label}")
    most = max((abs(value) for value in found.contributions), default=0.0) or 1.0
    longest = max(map(len, found.words), default=0)
    for word, value in zip(found.words, found.contributions, strict=True):
        bar = ("+" if value > 0 else "-") * round(WIDTH * abs(value) / most)
        click.echo(f"{word:<{longest}} {value:+.3f} {bar}")
    click.echo(f"template: {found.template_text}")
    click.echo(f"kept by {found.kept:.1%} of random fillings")
