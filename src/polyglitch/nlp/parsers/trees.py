"""Constituents written in brackets, as treebanks and benepar have them: `(S (NP (PRP We)) (VP ...))`.

A dependency tree to be turned into phrases: projective, and with function words as heads.

The phrases are read off spaCy's English scheme, where a preposition governs its noun and the copula its predicate.
Universal Dependencies have it the other way round, so their arcs are turned first.

Constituents of the Berkeley neural parser (benepar) on top of a spaCy pipeline, when it is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import msgspec

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import all_languages
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import bundled
from polyglitch.nlp.parsers.choose import installed, load_pipeline
from polyglitch.nlp.parsers.word_kinds import parse_of
from polyglitch.records import Parse, Token, Tree

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


# The relations of Universal Dependencies, without subtypes, under the names of the English scheme.
ENGLISH_NAMES = {
    "obj": "dobj",
    "iobj": "dative",
    "obl": "npadvmod",
    "acl:relcl": "relcl",
    "nsubj:pass": "nsubjpass",
    "nsubj:outer": "nsubj",
    "csubj": "csubj",
    "aux:pass": "auxpass",
    "flat": "compound",
    "fixed": "compound",
    "root": "ROOT",
    "det:poss": "det",
    "vocative": "npadvmod",
    "discourse": "intj",
    "dislocated": "npadvmod",
    "orphan": "dep",
}
OF_THE_CLAUSE = {"nsubj", "nsubjpass", "csubj", "aux", "auxpass", "mark", "advcl", "punct", "expl"}
SUBJECTS = {"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"}


class Arcs:
    """Heads and relations that may be changed; the root is its own head."""

    def __init__(self, parse: Parse, universal: bool) -> None:
        self.tokens: tuple[Token, ...] = parse.tokens
        self.heads = [token.head for token in parse.tokens]
        self.relations = [token.relation for token in parse.tokens]
        if universal:
            self._rename()
            self._turn_copulas()
            self._turn_cases()
        self._lift()
        self.children: list[list[int]] = [[] for _ in self.heads]
        for index, head in enumerate(self.heads):
            if head != index:
                self.children[head].append(index)

    @property
    def roots(self) -> list[int]:
        """Where sentences start from: one, unless the parser saw several."""
        return [index for index, head in enumerate(self.heads) if head == index]

    def left(self, index: int) -> list[int]:
        """The dependents before a word, in order."""
        return [child for child in self.children[index] if child < index]

    def right(self, index: int) -> list[int]:
        """The dependents after a word, in order."""
        return [child for child in self.children[index] if child > index]

    def below(self, index: int) -> list[int]:
        """The word and all that hangs on it, in order."""
        found = [index]
        for child in self.children[index]:
            found += self.below(child)
        return sorted(found)

    def _of(self, index: int) -> list[int]:
        return [i for i, head in enumerate(self.heads) if head == index and i != index]

    def _rename(self) -> None:
        for index, relation in enumerate(self.relations):
            plain = relation.split(":")[0]
            name = ENGLISH_NAMES.get(relation) or ENGLISH_NAMES.get(plain) or plain
            self.relations[index] = "ROOT" if self.heads[index] == index else name

    def _turn_copulas(self) -> None:
        """`ser` over its predicate, with subject, adverbs and what else belongs to the clause."""
        for copula in [i for i, name in enumerate(self.relations) if name == "cop"]:
            predicate = self.heads[copula]
            for child in self._of(predicate):
                before = child < min(copula, predicate) and self.relations[child] != "case"
                if child != copula and (self.relations[child] in OF_THE_CLAUSE or before):
                    self.heads[child] = copula
            self._swap(predicate, copula)
            adjective = self.tokens[predicate].pos == "ADJ"
            self.relations[predicate] = "acomp" if adjective else "attr"

    def _turn_cases(self) -> None:
        """A preposition over its noun, with what stands before it."""
        for index in range(len(self.heads)):
            cases = [i for i in self._of(index) if self.relations[i] == "case" and i < index]
            if not cases:
                continue
            preposition = cases[0]
            for child in self._of(index):
                if child < preposition or (self.relations[child] == "conj" and self._cased(child)):
                    self.heads[child] = preposition
            role = self.relations[index]
            self._swap(index, preposition)
            self.relations[preposition] = role if role in ("conj", "ROOT") else "prep"
            self.relations[index] = "pobj"

    def _cased(self, index: int) -> bool:
        return any(self.relations[child] == "case" for child in self._of(index))

    def _swap(self, old: int, new: int) -> None:
        """Let `new`, a dependent of `old`, take its place above it."""
        self.heads[new] = new if self.heads[old] == old else self.heads[old]
        self.relations[new] = self.relations[old]
        self.heads[old] = new

    def _lift(self) -> None:
        """Hang a word that crosses another arc higher, until no arc crosses."""
        for _ in range(len(self.heads) ** 2):
            bad = next((i for i in range(len(self.heads)) if self._crosses(i)), None)
            if bad is None:
                return
            self.heads[bad] = self.heads[self.heads[bad]]

    def _crosses(self, index: int) -> bool:
        head = self.heads[index]
        if head == index or self.heads[head] == head == index:
            return False
        low, high = sorted((index, head))
        return self.heads[head] != head and any(
            not self._under(between, head) for between in range(low + 1, high)
        )

    def _under(self, index: int, ancestor: int) -> bool:
        steps = 0
        while index != ancestor and self.heads[index] != index and steps < len(self.heads):
            index, steps = self.heads[index], steps + 1
        return index == ancestor


class BeneparParser:
    """A spaCy pipeline with the component `benepar` as a `Parser`."""

    def __init__(self, pipeline: Any, signature: str) -> None:
        self._pipeline, self.signature = pipeline, signature

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text as one sentence, batched."""
        return [self._with_tree(doc) for doc in self._pipeline.pipe(texts, batch_size=32)]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies alone: the tree is the dear part."""
        with self._pipeline.select_pipes(disable="benepar"):
            return [parse_of(doc) for doc in self._pipeline.pipe(texts, batch_size=32)]

    def _with_tree(self, doc: Any) -> Parse:
        parse = parse_of(doc)
        strings = " ".join(sentence._.parse_string for sentence in doc.sents)
        trees = whole(strings, len(parse.tokens))
        # None where there are white space tokens, which we drop and which are words to benepar.
        return Parse(parse.text, parse.tokens, trees, parse.universal, parse.language)


def whole(brackets: str, words: int) -> Tree | None:
    """The constituents of all sentences of a text, or nothing if they do not fit its words."""
    trees: list[Tree] = []
    offset = 0
    for found in read_brackets(brackets):
        trees.append(moved(found.tree, offset))
        offset += len(found.words)
    if not trees or offset != words:
        return None
    return trees[0] if len(trees) == 1 else Tree("TOP", 0, offset, tuple(trees))


def moved(tree: Tree, offset: int) -> Tree:
    """A tree that starts some words further on."""
    children = tuple(moved(child, offset) for child in tree.children)
    return Tree(tree.label, tree.start + offset, tree.end + offset, children)


@cache
def open_benepar(language: str, model: str | None = None) -> BeneparParser:
    """The parser for a language; `model` is a benepar model, by default the language's own."""
    if not find_spec("benepar"):
        raise Missing("benepar", "the parser 'benepar'", "pip install benepar")
    name = model or language_of(language).parser.benepar
    if not name:
        known = ", ".join(one.code for one in all_languages() if one.parser.benepar)
        raise UsageError(
            f"benepar has no model for {language!r}, only for {known}; "
            "leave --parser out, and constituents are projected from dependencies"
        )
    base = installed(language) or bundled(language)
    if base is None:
        raise Missing(f"a spaCy pipeline for {language!r}", "benepar", "see `polyglitch doctor`")
    import benepar  # registers the component

    pipeline = load_pipeline(str(base))
    try:
        pipeline.add_pipe("benepar", config={"model": name})
    except LookupError:
        command = f"python -c 'import benepar; benepar.download(\"{name}\")'"
        raise Missing(f"the model {name!r}", "the parser 'benepar'", command) from None
    return BeneparParser(pipeline, f"benepar:{name}-{benepar.__version__}")
