"""Negations that an output has and its source has not: the plainest sign that two issues are one bug."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from polyglitch.issues.kinds import words
from polyglitch.records import Trial

Languages = tuple[str | None, str | None]


def unasked_negation(source: str, output: str, languages: Languages) -> str:
    """The negating particle that stands in an output more often than its source negates, or nothing.

    Only the plain particle counts: many languages say "nothing" with two negating words. A source with a word that
    others put with a negation ("has yet to") is given the benefit of the doubt.
    """
    particle, found = particles(output, languages[1])
    wanted = denials(source, languages[0])
    if not particle or wanted is None:
        return ""
    implied = frozenset(table("issues/implied_negation.toml").get(languages[0] or "", ()))
    if implied.intersection(map(str.lower, words(source))):
        return ""
    return particle if found > wanted else ""


def moved_negation(trial: Trial, languages: Languages) -> str:
    """The negating particle that one of two outputs has more often, though the sources negate alike; or nothing."""
    if len(trial.outputs) != 2 or trial.case.relation == "contained":
        return ""
    wanted = [denials(item.text, languages[0]) for item in trial.case.inputs]
    counts = [particles(output.text, languages[1]) for output in trial.outputs]
    same = wanted[0] is not None and wanted[0] == wanted[1]
    return counts[0][0] if same and counts[0] != counts[1] else ""


def denials(text: str, language: str | None) -> int | None:
    """How often a text negates; unknown for a language without a list."""
    denying = table("negation.toml").get(language or "")
    if denying is None:
        return None
    told = [word.lower().replace("’", "'") for word in words(text)]
    return sum(word in denying or word.endswith("n't") for word in told)


def particles(text: str, language: str | None) -> tuple[str, int]:
    """The plain negating particle of a language, and how often a text has it."""
    particle = next(iter(table("negation.toml").get(language or "", ())), "")
    return particle, sum(word.lower() == particle for word in words(text))


@cache
def table(name: str) -> dict[str, tuple[str, ...]]:
    """Words by language from a resource."""
    text = files("polyglitch").joinpath("resources", *name.split("/")).read_text("utf-8")
    return {language: tuple(found) for language, found in tomllib.loads(text).items()}
