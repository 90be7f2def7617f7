"""Whether a noun phrase goes on before its beginning or behind its end, so that a cut leaves part of it behind."""

from __future__ import annotations

from polyglitch.languages import language as language_of
from polyglitch.mutate.universal_cut_rules import HEADS, JOINERS
from polyglitch.records import Parse, Tree

PRENOMINAL = ("amod", "compound", "nummod", "poss", "predet")  # what stands before its noun
DETERMINING = ("det", "poss", "nummod", "predet")
TELLING_WHICH = ("relcl", "acl")  # relations of a clause behind its noun


def left_behind(parse: Parse, node: Tree) -> bool:
    """Whether something of the phrase stands before it, or after it: "The | setup wizard copies the files".

    "Three | out of four residents", "files | smaller than 10 MB", "between 15 and 20 | of the birds".
    """
    first, last = parse.tokens[node.start], parse.tokens[node.end - 1]
    before = parse.tokens[node.start - 1] if node.start else None
    after = parse.tokens[node.end : node.end + 1]
    if first.pos == "ADP" or first.tag == "TO":
        return True  # "up | to two days"
    ranged = first.tag == "CD" and parse.tokens[node.start + 1].pos == "CCONJ"
    if ranged and before is not None and before.pos == "ADP":
        return True  # "between | seven and nine hours"
    ended = not after or after[0].pos == "PUNCT"
    owner = parse.tokens[last.head]
    if last.tag == "POS" and ((owner.relation != "poss" and ended) or owner.tag == "NNS"):
        return True  # "borrow my sister's", a thing of hers; "a children's | hospice"
    glued = after and after[0].start == last.end and after[0].text[0] in JOINERS
    if glued and after[0].text[0] not in "'’":  # "the company web | -site"
        return True
    if after and last.tag == "CD" and after[0].text.lower() in noun_prepositions(parse):
        return True
    return before is not None and (
        before.pos == "DET"
        or (before.pos in HEADS and first.tag == "JJR")
        or (before.relation in PRENOMINAL and before.head in range(node.start, node.end))
    )


def goes_on(parse: Parse, node: Tree, head: int) -> bool:
    """Whether what tells which one is meant stands right behind the phrase: "a party | which delays", "a part | of it".

    "A licence | to copy the work", "dried ones | soaked in tea", "the coldest night of the winter | so far", "thirty
    pounds | a bottle", "two spoons | of brandy".
    """
    tokens, known = parse.tokens, language_of(parse.language)
    after = tokens[node.end : node.end + 2]
    if not after or after[0].pos == "PUNCT":
        return False
    lowered = tuple(one.text.lower() for one in after)
    if lowered in known.phrases("ends_of_superlatives").get(lowered[0], ()):
        return True
    last, parts = tokens[node.end - 1].lemma.lower(), known.words("never_replaced")
    if lowered[0] in noun_prepositions(parse) and last in parts | known.words("units"):
        return last not in known.words("times")  # "within thirty days | of receipt" says enough
    if after[0].pos == "DET" and after[-1].relation == "npadvmod" and after[-1].head == head:
        return True
    return any(
        one.head == head
        and one.relation in TELLING_WHICH
        and (after[0].tag == "WP$" or min(place, first_below(parse, place)) == node.end)
        for place, one in enumerate(tokens[node.end :], node.end)
    )


def first_below(parse: Parse, place: int) -> int:
    """Where the first of the words stands that hang on a word."""
    return min((i for i, one in enumerate(parse.tokens) if one.head == place), default=place)


def adjective_shared(parse: Parse, node: Tree, head: int) -> bool:
    """Whether an adjective goes with a noun behind the phrase too: "sufficient staff, | crockery and equipment".

    And "in print, audio and electronic | form".
    """
    tokens, last = parse.tokens, node.end - 1
    if tokens[last].pos == "ADJ" and tokens[last - 1].pos == "CCONJ":
        return True
    if tokens[node.start].pos != "ADJ" or determined(parse, head):
        return False
    return any(one.head == head and one.relation == "conj" for one in tokens[node.end :])


def determined(parse: Parse, place: int) -> bool:
    """Whether a noun has an article, a possessive or a quantity before it."""
    before = parse.tokens[max(0, place - 4) : place]
    return any(one.head == place and one.relation in DETERMINING for one in before)


def noun_prepositions(parse: Parse) -> frozenset[str]:
    """The prepositions that go on from a noun, such as `of`."""
    return language_of(parse.language).words("noun_prepositions")
