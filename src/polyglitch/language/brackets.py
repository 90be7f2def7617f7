"""Constituents written in brackets, as treebanks and benepar have them: `(S (NP (PRP We)) (VP ...))`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from polyglitch.protocols import Tree

PIECE = re.compile(r"[()]|[^\s()]+")
EMPTY = "-NONE-"  # traces: leaves without a word


class Bracketing(msgspec.Struct, frozen=True):
    """A tree with the words under it."""

    tree: Tree
    words: tuple[str, ...]


def read_brackets(text: str) -> Iterator[Bracketing]:
    """The trees of a text, without traces and function tags (`NP-SBJ-1` is an `NP`)."""
    pieces = PIECE.findall(text)
    place = 0
    while place < len(pieces):
        words: list[str] = []
        tree, place = node(pieces, place, words)
        while tree is not None and not tree.label and len(tree.children) == 1:
            tree = tree.children[0]  # the nameless bracket around every sentence of a treebank
        if tree is not None:
            yield Bracketing(tree, tuple(words))


def node(pieces: list[str], place: int, words: list[str]) -> tuple[Tree | None, int]:
    """The constituent that opens at `place`, nothing if it holds no word, and where it ends."""
    place += 1
    label = ""
    if pieces[place] not in "()":
        label, place = pieces[place], place + 1
    start = len(words)
    if pieces[place] not in "()":
        if label != EMPTY:
            words.append(pieces[place])
            return Tree(label, start, start + 1), place + 2
        return None, place + 2
    children: list[Tree] = []
    while pieces[place] != ")":
        child, place = node(pieces, place, words)
        if child is not None:
            children.append(child)
    plain = re.split(r"[-=|]", label)[0] if not label.startswith("-") else label
    found = Tree(plain, start, len(words), tuple(children)) if children else None
    return found, place + 1


def join(label: str, parts: Iterable[Tree]) -> Tree:
    """A constituent of parts that follow one another."""
    ordered = tuple(sorted(parts, key=lambda part: part.start))
    return Tree(label, ordered[0].start, ordered[-1].end, ordered)
