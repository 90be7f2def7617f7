"""Pronouns without a noun to stand for: "as cebolas em óleo antes de colocá-los" has no masculine plural before "los".

A masculine singular may stand for a whole clause ("fazê-lo") and is never suspected. Nouns are told by a parser of the
language; their gender and number by the determiner before them, else by their ending, else they may be either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from polyglitch.languages import language as language_of
from polyglitch.protocols import Parse, Token

GENDERS = ("masculine", "feminine")
ENDINGS = {"o": 0, "os": 0, "a": 1, "as": 1}
NOUNS = frozenset({"NOUN", "PROPN"})
VERBS = frozenset({"VERB", "AUX"})
BETWEEN = frozenset(
    {"ADJ", "NUM", "DET", "PRON"}
)  # what may stand between a determiner and its noun
SHORTEST_VERB = 5  # letters of a verb that a pronoun is joined to: "charla" and "perla" are none
REACH = 3  # words before a noun in which its determiner is looked for
FREE = (0, False)  # masculine singular: may stand for anything that was said
Form = tuple[int, bool]  # gender, and whether it is plural


class Genders(NamedTuple):
    """The gender of determiners and pronouns, the verbs that link, and where an article's form is a pronoun."""

    determiners: dict[str, int]
    pronouns: dict[str, int]
    linking: frozenset[str]
    proclitics: frozenset[str]
    draws_clitics: frozenset[str]
    relatives: frozenset[str]
    feminine: frozenset[str]
    joins_clitics: tuple[str, ...]

    def joined_clitic(self, low: str) -> tuple[str, int] | None:
        """A pronoun written together with its verb, and its gender: "reemplazarlo"."""
        for form, gender in self.pronouns.items():
            ending = form.removeprefix("-")
            verb = low.removesuffix(ending)
            if form != ending and verb != low and verb.endswith(self.joins_clitics):
                return (ending, gender) if len(verb) >= SHORTEST_VERB else None
        return None


@cache
def genders(language: str) -> Genders:
    """What the language's lists say; empty for a language without them."""
    known = language_of(language).agreement
    tables = [
        dict.fromkeys(table, 0) | dict.fromkeys(table.values(), 1)
        for table in (known.determiners, known.pronouns)
    ]
    return Genders(
        tables[0],
        tables[1],
        frozenset(known.linking),
        frozenset(known.proclitics),
        frozenset(known.draws_clitics),
        frozenset(known.relatives),
        frozenset(known.feminine_in_o),
        known.joins_clitics,
    )


class Orphan(NamedTuple):
    """A pronoun that no noun before it has the form of."""

    text: str
    span: tuple[int, int]
    form: Form

    @property
    def named(self) -> str:
        """Its gender and number in words."""
        return f"{GENDERS[self.form[0]]} {'plural' if self.form[1] else 'singular'}"


def pronoun_at_hand(text: str, known: Genders) -> bool:
    """Whether a text may have such a pronoun, by its letters alone: what has none need not be parsed."""
    words = text.lower().replace("-", " -").split()
    bare = [word.strip(",.;:!?\"'()") for word in words]
    drawn = any(
        before in known.draws_clitics and word in known.proclitics
        for before, word in pairwise(bare)
    )
    return drawn or any(word in known.pronouns or known.joined_clitic(word) for word in bare)


def orphans(parse: Parse, known: Genders) -> list[Orphan]:
    """The pronouns of a text that stand for none of the nouns before them."""
    return [
        orphan
        for at, orphan in pronouns(parse.tokens, known)
        if orphan.form != FREE and orphan.form not in forms_before(parse.tokens, at, known)
    ]


def pronouns(tokens: Sequence[Token], known: Genders) -> Iterator[tuple[int, Orphan]]:
    """Pronouns of the third person with their places: alone, leaning on a verb, or before one."""
    for at, token in enumerate(tokens):
        low = token.text.lower()
        ending = low.rpartition("-")[2]
        after_hyphen = at > 1 and tokens[at - 1].text == "-"
        gender: int | None
        if joined := known.joined_clitic(low):
            ending, gender = joined
        elif "-" in low[1:-1] or after_hyphen:
            gender = known.pronouns.get("-" + ending)
        elif low in known.proclitics:
            gender = known.determiners.get(low) if before_verb(tokens, at, known) else None
        else:
            gender = known.pronouns.get(low)
        if gender is not None:
            span = (token.end - len(ending), token.end)
            yield at, Orphan(ending, span, (gender, ending.endswith("s")))


def before_verb(tokens: Sequence[Token], at: int, known: Genders) -> bool:
    """Whether what looks like an article is a pronoun: drawn before its verb by the word before it."""
    return (
        0 < at < len(tokens) - 1
        and tokens[at - 1].text.lower() in known.draws_clitics
        and tokens[at + 1].pos in VERBS
    )


def forms_before(tokens: Sequence[Token], end: int, known: Genders) -> set[Form]:
    """The forms of a pronoun that would fit some noun before a place, or two that are joined."""
    found: set[Form] = set()
    nouns = [at for at in range(end) if tokens[at].pos in NOUNS]
    for at in nouns:
        found |= forms_of(tokens, at, known)
    for one, other in pairwise(nouns):
        if any(token.pos == "CCONJ" for token in tokens[one:other]) and other - one <= REACH:
            found |= {(0, True), (1, True)}
    return found


def forms_of(tokens: Sequence[Token], at: int, known: Genders) -> set[Form]:
    """Gender and number of a noun, or all that it may have."""
    low = tokens[at].text.lower()
    for place in range(at - 1, max(-1, at - 1 - REACH), -1):
        before = tokens[place].text.lower()
        if before in known.determiners:
            return {(known.determiners[before], before.endswith("s"))}
        if tokens[place].pos not in BETWEEN:
            break
    gender = ENDINGS.get(low[-2:] if low.endswith("s") else low[-1:])
    either = (0, 1) if gender is None else (gender,)
    return set(product(either, (low.endswith("s"),)))
