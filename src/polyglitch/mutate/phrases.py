"""Pair every noun phrase with what contains it: the mutation of RTI (Purity)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from polyglitch.languages import language as language_of
from polyglitch.mutate.cut_rules import rightly_cut
from polyglitch.mutate.universal_cut_rules import HEADS
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Edit, Input, Parse, Seed, Tree, new_case
from polyglitch.registry import component

EDGES = " \t,;:.?!'’‘\"“”`()[]-–—"  # what a phrase does not start or end with
CHUNK = ("NOUN", "PROPN", "ADJ", "NUM")  # what a noun phrase is made of where only tags are known
PAIRED = (("(", ")"), ("[", "]"), ("“", "”"))


class Phrase(NamedTuple):
    """A stretch of the text: where it starts and ends."""

    start: int
    end: int


@component
def noun_phrases(
    shorter: int = 10, content: int = 3, least: int = 1, pos: tuple[str, ...] = ()
) -> Mutation:
    """Cases of a container and a noun phrase in it, every pair once.

    As published: a phrase has fewer words than `shorter` and at least `content` that are no stop
    words; the sentence contains all its phrases, and a noun phrase those inside it. A sentence that has none of these
    gives those of one such word less, down to `least`. Where `pos` names universal parts of speech, a phrase has a
    word of one.
    """

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        stops = language_of(language).stop_words
        parses = tools.parser(language).parse([seed.input.text for seed in seeds])
        for seed, parse in zip(seeds, parses, strict=True):
            made: set[str] = set()
            for container, phrase in fullest(parse, shorter, content, least, stops, pos):
                case = contained(seed, parse.text, container, phrase)
                if case.id not in made:
                    made.add(case.id)
                    yield case

    return mutate


def fullest(
    parse: Parse,
    shorter: int,
    content: int,
    least: int,
    stops: frozenset[str],
    pos: tuple[str, ...],
) -> list[tuple[Phrase, Phrase]]:
    """The pairs of a sentence with as many words of their own as are asked for, or the fewest less that give any."""
    for count in range(content, min(least, content) - 1, -1):
        if found := list(pairs(parse, shorter, count, stops, pos)):
            return found
    return []


def pairs(
    parse: Parse,
    shorter: int,
    content: int,
    stops: frozenset[str],
    pos: tuple[str, ...] = (),
) -> Iterator[tuple[Phrase, Phrase]]:
    """Containers with the phrases in them, from the outside in."""
    whole = trimmed(parse.text, Phrase(0, len(parse.text)), sentence=True)

    def walk(node: Tree, containers: tuple[Phrase, ...]) -> Iterator[tuple[Phrase, Phrase]]:
        for child in node.children:
            around = containers
            if child.label == "NP" and child.end - child.start > 1:
                phrase = span(parse, child)
                inner = phrase is not None and bare(parse, phrase) != bare(parse, containers[-1])
                if phrase is not None and inner and rightly_cut(parse, child):
                    if suits(parse, child, shorter, content, stops) and has_part(parse, child, pos):
                        yield from ((container, phrase) for container in containers)
                    around = (*containers, phrase)
            yield from walk(child, around)

    tree = tree_of(parse) or chunked(parse)
    yield from walk(Tree("TOP", 0, len(parse.tokens), (tree,)), (whole,))


def chunked(parse: Parse) -> Tree:
    """The noun phrases of a text that was only tagged: a noun with the nouns, adjectives and numbers before it."""
    found: list[Tree] = []
    start = 0
    for place in range(len(parse.tokens) + 1):
        if place < len(parse.tokens) and parse.tokens[place].pos in CHUNK:
            continue
        end = place
        while end > start and parse.tokens[end - 1].pos not in HEADS:
            end -= 1
        if end > start:
            found.append(Tree("NP", start, end))
        start = place + 1
    return Tree("S", 0, len(parse.tokens), tuple(found))


def span(parse: Parse, node: Tree) -> Phrase | None:
    """The text of a constituent without punctuation at its ends; nothing if brackets are torn."""
    first, last = parse.tokens[node.start], parse.tokens[node.end - 1]
    end = last.end
    if last.text in ("'s", "’s"):  # Kim's: the phrase is Kim
        end = last.start
    phrase = trimmed(parse.text, Phrase(first.start, end))
    text = parse.text[phrase.start : phrase.end]
    torn = any(text.count(a) != text.count(b) for a, b in PAIRED) or text.count('"') % 2
    cut_off = text[:2].lower() in ("s ", "t ") or first.tag.startswith("W") or first.pos == "SCONJ"
    return None if torn or cut_off or not text else phrase


def trimmed(text: str, phrase: Phrase, sentence: bool = False) -> Phrase:
    """The phrase without blanks and, unless it is a sentence, punctuation at its ends."""
    start, end = phrase
    edges = " \t" if sentence else EDGES
    while start < end and text[start] in edges:
        start += 1
    while start < end and text[end - 1] in edges and not abbreviated(text, start, end):
        end -= 1
    return Phrase(start, end)


def abbreviated(text: str, start: int, end: int) -> bool:
    """Whether the dot at the end belongs to the word, as in U.S. or Jr."""
    word = text[start:end].split()[-1]
    return word.endswith(".") and (word.count(".") > 1 or len(word) <= 3)


def bare(parse: Parse, phrase: Phrase) -> str:
    """Letters and digits only, in which a sentence and its text without the full stop are equal."""
    return "".join(c for c in parse.text[phrase.start : phrase.end] if c.isalnum())


def suits(parse: Parse, node: Tree, shorter: int, content: int, stops: frozenset[str]) -> bool:
    """Whether a phrase is short enough and has enough words of its own."""
    words = parse.tokens[node.start : node.end]
    own = [
        word
        for word in words
        if word.text.lower() not in stops and any(map(str.isalnum, word.text))
    ]
    return len(words) < shorter and len(own) >= content


def has_part(parse: Parse, node: Tree, pos: tuple[str, ...]) -> bool:
    """Whether a phrase has a word of one of some parts of speech; any phrase where none is named."""
    return not pos or any(word.pos in pos for word in parse.tokens[node.start : node.end])


def contained(seed: Seed, text: str, container: Phrase, phrase: Phrase) -> Case:
    """The case of a container and a phrase in it."""
    language = seed.input.language
    outer, inner = text[container.start : container.end], text[phrase.start : phrase.end]
    around = seed.input if outer == text.strip() else Input(outer, language=language)
    place = phrase.start - container.start
    edit = Edit("contained", place, place + len(inner), inner, inner)
    return new_case(seed, "contained", (around, Input(inner, language=language)), edit)
