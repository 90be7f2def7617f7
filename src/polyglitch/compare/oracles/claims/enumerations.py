"""Items that only one of two answers enumerates, on lines of their own or in a sentence, whatever their order.

Parts of an answer that have traded places, and which of two alternatives an answer chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from polyglitch.compare.oracles.claims.difference import Asked, Difference, synonyms
from polyglitch.languages import language as language_of
from polyglitch.languages.record import having
from polyglitch.represent.claims.answer import Answer, read_answer, split
from polyglitch.represent.claims.facts import facts
from polyglitch.represent.claims.structure import list_items
from polyglitch.represent.claims.words import (
    AnswerWord,
    content_words,
    lists,
    little_words,
    reach_of,
    root,
    said_among,
    tokens,
)

LONGEST_ITEM = 4  # words of an item of a row; more is a clause
FEWEST = 3  # items of a row within a sentence; "soup and bread" is too little to tell
LONGEST = 120  # words of an answer that is looked at
# Bounded: without limits the time would grow with the square of the question's length.
CHOICE = re.compile(r"([^\W_][\w' -]{0,160}?),? or ([\w' -]{1,160}?)\s*\?", re.IGNORECASE)
LEAD = re.compile(r"\b(?:a|an|the|is|are|was|be|of|,)\b|,", re.IGNORECASE)
THAN = re.compile(r"\b(\w+er|more|less|better|worse) than\b", re.IGNORECASE)


class RowItem(NamedTuple):
    """An item of a row, and the row that it stands in."""

    text: str
    start: int
    end: int
    row: int


def item_differences(one: str, other: str, asked: Asked) -> Iterator[Difference]:
    """Items of a list that the other list has not, whatever their order."""
    rows = list_items(one), list_items(other)
    if rows[0] and rows[1]:
        yield from listed_differences(rows, asked)
    for side, (mine, their) in enumerate(((one, other), (other, one))):
        for item in lost_items(mine, their):
            which = "first" if side == 0 else "second"
            place = item.start, item.end
            places = (place, None) if side == 0 else (None, place)
            reason = f"only the {which} answer has {item.text!r} in the row"
            yield Difference("item", 0.55, reason, *places)


def listed_differences(
    rows: tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]], asked: Asked
) -> Iterator[Difference]:
    """Lines of one list for which the other has no line."""
    bags = [[item_words(text) for text, _, _ in some] for some in rows]
    for side in (0, 1):
        for (text, start, end), words in zip(rows[side], bags[side], strict=True):
            if words and not any(shared(words, o) >= 0.5 for o in bags[1 - side]):
                which = "first" if side == 0 else "second"
                places = ((start, end), None) if side == 0 else (None, (start, end))
                weight = 0.6 if asked.exhaustive or asked.counted else 0.45
                yield Difference("item", weight, f"only the {which} list has {text!r}", *places)


def lost_items(mine: str, their: str) -> list[RowItem]:
    """Short items of a row that the other answer says in no way, though it says others of the row."""
    there = frozenset(root(word) for word, _, _ in tokens(their))
    reached = reach_of(there)
    words = [word for word, _, _ in tokens(their) if word[0].isalpha()]
    said: dict[int, int] = {}
    lost: list[RowItem] = []
    for item in row_items(mine):
        marks = content_words(item.text)
        if not marks or facts(item.text):
            continue
        found = [
            said_among(w.root, there, reached) or any(synonyms(w.text, x) for x in words)
            for w in marks
        ]
        if not any(found) or (not all(found) and rival_item(item, marks, mine, their)):
            lost.append(item)
        elif all(found):
            said[item.row] = said.get(item.row, 0) + 1
    return [item for item in lost if said.get(item.row, 0) >= 2 or their_row(their, said, item)]


def rival_item(item: RowItem, marks: list[AnswerWord], mine: str, their: str) -> bool:
    """Whether the other row has an item that shares a word with this one and has another for the rest."""
    said = frozenset(root(word) for word, _, _ in tokens(mine))
    reached = reach_of(said)
    roots = {w.root for w in marks}
    for other in row_items(their):
        words = content_words(other.text)
        new = [w for w in words if not said_among(w.root, said, reached)]
        if new and len(words) == len(marks) and roots & {w.root for w in words}:
            return not any(synonyms(w.text, x.text) for w in marks for x in new)
    return False


def their_row(their: str, said: dict[int, int], item: RowItem) -> bool:
    """Whether one item of the row that is said will do: where the other answer is a row as well."""
    return said.get(item.row, 0) == 1 and bool(row_items(their))


def row_items(text: str) -> list[RowItem]:
    """The short items of all rows of a text: lines of a list, or three and more parted by commas."""
    found: list[RowItem] = []
    lines = list_items(text)
    if lines and all(len(line.split()) <= LONGEST_ITEM for line, _, _ in lines):
        found += [RowItem(line, start, end, 0) for line, start, end in lines]
    for number, (part, start) in enumerate(split(text), 1):
        chunks = chunks_of(part)
        if len(chunks) < FEWEST or not all(short(c) for c, _ in chunks[1:]):
            continue
        for chunk, at in chunks:
            if short(chunk):
                found.append(RowItem(chunk, start + at, start + at + len(chunk), number))
    return found


def short(chunk: str) -> bool:
    """Whether a part of a sentence is an item and no clause."""
    return 0 < len(chunk.split()) <= LONGEST_ITEM


def chunks_of(part: str) -> list[tuple[str, int]]:
    """A sentence in parts at commas and joining words, with their places."""
    found, start = [], part.find(": ") + 2 if ": " in part else 0  # what announces a row is no item
    for mark in [*joint().finditer(part, start), None]:
        end = mark.start() if mark else len(part)
        chunk = part[start:end]
        if chunk.strip(" .!?*-"):
            lead = len(chunk) - len(chunk.lstrip(" *-"))
            found.append((chunk.strip(" .!?*-"), start + lead))
        start = mark.end() if mark else end
    return found


@cache
def joint() -> re.Pattern[str]:
    """What parts the items of a row."""
    known = [language_of(code).table("facts.toml", "reading rows") for code in having("facts.toml")]
    joining = [word for each in known for word in each.get("joiners", ())]
    words = "|".join(re.escape(word) for word in (*joining, *lists()["joining"]))
    return re.compile(rf",? (?:{words}) |, ", re.IGNORECASE)


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words in common."""
    return len(one & other) / max(1, min(len(one), len(other)))


def item_words(text: str) -> frozenset[str]:
    """What an item of a list is recognised by."""
    found = frozenset(w.root for s in read_answer(text).sentences for w in s.words)
    return found or frozenset(re.findall(r"\w+", text.lower()))


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
