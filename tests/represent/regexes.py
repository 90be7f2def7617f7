"""Random regexes over two letters, and a slow reading of them that shares no code with the automata."""

from __future__ import annotations

from functools import cache
from itertools import product

from hypothesis import strategies as st

LETTERS = "ab "
LONGEST = 4
WORDS = tuple("".join(w) for n in range(LONGEST + 1) for w in product(LETTERS, repeat=n))

atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "ab", "\\b", " "])


def bigger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bounds = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "{,1}"])
    return st.one_of(
        st.builds("({})({})".format, inner, inner),
        st.builds("({})|({})".format, inner, inner),
        st.builds("({})&({})".format, inner, inner),
        st.builds("~({})".format, inner),
        st.builds("({}){}".format, inner, bounds),
    )


regexes = st.recursive(atoms, bigger, max_leaves=5)


def edge(text: str, at: int) -> bool:
    """Whether there is a word boundary before the character at a place."""
    before = at > 0 and text[at - 1] != " "
    after = at < len(text) and text[at] != " "
    return before != after


@cache
def matches(regex: str, text: str, start: int, end: int) -> bool:
    """Whether the regex, in full brackets as above, matches this part of a text."""
    if regex == "\\b":
        return start == end and edge(text, start)
    part = text[start:end]
    if regex in ("a", "b", " ", "ab"):
        return part == regex
    if regex in (".", "[ab]", "[^a]"):
        allowed = {".": LETTERS, "[ab]": "ab", "[^a]": "b "}[regex]
        return len(part) == 1 and part in allowed
    if regex.startswith("~"):
        return not matches(regex[2:-1], text, start, end)
    close = closing(regex)
    inner, rest = regex[1:close], regex[close + 1 :]
    if rest.startswith("|"):
        return matches(inner, text, start, end) or matches(rest[2:-1], text, start, end)
    if rest.startswith("&"):
        return matches(inner, text, start, end) and matches(rest[2:-1], text, start, end)
    if rest.startswith("("):
        return any(
            matches(inner, text, start, cut) and matches(rest[1:-1], text, cut, end)
            for cut in range(start, end + 1)
        )
    low, high = {
        "*": (0, 9), "+": (1, 9), "?": (0, 1), "{2}": (2, 2), "{1,2}": (1, 2), "{2,}": (2, 9), "{,1}": (0, 1),
    }[rest]  # fmt: skip
    return any(times(inner, text, start, end, n) for n in range(low, high + 1))


def times(inner: str, text: str, start: int, end: int, number: int) -> bool:
    """Whether the inner regex, so many times, matches."""
    if number == 0:
        return start == end
    return any(
        matches(inner, text, start, cut) and times(inner, text, cut, end, number - 1)
        for cut in range(start, end + 1)
    )


def closing(regex: str) -> int:
    """Where the first bracket closes."""
    depth = 0
    for place, char in enumerate(regex):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return place
    raise ValueError(regex)
