"""Where a sentence may grow: by what richer productions of the grammar have that its own phrases lack.

By one word, or by a phrase between commas where an adverb may stand. Phrases and clauses: `phrase_frames`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from polyglitch.errors import Missing
from polyglitch.languages import DEFAULT, having
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.terms import abuse_lists
from polyglitch.nlp.parsers.constituents import Grammar, insertions, productions, tree_of
from polyglitch.records import Parse, Token, Tree, digest

# Tags that a word can fill without changing who does what; a lone adverb is an ADVP of its own. Under universal tags,
# which say nothing of agreement, only adverbs: they have one form.
FILLABLE = {"JJ": "JJ", "RB": "RB", "NN": "NN", "ADVP": "RB"}
UNIVERSAL = {"ADV": "ADV", "ADVP": "ADV"}
ADVERBS = ("RB", "ADV")
COPULAS = ("ser", "estar", "haver")  # an adverb follows them
MOST_NEW = 1  # two words at once read badly far more often than one
PER_PRODUCTION = 5  # richer productions tried for each phrase, likeliest first (the paper's top 5)
# Heads that a noun may be put before: NN NN must keep its last noun as the head.
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})


@dataclass(frozen=True)
class GrowthPlace:
    """Where words may go in: before which token, with which tags; and the production that says so."""

    index: int
    tags: tuple[str, ...]
    label: str
    likelihood: float


def places(parse: Parse, grammar: Grammar) -> list[GrowthPlace]:
    """Where a sentence may grow, likeliest first, each place and tags once."""
    tree = tree_of(parse)
    if tree is None:
        return []
    fillable = (
        UNIVERSAL if all(token.tag.startswith(token.pos) for token in parse.tokens) else FILLABLE
    )
    allowed = frozenset(fillable)
    found: dict[tuple[int, tuple[str, ...]], GrowthPlace] = {}
    for label, parts, node in productions(tree):
        richer = grammar.superstructures(label, parts, allowed, MOST_NEW)
        for longer in richer[:PER_PRODUCTION]:
            likelihood = grammar.probability(label, longer)
            for added in insertions(longer, parts, allowed):
                tags = tuple(fillable[symbol] for _, symbol in added)
                place = place_of(added, tags, node, parse, label, likelihood)
                if place:
                    found.setdefault((place.index, place.tags), place)
    return sorted(found.values(), key=lambda each: (-each.likelihood, each.index, each.tags))


def place_of(
    added: tuple[tuple[int, str], ...],
    tags: tuple[str, ...],
    node: Tree,
    parse: Parse,
    label: str,
    likelihood: float,
) -> GrowthPlace | None:
    """The place of an insertion, where it keeps heads, fixed phrases and quotes as they are."""
    if len({before for before, _ in added}) > 1 or added[0][0] >= len(node.children):
        return None  # at the end of a phrase the added word would become the head, or float
    child = node.children[added[0][0]]
    token = parse.tokens[child.start]
    if token.text.lower() in left_alone("never_modified") | abusive():
        return None
    if "NN" in tags and (child.children or token.tag not in NOUNS or tags[-1] != "NN"):
        return None
    if "JJ" in tags and token.tag not in NOUNS:
        return None  # before another adjective it reads badly: "the western new bridge"
    if tags[-1] in ADVERBS and (child.label in ("S", "SBAR", "NP") or not _takes_adverb(token)):
        return None
    if child.start and (glued(parse, child.start) or _crowded(parse.tokens[child.start - 1], tags)):
        return None
    if tags[-1] in ADVERBS and any(
        t.pos == "ADV" for t in parse.tokens[child.start - 2 : child.start]
    ):
        return None  # "rarely have recently received"
    following = parse.tokens[child.start + 1 : child.start + 2]
    if any(t.tag in ("POS", "HYPH") for t in following) and tags[-1] not in ADVERBS:
        return None  # "a bus driver's licence" is another licence, "urban land-based" half a word's
    return GrowthPlace(child.start, tags, label, likelihood)


def _takes_adverb(token: Token) -> bool:
    """Whether an adverb reads well before a word: a finite verb, a participle or an adjective."""
    tags = ("VBD", "VBG", "VBN", "VBP", "VBZ", "JJ", "VERB", "AUX", "ADJ")
    if token.tag == "VERB" and (token.relation == "cop" or token.lemma in COPULAS):
        return False
    counts = token.lemma in left_alone("counting")
    fits = token.pos in ("VERB", "ADJ") and token.tag in tags and not counts
    return fits and not token.text[:1].isupper()


def _crowded(before: Token, tags: tuple[str, ...]) -> bool:
    """Whether the word before would be parted from its noun, or two adverbs would meet."""
    if tags[0] in ADVERBS:
        close = before.tag in ("DT", "IN", "JJ", "DET", "ADJ", "ADP") or before.relation == "obj"
        return (
            before.pos in ("ADV", "PART")
            or close
            or before.text.lower() in left_alone("no_adverb_after")
        )
    if "NN" in tags and before.lemma in left_alone("definite"):
        return True  # "the video game" is not the game that was spoken of
    return before.tag in NOUNS or before.tag in ("JJR", "JJS", "RB", "RBR", "RBS", "HYPH", "POS")


def glued(parse: Parse, index: int) -> bool:
    """Whether a token hangs on the one before it: `can't`, `co-star`, or a name of several words."""
    before, token = parse.tokens[index - 1], parse.tokens[index]
    name = before.tag.startswith("NNP") and token.tag.startswith("NNP")
    number = before.pos == "NUM" or before.text in "$£€#"
    return (before.end == token.start and before.text not in '"“(') or name or number


@cache
def left_alone(kind: str) -> frozenset[str]:
    """Words that are `never_added`, `never_modified` and so on, of all languages: hardly one is in two."""
    tables = [
        language_of(code).table("expansion.toml", "expansion") for code in having("expansion.toml")
    ]
    return frozenset(word for table in tables for word in table.get(kind, "").split())


def expansion_table(language: str) -> dict[str, Any]:
    """What a language has for expansion; nothing where it has no such data."""
    try:
        return language_of(language).table("expansion.toml", "expansion")
    except Missing:
        return {}


@cache
def abusive() -> frozenset[str]:
    """Slurs and profanity, which a modifier would soften or point elsewhere; none where they were dropped."""
    try:
        return frozenset(abuse_lists()["slur"]) | frozenset(abuse_lists()["profanity"])
    except Missing:
        return frozenset()


WORDS = {"JJ": "JJ", "RB": "RB", "ADVP": "RB"}  # what is added by one word, and its tag
PER_GAP = 8  # richer productions of each phrase, the likeliest
MOST_GAPS = 8  # of a sentence that are filled: each costs the model some fifty tokens
ASIDE = (",", "IN", "NN", ",")  # ", of course,"
FINITE = ("VBZ", "VBP", "VBD", "MD")
# Within these clauses a word of the writer's certainty speaks for somebody else, or of what is not said to be so.
BELOW = frozenset({"advcl", "acl", "ccomp", "xcomp", "csubj", "pcomp", "parataxis", "dep"})
BREAKS = frozenset({",", ";", ":", "--", "-", "...", "\u2013", "\u2014"})
FEW = 3  # tokens beside a phrase between commas in which no such mark may stand
ENDS = frozenset({".", ",", ":", "''", "-RRB-"})


class WideGap(msgspec.Struct, frozen=True):
    """Where words may go in: before which token, with which tags, and how likely the production is."""

    index: int
    tags: tuple[str, ...]
    likelihood: float


def wide_gaps(parse: Parse, grammar: Grammar) -> list[WideGap]:
    """Where a sentence may grow, the places taking turns, the likeliest tags of each first."""
    tree = tree_of(parse)
    if tree is None:
        return []
    found: dict[tuple[int, tuple[str, ...]], WideGap] = {}
    allowed = frozenset(WORDS)
    for label, parts, node in productions(tree):
        ways = [
            (added, grammar.probability(label, longer))
            for longer in grammar.superstructures(label, parts, allowed, MOST_NEW)[:PER_GAP]
            for added in insertions(longer, parts, allowed)
        ]
        for ((before, symbol),), likelihood in ways:
            index = node.children[before].start if before < len(node.children) else node.end
            gap = WideGap(index, (WORDS[symbol],), likelihood)
            known = found.get((gap.index, gap.tags))
            if known is not None and known.likelihood >= likelihood:
                continue
            if bears(parse, node, before, index, gap.tags):
                found[gap.index, gap.tags] = gap
    if odds := aside_odds(grammar):
        sure = [
            gap for gap in found.values() if gap.tags == ("RB",) and bears_commas(parse, gap.index)
        ]
        found |= {(gap.index, ASIDE): WideGap(gap.index, ASIDE, odds) for gap in sure}
    ordered = sorted(found.values(), key=lambda gap: (-gap.likelihood, gap.index, gap.tags))
    return by_turns(ordered)[:MOST_GAPS]


def bears_commas(parse: Parse, index: int) -> bool:
    """Whether a phrase between commas may stand before a token: far from others, and not behind *there* or *who*."""
    near = parse.tokens[max(0, index - FEW) : index + FEW - 1]
    left = parse.tokens[index - 1]
    alone = left.relation == "expl" or left.tag == "WP"
    return not alone and not any(t.text in BREAKS for t in near)


@cache
def aside_odds(grammar: Grammar) -> float:
    """The share of statements that have a phrase between commas within them: S -> NP , PP , VP ."""
    rows = grammar.counts.get("S", {})
    with_aside = [parts for parts in rows if parts[:5] == ("NP", ",", "PP", ",", "VP")]
    return sum(grammar.probability("S", parts) for parts in with_aside)


def sure_places(parse: Parse, grammar: Grammar) -> Iterator[tuple[WideGap, list[tuple[str, ...]]]]:
    """Where certainty may be told, and the words, in an order of its own for every sentence: needs no model."""
    table = expansion_table(parse.language or DEFAULT)
    asides = [(one, two) for one, some in table.get("asides", {}).items() for two in some.split()]
    ways: dict[tuple[str, ...], list[tuple[str, ...]]] = {
        ("RB",): [(word,) for word in table.get("closed", {}).get("RB", "").split()],
        ASIDE: [(",", *words, ",") for words in asides],
    }
    for gap in wide_gaps(parse, grammar):
        if gap.tags in ways:
            yield gap, sorted(ways[gap.tags], key=lambda words: digest([parse.text, *words]))


def by_turns(gaps: list[WideGap]) -> list[WideGap]:
    """First the likeliest of every place and kind, then the next of each."""
    turns: dict[tuple[int, str], int] = {}
    keyed: list[tuple[int, int, WideGap]] = []
    for gap in gaps:
        place = gap.index, gap.tags[0]
        turns[place] = turns.get(place, 0) + 1
        keyed.append((turns[place], len(keyed), gap))
    return [gap for _, _, gap in sorted(keyed, key=lambda row: row[:2])]


def bears(parse: Parse, node: Tree, before: int, index: int, tags: tuple[str, ...]) -> bool:
    """Whether words of these tags leave who does what as it is at this place."""
    if index == 0 or any(quoted in parse.tokens[index - 1].text for quoted in '"“`('):
        return False
    right = parse.tokens[index] if index < len(parse.tokens) else None
    if tags == ("RB",):
        return right is not None and sure_of(parse, index)
    if tags == ("JJ",) and right is not None and right.tag in ("NN", "NNS"):
        definite = parse.tokens[index - 1].text.lower() in left_alone("definite")
        return definite and place_of(((before, "JJ"),), tags, node, parse, "", 0.0) is not None
    return False


def asks(parse: Parse) -> bool:
    """Whether the text asks or exclaims, which what is added may turn: "What a vast enterprise has been ..."."""
    return "?" in parse.text or parse.text.startswith(("What a ", "What an ", "How "))


def sure_of(parse: Parse, index: int) -> bool:
    """Whether a word of certainty may stand before a token: between subject and verb, behind *is* or *will*."""
    left, right = parse.tokens[index - 1], parse.tokens[index]
    near = [*parse.tokens[max(0, index - 2) : index], right]
    if right.lemma in left_alone("compares") and left.lemma == "be":
        near.pop()
    if index == 0 or asks(parse) or any(t.pos in ("ADV", "PART") for t in near) or said(parse):
        return False
    if (
        left.tag in FINITE and left.pos == "AUX" and left.lemma != "get"
    ):  # behind a copula or an auxiliary
        helps = left.relation in ("aux", "auxpass")
        if helps and right.tag not in ("VB", "VBN", "VBG"):
            return False
        verb = left.head if helps else index - 1
        if own_past(parse, verb, index - 1):
            return False
        return right.tag not in (*ENDS, "IN", "TO", "JJS", "RBS", "CC") and asserted(parse, verb)
    if right.tag not in ("VBZ", "VBP", "VBD") or right.pos == "AUX" or left.pos == "AUX":
        return False
    if like_participle(parse, index):
        return False
    subject = left.pos in ("NOUN", "PROPN", "PRON") and left.head == index
    if own_past(parse, index, index):
        return False
    return subject and right.text[:1].islower() and asserted(parse, index)


def own_past(parse: Parse, verb: int, finite: int) -> bool:
    """Whether writers tell what they did or what was done to them, of which they need not be sure."""
    past = parse.tokens[finite].tag == "VBD" or parse.tokens[verb].tag == "VBN"
    own = left_alone("first_person")
    return past and any(
        t.head == verb and t.relation.startswith("nsubj") and t.text.lower() in own
        for t in parse.tokens
    )


def like_participle(parse: Parse, index: int) -> bool:
    """Whether a past tense may be a participle of the noun before it: "a film determined to"."""
    after = parse.tokens[index + 1 : index + 2]
    return parse.tokens[index].tag == "VBD" and bool(after) and after[0].pos in ("ADP", "PART")


def said(parse: Parse) -> bool:
    """Whether a text tells already how sure its writer is."""
    words = expansion_table(parse.language or DEFAULT).get("closed", {}).get("RB", "").split()
    own = {token.text.lower() for token in parse.tokens}
    return not own.isdisjoint(words) or not own.isdisjoint(left_alone("unsure"))


def asserted(parse: Parse, place: int) -> bool:
    """Whether what a verb says is said by the writer of the text: no clause above it takes it in."""
    seen: set[int] = set()
    while place not in seen:
        seen.add(place)
        token = parse.tokens[place]
        if token.relation in BELOW:
            return False
        if token.head == place or token.relation == "ROOT":
            return True
        place = token.head
    return False
