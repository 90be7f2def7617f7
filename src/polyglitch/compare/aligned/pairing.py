"""Changed words of two outputs paired off: what one lost the other may say in other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from polyglitch.compare.aligned.lexicon import Lexicon, Numbers
from polyglitch.compare.aligned.links import NONE, Side

Likeness = Callable[[str, str], float | None]  # of two words of the target language; None: unknown
WEIGHTY = frozenset({"content", "number", "name", "negation"})
EXCUSED = 0.5  # a word so likely to translate an edited one is not in want of a partner
LEAST = 0.3  # words less alike than this are not partners


class Pairing(NamedTuple):
    """Changed words of two sides: how alike each two are, and who is whose partner."""

    rows: list[int]  # changed words of this side
    columns: list[int]  # changed words of the other
    alike: Numbers  # rows x columns: meaning, from -1 to 1, 0 where unknown
    form: Numbers  # rows x columns: letters, from 0 to 1
    turns: Numbers  # rows x columns: how readily a shared source word gives the one for the other
    partner: dict[int, tuple[int, float]]  # word here: word there and how alike

    def turned(self) -> Pairing:
        """The same from the other side."""
        back = {there: (here, value) for here, (there, value) in self.partner.items()}
        return Pairing(self.columns, self.rows, self.alike.T, self.form.T, self.turns.T, back)


def weighty(side: Side, places: Sequence[int]) -> list[int]:
    """Those of the places whose words carry meaning and do not come of the edit."""
    edited = [index for index, match in enumerate(side.source_match) if match == NONE]
    return [
        at
        for at in places
        if side.output.words[at].kind in WEIGHTY
        and (not edited or side.behind[at, edited].sum() < EXCUSED)
    ]


def pair_off(one: Side, other: Side, lexicon: Lexicon, likeness: Likeness | None) -> Pairing:
    """Pair the changed words that carry meaning, the most alike first."""
    rows, columns = one.changed, other.changed
    shape = (len(rows), len(columns))
    alike, form, turns = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    shared = [
        word.key for word, at in zip(one.source.words, one.source_match, strict=True) if at != NONE
    ]
    here = [one.output.words[at] for at in rows]
    there = [other.output.words[at] for at in columns]
    ahead = np.array([[lexicon.forward(key, word.key) for key in shared] for word in there])
    back = np.array([[lexicon.back(key, word.key) for key in shared] for word in here])
    for i, word in enumerate(here):
        for j, rival in enumerate(there):
            alike[i, j] = (likeness(word.key, rival.key) or 0.0) if likeness else 0.0
            form[i, j] = shared_form(word.text, rival.text)
            turns[i, j] = float((ahead[j] * back[i]).max()) if shared else 0.0
    score = np.maximum(np.maximum(alike, form), np.sqrt(turns))
    return Pairing(rows, columns, alike, form, turns, partners(one, other, rows, columns, score))


def partners(
    one: Side, other: Side, rows: list[int], columns: list[int], score: Numbers
) -> dict[int, tuple[int, float]]:
    """One partner each, the best pairs first."""
    here, there = set(weighty(one, rows)), set(weighty(other, columns))
    found: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for place in np.argsort(-score, axis=None, kind="stable"):
        i, j = divmod(int(place), len(columns))
        if score[i, j] < LEAST:
            break
        if (
            rows[i] in here
            and columns[j] in there
            and rows[i] not in found
            and columns[j] not in taken
        ):
            found[rows[i]] = (columns[j], float(score[i, j]))
            taken.add(columns[j])
    return found


def shared_form(one: str, other: str) -> float:
    """The share of letters that two words begin with or, in Chinese, that the other holds."""
    one, other = one.lower(), other.lower()
    if one.isascii() or other.isascii():
        same = 0
        for a, b in zip(one, other, strict=False):
            if a != b:
                break
            same += 1
        return same / max(len(one), len(other)) if same >= 3 else 0.0
    return sum(character in other for character in one) / len(one)
