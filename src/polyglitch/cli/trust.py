"""`polyglitch trust`: let the polyglitch.toml of a folder run programs and connect."""

from __future__ import annotations

from pathlib import Path

import click

from polyglitch.cli.main import say


@click.command(name="trust")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--forget", is_flag=True, help="Trust it no longer.")
def command(folder: Path, forget: bool) -> None:
    """Trust what the polyglitch.toml of FOLDER (default: here) runs and connects to, as it stands now.

    Programs, code, services, databases and clusters that such a file names are used only after this; those of the
    command line always. A file that later names others has to be trusted again.
    """
    from polyglitch.campaign import FILE, acting, read_file
    from polyglitch.errors import UsageError
    from polyglitch.files.foreign import one_line
    from polyglitch.files.settings import forget_folder, trust_folder

    file = folder / FILE
    if forget:
        known = forget_folder(file)
        say(f"{folder} {'is trusted no longer' if known else 'was not trusted'}")
        return
    if not file.is_file():
        raise UsageError(f"{file}: no such file; name the folder that has the {FILE}")
    found = acting(read_file(file))
    if not found:
        say(f"{file} names nothing that executes or connects; it needs no trust")
        return
    for name, value in found.items():
        say(f"{name} = {one_line(value)}")
    trust_folder(file, found)
    say(f"{folder.resolve()} is trusted for the above (`polyglitch trust --forget` ends it)")
