"""What can be taken out of a sentence so that a sentence is left: modifiers and adjuncts, by the dependency parse.

A complement cannot go ("put it into the drawer"), and a parser often takes one for an adjunct. So a prepositional
phrase goes only from a subject, where no verb can ask for it, or with a preposition that verbs do not ask for.
"""

from __future__ import annotations

from collections.abc import Iterator

from polyglitch.languages import language as language_of
from polyglitch.nlp.proposers.slot_words import idiom_words, is_name, word_classes
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
    inside, fixed = subtrees(parse), idiom_words(parse)
    for place, words in enumerate(inside):
        first, last = min(words), max(words)
        whole = len(words) == last - first + 1  # one stretch of text
        torn = {first - 1, first} <= fixed or {last, last + 1} <= fixed  # "a ladle | at a time"
        if whole and not torn and can_go(parse, place, first, last):
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
        asked = parse.tokens[first].tag.startswith("W")  # "counts | how many times | they go"
        return head.pos in ("VERB", "AUX") and last > first and not asked
    if token.relation in PHRASES:
        return phrase_can_go(parse, first, last, head)
    return False


def attributive(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether an adjective stands alone before its noun, and the noun says enough without it."""
    token, tokens, known = parse.tokens[place], parse.tokens, language_of(parse.language)
    held = known.words("never_replaced")
    if first != last or token.pos != "ADJ" or token.text.lower() in held or place > token.head:
        return False
    if token.tag in known.compared_tags or noun_like(parse, place):
        return False  # "their highest level", "a lighter version", "fifty quid deposit"
    first_named = tokens[first_of_list(parse, token.head)]
    described = head.lemma.lower() in held | known.words("nouns_described")
    if (
        described
        or head.relation == "compound"
        or {head.relation, first_named.relation} & PREDICATES
    ):
        return False  # "in a place", "in a condition", "it was a winter": the adjective is what is said
    behind = {one.text for one in tokens[token.head + 1 : token.head + 2]}
    if behind & ({":"} if place else {":", ","}):
        return False  # "Terrible service: nobody answered", "Nice idea, but it broke"
    if tokens[first_named.head].lemma.lower() in known.words("having"):
        return False  # "with pale eyes and a soft voice": eyes and a voice everybody has
    before, beside = (tokens[place - 1] if place else None), tokens[place + 1]
    listed = any(one.head == place and one.relation in JOINED for one in tokens)
    joined = beside.pos == "PUNCT" or (
        before is not None and before.pos in ("PUNCT", "ADV", "CCONJ")
    )
    return not (listed or joined or glued(parse, token) or is_name(parse, head))


def noun_like(parse: Parse, place: int) -> bool:
    """Whether what was taken for an adjective is a noun, by the dictionary, or a word of a fixed phrase."""
    word, classes = parse.tokens[place].text.lower(), word_classes(parse.language or "")
    noun = classes is not None and classes.can_be(word, "NN") and not classes.can_be(word, "JJ")
    return noun or place in idiom_words(parse)


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
    told |= token.tag in known.compared_tags or token.tag.startswith("W")
    told |= head.pos == "VERB" and head.relation == "amod"  # "a beautifully shot film"
    return token.pos == "ADV" and head.pos in ("VERB", "ADJ", "ADV") and not told


def clause_can_go(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether a clause is led by a word that makes it one to leave out, and says more of a noun or of the whole."""
    lead, tokens = parse.tokens[first], parse.tokens
    if tokens[place].relation == "advcl":
        led = lead.text.lower() in language_of(parse.language).words("clause_leads")
        # "Too big to carry", "so late that", "as good as": the clause is asked for by a word before it.
        asked_for = head.pos not in ("VERB", "AUX") or 0 < first <= last < len(tokens) - 2
        return led and not asked_for and ends_there(parse, first, last)
    # "The kind of face that people ask": but what stands behind a comma is said beside.
    held = head.lemma.lower() in language_of(parse.language).words("never_replaced")
    beside = lead.pos == "PUNCT" or tokens[first - 1].pos == "PUNCT"
    return (
        head.pos == "NOUN"
        and not ((held and not beside) or verb_like(parse, head, lead))
        and lead.tag.startswith(("W", "IN"))
        and first > tokens[place].head
    )


def verb_like(parse: Parse, noun: Token, lead: Token) -> bool:
    """Whether a noun that the whole sentence hangs on may be its verb: "The seller warrants that the goods are new"."""
    classes = word_classes(parse.language or "")
    said = classes is None or classes.can_be(noun.text.lower(), "VBZ")
    hung_on = noun.tag == "NNS" and noun.relation in PREDICATES
    return said and hung_on and lead.relation not in SUBJECTS


def ends_there(parse: Parse, first: int, last: int) -> bool:
    """Whether a clause ends where it seems to: "If you can't find | fresh figs, dried ones are as good".

    One that stands first has a comma behind it, or a pronoun.
    """
    after = parse.tokens[last : last + 2]
    return first > 0 or any(one.pos == "PUNCT" for one in after) or after[-1].pos == "PRON"


def phrase_can_go(parse: Parse, first: int, last: int, head: Token) -> bool:
    """Whether a prepositional phrase says more of a subject, or is led by what no verb asks for."""
    known, lead, tokens = language_of(parse.language), parse.tokens[first], parse.tokens
    numbered = any(one.pos == "NUM" for one in tokens[last + 1 : last + 2])  # "in bed | six"
    if lead.pos not in ("ADP", "SCONJ") or numbered:
        return False
    if first and head.relation == "acl" and tokens[first - 1] is head:
        return False  # "a hospice named after his aunt"
    if lead.text.lower() in known.words("adjunct_prepositions"):
        if lead.text.lower() in known.words("prepositions_of_state"):
            # "Left the village without electricity".
            return head.pos != "AUX" and head.lemma.lower() not in known.words("verbs_of_keeping")
        done_anyway = last == first + 1 and tokens[last].pos == "VERB"  # "rinse it after draining"
        return not (done_anyway or measured(parse, first))
    subject = head.relation in SUBJECTS and head.pos == "NOUN"
    whole = parse.tokens[first + 1 : last]  # of "the lid of the box", whose lid is known
    known_whole = len(whole) == 1 and whole[0].pos == "DET"
    if known_whole and any(
        tokens[one.head] is head and one.text.lower() == whole[0].text.lower()
        for one in tokens[:first]
    ):
        return False
    return subject and head.lemma.lower() not in known.words("never_replaced")


def measured(parse: Parse, first: int) -> bool:
    """Whether a phrase tells since when a time is meant: "one month | after opening", "on the day | after surgery"."""
    tokens = parse.tokens
    if not first:
        return False
    before, times = tokens[first - 1], language_of(parse.language).words("times")
    counted = any(tokens[one.head] is before and one.relation == "nummod" for one in tokens[:first])
    whole = counted and before.relation == "pobj"  # "for twelve months | after delivery"
    return before.pos == "NOUN" and before.lemma.lower() in times and not whole


def glued(parse: Parse, token: Token) -> bool:
    """Whether a word is part of one with a hyphen or an apostrophe."""
    around = (
        parse.text[max(0, token.start - 1) : token.start] + parse.text[token.end : token.end + 1]
    )
    return bool(set(around) & set("-'’"))
