"""The same sentence about other people: a pronoun or an identity term becomes each of a list of groups."""

from __future__ import annotations

import re

from polyglitch.language.terms import terms
from polyglitch.mutate.capabilities.predicates import pattern
from polyglitch.mutate.surface import ARTICLE, match_article
from polyglitch.protocols import Parse, Token

FAMILIES = {  # pronoun: which list of substitutes keeps the verb in agreement
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), "singular"),
    **dict.fromkeys(("they", "them", "their", "theirs", "you", "your", "yours"), "plural"),
}
REFLEXIVE = re.compile(r"\b(?:him|her|your|them)sel(?:f|ves)\b", re.IGNORECASE)
FULL = {"'re": " are", "'ll": " will", "'ve": " have", "'s": " is", "’re": " are", "’ll": " will"}
POSSESSIVE = ("PRP$", "WP$")
# An adjective names people only before a word for them: `black comedy` is about nobody.
PERSON = re.compile(
    r"\s+(?:people|person|men|man|women|woman|girls?|boys?|kids?|child(?:ren)?|actors?|actress(?:es)?|characters?"
    r"|couples?|famil(?:y|ies)|students?|friends?|directors?|writers?|artists?|audiences?|community|heroes|hero)\b",
    re.IGNORECASE,
)
KINDS = ("plural", "singular", "adjective")


def variants(parse: Parse, most: int) -> list[str]:
    """The sentence about each of the groups; none where grammar would break."""
    found = _identity_variants(parse.text) or _pronoun_variants(parse)
    return [text for text in dict.fromkeys(found) if text != parse.text][:most]


def _pronoun_variants(parse: Parse) -> list[str]:
    places = [
        (number, token)
        for number, token in enumerate(parse.tokens)
        if token.text.lower() in FAMILIES and token.tag.startswith("PRP")
    ]
    # A second pronoun would have to agree with the new noun, so only sentences with one are taken.
    if len(places) != 1 or REFLEXIVE.search(parse.text):
        return []
    number, token = places[0]
    # Someone named earlier is who the pronoun stands for: a group in its place would be a stranger.
    earlier = any(each.pos in ("NOUN", "PROPN") for each in parse.tokens[:number])
    if earlier and token.text.lower() not in ("you", "your", "yours"):
        return []
    following = parse.tokens[number + 1] if number + 1 < len(parse.tokens) else None
    rows = terms(f"substitute {FAMILIES[token.text.lower()]}")
    return [_with_person(parse.text, token, following, person) for person in rows]


def _with_person(text: str, token: Token, following: Token | None, person: str) -> str:
    rest = text[token.end :]
    if token.tag in POSSESSIVE or token.text.lower() in ("hers", "theirs", "yours"):
        person += "'" if person.endswith("s") else "'s"
    elif following and following.start == token.end and following.text.lower() in FULL:
        rest = FULL[following.text.lower()] + text[following.end :]
    if not text[: token.start].strip(" \"'“("):
        person = person[:1].upper() + person[1:]
    return text[: token.start] + person + rest


def _title(term: str) -> bool:
    """Whether a term has a capital that only a title would give it."""
    return term[:1].isupper() and term.lower() in (
        "women",
        "men",
        "woman",
        "man",
        "female",
        "gay",
        "black",
        "white",
    )


def _identity_variants(text: str) -> list[str]:
    """The first identity term replaced by every other that fits its place."""
    for kind in KINDS:
        match = pattern(terms(f"identity {kind}")).search(text)
        if match is None or (match.start() and _title(match[0])):
            continue
        after = text[match.end() :]
        if after.startswith("-") or text[: match.start()].endswith("-"):
            continue
        if kind == "adjective" and not PERSON.match(after):
            continue
        rows = terms(f"substitute {kind}")
        made = []
        for row in rows:
            word = row.removeprefix("the ") if kind == "singular" else row
            before = text[: match.start()]
            if found := ARTICLE.search(before):
                before = before[: found.start()] + match_article(found[1], word) + found[2]
            if match[0][:1].isupper() and not before.strip(" \"'“("):
                word = word[:1].upper() + word[1:]
            if word.lower() != match[0].lower():
                made.append(before + word + text[match.end() :])
        return made
    return []
