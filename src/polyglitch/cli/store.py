"""`polyglitch store`: what is done to a store as a whole."""

from __future__ import annotations

from pathlib import Path

import click

from polyglitch.errors import UsageError


@click.group(name="store")
def command() -> None:
    """Copy a store: from a file to a server, back, or several into one."""


@command.command(name="copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_cli(source: str, target: str) -> None:
    """Add all that FROM holds to TO; each is a file or postgresql://user@host/name.

    What TO has already stays, so the command can be repeated. TO is made where it is not there yet.
    """
    from polyglitch.store.copy import copy_store
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
        click.echo(f"{name.replace('_', ' '):<12}{count:>10,} new")


def _same(source: str, target: str) -> bool:
    return Path(source).resolve() == Path(target).resolve()
