"""What can be taken out of a sentence so that a sentence is left: modifiers and adjuncts, by the dependency parse.

A complement cannot go ("put it into the drawer"), and a parser often takes one for an adjunct. So a prepositional
phrase goes only from a subject, where no verb can ask for it, or with a preposition that verbs do not ask for.
"""

from __future__ import annotations

from collections.abc import Iterator

from polyglitch.languages import language as language_of
from polyglitch.nlp.proposers.slot_words import is_name
from polyglitch.records import Parse, Token

# Relations as spaCy and as Universal Dependencies name them.
CLAUSES = frozenset(("advcl", "relcl", "acl:relcl"))
TIMES = frozenset(("npadvmod", "obl:tmod", "nmod:tmod"))
PHRASES = frozenset(("prep", "nmod", "obl"))
SUBJECTS = frozenset(("nsubj", "nsubjpass", "nsubj:pass"))
PREDICATES = frozenset(("attr", "ROOT", "root"))
LISTED = frozenset(("conj", "appos"))  # what parsers take the items of a list for
JOINED = frozenset(("cc", "conj", "punct"))


def adjuncts(parse: Parse) -> Iterator[tuple[int, int]]:
    """Where the parts stand that can go, as places of the first token and after the last."""
    inside = subtrees(parse)
    for place, words in enumerate(inside):
        first, last = min(words), max(words)
        whole = len(words) == last - first + 1  # one stretch of text
        if whole and can_go(parse, place, first, last):
            yield first, last + 1


def subtrees(parse: Parse) -> list[set[int]]:
    """For each token the places of all that depends on it, its own included."""
    found: list[set[int]] = [{place} for place in range(len(parse.tokens))]
    for place in range(len(parse.tokens)):
        above, seen = parse.tokens[place].head, {place}
        while above not in seen and 0 <= above < len(parse.tokens):
            found[above].add(place)
            seen.add(above)
            above = parse.tokens[above].head
    return found


def can_go(parse: Parse, place: int, first: int, last: int) -> bool:
    """Whether the part under a token is a modifier or an adjunct that leaves a sentence behind."""
    token, head = parse.tokens[place], parse.tokens[parse.tokens[place].head]
    if token.head == place or is_name(parse, token):
        return False
    if token.relation == "amod":
        return attributive(parse, place, first, last, head)
    if token.relation == "advmod":
        return first == last and free_adverb(parse, token, head)
    if token.relation in CLAUSES:
        return clause_can_go(parse, place, first, last, head)
    if token.relation in TIMES:
        return head.pos in ("VERB", "AUX") and last > first
    if token.relation in PHRASES:
        return phrase_can_go(parse, place, first, head)
    return False


def attributive(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether an adjective stands alone before its noun, and the noun says enough without it."""
    token, tokens = parse.tokens[place], parse.tokens
    held = language_of(parse.language).words("never_replaced")
    if first != last or token.pos != "ADJ" or token.text.lower() in held or place > token.head:
        return False
    if token.tag in language_of(parse.language).compared_tags:
        return False  # "their highest level", "a lighter version"
    first_named = tokens[first_of_list(parse, token.head)]
    if head.lemma.lower() in held or {head.relation, first_named.relation} & PREDICATES:
        return False  # "in a place", "it was a winter": the adjective is what is said
    if tokens[token.head + 1 : token.head + 2] and tokens[token.head + 1].text == ":":
        return False  # "Terrible service: nobody answered"
    asked_by = tokens[first_named.head].lemma.lower()
    if asked_by in language_of(parse.language).words("having"):
        return False  # "with pale eyes and a soft voice": eyes and a voice everybody has
    before, beside = (tokens[place - 1] if place else None), tokens[place + 1]
    listed = any(one.head == place and one.relation in JOINED for one in tokens)
    joined = beside.pos == "PUNCT" or (
        before is not None and before.pos in ("PUNCT", "ADV", "CCONJ")
    )
    return not (listed or joined or glued(parse, token) or is_name(parse, head))


def first_of_list(parse: Parse, place: int) -> int:
    """Where the first of the words stands that a word is coordinated with, itself if there is none."""
    tokens, seen = parse.tokens, {place}
    while tokens[place].relation in LISTED and tokens[place].head not in seen:
        place = tokens[place].head
        seen.add(place)
    return place


def free_adverb(parse: Parse, token: Token, head: Token) -> bool:
    """Whether an adverb says how a verb is done or how far an adjective goes, and the sentence stands without it."""
    known = language_of(parse.language)
    text = token.text.lower()
    told = text in known.words("never_replaced") or text in known.words("adverbs_held")
    question = token.tag.startswith("W")
    return token.pos == "ADV" and head.pos in ("VERB", "ADJ", "ADV") and not (told or question)


def clause_can_go(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether a clause is led by a word that makes it one to leave out, and says more of a noun or of the whole."""
    lead, tokens = parse.tokens[first], parse.tokens
    if tokens[place].relation == "advcl":
        led = lead.text.lower() in language_of(parse.language).words("clause_leads")
        # "too big to carry", "so late that", "as good as": the clause is asked for by a word before it.
        return led and head.pos in ("VERB", "AUX") and (first == 0 or last >= len(tokens) - 2)
    # A noun that the whole sentence hangs on may be its verb, where its clause is none of a relative pronoun: "The
    # seller warrants that".
    verb_like = head.tag == "NNS" and head.relation in PREDICATES and lead.relation == "mark"
    return (
        head.pos == "NOUN"
        and not verb_like
        and lead.tag.startswith(("W", "IN"))
        and first > tokens[place].head
    )


def phrase_can_go(parse: Parse, place: int, first: int, head: Token) -> bool:
    """Whether a prepositional phrase says more of a subject, or is led by what no verb asks for."""
    known, lead = language_of(parse.language), parse.tokens[first].text.lower()
    if parse.tokens[first].pos not in ("ADP", "SCONJ"):
        return False
    if lead in known.words("adjunct_prepositions"):
        return True
    subject = head.relation in SUBJECTS and head.pos == "NOUN"
    return subject and head.lemma.lower() not in known.words("never_replaced")


def glued(parse: Parse, token: Token) -> bool:
    """Whether a word is part of one with a hyphen or an apostrophe."""
    around = (
        parse.text[max(0, token.start - 1) : token.start] + parse.text[token.end : token.end + 1]
    )
    return bool(set(around) & set("-'’"))
