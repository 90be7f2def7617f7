"""Whether what is left of a sentence still reads as one, told by a parse of it."""

from __future__ import annotations

from polyglitch.protocols import Parse, Token

SUBJECTS = {"nsubj", "nsubjpass", "nsubj:pass", "expl", "csubj", "csubjpass"}
NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "ADJ"}
HEADS = {"IN", "VBG", "VB"}  # tags of words that make a phrase without being nouns


def still_a_sentence(parse: Parse, before: Parse) -> bool:
    """Whether a shortened text reads as its words did before: the same tags, a verb with its subject or a phrase."""
    if not (is_clause(parse) or is_phrase(parse)) and is_clause(before):
        return False
    if len(dangling(parse)) > len(dangling(before)):
        return False
    old = {(token.text.lower(), token.tag) for token in before.tokens}
    changed = [token for token in parse.tokens if (token.text.lower(), token.tag) not in old]
    return len(changed) <= 1  # one slip of the tagger, or the word at the new beginning


def root_of(parse: Parse) -> int | None:
    """The word that everything hangs on."""
    return next((n for n, token in enumerate(parse.tokens) if token.head == n), None)


def is_clause(parse: Parse) -> bool:
    """Whether the root has a subject."""
    root = root_of(parse)
    return any(token.head == root and token.relation in SUBJECTS for token in parse.tokens)


def is_phrase(parse: Parse) -> bool:
    """Whether the text is a phrase of two words or more and claims to be no sentence."""
    root = root_of(parse)
    if root is None or len(parse.tokens) < 2 or parse.tokens[-1].text in (".", "?", "!"):
        return False
    return parse.tokens[root].pos in NOMINAL or parse.tokens[root].tag in HEADS


def dangling(parse: Parse) -> list[Token]:
    """Words that have lost what they belong to: a preposition its noun, "and" its second half, "least" its "at"."""
    heads = {token.head for number, token in enumerate(parse.tokens) if token.head != number}
    found = []
    for number, token in enumerate(parse.tokens):
        after = parse.tokens[number + 1] if number + 1 < len(parse.tokens) else None
        word, last = token.text.lower(), parse.tokens[number - 1].text.lower() if number else ""
        alone = token.relation == "prep" and token.tag == "IN" and number not in heads
        ends = token.tag == "CC" and (after is None or after.relation == "punct")
        bare = word == "than" and last in NOTHING
        least = word == "least" and last not in ("at", "the")
        if alone or ends or bare or least:
            found.append(token)
    return found


NOTHING = {"no", "not", "never"}  # "no than forty": the comparative between them is gone
