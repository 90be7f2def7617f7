"""Whether a noun phrase of a parse is one for certain, so that RTI cuts nothing that a reader would cut elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from polyglitch.languages import language as language_of
from polyglitch.mutate.phrase_edges import adjective_shared, determined, goes_on, left_behind
from polyglitch.mutate.universal_cut_rules import HEADS, NOMINAL, nominal
from polyglitch.mutate.verbs_in_doubt import (
    SURE,
    ends_in_verb,
    participle_in_doubt,
    shared_out,
    verb_in_doubt,
    verb_joined,
)
from polyglitch.nlp.proposers.slot_words import idiom_words, word_classes
from polyglitch.records import Parse, Token, Tree

OPEN_END = ("CCONJ", "ADP", "DET", "SCONJ")  # what no phrase ends with: "trouble breathing or"
MODIFIED = ("NOUN", "ADJ", "PROPN", "CCONJ", "VERB", "NUM")  # what an adjective may stand before
FINITE = ("VBZ", "VBP", "VBD", "MD")  # tags of a verb that has its subject before it
BEFORE_NO_ARTICLE = ("NOUN", "PROPN", "ADJ")  # after these no article follows in one phrase


def rightly_cut(parse: Parse, node: Tree) -> bool:
    """Whether a noun phrase is one for certain: where a parser may have taken what belongs to a verb, it is not.

    "Inform the seller of any damage", "serve the soup hot", "given by a nurse in the arm": after a noun that is no
    subject, only `of` is trusted, an adjective or adverb never, and a phrase has one head.
    """
    words = range(node.start, node.end)
    if not any(parse.tokens[i].relation for i in words):
        return not torn_from_idiom(parse, node)  # made of tags, by rules that have no verb in them
    heads = [i for i in words if parse.tokens[i].head not in words or parse.tokens[i].head == i]
    if len(heads) != 1 or torn_from_idiom(parse, node) or parse.tokens[words[-1]].pos in OPEN_END:
        return False
    if parse.universal and not nominal(parse, node, heads[0]):
        return False
    if ends_in_verb(parse, node) or misread(parse, node, heads[0]) or loosely_joined(parse, node):
        return False
    if part_of_list(parse, node, heads[0]):
        return False
    if not parse.universal and (
        left_behind(parse, node)
        or goes_on(parse, node, heads[0])
        or adjective_shared(parse, node, heads[0])
        or verb_in_doubt(parse, node)
        or shared_out(parse, node, heads[0])
        or participle_in_doubt(parse, node, heads[0])
    ):
        return False
    subject = parse.tokens[heads[0]].relation in SURE
    for place in words[1:]:
        token, before = parse.tokens[place], parse.tokens[place - 1]
        last = place + 1 == node.end or parse.tokens[place + 1].pos not in MODIFIED
        # Where adjectives follow their noun, a universal parser tells one from what is said of it.
        told = parse.universal and token.relation == "amod"
        if before.pos == "NOUN" and token.pos in ("ADJ", "ADV") and last and not told:
            return False
        # An adjective may stand between, and a number be the noun: "print one | from our website".
        counted = before.pos in ("NUM", "PRON") and before.relation == "dobj"
        behind = before.pos in HEADS or counted or parse.universal
        if token.pos == "ADP" and behind and not subject and asked_for(parse, place):
            return False
    return True


def part_of_list(parse: Parse, node: Tree, head: int) -> bool:
    """Whether a phrase is the end of a longer list, or joins what belongs to different words.

    "a lamp, | a tuba and a wife", "a layer of | jelly and far too much cream", "the spoon with | the syrup, not one".
    """
    words, tokens, known = range(node.start, node.end), parse.tokens, language_of(parse.language)
    joined = [i for i in words if tokens[i].head == head and tokens[i].relation == "conj"]
    if any(
        tokens[i].text == "," and tokens[i + 1].text.lower() in known.negation.words
        for i in words[:-1]
    ):
        return True
    # Behind "and" a quantity begins a phrase of its own, whatever a parser makes of the word before.
    if any(
        tokens[i].pos == "CCONJ"
        and {one.text.lower() for one in tokens[i + 1 : i + 4]} & known.words("quantities")
        for i in words[1:-1]
    ):
        return True
    if any(
        tokens[tokens[i].head].relation == "pobj"
        and tokens[i].relation == "conj"
        and determined(parse, i)
        and not determined(parse, tokens[i].head)
        for i in words
        if tokens[i].head in words
    ):
        return True
    if not joined:
        return False
    above, listed = tokens[head].head, tokens[head].relation in ("conj", "appos")
    if tokens[max(0, node.start - 1)].text == "," and any(
        (one.head, one.relation) == (above, "dobj") for one in tokens[:head]
    ):
        return tokens[head].relation == "dobj"  # "took the tents, | the boats and the dogs"
    return listed and tokens[above].pos in NOMINAL


def loosely_joined(parse: Parse, node: Tree) -> bool:
    """Whether the end of a phrase may belong to the whole sentence: what comes after a comma, or tells when.

    "doubled in size, | which takes an hour", "lay on the carpet, | sealed with wax", "rows that match the filter, | or
    zero", "into the kitchen, | chaos", "on Friday | when it failed", "within ten days | of receipt", "for two days |
    next week", and of "the tablet whole" the last word says how it is swallowed.
    """
    words, known = parse.tokens[node.start : node.end], language_of(parse.language)
    if words[-1].text.lower() in known.words("said_of_objects"):
        return True
    counted = any(one.pos == "NUM" for one in words)
    if len(words) > 2 and words[-2].text == "," and words[-1].pos == "NOUN":
        return True
    return any(
        (one.text == "," and (two.tag[:1] in "WC" or two.tag in ("VBN", "VBG")))
        or (two.tag == "WRB" and one.pos in HEADS)
        or (counted and two.pos in ("ADP", "ADJ") and measure_ends(parse, one, two))
        for one, two in pairwise(words)
    )


def measure_ends(parse: Parse, unit: Token, behind: Token) -> bool:
    """Whether a measure may end before what stands behind its unit: not so "two spoons of brandy"."""
    known = language_of(parse.language)
    of_stuff = unit.lemma.lower() not in known.words("times")
    if of_stuff and behind.text.lower() in known.words("noun_prepositions"):
        return False
    return unit.text.lower() in known.words("units")


def misread(parse: Parse, node: Tree, head: int) -> bool:
    """Whether a phrase has the marks of a wrong parse.

    "warm and worth every penny" has no noun for its head, "toast the walnuts" and "spat on the deck" a verb, and of
    "drains my battery and the support team is useless" the second noun is the subject of what follows. "From | nine to
    five" is cut in two, and in "once they are soft, pour in the wine" a clause ends at the comma.
    """
    words, known = parse.tokens[node.start : node.end], language_of(parse.language)
    token = parse.tokens[head]
    if token.pos not in NOMINAL:
        return words[0].pos != "DET" or token.relation not in SURE  # but "the insured"
    first, second = words[:2]
    if first.pos == "ADV" and first.text.lower() in known.words("focus_adverbs"):
        return True
    if (first.pos, second.pos) in (("ADV", "VERB"), ("VERB", "DET")):
        return True  # "sometimes spelled with an s", "shred half a cabbage"
    for place, one in enumerate(words):  # a verb needs a subject of its own: "the book that I lost"
        if one.tag in FINITE and not any(
            w.tag[:1] == "W" or w.pos == "PRON" for w in words[:place]
        ):
            return True
    if any(
        (one.pos in BEFORE_NO_ARTICLE or one.tag == "PRP") and two.pos == "DET"
        for one, two in pairwise(words)
    ):
        return True
    if token.pos == "NUM" and not any(one.pos in (*HEADS, "PRON", "SYM") for one in words):
        return any(one.pos == "ADP" or one.tag == "TO" for one in words)
    if any(
        one.pos == "ADJ" and comma.text == "," and two.pos in ("NOUN", "VERB")
        for one, comma, two in zip(words, words[1:], words[2:], strict=False)
    ):
        return True
    if token.relation == "appos" and parse.tokens[max(0, node.start - 1)].pos in HEADS:
        return True  # no comma between a noun and its other name
    alone = token.tag == "NN" and head == node.start and words[1].pos == "ADP"
    if (
        alone
        and token.text.lower() not in known.words("mass_nouns")
        and not known.universal_relations
    ):
        return True
    if adverb_of_time(words, token) or verb_joined(parse, node):
        return True
    follows = [one for one in parse.tokens[node.end : node.end + 2] if one.pos != "ADV"][:1]
    said_of = bool(follows) and follows[0].pos in ("VERB", "AUX") and follows[0].tag in FINITE
    joined = any(one.pos == "CCONJ" for one in words)
    return said_of and joined and token.relation not in SURE


def adverb_of_time(words: Sequence[Token], head: Token) -> bool:
    """Whether a phrase that tells when or how much has taken in the adverb before it: "be late | this time"."""
    return head.relation == "npadvmod" and words[0].pos == "ADV" and words[1].pos == "DET"


def asked_for(parse: Parse, place: int) -> bool:
    """Whether a preposition after a noun may belong to the verb before it."""
    known = language_of(parse.language)
    before = parse.tokens[:place]
    verbs = {one.lemma.lower() for one in before if one.pos == "VERB"}
    if parse.tokens[place].text.lower() not in known.words("noun_prepositions"):
        # An order is often taken for a noun: "Place small batteries in a bag". Adjectives ask as verbs do.
        asking = bool(verbs) or any(one.relation == "acomp" for one in before)
        return asking or parse.universal or begins_with_order(parse)
    return bool(verbs & known.words("verbs_with_of"))


def begins_with_order(parse: Parse) -> bool:
    """Whether the first word was taken for a name or part of a compound, and may be a verb."""
    first, classes = parse.tokens[0], word_classes(parse.language or "")
    article = any(one.pos == "DET" for one in parse.tokens[1:2])  # "Brush the loaves"
    if classes is None or first.pos not in HEADS or not (first.relation == "compound" or article):
        return False
    return classes.can_be(first.text.lower(), "VB")


def torn_from_idiom(parse: Parse, node: Tree) -> bool:
    """Whether a fixed phrase goes on across the beginning: "in | front of the station"."""
    return {node.start - 1, node.start} <= idiom_words(parse)
