"""The meanings of two sentences side by side: as descriptions where both are, else by their relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import msgspec

from polyglitch import __version__
from polyglitch.represent.abstraction.compare import compare
from polyglitch.represent.abstraction.relations import Side, relations
from polyglitch.represent.automata.similarity import hybrid, language_similarity, regex_similarity
from polyglitch.represent.descriptions.rerank import describe, style_of
from polyglitch.represent.descriptions.shapes import similarity as description_similarity

UNDERSTOOD = (
    0.3  # at most so large a share of unknown words in a sentence that counts as a description
)
HALVED = 3.0  # the cost of three lost relations halves a similarity
KINDS = ("lines", "line", "rows", "row", "strings", "string", "items", "words", "word")


class TwoMeanings(msgspec.Struct, frozen=True):
    """Two regexes with SemMT-R and SemMT-D; `kind` says what they were made from."""

    kind: Literal["description", "relations", "nothing"]
    one: str = ""
    other: str = ""
    r: float = 1.0
    d: float = 1.0
    plain_r: float = 1.0
    undecided: str = ""  # why the languages could not be compared; they then count as disjoint
    differences: tuple[str, ...] = ()

    def h(self, k: float = 0.5) -> float:
        """SemMT-H."""
        return hybrid(self.r, self.d, k)


def is_description(text: str) -> bool:
    """Whether a sentence describes lines or strings, and most of its words are understood."""
    words = text.lower().split()
    if not any(word in KINDS for word in words[:4]):
        return False
    found = describe(text)
    return bool(found.regex) and len(found.unknown) <= UNDERSTOOD * len(words)


@lru_cache(maxsize=4096)
def meanings(one: str, other: str, side: Side = "over") -> TwoMeanings:
    """What two sentences mean, and how alike that is. The first decides what is looked at."""
    if is_description(one):
        style = style_of([one])
        left, right = describe(one, style).regex, describe(other, style).regex
        alike = language_similarity(left, right) if right else None
        return TwoMeanings(
            "description",
            left,
            right,
            description_similarity(one, other),
            (alike.value or 0.0) if alike else 0.0,
            regex_similarity(left, right),
            (alike.undecided if alike else "undecided: nothing understood in the second"),
        )
    if not relations(one, side) and not relations(other, side):
        return TwoMeanings("nothing")
    found = compare(one, other, side)
    languages = language_similarity(found.one, found.other)
    return TwoMeanings(
        "relations",
        found.one,
        found.other,
        1 / (1 + found.cost / HALVED),
        languages.value or 0.0,
        regex_similarity(found.one, found.other),
        languages.undecided,
        found.differences,
    )


@dataclass(frozen=True)
class MeaningMetric:
    """One of SemMT's metrics, as `measure` knows it."""

    name: str
    settings: str
    pick: Callable[[TwoMeanings], float]
    direction: Literal["similarity", "distance"] = "similarity"
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def signature(self) -> str:
        """Name, settings and version, in the manner of sacreBLEU."""
        return f"{self.name}|{self.settings}|version:{__version__}"

    def score(self, pairs: Iterable[tuple[str, str]]) -> list[float]:
        """One number a pair; equal texts get 1."""
        return [1.0 if a == b else self.pick(meanings(a, b)) for a, b in pairs]


semmt_r = MeaningMetric("semmt-r", "costs:stated|halved-at:3", lambda found: found.r)
semmt_r_plain = MeaningMetric("semmt-r-plain", "unit:regex-token", lambda found: found.plain_r)
semmt_d = MeaningMetric("semmt-d", "converged:0.001|undecided:0", lambda found: found.d)
semmt_h = MeaningMetric("semmt-h", "k:0.5", lambda found: found.h())
