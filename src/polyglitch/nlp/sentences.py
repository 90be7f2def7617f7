"""Splits running text into sentences by rules; fast enough for a hundred thousand passages.

Corpus text as a person would write it: treebank tokens joined again, tweets without their machinery.
"""

from __future__ import annotations

import html
import re
from functools import cache

from polyglitch.languages import language as language_of


@cache
def ending(language: str | None) -> re.Pattern[str]:
    """What a sentence of a language ends with; a blank follows where blanks part words."""
    known = language_of(language)
    marks = re.escape("".join(known.sentence_marks))
    return re.compile(rf"[{marks}][\"'”’)\]]*" + (r"(?=\s)" if known.spaced else ""))


def split_sentences(text: str, language: str | None) -> list[str]:
    """The sentences of a text, in order, without the blanks around them."""
    known = language_of(language).words("abbreviations")
    sentences: list[str] = []
    start = 0
    for found in ending(language).finditer(text):
        after = text[found.end() :].lstrip()[:1]
        if after.islower() or (
            found[0].startswith(".") and abbreviated(text[start : found.start()], known)
        ):
            continue
        sentences.append(text[start : found.end()].strip())
        start = found.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def abbreviated(before: str, known: frozenset[str]) -> bool:
    """Whether the full stop after this text belongs to an abbreviation or an initial."""
    last = before.rsplit(None, 1)[-1].lstrip("(\"'").lower() if before.split() else ""
    initial = len(last) == 1 and last.isalpha() and last != "i"
    return last in known or initial or bool(re.fullmatch(r"([a-z]\.)+[a-z]", last))


BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
JOINS = (
    (re.compile(r" ([.,;:!?%)\]])"), r"\1"),
    (re.compile(r"([(\[$#]) "), r"\1"),
    (re.compile(r" (n't|'s|'re|'ve|'ll|'d|'m)\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b([Cc]an) (not)\b"), r"\1\2"),
    (re.compile(r"(\w) '(?=\s|$)"), r"\1'"),
    (re.compile(r"\b([Gg]on|[Ww]an) (na)\b"), r"\1\2"),
)
QUOTED = re.compile(r"""(?:``|")((?:[^"`'\n]|`(?!`)|'(?!'))+)(?:''|")""")
LINK = re.compile(r"https?://\S+|\bhttps?\b\S*|\bwww\.\S+|pic\.twitter\S+")
MENTION = re.compile(r"(?:\bRT\b\s*|(?<![.!\"“”]))[.!\"“”]*@\w+:?")
SPACES = re.compile(r"\s+")


def detokenize(text: str) -> str:
    """A line of treebank tokens as running text."""
    for code, mark in BRACKETS.items():
        text = text.replace(code, mark)
    text = QUOTED.sub(lambda found: f'"{found[1].strip() or " "}"', text)
    for pattern, new in JOINS:
        text = pattern.sub(new, text)
    return SPACES.sub(" ", text).strip()


def untweet(text: str) -> str:
    """A tweet without mentions, links, repost marks and hash signs."""
    text = html.unescape(html.unescape(text))
    text = MENTION.sub(" ", LINK.sub(" ", text))
    text = re.sub(r"\bRT\b|#(?=\w)|&(?=\s|$)", " ", text)
    text = re.sub(r"[^\x20-\x7e‘’“”…é]", " ", text)
    text = re.sub(r"([!?.])\1{2,}", r"\1\1\1", text)
    return SPACES.sub(" ", text).strip(" \"'“”!:.-;,|")


def readable(text: str) -> str:
    """Either kind, told apart by its marks."""
    if (
        "@" in text
        or "http" in text
        or "&#" in text
        or "&amp;" in text
        or re.search(r"#\w|\bRT\b", text)
    ):
        return untweet(text)
    if re.search(r" n't\b| 's\b|``| [.,](?:\s|$)", text):
        return detokenize(text)
    return SPACES.sub(" ", text).strip()
