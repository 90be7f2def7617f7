"""Which language a code stands for: from its folder, from a line about it, or from its script alone."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.languages.record import Language, find, folder, having

DEFAULT = "en"  # of suites and commands that do not say theirs


@cache
def language(code: str | None) -> Language:
    """The language of a code (`pt`, `pt-BR`, `por`), or one of which nothing is known."""
    short = two_letters(code) or _first(code)
    # A code is part of a path below: letters only.
    short = short if short.isascii() and short.isalpha() else ""
    own = find(short, "language.toml")
    told = tomllib.loads(own.read_text("utf-8")) if own else others().get(short, {})
    script = told.get("script") or _script_of(short)
    data = {**_by_script(script), **told, "code": short, "script": script}
    try:
        return msgspec.convert(data, Language)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{own or 'others.toml'}: {error}; languages/record.py has the fields"
        ) from None


@cache
def known_languages() -> tuple[Language, ...]:
    """Every language with a folder, by code."""
    return tuple(language(code) for code in having("language.toml"))


@cache
def all_languages() -> tuple[Language, ...]:
    """Every language of which anything is written down, those with a folder first."""
    rest = sorted(set(others()) - {one.code for one in known_languages()})
    return (*known_languages(), *(language(code) for code in rest))


def two_letters(code: str | None) -> str | None:
    """The two-letter code of a language, or nothing where none is known."""
    first = _first(code)
    return first if len(first) == 2 else _by_code3().get(first)


def _first(code: str | None) -> str:
    """A code without its region: pt-BR and pt_BR are pt."""
    return (code or "").replace("_", "-").partition("-")[0].lower()


@cache
def _by_code3() -> dict[str, str]:
    found = {row["code3"]: code for code, row in others().items() if "code3" in row}
    for code in having("language.toml"):
        place = find(code, "language.toml")
        told = tomllib.loads(place.read_text("utf-8")) if place else {}
        found[told.get("code3", code)] = code
    return found


@cache
def others() -> dict[str, dict[str, Any]]:
    """What is known of languages without a folder, by code."""
    return tomllib.loads(folder().joinpath("others.toml").read_text("utf-8"))


@cache
def _scripts() -> dict[str, dict[str, Any]]:
    return tomllib.loads(folder().joinpath("scripts.toml").read_text("utf-8"))


def _script_of(code: str) -> str:
    return next((name for name, row in _scripts().items() if code in row["languages"]), "Latin")


def _by_script(script: str) -> dict[str, Any]:
    row = _scripts().get(script, {})
    return {key: value for key, value in row.items() if key != "languages"}


def serving(proposer: str) -> str:
    """Which languages a proposer is for, as an error says it."""
    known = [one.code for one in known_languages() if proposer in one.proposers]
    return f"only {', '.join(map(repr, known)) or 'no language'} is known"
