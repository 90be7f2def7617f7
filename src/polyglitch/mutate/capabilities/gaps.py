"""Where a sentence may grow by several words: any richer production of the grammar, spelt out as tags.

What a production adds may be a word (JJ) or a phrase (PP); a phrase is spelt out by its own likeliest productions until
only tags are left that a filler has words for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import msgspec

from polyglitch.mutate.capabilities.places import (
    ADVERBS,
    NOUNS,
    abusive,
    left_alone,
    place_of,
)
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.parsers.grammar import Grammar, insertions, productions
from polyglitch.protocols import Parse, Token, Tree

TAGS = frozenset({"JJ", "RB", "NN", "NNS", "IN", "DT", "PRP$", "CC"})
PHRASES = frozenset({"PP", "ADVP", "ADJP", "NP"})
LONGEST = 4  # words added at once
DEPTH = 3  # of phrases within an added phrase
SPELLINGS = 6  # ways to spell a phrase out, the likeliest
PER_PRODUCTION = 8  # richer productions of each phrase, the likeliest
MOST_GAPS = 12  # of a sentence that are filled: each costs the model some fifty tokens
ENDS = frozenset(
    {".", ",", ":", "''", "-RRB-"}
)  # what may follow an added phrase: before a word it would part two that belong together


class WideGap(msgspec.Struct, frozen=True):
    """Where words may go in: before which token, with which tags, and how likely the production is."""

    index: int
    tags: tuple[str, ...]
    likelihood: float


@cache
def spellings(
    grammar: Grammar, symbol: str, depth: int = DEPTH
) -> tuple[tuple[tuple[str, ...], float], ...]:
    """The likeliest sequences of tags that a symbol stands for, each with its probability."""
    if symbol in TAGS:
        return (((symbol,), 1.0),)
    if symbol not in PHRASES or not depth:
        return ()
    found: dict[tuple[str, ...], float] = {}
    for parts in grammar.counts.get(symbol, {}):
        if len(parts) > LONGEST or not set(parts) <= TAGS | PHRASES:
            continue
        share = grammar.probability(symbol, parts)
        for some in product(*(spellings(grammar, part, depth - 1) for part in parts)):
            tags = tuple(tag for row, _ in some for tag in row)
            odds = share
            for _, own in some:
                odds *= own
            if len(tags) <= LONGEST:
                found[tags] = max(found.get(tags, 0.0), odds)
    best = sorted(found.items(), key=lambda row: (-row[1], row[0]))[:SPELLINGS]
    return tuple(best)


def wide_gaps(parse: Parse, grammar: Grammar) -> list[WideGap]:
    """Where a sentence may grow, the places taking turns, the likeliest tags of each first."""
    tree = tree_of(parse)
    if tree is None:
        return []
    found: dict[tuple[int, tuple[str, ...]], WideGap] = {}
    allowed = TAGS | PHRASES
    for label, parts, node in productions(tree):
        for longer in grammar.superstructures(label, parts, allowed, 2)[:PER_PRODUCTION]:
            likelihood = grammar.probability(label, longer)
            for added in insertions(longer, parts, allowed):
                for gap in spelt(added, likelihood, node, parse, grammar):
                    known = found.get((gap.index, gap.tags))
                    if known is None or known.likelihood < gap.likelihood:
                        found[gap.index, gap.tags] = gap
    ordered = sorted(found.values(), key=lambda gap: (-gap.likelihood, gap.index, gap.tags))
    return by_turns(ordered)[:MOST_GAPS]


def by_turns(gaps: list[WideGap]) -> list[WideGap]:
    """First the likeliest of every place and length, then the next of each."""
    turns: dict[tuple[int, bool], int] = {}
    keyed: list[tuple[int, int, WideGap]] = []
    for gap in gaps:
        place = gap.index, len(gap.tags) > 1
        turns[place] = turns.get(place, 0) + 1
        keyed.append((turns[place], len(keyed), gap))
    return [gap for _, _, gap in sorted(keyed, key=lambda row: row[:2])]


def spelt(
    added: tuple[tuple[int, str], ...],
    likelihood: float,
    node: Tree,
    parse: Parse,
    grammar: Grammar,
) -> Iterator[WideGap]:
    """The gaps of one insertion, where its symbols stand together and the sentence bears them."""
    if len({before for before, _ in added}) > 1:
        return
    before = added[0][0]
    index = node.children[before].start if before < len(node.children) else node.end
    for some in product(*(spellings(grammar, symbol) for _, symbol in added)):
        tags = tuple(tag for row, _ in some for tag in row)
        odds = likelihood
        for _, own in some:
            odds *= own
        if len(tags) <= LONGEST and bears(parse, node, before, index, tags):
            yield WideGap(index, tags, odds)


def bears(parse: Parse, node: Tree, before: int, index: int, tags: tuple[str, ...]) -> bool:
    """Whether words of these tags leave who does what as it is at this place."""
    if index == 0 or any(quoted in parse.tokens[index - 1].text for quoted in '"“'):
        return False
    left = parse.tokens[index - 1]
    right = parse.tokens[index] if index < len(parse.tokens) else None
    if tags[0] == "IN":
        return phrase_follows(left, right, tags)
    if tags == ("CC", "JJ"):
        return left.tag == "JJ" and (right is None or right.tag in NOUNS | ENDS)
    if "JJ" in tags and right is not None and right.tag == "JJ":
        return False  # an adjective before another one: "a unique perfect performance"
    if set(tags) == {"JJ"} or (len(tags) == 1 and tags[0] in ADVERBS):
        return place_of(((before, tags[0]),), tags, node, parse, "", 0.0) is not None
    return False


def phrase_follows(left: Token, right: Token | None, tags: tuple[str, ...]) -> bool:
    """Whether a prepositional phrase may come between two words."""
    if tags[-1] not in NOUNS or left.pos not in ("NOUN", "VERB", "ADJ", "ADV", "PRON", "PROPN"):
        return False
    if left.tag in ("WDT", "WP", "PRP$", "EX") or left.lemma in ("be", "have", "do"):
        return False
    if left.text.lower() in left_alone("never_modified") | abusive():
        return False
    return right is None or (right.tag in ENDS and right.text.lower() not in ("of", "than", "'s"))
