"""Whether a noun phrase of universal dependencies is one of a noun, whole at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token, Tree

OPEN_START = ("ADP", "CCONJ", "SCONJ", "PUNCT", "PART")  # what no phrase begins with
NOMINAL = ("NOUN", "PROPN", "PRON", "NUM", "SYM")
LEADS = ("ADP", "SCONJ", "PART")  # what an infinitive hangs on
CLAUSE = ("nsubj", "csubj", "cop", "aux", "expl")  # relations of what is said, not of what is named
UNDEGREED = ("DET", "NOUN", "VERB", "PUNCT")  # what no adverb of a noun phrase stands before
ASIDE = ("ADP", "SCONJ", "PRON", "ADV")  # what begins a remark after a comma
JOINERS = "-‐‑'’"  # what joins a word to the next
HEADS = ("NOUN", "PROPN")


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
