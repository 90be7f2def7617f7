"""Automata as people see them: small, and nothing in them that leads nowhere."""

from __future__ import annotations

from itertools import product

from polyglitch.represent.automata.dfa import MOST_STATES, drawable


def accepts(machine: dict[str, object], text: str) -> bool:
    state: object = 0
    for char in text:
        ways = [there for here, there, name in machine["edges"] if here == state and name == char]  # type: ignore[attr-defined]
        if not ways:
            return False
        (state,) = ways
    return state in machine["accepting"]  # type: ignore[operator]


def test_the_drawing_accepts_what_the_regex_does() -> None:
    machine = drawable("(ab){2,}|b")
    assert machine is not None
    for length in range(8):
        for text in map("".join, product("ab", repeat=length)):
            wanted = text == "b" or (length >= 4 and text == "ab" * (length // 2))
            assert accepts(machine, text) == wanted, text


def test_what_is_too_large_to_read_or_no_regex_is_not_drawn() -> None:
    assert drawable("a{0,200}") is None
    assert drawable(f"a{{{MOST_STATES - 1}}}") is not None
    assert drawable("(") is None
