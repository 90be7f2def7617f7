"""Small repairs of wording: capitals, verb forms, the end of a question."""

from __future__ import annotations

import re

from polyglitch.mutate.qa.lexicon import irregular_past, words

WORD = re.compile(r"[^\W\d_][\w'’-]*")
VOWELS = "aeiou"


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
    if verb == "have":
        return "has"
    if verb == "be":
        return "is"
    if re.search(r"(s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in VOWELS:
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    """`go` as `went`, `stop` as `stopped`."""
    known = irregular_past().get(verb)
    if known:
        return known
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in VOWELS:
        return verb[:-1] + "ied"
    # A short verb that ends in one consonant after one vowel doubles it.
    short = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb)
    doubled = short or re.search(r"(mit|fer|cur|pel|trol|gret)$", verb)
    return verb + (verb[-1] if doubled and not verb.endswith(("w", "x", "y")) else "") + "ed"


def conjugate(verb: str, auxiliary: str) -> str:
    """The verb with the tense and person of the `do` it loses."""
    return {"does": third_person, "did": past}.get(auxiliary, str)(verb)
