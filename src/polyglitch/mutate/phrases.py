"""Pair every noun phrase with what contains it: the mutation of RTI (Purity).

Whether a noun phrase of a parse is one for certain, so that RTI cuts nothing that a reader would cut elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from polyglitch.languages import language as language_of
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.proposers.slot_words import WordClasses, idiom_words, word_classes
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Edit, Input, Parse, Seed, Token, Tree, new_case
from polyglitch.registry import component

SURE = frozenset(
    ("nsubj", "nsubjpass", "nsubj:pass", "ROOT", "root")
)  # no verb before can ask for more
OPEN_END = ("CCONJ", "ADP", "DET", "SCONJ")  # what no phrase ends with: "trouble breathing or"
OPEN_START = ("ADP", "CCONJ", "SCONJ", "PUNCT", "PART")  # what no phrase begins with
NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "SYM")
LEADS = ("ADP", "SCONJ", "PART")  # what an infinitive hangs on
CLAUSE = ("nsubj", "csubj", "cop", "aux", "expl")  # relations of what is said, not of what is named
UNDEGREED = ("DET", "NOUN", "VERB", "PUNCT")  # what no adverb of a noun phrase stands before
ASIDE = ("ADP", "SCONJ", "PRON", "ADV")  # what begins a remark after a comma
JOINERS = "-‐‑'’"  # what joins a word to the next
MODIFIED = ("NOUN", "ADJ", "PROPN", "CCONJ", "VERB", "NUM")  # what an adjective may stand before
HEADS = ("NOUN", "PROPN")
PRENOMINAL = ("amod", "compound", "nummod", "poss", "predet")  # what stands before its noun
DETERMINING = ("det", "poss", "nummod", "predet")
VERB_LIKE = {"NN": "VB", "NNS": "VBZ"}  # the tag of a verb that looks like a noun of a tag
SAID = ("VB", "VBP", "VBZ", "VBD")  # tags of a verb that goes on from another one
FINITE = ("VBZ", "VBP", "VBD", "MD")  # tags of a verb that has its subject before it
BEFORE_NO_ARTICLE = ("NOUN", "PROPN", "ADJ")  # after these no article follows in one phrase
NEVER_PAST = ("en", "wn", "ne")  # endings of participles that no past tense has: taken, known, gone
EDGES = " \t,;:.?!'’‘\"“”`()[]-–—"  # what a phrase does not start or end with
CHUNK = ("NOUN", "PROPN", "ADJ", "NUM")  # what a noun phrase is made of where only tags are known
PAIRED = (("(", ")"), ("[", "]"), ("“", "”"))


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
        or shared_out(parse, node, heads[0])
        or participle_in_doubt(parse, node)
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
        behind = before.pos == "NOUN" or parse.universal  # an adjective may stand between
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
    if not joined:
        return False
    listed = tokens[head].relation in ("conj", "appos")
    if listed and tokens[tokens[head].head].pos in NOMINAL:
        return True
    told = [determined(parse, place) for place in (head, joined[0])]
    return tokens[head].relation == "pobj" and told == [False, True]


def determined(parse: Parse, place: int) -> bool:
    """Whether a noun has an article, a possessive or a quantity before it."""
    before = parse.tokens[max(0, place - 4) : place]
    return any(one.head == place and one.relation in DETERMINING for one in before)


def left_behind(parse: Parse, node: Tree) -> bool:
    """Whether something of the phrase stands before it, or after it: "The | setup wizard copies the files".

    "Three | out of four residents", "files | smaller than 10 MB", "between 15 and 20 | of the birds".
    """
    first, last = parse.tokens[node.start], parse.tokens[node.end - 1]
    before = parse.tokens[node.start - 1] if node.start else None
    after = parse.tokens[node.end : node.end + 1]
    if first.pos == "ADP":
        return True
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


def participle_in_doubt(parse: Parse, node: Tree) -> bool:
    """Whether a participle behind its noun may be what is said of it: "the stranger ordered | soup".

    One that is no past tense too is trusted ("hidden in the barn") unless it stands last ("a piece | missing").
    """
    words = parse.tokens[node.start : node.end]
    return any(
        noun.pos in HEADS
        and one.tag in ("VBN", "VBG")
        and (one is words[-1] or (one.tag == "VBN" and not one.text.endswith(NEVER_PAST)))
        for noun, one in pairwise(words)
    )


def noun_prepositions(parse: Parse) -> frozenset[str]:
    """The prepositions that go on from a noun, such as `of`."""
    return language_of(parse.language).words("noun_prepositions")


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
        or (counted and one.text.lower() in known.words("units") and two.pos in ("ADP", "ADJ"))
        for one, two in pairwise(words)
    )


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
    if words[0].pos == "ADV" and words[1].pos == "VERB":
        return True  # "sometimes spelled with an s"
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


def verb_joined(parse: Parse, node: Tree) -> bool:
    """Whether what is joined to a noun may be a verb: "two of these lamps and | both flicker".

    Where the first noun has an article and the second has none, one that looks like a verb with a preposition behind it
    is doubtful, with the first noun or alone: "the photo and | smells of plastic".
    """
    words = parse.tokens[node.start : node.end]
    if any(one.pos == "CCONJ" and two.relation == "preconj" for one, two in pairwise(words)):
        return True
    classes, before = word_classes(parse.language or ""), parse.tokens[: node.start][-1:]
    if classes is None or not (before or words[0].pos == "DET"):
        return False
    near = words if words[0].pos == "DET" else (*before, *words[:2])
    return any(
        joins.pos == "CCONJ"
        and one.tag == "NNS"
        and then.pos == "ADP"
        and classes.can_be(one.text.lower(), "VBZ")
        for joins, one, then in zip(near, near[1:], near[2:], strict=False)
    )


def nominal(parse: Parse, node: Tree, head: int) -> bool:
    """Whether a phrase of universal dependencies is one of a noun, whole at both ends.

    "privés d'électricité" has no noun for its head, "de dieciséis horas" begins with a preposition, of "18 millones de
    dólares" and "le week-end" something is left behind, and "maire d'augmenter les tarifs" was read wrongly.
    """
    words, known = parse.tokens[node.start : node.end], language_of(parse.language)
    after = parse.tokens[node.end : node.end + 1]
    goes_on = after and after[0].text.lower() in known.words("noun_prepositions")
    counted = goes_on and any(word.pos == "NUM" for word in words)
    joined = (
        after and known.spaced and after[0].start == words[-1].end and after[0].text[0] in JOINERS
    )
    if parse.tokens[head].pos not in NOMINAL or words[0].pos in OPEN_START or counted or joined:
        return False
    clause = any(word.head == head and word.relation.startswith(CLAUSE) for word in words)
    if clause or not has_predicate(parse) or runs_on(parse, node):
        return False
    return whole_before(parse, node) and not any(
        (one.pos == "CCONJ" and not any(word.pos in NOMINAL for word in words[:place]))
        or (one.pos in ("VERB", "AUX") and place and words[place - 1].pos in LEADS)
        for place, one in enumerate(words)
    )


def runs_on(parse: Parse, node: Tree) -> bool:
    """Whether a phrase of universal dependencies takes in what is said beside it, or leaves an adjective behind.

    "probabilmente | una buona sfida", "una scena genuina | perché Fiona", "una libertà che, | a quanto pare", "tre
    centimetri | cubi", and of "una patente di | guida valida" the last word may belong to the first noun.
    """
    words, start = parse.tokens[node.start : node.end], node.start
    if words[0].pos == "VERB" or (words[0].pos == "ADV" and words[1].pos in UNDEGREED):
        return True
    if any(
        two.pos == "SCONJ"
        or (one.text == "," and two.pos in ASIDE)
        or (one.pos == "PRON" and two.pos == "NOUN")  # "in | cui liberazione e sollievo"
        for one, two in pairwise(words)
    ):
        return True
    related = any(one.pos == "PRON" for one in words)  # "the book that I lost"
    if words[-1].pos == "ADV" and not related:
        return True  # "un americano patriottico | proprio grazie a loro"
    if sum(any(map(str.isalnum, one.text)) for one in words) < 2 or clause_in_doubt(words):
        return True
    if any(
        one.relation == "conj" and one.pos == "ADJ" and parse.tokens[one.head].pos == "NOUN"
        for one in words
    ):
        return True  # "890 ettari | e antico"
    after = parse.tokens[node.end : node.end + 1]
    if after and after[0].pos == "ADJ" and after[0].head in range(start, node.end):
        return True
    before = parse.tokens[start - 1] if start else None
    if before and before.pos == "AUX" and words[0].pos in ("NOUN", "ADJ", "VERB"):
        return True  # "sono | ingiallite e macchiate": a participle may have been taken for a noun
    if before and before.pos == "NOUN" and words[0].pos == "ADJ":
        return True  # "quale medicina | comune scoperta dai nativi"
    lone = words[0].pos == "NOUN" and words[1].pos != "ADP"
    return (
        lone
        and start > 1
        and parse.tokens[start - 1].pos == "ADP"
        and parse.tokens[start - 2].pos in (*HEADS, "ADJ", "PUNCT")
    )


def clause_in_doubt(words: Sequence[Token]) -> bool:
    """Whether a clause after the noun is none, or not whole: "un progetto | sfidando i nemici", "un'isola | dove"."""
    for place, (one, two) in enumerate(pairwise(words), 1):
        rest = words[place + 1 :]
        said = any(word.pos in ("VERB", "AUX") for word in rest)
        if one.pos in HEADS and two.pos in ("PRON", "ADV") and not said:
            graded = two.pos == "ADV" and rest and rest[0].pos in ("ADJ", "ADV")
            if not graded:
                return True
        if one.pos == "VERB" and two.pos == "DET":
            return not any(word.pos == "PRON" for word in words[:place])
    return False


@lru_cache(maxsize=256)
def has_predicate(parse: Parse) -> bool:
    """Whether a sentence was found to say something; where a verb was taken for a noun, no phrase around it is sure."""
    ended = parse.text.rstrip().endswith(language_of(parse.language).sentence_marks)
    roots = [place for place, token in enumerate(parse.tokens) if token.head == place]
    said = any(parse.tokens[root].pos in ("VERB", "AUX") for root in roots)
    told = any(one.head in roots and one.relation.startswith(CLAUSE) for one in parse.tokens)
    return said or told or not ended


def whole_before(parse: Parse, node: Tree) -> bool:
    """Whether nothing of a phrase stands before it: its article in "du" and "na", its noun in "en présence de"."""
    known = language_of(parse.language)
    if not node.start:
        return True
    before, first = parse.tokens[node.start - 1], parse.tokens[node.start]
    second = parse.tokens[node.start + 1].text.lower()
    bare = first.pos == "NOUN" and second in known.words("noun_prepositions")
    return before.text.lower() not in known.contractions and not (bare and before.pos == "ADP")


def asked_for(parse: Parse, place: int) -> bool:
    """Whether a preposition after a noun may belong to the verb before it."""
    known = language_of(parse.language)
    verbs = {one.lemma.lower() for one in parse.tokens[:place] if one.pos == "VERB"}
    if parse.tokens[place].text.lower() not in known.words("noun_prepositions"):
        return bool(verbs) or parse.universal  # an order is often taken for a noun
    return bool(verbs & known.words("verbs_with_of"))


def torn_from_idiom(parse: Parse, node: Tree) -> bool:
    """Whether a fixed phrase goes on across the beginning: "in | front of the station"."""
    fixed = idiom_words(parse)
    return node.start - 1 in fixed and node.start in fixed


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
