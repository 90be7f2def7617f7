"""What is left of a regex after one character (Brzozowski's derivative), for all operators of the dialect.

`edge` says whether the place before the character is a word boundary: that is all `\\b` needs to know, so that
complement and intersection hold for boundaries too.
"""

from __future__ import annotations

from polyglitch.represent.regex.tree import (
    ALL,
    ANY,
    EMPTY,
    NONE,
    Node,
    both,
    cat,
    complement,
    either,
    repeat,
)

REMEMBERED = 500_000  # derivatives; a few hundred megabytes at most, then everything starts afresh

_steps: dict[tuple[Node, int, bool], Node] = {}
_empties: dict[tuple[Node, bool], bool] = {}


def accepts_empty(node: Node, edge: bool) -> bool:
    """Whether the regex accepts the empty text at a place that is a boundary or not."""
    key = (node, edge)
    found = _empties.get(key)
    if found is None:
        if len(_empties) > REMEMBERED:
            _empties.clear()
        found = _empties[key] = _accepts_empty(node, edge)
    return found


def _accepts_empty(node: Node, edge: bool) -> bool:
    kind, parts = node.kind, node.parts
    if kind == "boundary":
        return edge
    if kind in ("cat", "and"):
        return all(accepts_empty(part, edge) for part in parts)
    if kind == "or":
        return any(accepts_empty(part, edge) for part in parts)
    if kind == "not":
        return not accepts_empty(parts[0], edge)
    if kind == "repeat":
        return node.low == 0 or accepts_empty(parts[0], edge)
    return False


def derive(node: Node, bit: int, edge: bool) -> Node:
    """What must follow once the character with this bit has been read."""
    if edge and not node.boundary:
        edge = False
    key = (node, bit, edge)
    found = _steps.get(key)
    if found is None:
        if len(_steps) > REMEMBERED:
            _steps.clear()
        found = _steps[key] = _derive(node, bit, edge)
    return found


def _derive(node: Node, bit: int, edge: bool) -> Node:
    kind, parts = node.kind, node.parts
    if kind == "chars":
        return EMPTY if bool(node.mask >> bit & 1) != node.negated else NONE
    if kind == "cat":
        if not parts:
            return NONE
        left, right = parts
        rest = cat(derive(left, bit, edge), right)
        return either(rest, derive(right, bit, edge)) if accepts_empty(left, edge) else rest
    if kind == "or":
        found = [step for part in parts if (step := derive(part, bit, edge)) is not NONE]
        return found[0] if len(found) == 1 else either(*found)
    if kind == "and":
        return both(*[derive(part, bit, edge) for part in parts])
    if kind == "not":
        return complement(derive(parts[0], bit, edge))
    if kind == "repeat":
        return _derive_repeat(node, bit, edge)
    return NONE


def _derive_repeat(node: Node, bit: int, edge: bool) -> Node:
    inner = node.parts[0]
    if inner is ANY and node.low == 0 and node.high is None:
        return ALL
    low, high = max(0, node.low - 1), None if node.high is None else node.high - 1
    rest = repeat(inner, low, high)
    step = cat(derive(inner, bit, edge), rest)
    # A repetition that is empty only at boundaries may be passed over here and not elsewhere.
    if inner.boundary and rest is not node and accepts_empty(inner, edge):
        return either(step, derive(rest, bit, edge))
    return step
