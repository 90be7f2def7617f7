"""Candidates that were made once for the bundled sentences and ship as data: a first run needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from polyglitch.errors import Missing, UsageError
from polyglitch.protocols import Candidate, Slot
from polyglitch.records import digest
from polyglitch.registry import suggest

FILE = "proposals.en.jsonl"


class Row(msgspec.Struct, frozen=True):
    """A word of a sentence, by where it starts, and what a proposer said of it: words with their scores."""

    sentence: str
    by: str
    start: int
    word: str
    candidates: tuple[tuple[str, float], ...]


class BundledProposer:
    """Looks slots up; knows only the sentences that it was made for."""

    def __init__(self, rows: Sequence[Row], signature: str) -> None:
        self._found = {(row.sentence, row.start): row.candidates for row in rows}
        self._sentences = frozenset(row.sentence for row in rows)
        self.signature = signature

    def knows(self, sentence: str) -> bool:
        """Whether this sentence was looked at when the data was made."""
        return sentence in self._sentences

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, best first; none for a slot that is not in the data."""
        found = [self._found.get((slot.parse.text, slot.token.start), ()) for slot in slots]
        return [[Candidate(word, score) for word, score in some[:top]] for some in found]


@cache
def open_bundled(language: str, by: str = "smollm") -> BundledProposer:
    """What a proposer, smollm or dictionary, said of the bundled English sentences."""
    if language != "en":
        raise Missing(f"bundled sentences in {language!r}", "the proposer 'bundled'", "use another")
    text = files("polyglitch").joinpath("resources", "sample", FILE).read_text("utf-8")
    rows = [msgspec.json.decode(line, type=Row) for line in text.splitlines()]
    mine = [row for row in rows if row.by == by]
    if not mine:
        known = tuple(sorted({row.by for row in rows}))
        raise UsageError(f"bundled:{by}: nothing is bundled by {by!r}{suggest(by, known)}")
    return BundledProposer(mine, f"bundled:{by}-{digest([text], 8)}")
