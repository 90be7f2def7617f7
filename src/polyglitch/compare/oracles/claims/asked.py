"""The two inputs as far as they bear on what an answer may leave out or add."""

from __future__ import annotations

from typing import NamedTuple

from polyglitch.represent.claims.answer import read_answer
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.lists import patterns

EDGE = 300  # characters at either end of an input where the request stands


class Asked(NamedTuple):
    """What was asked before and after the edit."""

    source: str
    followup: str
    followed: bool = False  # whether the answer must follow the edit

    @property
    def exhaustive(self) -> bool:
        """Whether all that is there was asked for: a summary, an extraction, a rewriting."""
        low = self.source.lower()
        ends = low[:EDGE], low[-EDGE:]
        return any(p.search(part) for p in patterns("exhaustive") for part in ends)

    def remarked(self) -> list[Fact]:
        """Facts that only the second input has, where they are no part of what must be followed."""
        if self.followed:
            return []
        before = facts(self.source)
        return [f for f in facts(self.followup) if not any(same_fact(f, g) for g in before)]

    @property
    def question(self) -> str:
        """What is asked: the sentences with a question mark, of either input."""
        return " ".join(
            part.text.rsplit(". ", 1)[-1]  # a text without capitals is one sentence
            for text in (self.source, self.followup)
            for part in read_answer(text).sentences
            if part.text.rstrip().endswith("?")
        )
