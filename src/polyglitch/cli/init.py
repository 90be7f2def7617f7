"""`polyglitch init`: a commented polyglitch.toml to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from polyglitch.cli.main import say
from polyglitch.errors import UsageError


@click.command(name="init")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Write over the one that is there.")
def command(folder: Path, force: bool) -> None:
    """Write a commented polyglitch.toml."""
    path = folder / "polyglitch.toml"
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; --force writes over it")
    folder.mkdir(parents=True, exist_ok=True)
    template = files("polyglitch").joinpath("resources", "polyglitch.toml")
    path.write_text(template.read_text("utf-8"), "utf-8")
    say(f"wrote {path}; `polyglitch run` runs what it says")
