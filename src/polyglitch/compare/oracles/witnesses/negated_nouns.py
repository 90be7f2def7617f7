"""A "não" before a word that the other output tells to be a noun: "a carta está não armário", "está no armário".

No parser knows the word behind such a "não": it takes a noun for a verb or an adjective. The other output does, by a
determiner before the very word, or by a preposition or article where the "não" stands. What the grammar witness asks
first (`grammar.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from polyglitch.compare.oracles.facts.numbers import fact_lists, fact_words
from polyglitch.compare.oracles.facts.wording import answers_of, denies
from polyglitch.compare.oracles.witnesses.agreement import genders
from polyglitch.compare.oracles.witnesses.changed_words import ORDINALS, Pair, Statement
from polyglitch.compare.oracles.witnesses.verb_forms import GRAMMAR
from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token


@cache
def before_nouns(language: str) -> frozenset[str]:
    """Articles, and prepositions that took one up."""
    known = language_of(language)
    return frozenset((*known.articles, *known.concord.places))


def negated_noun(
    pair: Pair, parses: dict[str, Parse], language: str, source: str = ""
) -> Statement | None:
    """What is to be said of the first such word; nothing where the source has a word that denies by what it means."""
    known = language_of(language)
    amounts = {
        *known.comparison,
        *known.quantity,
    }  # "não menos de dez", where the other has "pelo menos dez"
    for number, text in enumerate(pair.outputs):
        if any(
            denies_by_prefix(word.low, source, language)
            for word in fact_words(pair.inputs[number], source)
        ):
            continue  # "unpaid" may well be "não pago"
        tokens, others = parses[text].tokens, parses[pair.outputs[1 - number]].tokens
        for at in range(len(tokens) - 1):
            # Behind a mark a noun may be set against another: "um cão, não gato".
            apart = at > 0 and tokens[at - 1].pos == "PUNCT"
            token, after = tokens[at], tokens[at + 1].text
            if apart or token.text.lower() not in known.concord.denying or after in amounts:
                continue
            if is_noun(after.lower(), others, language) or faces(
                pair, number, token, after.lower(), language
            ):
                words = f"'{token.text}' denies '{after}', no verb (in the {ORDINALS[number]})"
                return Statement(GRAMMAR, 1.0, words, number, (token.start, token.end))
    return None


def denies_by_prefix(low: str, source: str, language: str) -> bool:
    """Whether a word of a source denies by how it begins: unpaid; "until" has a word of its own that says it."""
    prefixes = fact_lists(source).negation.prefixes
    begins = bool(prefixes) and low.startswith(prefixes)
    return begins and denies(low, source) and low not in answers_of(source, language)


def is_noun(low: str, others: Sequence[Token], language: str) -> bool:
    """Whether the other output has a word behind a masculine determiner, and nowhere behind "não"."""
    known, denying = genders(language).determiners, set(language_of(language).concord.denying)
    texts = ["", *(one.text.lower() for one in others)]
    # "não o toca": what stands between them is a pronoun
    before = {
        first if first in denying else one
        for first, one, word in zip(texts, texts[1:], texts[2:], strict=False)
        if word == low
    }
    told = any(known.get(one) == 0 and not one.endswith("s") for one in before)
    return told and not before & denying


def faces(pair: Pair, number: int, token: Token, after: str, language: str) -> bool:
    """Whether the other output has a preposition or an article where the "não" stands."""
    known = before_nouns(language)
    blocks = [
        word.block
        for word in pair.words
        if (word.output, word.start, word.early) == (number, token.start, False)
    ]
    there = [
        pair.text(word).lower()
        for word in pair.words
        if word.block in blocks and word.output != number and not word.early
    ]
    return bool(there) and there[0] in known and after not in known
