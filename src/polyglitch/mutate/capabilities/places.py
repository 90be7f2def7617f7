"""Where a sentence may grow: what richer productions of the grammar have that its own phrases lack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from polyglitch.errors import Missing
from polyglitch.languages import having
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.terms import abuse_lists
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.parsers.grammar import Grammar, insertions, productions
from polyglitch.protocols import Parse, Token, Tree

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
    return GrowthPlace(child.start, tags, label, likelihood)


def _takes_adverb(token: Token) -> bool:
    """Whether an adverb reads well before a word: a finite verb, a participle or an adjective."""
    tags = ("VBD", "VBG", "VBN", "VBP", "VBZ", "JJ", "VERB", "AUX", "ADJ")
    if token.tag == "VERB" and (token.relation == "cop" or token.lemma in COPULAS):
        return False
    return token.pos in ("VERB", "ADJ") and token.tag in tags and not token.text[:1].isupper()


def _crowded(before: Token, tags: tuple[str, ...]) -> bool:
    """Whether the word before would be parted from its noun, or two adverbs would meet."""
    if tags[0] in ADVERBS:
        close = before.tag in ("DT", "JJ", "DET", "ADJ", "ADP") or before.relation == "obj"
        return before.pos in ("ADV", "PART") or close or before.lemma == "do"
    return before.tag in NOUNS or before.tag in ("JJR", "JJS", "RB", "RBR", "RBS", "HYPH", "POS")


def glued(parse: Parse, index: int) -> bool:
    """Whether a token hangs on the one before it: `can't`, `co-star`, or a name of several words."""
    before, token = parse.tokens[index - 1], parse.tokens[index]
    name = before.tag.startswith("NNP") and token.tag.startswith("NNP")
    number = before.pos == "NUM" or before.text in "$£€#"
    return (before.end == token.start and before.text not in '"“(') or name or number


@cache
def left_alone(kind: str) -> frozenset[str]:
    """Words that are `never_added`, or `never_modified`, of all languages: hardly one is in two."""
    tables = [
        language_of(code).table("expansion.toml", "expansion") for code in having("expansion.toml")
    ]
    return frozenset(word for table in tables for word in table[kind].split())


@cache
def abusive() -> frozenset[str]:
    """Slurs and profanity, which a modifier would soften or point elsewhere; none where they were dropped."""
    try:
        return frozenset(abuse_lists()["slur"]) | frozenset(abuse_lists()["profanity"])
    except Missing:
        return frozenset()
