"""`polyglitch grammar`: a table of productions from trees, for expansion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import ENGLISH, say

if TYPE_CHECKING:
    from polyglitch.records import Tree


@click.command(name="grammar")
@click.argument("trees", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--language",
    default=ENGLISH,
    help="Of plain text, which is parsed first; and of the tags of CoNLL-U.",
)
@click.option("--least", default=2, help="Leave out what was seen less often.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="FILE.tsv.gz")
def command(trees: tuple[Path, ...], language: str, least: int, output: Path) -> None:
    """Count productions of bracketed trees (.mrg .ptb .psd), of Universal Dependencies (.conllu), or of plain text."""
    from polyglitch.errors import UsageError
    from polyglitch.nlp.parsers.constituents import count_productions, write_grammar

    if not output.name.endswith(".gz"):
        raise UsageError(f"-o {str(output)!r}: the table is gzipped; name it FILE.tsv.gz")
    source = f"counted from {', '.join(path.name for path in trees)}; seen {least} times or more"
    found = count_productions(
        (tree for path in trees for tree in read_trees(path, language)), source
    )
    say(f"{write_grammar(found, output, least)} productions: {output}")


def read_trees(path: Path, language: str) -> Iterator[Tree]:
    """The trees of a file: read from brackets, or projected from its dependencies or from parses of its lines."""
    from polyglitch.errors import UsageError
    from polyglitch.files.foreign import read_whole
    from polyglitch.languages import language as language_of
    from polyglitch.nlp.parsers.choose import open_spacy
    from polyglitch.nlp.parsers.conllu import read_parses
    from polyglitch.nlp.parsers.constituents import tree_of
    from polyglitch.nlp.parsers.trees import read_brackets

    if not path.is_file():
        raise UsageError(f"trees {str(path)!r}: no such file")
    if path.name.removesuffix(".gz").endswith((".conllu", ".conll")):
        # Where parsers speak the language's own tags, treebanks have them beside the universal ones.
        parses = read_parses(path, own_tags=bool(language_of(language).own_tags))
        yield from (tree for parse in parses if (tree := tree_of(parse)) is not None)
        return
    text = read_whole(path).decode("utf-8", "replace")
    if text.lstrip().startswith("("):
        yield from (each.tree for each in read_brackets(text))
        return
    lines = [line for line in text.splitlines() if line.strip()]
    parser = open_spacy(language)
    for start in range(0, len(lines), 256):
        for parse in parser.parse(lines[start : start + 256]):
            if (tree := tree_of(parse)) is not None:
                yield tree
