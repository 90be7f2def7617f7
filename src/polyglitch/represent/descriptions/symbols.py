"""Terms and literals as regex text."""

from __future__ import annotations

from polyglitch.represent.descriptions.phrases import Token

CLASSES = {
    "vowel": "[AEIOUaeiou]",
    "number": "[0-9]",
    "letter": "[A-Za-z]",
    "character": ".",
    "capital": "[A-Z]",
    "lower": "[a-z]",
    "consonant": "[B-DF-HJ-NP-TV-Zb-df-hj-np-tv-z]",
}


def symbol(token: Token) -> str:
    """The regex of one term."""
    return CLASSES[token.value] if token.kind == "TERM" else escape(token.value)


def escape(literal: str) -> str:
    """A literal with what the dialect reserves escaped."""
    return "".join(
        char if char.isalnum() or char in " _<>=,;:'\"!@#%/-" else f"\\{char}" for char in literal
    )
