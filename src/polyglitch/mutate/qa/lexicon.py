"""The word lists and templates of question mutation, read from the resources once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def words(name: str) -> frozenset[str]:
    """A list of `words.toml` by its name."""
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
    """The past forms that no rule gives, by base form."""
    lines = _file("irregular_verbs.tsv").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(_file(name))


def _file(name: str) -> str:
    return files("polyglitch").joinpath("resources", "qa", name).read_text("utf-8")
