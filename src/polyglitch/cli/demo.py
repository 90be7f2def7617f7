"""`polyglitch demo`: a campaign on the bundled sentences against a real translator."""

from __future__ import annotations

import sys

import click


@click.command(name="demo")
@click.option("--system", default="firefox:en-pt", show_default=True, help="What to test.")
@click.option(
    "--store", default="out/demo.sqlite", show_default=True, help="Where results are kept."
)
@click.option(
    "-o", "--output", multiple=True, default=("out/demo.html",), show_default=True, help="Report."
)
@click.option("--limit", type=int, default=None, help="At most so many sentences.")
def command(system: str, store: str, output: tuple[str, ...], limit: int | None) -> None:
    """Test Firefox's English-Portuguese translator on the bundled sentences."""
    from polyglitch.campaign import make_campaign
    from polyglitch.cli.run import run_campaign

    options = {
        "system": system,
        "corpus": "sample",
        "methods": ["sit", "transrepair", "rti"],
        "parameters": {"sit": {"per_seed": 8}, "transrepair": {"per_seed": 4}},
        "store": store,
        "output": list(output),
    }
    sys.exit(run_campaign(make_campaign(options | ({"limit": limit} if limit else {}))))
