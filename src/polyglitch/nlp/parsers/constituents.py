"""Constituents without a model of their own: phrases projected from dependencies, with Penn labels.

Every word that governs others projects the phrase of its kind (a verb VP and S, a noun NP, a preposition PP, ...);
its dependents go in at the level where the Penn Treebank has them. `benchmarks/constituents.py` measures how well.

Productions with probabilities, counted from trees, and which of them hold more than a given one.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.nlp.parsers import phrases as clauses
from polyglitch.nlp.parsers import phrases as nominals
from polyglitch.nlp.parsers.trees import Arcs, join
from polyglitch.records import Parse, Tree

# Dependents that are no phrase of their own as long as nothing hangs on them.
BARE = {
    *("det", "predet", "amod", "compound", "nummod", "poss", "aux", "auxpass", "neg", "mark"),
    *("cc", "preconj", "punct", "case", "quantmod", "nmod", "meta", "dep", "", "expl:pv", "cop"),
}
WH_TAGS = {"WDT", "WP", "WP$", "WRB"}
WH = {"NP": "WHNP", "ADVP": "WHADVP", "PP": "WHPP", "ADJP": "WHADJP"}
NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "SYM", "DET", "X"}
Symbols = tuple[str, ...]


def tree_of(parse: Parse) -> Tree | None:
    """The constituents of a parse: its parser's, else projected; nothing where no parser gave relations."""
    if parse.tree is None and any(token.relation for token in parse.tokens):
        return project(parse, parse.universal)
    return parse.tree


def project(parse: Parse, universal: bool = False) -> Tree:
    """The constituents by the dependencies, of one word at least; `universal`: the relations are those of UD."""
    builder = Builder(parse, universal)
    trees = [builder.phrase(root) for root in builder.arcs.roots]
    top = trees[0] if len(trees) == 1 else join("TOP", trees)
    if (top.start, top.end) != (0, len(parse.tokens)) or not sound(top):
        # Arcs that no grammar of ours foresees: better no brackets than crossing ones.
        top = join("TOP", [builder.leaf(index) for index in range(len(parse.tokens))])
    return top


def sound(tree: Tree) -> bool:
    """Whether the parts of every constituent follow one another and fill it."""
    place = tree.start
    for child in tree.children:
        if child.start != place or not sound(child):
            return False
        place = child.end
    return place == tree.end if tree.children else tree.end == tree.start + 1


class Builder:
    """Builds the phrase of any word from those below it."""

    def __init__(self, parse: Parse, universal: bool) -> None:
        self.arcs = Arcs(parse, universal)
        self.tokens = parse.tokens

    def relation(self, index: int) -> str:
        """The relation of a word to its head."""
        return self.arcs.relations[index]

    def leaf(self, index: int) -> Tree:
        """A word alone."""
        return Tree(self.tokens[index].tag or self.tokens[index].pos, index, index + 1)

    def leaves(self, index: int) -> list[Tree]:
        """A word and all below it, without brackets."""
        return [self.leaf(i) for i in self.arcs.below(index)]

    def kind(self, index: int) -> str:
        """What a word projects: V, N, P, A, R, or nothing."""
        token, relation = self.tokens[index], self.relation(index)
        below = {self.relation(child) for child in self.arcs.children[index]}
        if relation in ("prep", "agent") or below & {"pobj", "pcomp"}:
            return "P"
        if relation in ("amod", "advmod") and token.pos in ("VERB", "AUX"):
            return "A" if relation == "amod" else "R"
        if token.pos in ("VERB", "AUX"):
            return "V"
        if token.pos == "ADJ":
            substantive = relation in ("nsubj", "nsubjpass", "dobj", "pobj", "poss", "appos")
            return "N" if substantive or below & {"det", "relcl"} else "A"
        if token.pos == "ADV" or token.tag == "WRB":
            return "R"
        return "N" if token.pos in NOMINAL else ""

    def phrase(self, index: int) -> Tree:
        """The phrase of a word with everything below it."""
        relation = self.relation(index)
        if relation in BARE and not self.arcs.children[index]:
            return self.leaf(index)
        kind = self.kind(index)
        if kind == "V":
            return clauses.clause(self, index)
        if kind == "N":
            return nominals.nominal(self, index)
        if kind == "P":
            return self.prepositional(index)
        if kind in ("A", "R"):
            return self.modifier(index, kind)
        if not self.arcs.children[index]:
            label = {"prt": "PRT", "intj": "INTJ"}.get(relation)
            return join(label, [self.leaf(index)]) if label else self.leaf(index)
        return join("X", [self.leaf(index), *map(self.phrase, self.arcs.children[index])])

    def modifier(self, index: int, kind: str) -> Tree:
        """An adjective or adverb phrase; a lone adverb inside another phrase stays bare."""
        label = "ADJP" if kind == "A" else "ADVP"
        if self.relation(index) == "prt":
            label = "PRT"
        children = self.arcs.children[index]
        head = self.arcs.heads[index]
        if not children and self.relation(index) == "advmod" and self.kind(head) in ("N", "A", "R"):
            return self.leaf(index)
        parts = [self.leaf(index)]
        for child in children:
            if self.relation(child) == "conj" and len(self.arcs.below(child)) == 1:
                parts.append(self.leaf(child))
            else:
                parts.append(self.phrase(child))
        return self.asking(join(label, parts))

    def prepositional(self, index: int) -> Tree:
        """A prepositional phrase, two of them where they are coordinated."""
        children = self.arcs.children[index]
        joined = [child for child in children if self.relation(child) == "conj"]
        outer = {*joined, *self.links_before(index, joined)}
        inner = [c for c in children if c not in outer and (not joined or c < joined[0])]
        parts = [self.leaf(index)]
        for child in inner:
            lone = len(self.arcs.below(child)) == 1
            if lone and self.relation(child) in ("advmod", "prep") and child < index:
                parts.append(self.leaf(child))
            else:
                parts.append(self.phrase(child))
        own = self.asking(join("PP", parts))
        rest = [child for child in children if child not in inner]
        return join("PP", [own, *map(self.phrase, rest)]) if rest else own

    def links(self, index: int) -> bool:
        """Whether a word only joins others: a conjunction or a mark of punctuation."""
        return self.relation(index) in ("cc", "punct", "preconj")

    def links_before(self, index: int, conjuncts: list[int]) -> list[int]:
        """What stands directly before each conjunct to join it: dependents of either side."""
        found: list[int] = []
        for conjunct in conjuncts:
            for child in reversed([c for c in self.arcs.right(index) if c < conjunct]):
                if not self.links(child):
                    break
                found.append(child)
            for child in self.arcs.left(conjunct):  # UD hangs the conjunction on what follows it
                if not self.links(child):
                    break
                found.append(child)
        return sorted(set(found))

    def asking(self, tree: Tree) -> Tree:
        """The phrase with the label of a question phrase where a question word opens it."""
        governed = tree.label == "PP" and any(part.label == "WHNP" for part in tree.children)
        wh = governed or self.tokens[tree.start].tag in WH_TAGS
        if wh and tree.label in WH:
            return Tree(WH[tree.label], tree.start, tree.end, tree.children)
        return tree


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
