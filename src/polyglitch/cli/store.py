"""`polyglitch store`: what is done to a store as a whole."""

from __future__ import annotations

import json
from pathlib import Path

import click

from polyglitch.cli.main import say
from polyglitch.errors import SystemFailed, UsageError


@click.group(name="store")
def command() -> None:
    """Copy a store, or look whether it is as it was written."""


@command.command(name="copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_cli(source: str, target: str) -> None:
    """Add all that FROM holds to TO; each is a file or postgresql://user@host/name.

    What TO has already stays, so the command can be repeated. TO is made where it is not there yet.
    """
    from polyglitch.store.migrations import copy_store
    from polyglitch.store.store import Store

    if "://" not in source and not Path(source).is_file():
        raise UsageError(f"FROM {source!r}: no such file; `polyglitch run` makes a store")
    if source == target or ("://" not in source + target and _same(source, target)):
        raise UsageError(f"FROM and TO are both {source!r}; name another store to copy into")
    old = Store(source)
    try:
        new = Store(target)
        try:
            added = copy_store(old, new)
        finally:
            new.close()
    finally:
        old.close()
    for name, count in added.items():
        say(f"{name.replace('_', ' '):<12}{count:>10,} new")


def _same(source: str, target: str) -> bool:
    return Path(source).resolve() == Path(target).resolve()


@command.command(name="verify")
@click.argument("store", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def verify_cli(store: str, as_json: bool) -> None:
    """Look whether every row of STORE (default: the one in use) is as it was when its run was done.

    Exit code 3 where something is damaged, with what is lost.
    """
    from polyglitch.campaign import configured_store
    from polyglitch.cli.main import say, say_json
    from polyglitch.records import encode
    from polyglitch.store.store import Store

    where = store or configured_store()
    if "://" not in where and not Path(where).is_file():
        raise UsageError(f"STORE {where!r}: no such file; `polyglitch run` makes a store")
    opened = Store(where)
    try:
        runs = opened.seals.runs()
        sealed = [run for run in runs if runs[run]]
        found = {run: opened.seals.verify(run) for run in (*sealed, "")}
    finally:
        opened.close()
    damaged = {run or "outputs": rows for run, rows in found.items() if rows}
    unsealed = [run for run in runs if run not in sealed]
    if as_json:
        told = {run: json.loads(encode(rows)) for run, rows in damaged.items()}
        say_json({"sealed": sealed, "unsealed": unsealed, "damaged": told})
    else:
        for run in runs:
            state = "damaged" if run in damaged else "as it was written"
            say(
                f"{run}  {state if run in sealed else 'not sealed: unfinished, or by an older version'}"
            )
        for run, rows in damaged.items():
            for row in rows:
                say(f"damaged: {run}: {row}")
    if damaged:
        raise SystemFailed(
            f"store {opened.where!r} is damaged, and figures of {', '.join(damaged)} are not to be trusted; take a "
            "copy from before, or run again with --fresh: outputs that are lost are asked again"
        )
