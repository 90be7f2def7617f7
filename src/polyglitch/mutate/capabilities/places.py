"""Where a sentence may grow: by what richer productions of the grammar have that its own phrases lack.

By one word or by several: any richer production, spelt out as tags. What a production adds may be a word (JJ) or a
phrase (PP); a phrase is spelt out by its own likeliest productions until only tags are left that a filler has words
for.

A whole statement may grow by a set phrase before it, where the grammar has such a production. `S -> NP VP .` becomes
`S -> PP , NP VP .` ("For the record, ..."); it, or a noun phrase that stands for one, may grow by a phrase behind it:
`NP -> NP , SBAR .` ("..., as I said before."). The phrases are data of the language: they take no side, report nobody
else's view and soften nothing, so that the label stays. They stand outside of the statement, so rules that quote a
sentence do not take them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import msgspec

from polyglitch.errors import Missing
from polyglitch.languages import having
from polyglitch.languages import language as language_of
from polyglitch.mutate.slots import begins_with_name
from polyglitch.nlp.lexicons.terms import abuse_lists
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.parsers.grammar import Grammar, insertions, productions
from polyglitch.protocols import Parse, Token, Tree
from polyglitch.records import digest

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


@cache
def abusive() -> frozenset[str]:
    """Slurs and profanity, which a modifier would soften or point elsewhere; none where they were dropped."""
    try:
        return frozenset(abuse_lists()["slur"]) | frozenset(abuse_lists()["profanity"])
    except Missing:
        return frozenset()


TAGS = frozenset({"JJ", "RB", "NN", "NNS", "IN", "DT", "PRP$", "CC"})
PHRASES = frozenset({"PP", "ADVP", "ADJP", "NP"})
LONGEST = 4  # words added at once
DEPTH = 3  # of phrases within an added phrase
SPELLINGS = 6  # ways to spell a phrase out, the likeliest
PER_GAP = 8  # richer productions of each phrase, the likeliest
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
        for longer in grammar.superstructures(label, parts, allowed, 2)[:PER_GAP]:
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


PLAIN = ("NP", "VP", ".")  # what a statement is at its core, whatever else it holds
# Tokens: behind a long sentence a phrase hangs on its last clause alone.
MIN_CLOSED, MAX_CLOSED = 5, 28
KEPT_CAPITAL = ("I", "I'm", "I've", "I'd", "I'll")


class SetPhrase(msgspec.Struct, frozen=True):
    """A phrase as it is written inside a sentence, and what it is in the grammar."""

    text: str
    label: str


@cache
def set_phrases(language: str, place: str = "opening") -> tuple[SetPhrase, ...]:
    """Those of a language for a place; none where its data has none."""
    try:
        table = language_of(language).table("expansion.toml", "expansion").get(place, {})
    except Missing:
        table = {}
    return tuple(SetPhrase(text, label) for label, texts in table.items() for text in texts)


def opened_texts(parse: Parse, grammar: Grammar, language: str) -> Iterator[tuple[SetPhrase, str]]:
    """The statement after each phrase that the grammar allows, in an order of its own for every sentence."""
    tree = tree_of(parse)
    if tree is None or not tree.children or not is_statement(parse, tree.label):
        return
    first = tree.children[0]
    node = first if first.label == "S" and first.children else tree  # the first of two statements
    parts = tuple(child.label for child in node.children)
    if parts[0] != "NP" or parts[1] == "," or "VP" not in parts:
        return  # it begins with a phrase of that kind already, or is no plain statement
    rest = without_capital(parse)
    for phrase in sorted(set_phrases(language), key=lambda one: digest([parse.text, one.text])):
        richer = ((phrase.label, ",", *parts), (phrase.label, ",", *PLAIN))
        if any(grammar.probability(node.label, longer) > 0 for longer in richer):
            yield phrase, f"{phrase.text[:1].upper()}{phrase.text[1:]}, {rest}"


def closed_texts(parse: Parse, grammar: Grammar, language: str) -> Iterator[tuple[SetPhrase, str]]:
    """The statement before each phrase that the grammar allows behind such a one."""
    tree = tree_of(parse)
    if tree is None or not may_close(parse, tree.label):
        return
    phrases = set_phrases(language, "closing")
    for phrase in sorted(phrases, key=lambda one: digest([one.text, parse.text])):
        if phrase.label in behind(grammar, tree.label):
            yield phrase, f"{parse.text[:-1]}, {phrase.text}."


@cache
def behind(grammar: Grammar, label: str) -> frozenset[str]:
    """What may stand behind a comma at the end of a phrase, or of the verb phrase that ends a clause."""
    ends = [*grammar.counts.get(label, {}), *(grammar.counts.get("VP", {}) if label == "S" else {})]
    plain = [parts[:-1] if parts[-1] == "." else parts for parts in ends]
    return frozenset(parts[-1] for parts in plain if len(parts) > 2 and parts[-2] == ",")


def may_close(parse: Parse, label: str) -> bool:
    """One sentence or noun phrase, begun and ended as such, without an afterthought of its own."""
    if label not in ("S", "NP") or not parse.text.endswith(".") or parse.text.endswith(".."):
        return False
    if not parse.text[:1].isupper() or not MIN_CLOSED <= len(parse.tokens) <= MAX_CLOSED:
        return False
    last = parse.tokens[-4:-1]
    marks = any(token.text in ("!", "?", ":", ";", "(", ")") for token in parse.tokens)
    quotes = any(mark in parse.text for mark in '"`“”') or " '" in parse.text
    return (
        not marks
        and not quotes
        and last[-1].text[-1:].isalpha()
        and "," not in [t.text for t in last]
    )


def is_statement(parse: Parse, label: str) -> bool:
    """One sentence that ends as a statement does and quotes nothing."""
    marks = sum(token.text in (".", "!", "?") for token in parse.tokens)
    return label == "S" and parse.text.endswith(".") and marks == 1 and '"' not in parse.text


def without_capital(parse: Parse) -> str:
    """The sentence as it stands after a comma."""
    first = parse.tokens[0]
    if first.text in KEPT_CAPITAL or (first.tag.startswith("NNP") and begins_with_name(parse)):
        return parse.text
    return parse.text[:1].lower() + parse.text[1:]
