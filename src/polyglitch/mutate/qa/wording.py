"""The word lists and templates of question mutation, read from the language's folder once.

A question reduced to its core: what it is about, without clauses and adverbs around it.

The published method compresses questions with a trained model (SLAHAN); rules on the parse are enough to search for
similar sentences, and they can be read.

Small repairs of wording: capitals, verb forms, the end of a question.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from polyglitch.errors import Missing
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token


@cache
def words(name: str) -> frozenset[str]:
    """A list of `words.toml` by its name, or of the language's own lists."""
    if own := language_of(DEFAULT).words(name):
        return own
    return frozenset(_table("words.toml")[name])


@cache
def auxiliaries() -> frozenset[str]:
    """Every verb form that can open a yes/no question."""
    return words("be") | words("do") | words("have") | words("modals")


def templates(relation: str, which: str = "templates") -> list[str]:
    """The templates of a relation."""
    return list(_table("templates.toml")[relation][which])


def why(relation: str) -> str:
    """Why a relation must hold, for the reader of a report."""
    return str(_table("templates.toml")[relation]["why"])


@cache
def irregular_past() -> dict[str, str]:
    """Past forms of irregular verbs, by base form."""
    lines = _file("irregular_verbs.tsv").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(_file(name))


def _file(name: str) -> str:
    found = language_of(DEFAULT).require(f"qa/{name}", "questions and templates", "questions")
    return found.read_text("utf-8")


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


WORD = re.compile(r"[^\W\d_][\w'’-]*")


def capitals_of(text: str, context: str | None, title: str | None) -> str:
    """The text with words in capitals that its context writes so inside a sentence; same length.

    Questions typed without capitals ("is steph curry in the nba") are parsed much better with them.
    """
    if text != text.lower():
        return text
    forms = {word.lower(): word for word in title_names(title or "")}
    for found in WORD.finditer(context or ""):
        word, before = found[0], (context or "")[: found.start()].rstrip(" \"'(")
        if word[0].islower():
            forms[word.lower()] = ""  # written small somewhere: no name
        elif before[-1:].isalnum() or before[-1:] in ",":
            forms.setdefault(word.lower(), word)

    def restore(found: re.Match[str]) -> str:
        form = forms.get(found[0].lower(), "")
        function = found[0].lower() in words("function_words")
        return form if len(form) == len(found[0]) and not function else found[0]

    return WORD.sub(restore, text)


def title_names(title: str) -> list[str]:
    """The words of a title that are names: written large after its first word, or all of them."""
    found = WORD.findall(title)
    rest = [word for word in found[1:] if word[0].isupper()]
    return found[:1] + rest if rest else []


def bare(question: str) -> str:
    """A question without its question mark and spare blanks."""
    return re.sub(r"\s+", " ", question).strip().rstrip("?. ").rstrip()


def small(text: str, is_name: bool) -> str:
    """The text to go on within a sentence: its first letter small, unless it starts with a name."""
    first = text.split(" ", 1)[0]
    if (
        is_name
        or first in ("I", "I'm", "I've")
        or (len(first) > 1 and first[1:] != first[1:].lower())
    ):
        return text
    return text[:1].lower() + text[1:]


def affirmed(statement: str) -> str:
    """A statement without the words of doubt that questions have: `any` as `some`, no `ever`."""
    return re.sub(r"\bany(one|body|thing|where)?\b", r"some\1", statement).replace(" ever ", " ")


def large(text: str) -> str:
    """The text as it starts a sentence."""
    return text[:1].upper() + text[1:]


def third_person(verb: str) -> str:
    """`go` as `goes`."""
    return _inflected(verb, "VBZ")


def past(verb: str) -> str:
    """`go` as `went`, `stop` as `stopped`; our own list first, for the few verbs that the library has wrong."""
    return irregular_past().get(verb) or _inflected(verb, "VBD")


@cache
def _inflected(verb: str, tag: str) -> str:
    try:
        from lemminflect import getInflection
    except ImportError:
        raise Missing("lemminflect", "forms of verbs", "pip install 'polyglitch[nlp]'") from None
    forms: tuple[str, ...] = getInflection(verb, tag)
    return forms[0] if forms else verb


def conjugate(verb: str, auxiliary: str) -> str:
    """The verb with the tense and person of the `do` it loses."""
    return {"does": third_person, "did": past}.get(auxiliary, str)(verb)
