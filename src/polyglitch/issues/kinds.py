"""What kind of bug an issue probably is, told from the words that two texts do not share.

The texts are two outputs, and the words those that the oracle marked; or a sentence and what came back of it, and
the words those that differ. Hard facts come first: a negation, a number, a name. Then the shape: words lost, gained,
replaced, or all there and in another order or relation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache

from rapidfuzz.distance import LCSseq

from polyglitch.languages import all_languages
from polyglitch.languages.forms import share_half
from polyglitch.records import Trial, Verdict

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*['’]?")
HAN = re.compile(r"[\u3400-\u9fff]")


def suggest_kind(trial: Trial, verdict: Verdict) -> str:
    """One of negation, number, name, words missing, words added, words moved, logic, words changed; or nothing."""
    if len(trial.outputs) == 1 and len(trial.chains[0]) > 1 and trial.case.inputs:
        lost, gained = differing_words(trial.case.inputs[0].text, trial.chains[0][-1].text)
        return kind_of(lost, gained) if lost or gained else ""
    if len(trial.outputs) == 1 and verdict.spans and verdict.details:
        return max(verdict.details, key=lambda kind: verdict.details[kind])  # the oracle named them
    if len(trial.outputs) < 2 or not verdict.spans:
        return ""
    last = len(trial.outputs) - 1
    lost, gained = words_at_fault(trial, verdict, 0), words_at_fault(trial, verdict, last)
    edit = trial.case.edit
    return kind_of(lost, gained, f"{edit.old} {edit.new}" if edit else "")


def kind_of(lost: list[str], gained: list[str], touched: str = "") -> str:
    """The kind of a difference; what was changed on purpose is no fact against the system."""
    return fact(lost, gained, touched) or shape(lost, gained)


def fact(lost: list[str], gained: list[str], touched: str = "") -> str:
    """A negation, number or name that differs, or nothing."""
    if differs(lost, gained, is_negation) and not any(map(is_negation, words(touched))):
        return "negation"
    if differs(lost, gained, has_digit) and not has_digit(touched):
        return "number"
    if differs(lost, gained, is_name) and not any(map(is_name, words(touched))):
        return "name"
    return ""


def shape(lost: list[str], gained: list[str]) -> str:
    """What became of the words that carry meaning: missing, added, changed; or all there, but not as they were."""
    if Counter(map(str.lower, lost)) == Counter(map(str.lower, gained)):
        return "words moved"
    gone, new = without_forms(content(lost), content(gained))
    if not gone and not new:
        # Only function words or forms of the same words differ. Lost without a substitute they are missing, else what
        # the words say of each other is another thing.
        return "words missing" if lost and not gained else "logic"
    # A phrase for a word is a change of words; but whoever has less than half to say left something out.
    if not new or len(gone) > 2 * len(new):
        return "words missing"
    return "words changed" if gone else "words added"


def words_at_fault(trial: Trial, verdict: Verdict, output: int) -> list[str]:
    """The words of one output that the oracle marked."""
    text = trial.outputs[output].text
    marked = [text[span.start : span.end] for span in verdict.spans if span.output == output]
    return [word for piece in marked for word in words(piece)]


def differing_words(one: str, other: str) -> tuple[list[str], list[str]]:
    """The words of each of two texts that have no counterpart in the other, in order."""
    first, second = words(one), words(other)
    steps = LCSseq.opcodes([w.lower() for w in first], [w.lower() for w in second])
    apart = [step for step in steps if step.tag != "equal"]
    lost = [word for step in apart for word in first[step.src_start : step.src_end]]
    gained = [word for step in apart for word in second[step.dest_start : step.dest_end]]
    return lost, gained


def words(text: str) -> list[str]:
    """Words, and single characters where a script has no blanks."""
    found: list[str] = []
    for word in WORD.findall(text):
        found += list(word) if HAN.search(word) else [word]
    return found


def content(found: list[str]) -> list[str]:
    """Without function words, in lower case."""
    return [word for word in map(str.lower, found) if word not in function_words()]


def without_forms(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Two lists without the words that both have, in whatever form."""
    gone, new = [], list(other)
    for word in one:
        match = next((place for place, each in enumerate(new) if share_half(word, each)), None)
        if match is None:
            gone.append(word)
        else:
            del new[match]
    return gone, new


def differs(lost: list[str], gained: list[str], test: Callable[[str], bool]) -> bool:
    """Whether the words that pass a test are others on the two sides."""
    sides = [Counter(word.lower() for word in side if test(word)) for side in (lost, gained)]
    return sides[0] != sides[1]


def has_digit(word: str) -> bool:
    """Whether there is a number in figures."""
    return any(character.isdigit() for character in word)


def is_name(word: str) -> bool:
    """Whether a word is written as a name is."""
    if len(word) < 2 or not word[0].isupper() or HAN.search(word):
        return False
    return word.lower() not in function_words()  # they begin sentences


def is_negation(word: str) -> bool:
    """Whether a word negates, in any of the known languages."""
    return word.lower() in negations()


@cache
def function_words() -> frozenset[str]:
    """The telling function words of all languages: texts do not tell theirs."""
    telling = [known for known in all_languages() if known.telling_stop_words]
    return frozenset(word for known in telling for word in known.stop_words)


@cache
def negations() -> frozenset[str]:
    """All negating words."""
    return frozenset(word for known in all_languages() for word in known.negation.words)
