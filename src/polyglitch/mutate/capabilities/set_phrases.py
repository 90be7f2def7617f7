"""Set phrases around a statement, where the grammar has such a production.

`S -> NP VP .` becomes `S -> PP , NP VP .` ("For the record, ..."); it, or a noun phrase that stands for one, may grow
by a phrase behind it: `NP -> NP , SBAR .` ("..., as I said before."). The phrases are data of the language: they take
no side, report nobody else's view and soften nothing, so that the label stays. They stand outside of the statement, so
rules that quote a sentence do not take them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.phrase_frames import first_person, judging
from polyglitch.mutate.capabilities.places import FINITE, expansion_table, like_participle
from polyglitch.nlp.parsers.constituents import Grammar, tree_of
from polyglitch.nlp.proposers.slot_words import begins_with_name, word_classes
from polyglitch.records import Parse, digest

PLAIN = ("NP", "VP", ".")  # what a statement is at its core, whatever else it holds
# Tokens: behind a long sentence a phrase hangs on its last clause alone.
MIN_CLOSED, MAX_CLOSED = 4, 28
KEPT_CAPITAL = ("I", "I'm", "I've", "I'd", "I'll")


class SetPhrase(msgspec.Struct, frozen=True):
    """A phrase as it is written inside a sentence, and what it is in the grammar."""

    text: str
    label: str


@cache
def set_phrases(language: str, place: str = "opening") -> tuple[SetPhrase, ...]:
    """Those of a language for a place; none where its data has none."""
    table = expansion_table(language).get(place, {})
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
    roots = [place for place, token in enumerate(parse.tokens) if token.head == place]
    if any(parse.tokens[place - 1].text == "," for place in roots if place):
        return  # "Fairy-tale formula, serves as ..."
    indefinite = parse.tokens[0].text in ("A", "An")
    if indefinite and any(like_participle(parse, place) for place in roots):
        return  # no statement: "a film determined to show"
    named = [token.tag.startswith("NNP") for token in parse.tokens[:3]]
    if any(named) and not named[0]:
        return  # perhaps a title, which keeps its capital: "The Sum of All Fears"
    rest = without_capital(parse)
    if parse.tokens[0].tag in ("NN", "NNS"):
        return  # perhaps a title too: "Promises is a compelling piece", "Reign of Fire has ..."
    phrases = set_phrases(language)
    if not first_person(parse) and any(judging(parse, place) for place in roots):
        phrases += set_phrases(language, "opening_view")
    for phrase in sorted(phrases, key=lambda one: digest([parse.text, one.text])):
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
    last = parse.tokens[-6:-1]
    if commands(parse) or inverted(parse):
        return False
    marks = any(token.text in ("!", "?", ":", ";", "(", ")", "--", "...") for token in parse.tokens)
    quotes = any(mark in parse.text for mark in '"`“”') or " '" in parse.text
    return (
        not marks
        and not quotes
        and last[-1].text[-1:].isalpha()
        and "," not in [t.text for t in last]
    )


def commands(parse: Parse) -> bool:
    """Whether a text tells somebody to do something: its main verb is bare and nobody's."""
    return any(
        token.head == place
        and token.tag == "VB"
        and not any(
            t.head == place and t.relation in ("nsubj", "nsubjpass", "aux") for t in parse.tokens
        )
        for place, token in enumerate(parse.tokens)
    )


def inverted(parse: Parse) -> bool:
    """Whether the verb comes before its subject: "Rarely has a title ..."."""
    first, second = parse.tokens[:2]
    helps = second.tag == "MD" or second.lemma in ("have", "be", "do")
    if first.pos == "ADV" and second.tag in FINITE and helps:
        return True  # however the rest is read
    return any(
        t.relation in ("nsubj", "nsubjpass")
        and any(
            one.relation in ("aux", "auxpass") and one.head == t.head
            for one in parse.tokens[:place]
        )
        for place, t in enumerate(parse.tokens)
    )


def is_statement(parse: Parse, label: str) -> bool:
    """One sentence that ends as a statement does and quotes nothing."""
    marks = sum(token.text in (".", "!", "?") for token in parse.tokens)
    return label == "S" and parse.text.endswith(".") and marks == 1 and '"' not in parse.text


def without_capital(parse: Parse) -> str:
    """The sentence as it stands after a comma: a name keeps its capital, and what no dictionary has is one."""
    first = parse.tokens[0]
    if first.text in KEPT_CAPITAL or (first.tag.startswith("NNP") and begins_with_name(parse)):
        return parse.text
    known = word_classes(parse.language or DEFAULT)
    noun = first.tag in ("NN", "NNS")
    if noun and known is not None and not known.can_be(first.text.lower(), first.tag):
        return parse.text
    return parse.text[:1].lower() + parse.text[1:]
