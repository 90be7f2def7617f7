"""A question reduced to its core: what it is about, without clauses and adverbs around it.

The published method compresses questions with a trained model (SLAHAN); rules on the parse are enough to search for
similar sentences, and they can be read.
"""

from __future__ import annotations

from polyglitch.mutate.qa.lexicon import words
from polyglitch.protocols import Parse, Token

# Clauses and asides that hang on the question: left out with all that hangs on them.
ASIDES = ("advcl", "relcl", "appos", "parataxis", "intj", "discourse", "acl", "npadvmod")
FEWEST = 3  # content words: a shorter core no longer says what the question is about


def core(parse: Parse) -> str:
    """The words that are left of a question, in order."""
    kept = [index for index in range(len(parse.tokens)) if not dropped(parse, index)]
    content = [i for i in kept if parse.tokens[i].text.lower() not in words("function_words")]
    if len(content) < FEWEST:
        kept = [i for i, token in enumerate(parse.tokens) if token.pos != "PUNCT"]
    return " ".join(parse.tokens[index].text for index in kept)


def dropped(parse: Parse, index: int) -> bool:
    """Whether a word, or a word it hangs on, is an aside."""
    for place in ancestry(parse, index):
        token = parse.tokens[place]
        if token.relation in ASIDES:
            return True
    token = parse.tokens[index]
    return token.pos == "PUNCT" or token.text.lower() in words("empty_adverbs")


def ancestry(parse: Parse, index: int) -> list[int]:
    """A word and all it hangs on, up to the root."""
    chain = [index]
    while parse.tokens[chain[-1]].head != chain[-1] and len(chain) <= len(parse.tokens):
        chain.append(parse.tokens[chain[-1]].head)
    return chain


def subtree(parse: Parse, index: int) -> list[int]:
    """A word and all that hangs on it, in order."""
    return [i for i in range(len(parse.tokens)) if index in ancestry(parse, i)]


def content_words(tokens: tuple[Token, ...]) -> set[str]:
    """Lemmas that say what a text is about."""
    return {
        token.lemma.lower()
        for token in tokens
        if token.pos not in ("PUNCT", "SPACE", "DET", "ADP", "CCONJ", "SCONJ", "PART", "AUX")
        and token.text.lower() not in words("function_words")
    }
