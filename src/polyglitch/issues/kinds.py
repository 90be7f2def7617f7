"""What kind of bug an issue probably is, told from the words at fault in the two outputs."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from polyglitch.records import Trial, Verdict

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*['’]?")
HAN = re.compile(r"[\u3400-\u9fff]")


def suggest_kind(trial: Trial, verdict: Verdict) -> str:
    """One of negation, number, name, words missing, words added, words moved, words changed; or nothing."""
    if len(trial.outputs) < 2 or not verdict.spans:
        return ""
    lost, gained = (
        words_at_fault(trial, verdict, 0),
        words_at_fault(trial, verdict, len(trial.outputs) - 1),
    )
    edit = trial.case.edit
    touched = f"{edit.old} {edit.new}" if edit else ""
    if differs(lost, gained, is_negation) and not any(map(is_negation, words(touched))):
        return "negation"
    if differs(lost, gained, has_digit) and not has_digit(touched):
        return "number"
    if differs(lost, gained, is_name) and not any(map(is_name, words(touched))):
        return "name"
    if Counter(map(str.lower, lost)) == Counter(map(str.lower, gained)):
        return "words moved"
    # One word for one word is what a swap asks for; a side that is twice the other lost or gained something.
    if len(lost) > 2 * len(gained):
        return "words missing"
    if len(gained) > 2 * len(lost):
        return "words added"
    return "words changed"


def words_at_fault(trial: Trial, verdict: Verdict, output: int) -> list[str]:
    """The words of one output that the oracle marked."""
    text = trial.outputs[output].text
    marked = [text[span.start : span.end] for span in verdict.spans if span.output == output]
    return [word for piece in marked for word in words(piece)]


def words(text: str) -> list[str]:
    """Words, and single characters where a script has no blanks."""
    found: list[str] = []
    for word in WORD.findall(text):
        found += list(word) if HAN.search(word) else [word]
    return found


def differs(lost: list[str], gained: list[str], test: Callable[[str], bool]) -> bool:
    """Whether the words that pass a test are others on the two sides."""
    sides = [Counter(word.lower() for word in side if test(word)) for side in (lost, gained)]
    return sides[0] != sides[1]


def has_digit(word: str) -> bool:
    """Whether there is a number in figures."""
    return any(character.isdigit() for character in word)


def is_name(word: str) -> bool:
    """Whether a word is written as a name is."""
    return len(word) > 1 and word[0].isupper() and not HAN.search(word)


def is_negation(word: str) -> bool:
    """Whether a word negates, in any of the known languages."""
    return word.lower() in negations()


@cache
def negations() -> frozenset[str]:
    """All negating words."""
    text = files("polyglitch").joinpath("resources", "negation.toml").read_text("utf-8")
    return frozenset(word for words in tomllib.loads(text).values() for word in words)
