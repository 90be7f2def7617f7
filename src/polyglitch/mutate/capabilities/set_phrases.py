"""Where a whole statement may grow: a set phrase before it, where the grammar has such a production.

`S -> NP VP .` becomes `S -> PP , NP VP .` ("For the record, ..."). The phrases are data of the language: they take no
side, report nobody else's view and soften nothing, so that the label stays. They stand outside of the statement, so
rules that quote a sentence do not take them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.mutate.slots import begins_with_name
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.parsers.grammar import Grammar
from polyglitch.protocols import Parse
from polyglitch.records import digest

PLAIN = ("NP", "VP", ".")  # what a statement is at its core, whatever else it holds
KEPT_CAPITAL = ("I", "I'm", "I've", "I'd", "I'll")


class SetPhrase(msgspec.Struct, frozen=True):
    """A phrase as it is written inside a sentence, and what it is in the grammar."""

    text: str
    label: str


@cache
def set_phrases(language: str) -> tuple[SetPhrase, ...]:
    """Those of a language; none where its data has none."""
    try:
        table = language_of(language).table("expansion.toml", "expansion").get("opening", {})
    except Missing:
        table = {}
    return tuple(SetPhrase(text, label) for label, texts in table.items() for text in texts)


def opened_texts(parse: Parse, grammar: Grammar, language: str) -> Iterator[tuple[SetPhrase, str]]:
    """The statement after each phrase that the grammar allows, in an order of its own for every sentence."""
    tree = tree_of(parse)
    if tree is None or not tree.children or not is_statement(parse, tree.label):
        return
    first = tree.children[0]
    node = first if first.label == "S" and first.children else tree  # the first of two statements
    parts = tuple(child.label for child in node.children)
    if parts[0] != "NP" or "VP" not in parts:
        return  # it begins with a phrase of that kind already, or is no plain statement
    rest = without_capital(parse)
    for phrase in sorted(set_phrases(language), key=lambda one: digest([parse.text, one.text])):
        richer = ((phrase.label, ",", *parts), (phrase.label, ",", *PLAIN))
        if any(grammar.probability(node.label, longer) > 0 for longer in richer):
            yield phrase, f"{phrase.text[:1].upper()}{phrase.text[1:]}, {rest}"


def is_statement(parse: Parse, label: str) -> bool:
    """One sentence that ends as a statement does and quotes nothing."""
    marks = sum(token.text in (".", "!", "?") for token in parse.tokens)
    return label == "S" and parse.text.endswith(".") and marks == 1 and '"' not in parse.text


def without_capital(parse: Parse) -> str:
    """The sentence as it stands after a comma."""
    first = parse.tokens[0]
    if first.text in KEPT_CAPITAL or (first.tag.startswith("NNP") and begins_with_name(parse)):
        return parse.text
    return parse.text[:1].lower() + parse.text[1:]
