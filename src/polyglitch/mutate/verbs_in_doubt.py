"""Whether a word of a noun phrase may be a verb, or belong to one, that a parser took for a noun."""

from __future__ import annotations

from itertools import pairwise

from polyglitch.languages import language as language_of
from polyglitch.mutate.universal_cut_rules import HEADS
from polyglitch.nlp.proposers.slot_words import WordClasses, word_classes
from polyglitch.records import Parse, Tree

SURE = frozenset(
    ("nsubj", "nsubjpass", "nsubj:pass", "ROOT", "root")
)  # no verb before can ask for more
VERB_LIKE = {"NN": "VB", "NNS": "VBZ"}  # the tag of a verb that looks like a noun of a tag
SAID = ("VB", "VBP", "VBZ", "VBD")  # tags of a verb that goes on from another one
NEVER_PAST = ("en", "wn", "ne")  # endings of participles that no past tense has: taken, known, gone


def verb_in_doubt(parse: Parse, node: Tree) -> bool:
    """Whether the last word may be the verb of a clause: "until | the fat sets", "version 7.2 halves | the time".

    So may a participle that goes on behind a noun, where it can be a noun itself: "the system setting | by default".
    And nobody is addressed within a phrase: "happy birthday | you old goat".
    """
    words, classes = parse.tokens[node.start : node.end], word_classes(parse.language or "")
    spoken_to = any(
        one.pos in HEADS and two.tag == "PRP" and two.relation != "appos"  # "the king himself"
        for one, two in pairwise(words)
    )
    if spoken_to and not any(one.tag[:1] == "W" or one.pos in ("VERB", "AUX") for one in words):
        return True
    if classes is None:
        return False
    before, known = parse.tokens[: node.start][-1:], language_of(parse.language)
    last = words[-1].text.lower()
    if words[-1].tag == "NN" and classes.can_be(last, "VBD") and not classes.can_be(last, "NN"):
        return True  # "closed her eyes | and wept"
    if words[-1].tag == "NNS" and classes.can_be(last, "VBZ"):
        led = bool(before) and before[0].text.lower() in known.words("clause_leads")
        if led and classes.can_be(words[-2].text.lower(), "NN"):
            return True
        if words[-2].tag == "CD" and any(one.pos in HEADS for one in words[-3:-2]):
            return True
    if any(
        one.relation == "conj"
        and parse.tokens[one.head].relation == "nmod"
        and classes.can_be(one.text.lower(), "VB")
        for one in words
    ):
        return True  # "the name of a branch | and press Enter"
    if any(
        one.text == ","
        and two.relation == "appos"
        and two.tag == "NN"
        and classes.can_be(two.text.lower(), "VB")
        for one, two in pairwise(parse.tokens[max(0, node.start - 1) : node.end])
    ):
        return True  # "cut it into a long strip, | season well"
    return any(
        one.pos in HEADS
        and two.tag == "VBG"
        and three.pos == "ADP"
        and classes.can_be(two.text.lower(), "NN")
        for one, two, three in zip(words, words[1:], words[2:], strict=False)
    )


def participle_in_doubt(parse: Parse, node: Tree, head: int) -> bool:
    """Whether a participle behind its noun may be what is said of it: "the stranger ordered | soup".

    One that is no past tense too is trusted ("hidden in the barn") unless it stands last ("a piece | missing") or says
    what is to become of an object ("want the report | rewritten by noon").
    """
    words, token = parse.tokens[node.start : node.end], parse.tokens[head]
    getting = language_of(parse.language).words("verbs_of_getting")
    trusted = token.relation in SURE or parse.tokens[token.head].lemma.lower() not in getting
    return any(
        noun.pos in HEADS
        and one.tag in ("VBN", "VBG")
        and (
            one is words[-1]
            or (one.tag == "VBN" and not (trusted and one.text.endswith(NEVER_PAST)))
        )
        for noun, one in pairwise(words)
    )


def shared_out(parse: Parse, node: Tree, head: int) -> bool:
    """Whether the end of a phrase that is no subject may belong to the verb before it, or be one of its own.

    "gives the group | access", "swallow the tablet | whole", "enter at a time | to carry out repairs", "select the
    pictures you want to delete | and press the icon"; and "the forest ended and the plain lay" was read as two nouns.
    """
    token, words = parse.tokens[head], parse.tokens[node.start : node.end]
    if token.relation in SURE:
        return False
    if token.relation == "conj" and parse.tokens[token.head].pos in ("VERB", "AUX"):
        return True
    if any(
        (one.pos == "CCONJ" and two.tag in SAID) or (one.tag == "TO" and two.tag == "VB")
        for one, two in pairwise(words)
    ):
        return True
    last, before = words[-1], words[-2]
    if token is not last or last.tag != "NN" or before.relation != "compound" or not node.start:
        return False
    classes, verb = word_classes(parse.language or ""), parse.tokens[node.start - 1].lemma.lower()
    said_of = token.relation == "dobj" and classes and classes.can_be(last.text.lower(), "JJ")
    return bool(said_of) or verb in language_of(parse.language).words("verbs_with_two_objects")


def ends_in_verb(parse: Parse, node: Tree) -> bool:
    """Whether the last word may be a verb that was taken for a noun: "the fee results | in", "strips and season"."""
    words, classes = parse.tokens[node.start : node.end], word_classes(parse.language or "")
    last, before = words[-1], words[-2]
    if classes is None:
        return False
    if said_of_object(parse, node, classes):
        return True
    if last.tag not in VERB_LIKE or len(words) < 3:
        return False
    if not classes.can_be(last.text.lower(), VERB_LIKE[last.tag]):
        return False
    # "Two thirds of the nurses work | at night", "a town with two towers glides | by".
    if before.tag == "NNS" and (last.tag == "NN" or before.text.endswith("s")):
        return True
    follows = parse.tokens[node.end : node.end + 1]
    if follows and follows[0].tag == "TO" and any(one.tag == "NNS" for one in words[:-1]):
        return True  # "teachers across the country plan | to strike"
    if before.pos == "CCONJ":  # beside a noun that has more with it, a bare one is doubtful
        return words[-3].pos in HEADS and len(words) > 3
    if node.end == len(parse.tokens) or parse.tokens[node.end].pos == "PUNCT":
        return False
    object_follows = parse.tokens[node.end].pos == "DET"  # "wooden acting ruin | this film"
    return before.tag in ("NN", "NNP") and (last.tag == "NNS" or object_follows)


def said_of_object(parse: Parse, node: Tree, classes: WordClasses) -> bool:
    """Whether the end of a phrase may be what its noun does or is: "heard a key | turn", "keep the terms | secret".

    A noun in the plural before another one may be a verb: "the spelling of each word and underlines | mistakes".
    """
    words, known = parse.tokens[node.start : node.end], language_of(parse.language)
    if any(
        one.tag == "NNS" and two.pos in HEADS and classes.can_be(one.text.lower(), "VBZ")
        for one, two in pairwise(words)
    ):
        return True
    last = words[-1]
    if last.tag != "NN" or not classes.can_be(words[-2].text.lower(), "NN"):
        return False
    verbs = {one.lemma.lower() for one in parse.tokens[: node.start] if one.pos == "VERB"}
    return any(
        bool(verbs & known.words(name)) and classes.can_be(last.text.lower(), said)
        for name, said in (("verbs_of_senses", "VB"), ("verbs_of_keeping", "JJ"))
    )


def verb_joined(parse: Parse, node: Tree) -> bool:
    """Whether what is joined to a noun may be a verb: "two of these lamps and | both flicker".

    Where the first noun has an article and the second has none, one that looks like a verb with a preposition behind it
    is doubtful, with the first noun or alone: "the photo and | smells of plastic".
    """
    words = parse.tokens[node.start : node.end]
    if any(one.pos == "CCONJ" and two.relation == "preconj" for one, two in pairwise(words)):
        return True
    classes, before = word_classes(parse.language or ""), parse.tokens[: node.start][-1:]
    told = words[0].pos in ("DET", "NUM")  # "after five minutes | and smells of plastic"
    if classes is None or not (before or told):
        return False
    near = words if told else (*before, *words[:2])
    return any(
        joins.pos == "CCONJ"
        and one.tag == "NNS"
        and then.pos == "ADP"
        and classes.can_be(one.text.lower(), "VBZ")
        for joins, one, then in zip(near, near[1:], near[2:], strict=False)
    )
