"""Productions with probabilities, counted from trees, and which of them hold more than a given one."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.protocols import Tree

Symbols = tuple[str, ...]


class Grammar:
    """A context-free grammar as a table: for each phrase, what it is made of and how often."""

    def __init__(self, counts: dict[str, dict[Symbols, int]], source: str = "") -> None:
        self.source = source
        self.counts = counts
        self._found: dict[tuple[str, Symbols, frozenset[str], int], tuple[Symbols, ...]] = {}

    def probability(self, label: str, parts: Symbols) -> float:
        """The share of a production among those of its phrase."""
        rows = self.counts.get(label, {})
        return rows.get(parts, 0) / total if (total := sum(rows.values())) else 0.0

    def superstructures(
        self, label: str, parts: Symbols, allowed: frozenset[str], most_new: int
    ) -> tuple[Symbols, ...]:
        """Longer productions that hold `parts` in order and add only allowed symbols, likeliest first."""
        key = (label, parts, allowed, most_new)
        if key not in self._found:
            longer = [
                (count, other)
                for other, count in self.counts.get(label, {}).items()
                if 0 < len(other) - len(parts) <= most_new and _adds(other, parts, allowed)
            ]
            longer.sort(key=lambda row: (-row[0], row[1]))
            self._found[key] = tuple(other for _, other in longer)
        return self._found[key]


def _adds(longer: Symbols, parts: Symbols, allowed: frozenset[str]) -> bool:
    return next(insertions(longer, parts, allowed), None) is not None


def insertions(
    longer: Symbols, parts: Symbols, allowed: frozenset[str]
) -> Iterator[tuple[tuple[int, str], ...]]:
    """All ways to get `longer` from `parts`: which symbols go in before which part.

    A repeated symbol has several: NN NN holds NN as its first and as its second.
    """

    def walk(i: int, j: int) -> Iterator[tuple[tuple[int, str], ...]]:
        if i == len(longer):
            if j == len(parts):
                yield ()
            return
        if len(longer) - i < len(parts) - j:
            return
        if j < len(parts) and longer[i] == parts[j]:
            yield from walk(i + 1, j + 1)
        if longer[i] in allowed:
            yield from (((j, longer[i]), *rest) for rest in walk(i + 1, j))

    return iter(dict.fromkeys(walk(0, 0)))


def productions(tree: Tree) -> Iterator[tuple[str, Symbols, Tree]]:
    """Every phrase of a tree with what it is made of; words are no productions."""
    if tree.children:
        yield tree.label, tuple(child.label for child in tree.children), tree
        for child in tree.children:
            yield from productions(child)


def count_productions(trees: Iterable[Tree], source: str = "") -> Grammar:
    """The grammar of some trees; function tags (`NP-SBJ`) and traces are cut."""
    counts: dict[str, Counter[Symbols]] = {}
    for tree in trees:
        for label, parts, _ in productions(tree):
            plain = tuple(_plain(part) for part in parts if part != "-NONE-")
            if plain:
                counts.setdefault(_plain(label), Counter())[plain] += 1
    return Grammar({label: dict(rows) for label, rows in counts.items()}, source)


def _plain(label: str) -> str:
    return label if label.startswith("-") else label.split("-")[0].split("=")[0]


def write_grammar(grammar: Grammar, path: Path, least: int = 1) -> int:
    """Write the table as gzipped TSV, productions seen at least so often; how many there are."""
    rows = [f"# {grammar.source}"]
    for label in sorted(grammar.counts):
        ordered = sorted(grammar.counts[label].items(), key=lambda row: (-row[1], row[0]))
        rows += [f"{label}\t{' '.join(parts)}\t{n}" for parts, n in ordered if n >= least]
    path.write_bytes(gzip.compress(("\n".join(rows) + "\n").encode(), 9, mtime=0))
    return len(rows) - 1


def read_grammar(raw: bytes, name: str) -> Grammar:
    """The table that `write_grammar` wrote."""
    try:
        lines = gzip.decompress(raw).decode().splitlines() or [""]
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"grammar {name!r} is no gzipped table: {error}") from None
    counts: dict[str, dict[Symbols, int]] = {}
    for number, line in enumerate(lines[1:], 2):
        columns = line.split("\t")
        if len(columns) != 3 or not columns[2].isdigit():
            raise UsageError(f"{name}:{number}: not label, parts and count, separated by tabs")
        counts.setdefault(columns[0], {})[tuple(columns[1].split())] = int(columns[2])
    return Grammar(counts, lines[0].removeprefix("# "))


@cache
def open_grammar(name: str) -> Grammar:
    """The bundled grammar of a language, or one from a file."""
    if name.endswith(".gz"):
        if not Path(name).is_file():
            raise UsageError(
                f"grammar {name!r}: no such file; `polyglitch grammar TREES -o {name}` makes one"
            )
        return read_grammar(Path(name).read_bytes(), name)
    path = language_of(name).require(
        "grammar.tsv.gz", "a grammar", "expansion", "polyglitch grammar TREES -o FILE"
    )
    return read_grammar(path.read_bytes(), f"grammar.{name}")


def distinct_productions(trees: Sequence[Tree]) -> int:
    """Syntactic diversity: how many different productions the trees have."""
    return len({(label, parts) for tree in trees for label, parts, _ in productions(tree)})
