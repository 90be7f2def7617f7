"""Text that somebody else wrote: a system's answer, a program's last words, what a service says of an error.

`Foreign` is no `str`, so mypy keeps it from terminals, errors, logs, tables and code hosts; each of those takes it
through the function here that makes it harmless there. What is compared or escaped by a template asks for `raw`.
"""

from __future__ import annotations

import re
from typing import NewType

LONGEST_LINE = 300  # characters of foreign text in a message: enough to tell, too few to flood

Cell = NewType("Cell", str)  # harmless in a spreadsheet
Plain = NewType("Plain", str)  # harmless where a host draws links and hides what it hides

# What makes a spreadsheet take a text for a formula; the full-width forms do in some locales.
FORMULA = r"[=+\-@\t\r\n＝＋－＠]"
# Where a table is cut at semicolons or tabs, what follows one starts a cell of its own.
FORMULA_STARTS = re.compile(rf"(^|[;\t\r\n]\s*[\"']?)(?={FORMULA})")
# SARIF reads [text](target) as a link, and hosts link addresses wherever they stand.
LINKING = re.compile(r"([\\\[\]])")
ADDRESS = re.compile(r"(?<=[A-Za-z]):(?=//)|(?<=www)\.|@(?=\w)", re.IGNORECASE)
SPLIT = {":": ":\u200b", ".": ".\u200b", "@": "@\u200b"}


class Foreign:
    """Somebody else's text; formatted into a message it is one harmless line."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def raw(self) -> str:
        """The text as it came, to compare it or to hand it to what escapes it."""
        return self._text

    def line(self, most: int = LONGEST_LINE) -> str:
        """One line for a terminal, an error or a log."""
        return one_line(self._text, most)

    __str__ = line

    def __repr__(self) -> str:
        return f"Foreign({self.line()!r})"

    def __bool__(self) -> bool:
        return bool(self._text)


def visible(text: str) -> str:
    """Text in which every character that is not printable is spelled out; ends of lines stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else f"<{ord(c):04X}>" for c in text)


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    """Text on one line of at most so many characters, nothing in it hidden."""
    shown = visible(" ".join(text[: 4 * most].split()))
    whole = len(shown) <= most and len(text) <= 4 * most
    return shown if whole else f"{shown[: most - 3]}..."
