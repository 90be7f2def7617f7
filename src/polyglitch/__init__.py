"""Polyglitch finds where language software breaks, without labelled references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyglitch.testing.check import check as check

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`polyglitch.check`, imported when it is used."""
    if name == "check":
        from polyglitch.testing.check import check

        return check
    raise AttributeError(f"module 'polyglitch' has no attribute {name!r}")
