"""Any production of the reference grammar that a sentence lacks, as a gap that a language model fills word by word.

A phrase of the sentence may be a longer production (`VP -> VBD NP` as `VP -> VBD NP PP`), or stay what it is inside
another of its kind (`NP -> NP PP`). What is added is spelt out by the same grammar as tags (PP as IN DT NN), so that no
wording is listed anywhere: only the words of closed classes are data, and words that change what is said.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import cache

import msgspec

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.places import FEW, abusive, glued, left_alone
from polyglitch.nlp.lexicons.terms import term_lists
from polyglitch.nlp.parsers.constituents import (
    Grammar,
    Symbols,
    insertions,
    productions,
    tree_of,
)
from polyglitch.records import Parse, Tree

FINITE = frozenset({"VBZ", "VBP", "VBD"})
PHRASES = frozenset({"PP", "SBAR", "VP", "ADVP"})
WORDS = frozenset({"JJ"})
OPENINGS = ("PP",)  # what may stand before a whole statement, with a comma
JOINED = "CC NP"  # another thing beside one
# Tags that a model may fill; verbs only in the forms that need no subject of their own.
TAGS = frozenset({"IN", "DT", "JJ", "NN", "NNS", "VBG", "VBN", "RB", "WDT", *FINITE})
LONGEST = 5  # tags of what is added
SPELT = 4  # ways to spell a phrase out that are tried, the likeliest
PER_PHRASE = 12  # richer productions of a phrase
TRIED = 20_000  # steps of the search for them


class GrammarGap(msgspec.Struct, frozen=True):
    """Where words may go in: before which token, with which tags, as which phrase of which production."""

    index: int
    tags: tuple[str, ...]
    adds: str
    label: str
    parts: Symbols
    likelihood: float

    @property
    def production(self) -> str:
        """As it is written."""
        return f"{self.label} -> {' '.join(self.parts)}"


def grammar_gaps(parse: Parse, grammar: Grammar) -> list[GrammarGap]:
    """Where a sentence may grow by a production that it lacks, the likeliest first."""
    tree = tree_of(parse)
    if tree is None:
        return []
    has = {(label, parts) for label, parts, _ in productions(tree)}
    found: dict[tuple[int, tuple[str, ...]], GrammarGap] = {}
    for label, parts, node in productions(tree):
        for longer, before, symbol in richer(label, parts, grammar):
            if (label, longer) in has:
                continue
            index = node.children[before].start if before < len(node.children) else node.end
            adverb = symbol == "ADVP"
            fits = bears_first(parse, node, longer) if index == 0 else bears(parse, index, adverb)
            fits = fits and suits(parse, index, symbol)
            if not fits:
                continue
            odds = grammar.probability(label, longer)
            for tags, own in spelt(symbol, grammar):
                gap = GrammarGap(index, tags, symbol, label, longer, odds * own)
                known = found.get((index, tags))
                if known is None or known.likelihood < gap.likelihood:
                    found[index, tags] = gap
    return sorted(found.values(), key=lambda gap: (-gap.likelihood, gap.index, gap.tags))


def richer(label: str, parts: Symbols, grammar: Grammar) -> Iterator[tuple[Symbols, int, str]]:
    """The longer productions of a phrase: all parts, before which of the old ones the new one is, and which it is."""
    allowed = PHRASES | WORDS
    for longer in grammar.superstructures(label, parts, allowed, 1)[:PER_PHRASE]:
        for ((before, symbol),) in insertions(longer, parts, allowed):
            yield longer, before, symbol
    for symbol in OPENINGS:
        before_all = (symbol, ",", *parts)
        if label == "S" and grammar.probability(label, before_all) > 0:
            yield before_all, 0, symbol
    if label == "NP" and "CC" not in parts and grammar.probability("NP", ("NP", "CC", "NP")) > 0:
        yield ("NP", "CC", "NP"), len(parts), JOINED
    for symbol in sorted(PHRASES):
        if label != symbol and grammar.probability(label, (label, symbol)) > 0:
            yield (label, symbol), len(parts), symbol


@cache
def spelt(symbol: str, grammar: Grammar) -> tuple[tuple[tuple[str, ...], float], ...]:
    """A phrase as tags that can be filled, the likeliest ways by the grammar with their probabilities."""
    if symbol in TAGS:
        return (((symbol,), 1.0),)
    if symbol == JOINED:
        things = [row for row in spelt("PP", grammar) if row[0][0] == "IN"]
        return tuple((("CC", *tags[1:]), odds) for tags, odds in things)
    if symbol == "ADVP":  # of one word: longer ones compare or measure
        return ((("RB",), 1.0),)
    heap: list[tuple[float, tuple[str, ...]]] = [(-1.0, (symbol,))]
    done: list[tuple[tuple[str, ...], float]] = []
    seen = 0
    while heap and len(done) < SPELT and seen < TRIED:
        seen += 1
        odds, row = heapq.heappop(heap)
        open_parts = (at for at, one in enumerate(row) if one in grammar.counts and one not in TAGS)
        at = next(open_parts, None)
        if at is None:
            if row not in [tags for tags, _ in done] and complete(symbol, row):
                done.append((row, -odds))
            continue
        for parts in grammar.counts[row[at]]:
            longer = (*row[:at], *parts, *row[at + 1 :])
            known = all(one in TAGS or one in grammar.counts for one in parts)
            if len(longer) <= LONGEST and known:
                heapq.heappush(heap, (odds * grammar.probability(row[at], parts), longer))
    return tuple(done)


def complete(symbol: str, tags: tuple[str, ...]) -> bool:
    """Whether tags are a whole phrase of its kind: trees without traces lose what clauses are made of."""
    if symbol == "SBAR":
        starts = tags[0] == "WDT" and len(tags) > 2 and tags[1] in FINITE
        return starts and not FINITE & set(tags[2:])
    if symbol == "VP":
        return tags[0] in ("VBN", "VBG") and len(tags) > 2 and not FINITE & set(tags)
    return symbol != "PP" or (tags[0] == "IN" and len(tags) > 1 and tags[-1] in ("NN", "NNS"))


def suits(parse: Parse, index: int, symbol: str) -> bool:
    """Whether a place suits what is added: adjectives before nouns, another thing behind an object that ends the text.

    Phrases and clauses behind a subject read badly whatever a model thinks of them ("the cream of the crop irritates my
    skin"), and so does anything between a verb and its object. An adverb tells how something is done: right before the
    verb.
    """
    if not index:
        return True
    left, right = parse.tokens[index - 1], parse.tokens[index]
    if symbol in WORDS:
        named = left_alone("never_modified") | abusive() | groups(parse.language or DEFAULT)
        noun = right.tag in ("NN", "NNS") and right.text.lower() not in named
        return noun and left.tag not in ("NN", "NNS", "JJ", "VBZ", "VBD", "VBP")
    if left.pos == "VERB" and any(
        t.head == index - 1 and t.relation == "dobj" for t in parse.tokens
    ):
        return False
    if symbol == "ADVP":
        acts = left.relation.startswith("nsubj") or (left.tag == "CC" and right.relation == "conj")
        return acts and right.tag in FINITE | {"VB"} and right.pos == "VERB"
    if left.relation.startswith("nsubj"):
        return False
    if symbol == JOINED:
        thing = left.relation == "dobj" and left.tag in ("NN", "NNS")
        return thing and right.text == "."
    return True


@cache
def groups(language: str) -> frozenset[str]:
    """Words that name people, or abuse them: never added, and said to be nothing else than they are."""
    named = {word for term in term_lists(language).get("identity", ()) for word in term.split()}
    return frozenset(word.lower() for word in named) | abusive()


def bears_first(parse: Parse, node: Tree, longer: Symbols) -> bool:
    """Whether a whole statement may have a phrase and a comma before it: one that begins with no name or aside."""
    first = parse.tokens[0]
    whole = (node.start, node.end) == (0, len(parse.tokens)) and longer[1] == ","
    plain = first.pos in ("DET", "PRON", "NOUN", "VERB", "ADJ") and first.text[:1].isupper()
    return whole and plain and not any(t.text == "," for t in parse.tokens[:FEW])


def bears(parse: Parse, index: int, adverb: bool) -> bool:
    """Whether a place may take more words: not first, within no name, number or contraction, beside no mark."""
    if not 0 < index < len(parse.tokens):
        return False
    left, right = parse.tokens[index - 1], parse.tokens[index]
    ends = right.text == "." and index + 1 == len(parse.tokens)
    if right.pos == "PUNCT" and not ends:
        return False
    if glued(parse, index) and not ends:
        return False
    if adverb:  # whoever acts may do it quickly
        return left.pos in ("NOUN", "PROPN", "PRON", "CCONJ")
    named = left.tag.startswith("NNP") or left.pos in ("PUNCT", "PRON", "NUM", "SYM")
    return not named and left.text.lower() not in left_alone("never_modified") | abusive()
