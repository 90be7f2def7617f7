"""Word lists that predicates and templates name: identity groups, pronouns, names, places; slurs and profanity.

The terms of abuse lie in one encoded file, decoded only when a capability asks for them; `drop_terms` removes it.

The pairs of words that general relations trade, read from their data file.
"""

from __future__ import annotations

import base64
import tomllib
import zlib
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from polyglitch.errors import Missing, UsageError
from polyglitch.languages import having, known_languages
from polyglitch.languages import language as language_of
from polyglitch.registry import suggest

ENCODED = "terms.b85"
WORDING = "wording.toml"
ABUSE = ("slur", "slur singular", "slur plural", "profanity")


@cache
def term_lists(language: str) -> dict[str, tuple[str, ...]]:
    """The open lists by name: `identity`, `identity plural`, `pronoun`, `name female`, ..."""
    path = language_of(language).file("groups.toml")
    table = tomllib.loads(path.read_text("utf-8")) if path else {}
    lists: dict[str, tuple[str, ...]] = {}
    for family, rows in table.items():
        for kind, words in rows.items():
            lists[f"{family} {kind}"] = tuple(words)
        lists[family] = tuple(dict.fromkeys(word for words in rows.values() for word in words))
    return lists


@cache
def abuse_lists() -> dict[str, tuple[str, ...]]:
    """Slurs and profanity, decoded; an error says so when they were dropped."""
    path = encoded_file()
    if path is None:
        raise Missing(
            "the list of slurs and profanity",
            "this capability",
            "it was removed by `doctor --drop-slurs`; install the package again",
        )
    table = tomllib.loads(zlib.decompress(base64.b85decode(path.read_bytes().strip())).decode())
    singular, plural = tuple(table["slur_singular"]), tuple(table["slur_plural"])
    return {
        "slur": singular + plural + tuple(table["slur_other"]),
        "slur singular": singular,
        "slur plural": plural,
        "profanity": tuple(table["profanity"]),
    }


def terms(name: str, language: str) -> tuple[str, ...]:
    """The words of a list, or an error that says which lists there are."""
    if name in ABUSE:
        return abuse_lists()[name]
    lists = term_lists(language)
    if name not in lists:
        raise UsageError(f"no word list is called {name!r}{suggest(name, (*lists, *ABUSE))}")
    return lists[name]


def drop_terms() -> bool:
    """Remove the encoded file; whether it was there."""
    path = encoded_file()
    if path is not None:
        Path(str(path)).unlink(missing_ok=True)
    return path is not None


def encoded_file() -> Traversable | None:
    """The encoded file of the language that has one."""
    found = (known.file(ENCODED) for known in known_languages())
    return next((path for path in found if path is not None), None)


@cache
def wording(section: str, language: str) -> dict[str, Any]:
    """One section of the file of a language."""
    table: dict[str, Any] = language_of(language).table(WORDING, "rewording")[section]
    return table


def letter_table(language: str) -> dict[str, Any]:
    """Letters taken for others: of the language, else of one in the same script; empty where there is none."""
    known = language_of(language)
    codes = (known.code, *having(WORDING))
    fitting = (
        code
        for code in codes
        if language_of(code).file(WORDING) and language_of(code).script == known.script
    )
    code = next(fitting, None)
    return wording("letters", code) if code else {}


@cache
def pairs(section: str, kind: str, language: str, both_ways: bool = True) -> dict[str, str]:
    """Word to word, in both directions unless told otherwise."""
    found: dict[str, str] = {}
    for pair in wording(section, language)[kind]:
        one, other = pair.split()
        found.setdefault(one, other)
        if both_ways:
            found.setdefault(other, one)
    return found
