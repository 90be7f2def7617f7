"""What is left of a regex after one character (Brzozowski's derivative), for all characters at once.

A row says where each set of characters leads; sets are masks, and as negative numbers hold all bits above, a mask and
its complement cover every alphabet. `edge` says whether the place before the character is a word boundary: that is all
`\\b` needs to know, so that complement and intersection hold for boundaries too.
"""

from __future__ import annotations

from collections.abc import Callable

from polyglitch.represent.regex.tree import (
    ALL,
    ANY,
    EMPTY,
    NONE,
    Node,
    Row,
    both,
    cat,
    complement,
    either,
    repeat,
)

NOWHERE: Row = ((-1, NONE),)


def derivatives(node: Node, edge: bool) -> Row:
    """What must follow each character: sets that do not overlap and leave none out, and what is left after them."""
    if edge and node.boundary:
        found = node.row_at_edge
        if found is None:
            found = node.row_at_edge = _derivatives(node, True)
        return found
    found = node.row
    if found is None:
        found = node.row = _derivatives(node, False)
    return found


def _derivatives(node: Node, edge: bool) -> Row:
    kind, parts = node.kind, node.parts
    if kind == "chars":
        mask = ~node.mask if node.negated else node.mask
        return ((-1, EMPTY),) if mask == -1 else ((mask, EMPTY), (~mask, NONE))
    if kind == "cat" and parts:
        left, right = parts
        row = followed(derivatives(left, edge), right)
        return joined((row, derivatives(right, edge)), either) if left.empty(edge) else row
    if kind == "or":
        return joined([derivatives(part, edge) for part in parts], either)
    if kind == "and":
        return joined([derivatives(part, edge) for part in parts], both)
    if kind == "not":
        return tuple([(mask, complement(rest)) for mask, rest in derivatives(parts[0], edge)])
    if kind == "repeat":
        return _repeated(node, edge)
    return NOWHERE


def _repeated(node: Node, edge: bool) -> Row:
    inner = node.parts[0]
    if inner is ANY and node.low == 0 and node.high is None:
        return ((-1, ALL),)
    low, high = max(0, node.low - 1), None if node.high is None else node.high - 1
    rest = repeat(inner, low, high)
    row = followed(derivatives(inner, edge), rest)
    # A repetition that is empty only at boundaries may be passed over here and not elsewhere.
    if inner.boundary and rest is not node and inner.empty(edge):
        return joined((row, derivatives(rest, edge)), either)
    return row


def followed(row: Row, right: Node) -> Row:
    """A row with something after each of its ends."""
    found: dict[Node, int] = {}
    for mask, rest in row:
        target = cat(rest, right)
        found[target] = found.get(target, 0) | mask
    return tuple([(mask, target) for target, mask in found.items()])


def joined(rows: list[Row] | tuple[Row, ...], join: Callable[..., Node]) -> Row:
    """Rows read side by side: where each common set leads, as one regex."""
    common: list[tuple[int, tuple[Node, ...]]] = [(mask, (rest,)) for mask, rest in rows[0]]
    for row in rows[1:]:
        common = [
            (shared, (*rests, rest))
            for mask, rests in common
            for other, rest in row
            if (shared := mask & other)
        ]
    found: dict[Node, int] = {}
    for mask, rests in common:
        target = join(*rests)
        found[target] = found.get(target, 0) | mask
    return tuple([(mask, target) for target, mask in found.items()])
