"""What a repair proposes: an output in place of another, and what came of it."""

from __future__ import annotations

from typing import Literal

import msgspec

Choose = Literal["similarity", "probability"]


class Fix(msgspec.Struct, frozen=True):
    """A source with the output it had and the one proposed instead."""

    source: str
    before: str
    after: str


class Mended(msgspec.Struct, frozen=True):
    """A repair of one issue: whose wording was taken, what is proposed, and how many violations that ends."""

    issue_id: str
    seed_id: str
    method: str
    fixes: tuple[Fix, ...] = ()
    chosen: str = ""  # the source whose translation was believed
    violations: int = 0
    gone: int = 0
    reason: str = ""  # why there is no proposal

    @property
    def repaired(self) -> bool:
        """Whether nothing of the issue is left."""
        return bool(self.fixes) and self.gone == self.violations
