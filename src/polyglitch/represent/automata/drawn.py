"""A small automaton as plain data, for people to look at: states, and moves named by their characters."""

from __future__ import annotations

from typing import Any

from polyglitch.represent.automata.dfa import AutomatonLimits, Dfa, TooLarge, alphabet, automaton
from polyglitch.represent.regex.parse import BadRegex, parse
from polyglitch.represent.regex.tree import chars
from polyglitch.represent.regex.write import write

MOST_STATES = 16  # more are not read any more
LIMITS = AutomatonLimits(states=400, seconds=0.5)


def drawable(regex: str) -> dict[str, Any] | None:
    """The minimal automaton without the states that lead nowhere, or nothing where it is too large to read."""
    try:
        node = parse(regex)
        found = automaton(node, alphabet(node), LIMITS)
    except (TooLarge, BadRegex):
        return None
    live = leading_on(found)
    if 0 not in live or len(live) > MOST_STATES:
        return None
    place = {state: number for number, state in enumerate(sorted(live))}
    moves: dict[tuple[int, int], int] = {}
    for state in place:
        for mask, following in zip(found.classes, found.steps[state], strict=True):
            if following in place:
                way = place[state], place[following]
                moves[way] = moves.get(way, 0) | mask
    return {
        "states": len(place),
        "accepting": [number for state, number in place.items() if found.accepting[state]],
        "edges": [[here, there, write(chars(mask))] for (here, there), mask in moves.items()],
    }


def leading_on(dfa: Dfa) -> set[int]:
    """The states from which a text can still be accepted."""
    live = {state for state, accepting in enumerate(dfa.accepting) if accepting}
    while True:
        more = {
            state
            for state, steps in enumerate(dfa.steps)
            if state not in live and live & set(steps)
        }
        if not more:
            return live
        live |= more
