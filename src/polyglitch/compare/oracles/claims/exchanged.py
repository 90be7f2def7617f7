"""Parts of an answer that have traded places, and which of two alternatives an answer chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from polyglitch.compare.oracles.claims.asked import Asked
from polyglitch.compare.oracles.claims.difference import Difference
from polyglitch.compare.oracles.claims.enumerations import row_items
from polyglitch.represent.claims.answer import Answer
from polyglitch.represent.claims.lists import lists
from polyglitch.represent.claims.words import little_words, root, tokens

LONGEST = 120  # words of an answer that is looked at
# Bounded: without limits the time would grow with the square of the question's length.
CHOICE = re.compile(r"([^\W_][\w' -]{0,160}?),? or ([\w' -]{1,160}?)\s*\?", re.IGNORECASE)
LEAD = re.compile(r"\b(?:a|an|the|is|are|was|be|of|,)\b|,", re.IGNORECASE)
THAN = re.compile(r"\b(\w+er|more|less|better|worse) than\b", re.IGNORECASE)


def exchanged_parts(a: Answer, b: Answer) -> Iterator[Difference]:
    """Two parts that stand in each other's place: "6% for 3%" against "3% for 6%"; a passive is another matter."""
    left, right = steady(a.text), steady(b.text)
    if max(len(left), len(right)) > LONGEST or sorted(w for w, _, _ in left) != sorted(
        w for w, _, _ in right
    ):
        return
    if passive(a.text) != passive(b.text):
        return
    parts = exchange([w for w, _, _ in left], [w for w, _, _ in right])
    if parts is None:
        return
    i, j, k, m = parts
    if in_one_row(a.text, left[i][1], left[k][1]):
        return
    spans = (left[i][1], left[j - 1][2]), (right[i][1], right[j - 1][2])
    shown = [" ".join(a.text[left[p][1] : left[q - 1][2]].split()) for p, q in ((i, j), (k, m))]
    reason = f"{shown[0]!r} and {shown[1]!r} have changed places"
    yield Difference("swapped", 0.7, reason, *spans)


def in_one_row(text: str, one: int, other: int) -> bool:
    """Whether two places are items of one row, whose order tells nothing."""
    rows = [{r.row for r in row_items(text) if r.start <= at < r.end} for at in (one, other)]
    return bool(rows[0] & rows[1])


def exchange(one: list[str], other: list[str]) -> tuple[int, int, int, int] | None:
    """The two places whose words stand in each other's place, with words of meaning between them."""
    apart = [n for n, (x, y) in enumerate(zip(one, other, strict=True)) if x != y]
    if not apart or len(apart) % 2:
        return None
    half = len(apart) // 2
    (i, j), (k, m) = (apart[0], apart[half - 1] + 1), (apart[half], apart[-1] + 1)
    if j - i != half or m - k != half or k == j:
        return None
    return (i, j, k, m) if one[i:j] == other[k:m] and one[k:m] == other[i:j] else None


def steady(text: str) -> list[tuple[str, int, int]]:
    """The words of a text without little ones, in one form each: we for us, two times for twice."""
    table: dict[str, str] = lists()["one_form"]
    found = []
    for word, start, end in tokens(text):
        for each in table.get(word, word).split():
            if each[0].isalnum() and (each not in little_words() or each in table.values()):
                found.append((root(each) if each.isalpha() else each, start, end))
    return found


def passive(text: str) -> bool:
    """Whether somebody is named as the one by whom something is done."""
    return bool(re.search(r"\bby\b", text, re.IGNORECASE))


def choice_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Another alternative of "X or Y?" than before."""
    sides = alternatives(asked.question)
    if sides is None:
        return
    picks = [choice(x.text, sides, asked.question) for x in (a, b)]
    if None not in picks and picks[0] != picks[1]:
        spans = (0, len(a.text)), (0, len(b.text))
        yield Difference("choice", 0.75, f"chose {picks[0]!r}, then {picks[1]!r}", *spans)


def alternatives(question: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words that tell the two alternatives of a question apart."""
    found = CHOICE.search(question)
    if not found:
        return None
    sides = [
        frozenset(root(w) for w, _, _ in tokens(part) if w[0].isalpha() and w not in little_words())
        for part in (LEAD.split(found[1])[-1], LEAD.split(found[2])[-1])
    ]
    one, other = sides[0] - sides[1], sides[1] - sides[0]
    return (one, other) if one and other else None


def choice(answer: str, sides: tuple[frozenset[str], frozenset[str]], question: str) -> str | None:
    """What an answer chooses: the one that it names, the one that is more than the other, or neither."""
    said = [root(w) for w, _, _ in tokens(answer)]
    if len(said) <= LONGEST and any(p in answer.lower() for p in lists()["no_choice"]):
        return "neither"
    at = [next((n for n, w in enumerate(said) if w in side), None) for side in sides]
    if at[0] is None and at[1] is None:
        return None
    if at[0] is None or at[1] is None:
        return "first" if at[1] is None else "second"
    compared = THAN.search(answer)
    if not compared:
        return None
    asked = root(compared[1].lower()) in {root(w) for w, _, _ in tokens(question)}
    return "first" if (at[0] < at[1]) == asked else "second"
