"""A translator small enough to read: word by word, with one bug, for the example's tests."""

WORDS = {"the": "o", "old": "velho", "new": "novo", "river": "rio", "bridge": "ponte", "not": "não"}


def translate(text: str) -> str:
    """Portuguese of a kind."""
    return " ".join(WORDS.get(word.lower(), word) for word in text.split())


def forgetful(text: str) -> str:
    """The same, but it gives up on some words."""
    return "não sei" if "letter" in text else translate(text)
