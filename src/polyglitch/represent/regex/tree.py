"""Regexes as trees. Equal trees are one object, so that what is computed of one is computed once.

A tree as regex text again, with as few brackets as it takes.
"""

from __future__ import annotations

import itertools
from typing import Literal, TypeAlias

Kind = Literal["none", "chars", "boundary", "cat", "or", "and", "not", "repeat"]

WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_bits: dict[str, int] = {char: index for index, char in enumerate(WORD)}
WORD_MASK = (1 << len(WORD)) - 1
REMEMBERED = 300_000  # trees with what follows each character: a few hundred megabytes at most
RESERVED = set("|&~()[]{}?*+.\\<>^")
LOOSE = {"or": 0, "and": 1, "cat": 2}  # all others bind tighter


def bit_of(char: str) -> int:
    """The place of a character in masks; characters get theirs when first seen."""
    return _bits.setdefault(char, len(_bits))


def mask_of(chars: str) -> int:
    """The set of some characters as a mask."""
    mask = 0
    for char in chars:
        mask |= 1 << bit_of(char)
    return mask


def chars_of(mask: int) -> str:
    """The characters of a mask."""
    return "".join(char for char, bit in _bits.items() if mask >> bit & 1)


class Node:
    """A regex. `chars` are those in `mask`, or all others if `negated`; `parts` hold the children.

    `letters` are all characters it names; before what is `padded` any text may stand; `row` and `row_at_edge` keep what
    follows each character once it is known.
    """

    __slots__ = (
        "_masks",
        "boundary",
        "counted",
        "empty_at_edge",
        "empty_inside",
        "high",
        "id",
        "kind",
        "letters",
        "low",
        "mask",
        "negated",
        "padded",
        "parts",
        "row",
        "row_at_edge",
    )

    def __init__(
        self,
        kind: Kind,
        parts: tuple[Node, ...],
        mask: int,
        negated: bool,
        low: int,
        high: int | None,
    ) -> None:
        self.kind, self.parts, self.mask, self.negated = kind, parts, mask, negated
        self.low, self.high = low, high
        self.id = next(_numbers)
        self.boundary: bool = kind == "boundary"
        self.letters = mask
        for part in parts:
            self.letters |= part.letters
            self.boundary |= part.boundary
        self.empty_inside = self._empty(False)
        self.empty_at_edge = self._empty(True) if self.boundary else self.empty_inside
        self.padded = self._padded()
        self.counted: bool = (kind == "repeat" and low > 0 and high is None) or (
            kind == "cat" and any(part.counted for part in parts)
        )
        self._masks: frozenset[int] | None = None
        self.row: Row | None = None
        self.row_at_edge: Row | None = None

    def _empty(self, edge: bool) -> bool:
        kind, parts = self.kind, self.parts
        if kind == "cat" or kind == "and":
            return all(part.empty(edge) for part in parts)
        if kind == "or":
            return any(part.empty(edge) for part in parts)
        if kind == "not":
            return not parts[0].empty(edge)
        if kind == "repeat":
            return self.low == 0 or parts[0].empty(edge)
        return kind == "boundary" and edge

    def _padded(self) -> bool:
        kind, parts = self.kind, self.parts
        if kind == "repeat":
            inner = parts[0]
            every = inner.kind == "chars" and inner.negated and not inner.mask
            return (every or inner.padded) and self.high is None and (self.low > 0 or every)
        if kind == "cat":
            return bool(parts) and parts[0].padded
        return kind in ("or", "and") and all(part.padded for part in parts)

    def empty(self, edge: bool) -> bool:
        """Whether it accepts the empty text at a place that is a word boundary or not."""
        return self.empty_at_edge if edge else self.empty_inside

    @property
    def masks(self) -> frozenset[int]:
        """The sets of characters that it names."""
        if self._masks is None:
            own = {self.mask} if self.kind == "chars" else set()
            self._masks = frozenset(own.union(*[part.masks for part in self.parts]))
        return self._masks

    def __repr__(self) -> str:

        return f"Node({write(self)})"


Row: TypeAlias = tuple[tuple[int, Node], ...]
_numbers = itertools.count()
_nodes: dict[tuple[object, ...], Node] = {}


def _node(
    kind: Kind,
    parts: tuple[Node, ...] = (),
    mask: int = 0,
    negated: bool = False,
    low: int = 0,
    high: int | None = None,
) -> Node:
    key = (kind, parts, mask, negated, low, high)
    found = _nodes.get(key)
    if found is None:
        if len(_nodes) >= REMEMBERED:
            forget()
        found = _nodes[key] = Node(kind, parts, mask, negated, low, high)
    return found


def forget() -> None:
    """Start afresh, so that memory has an end: equal trees of before and after are two objects, no more."""
    _nodes.clear()
    _nodes.update(LASTING)


def chars(mask: int, negated: bool = False) -> Node:
    """One character of a set, or any other one; no character at all matches nothing."""
    return _node("chars", mask=mask, negated=negated) if mask or negated else NONE


def boundary() -> Node:
    """The empty text between a word character and another or the edge."""
    return _node("boundary")


def cat(left: Node, right: Node) -> Node:
    """One after the other, nested to the right."""
    if left is NONE or right is NONE:
        return NONE
    if left is EMPTY:
        return right
    if right is EMPTY:
        return left
    if left.kind == "cat":
        return cat(left.parts[0], cat(left.parts[1], right))
    if left is ALL and right.padded:
        return right
    return _node("cat", (left, right))


def either(*nodes: Node) -> Node:
    """Any of them; order and repetition do not matter."""
    if len(nodes) == 2:  # by far the most frequent, and mostly one of the two is nothing
        one, other = nodes
        if one is NONE or one is other:
            return other
        if other is NONE:
            return one
        if one is ALL or other is ALL:
            return ALL
    found: dict[int, Node] = {}
    for node in nodes:
        for part in node.parts if node.kind == "or" else (node,):
            if part is ALL:
                return ALL
            if part is not NONE:
                found[part.id] = part
    if len(found) > 1:
        for wide in [part for part in found.values() if part.padded or part.counted]:
            if wide.id not in found:  # of two equal trees, one from before `forget`, one must stay
                continue
            for key in [
                key for key, part in found.items() if part is not wide and covers(wide, part)
            ]:
                del found[key]
    if len(found) < 2:
        return next(iter(found.values()), NONE)
    return _node("or", tuple([found[key] for key in sorted(found)]))


def covers(wide: Node, narrow: Node) -> bool:
    """Whether it shows at a glance that all texts of one regex are texts of another, as after `.*` or fewer repeats.

    States that differ only in what another part of them allows anyway are one state: without it, counted repeats grow
    to hundreds.
    """
    while not at_least(wide, narrow):
        if not wide.padded or narrow.kind != "cat" or not narrow.parts:
            return False
        narrow = narrow.parts[1]
    return True


def at_least(wide: Node, narrow: Node) -> bool:
    """Whether two regexes are one, but for a repetition that one asks for less often."""
    while wide is not narrow:
        if wide.kind == "cat" == narrow.kind and wide.parts and narrow.parts:
            if wide.parts[0] is narrow.parts[0]:
                wide, narrow = wide.parts[1], narrow.parts[1]
                continue
            if wide.parts[1] is not narrow.parts[1]:
                return False
            wide, narrow = wide.parts[0], narrow.parts[0]
        return (
            wide.kind == "repeat" == narrow.kind
            and wide.parts[0] is narrow.parts[0]
            and wide.low <= narrow.low
            and wide.high is None
        )
    return True


def both(*nodes: Node) -> Node:
    """All of them at once."""
    found: dict[int, Node] = {}
    for node in nodes:
        for part in node.parts if node.kind == "and" else (node,):
            if part is NONE:
                return NONE
            if part is not ALL:
                found[part.id] = part
    if len(found) < 2:
        return next(iter(found.values()), ALL)
    return _node("and", tuple(found[key] for key in sorted(found)))


def complement(node: Node) -> Node:
    """Every text but these."""
    if node.kind == "not":
        return node.parts[0]
    return ALL if node is NONE else NONE if node is ALL else _node("not", (node,))


def repeat(node: Node, low: int, high: int | None) -> Node:
    """From `low` to `high` times (`None`: any number of times) one after the other."""
    if high == 0 or node is EMPTY:
        return EMPTY
    if node is NONE:
        return EMPTY if low == 0 else NONE
    if (low, high) == (1, 1):
        return node
    if node.kind == "repeat" and (node.low, node.high) == (0, None):
        return node  # any number of times, however often again
    return _node("repeat", (node,), low=low, high=high)


NONE = _node("none")
ANY = _node("chars", negated=True)
ALL = _node("repeat", (ANY,), low=0, high=None)
EMPTY = _node("cat")  # no parts: the empty text
LASTING = dict(_nodes)


def text(literal: str) -> Node:
    """Exactly these characters."""
    node = EMPTY
    for char in reversed(literal):
        node = cat(chars(1 << bit_of(char)), node)
    return node


def write(node: Node) -> str:
    """The regex of a tree; `parse` makes the same tree of it."""
    if node is ANY:
        return "."
    if node is EMPTY:
        return "()"
    if node.kind == "none":
        return "~(.*)"
    if node.kind == "chars":
        return write_class(node)
    if node.kind == "boundary":
        return "\\b"
    if node.kind == "not":
        return f"~({write(node.parts[0])})"
    if node.kind == "repeat":
        return bracket(node.parts[0], 3) + bounds(node.low, node.high)
    if node.kind == "cat":  # nested to the right, as long as the regex: walked, not descended into
        parts = []
        while node.kind == "cat" and node is not EMPTY:
            parts.append(bracket(node.parts[0], 2))
            node = node.parts[1]
        return "".join([*parts, bracket(node, 2)])
    signs = {"or": "|", "and": "&"}
    level = LOOSE[node.kind]
    return signs[node.kind].join(bracket(part, level + 1) for part in node.parts)


def bracket(node: Node, level: int) -> str:
    """A part, in brackets where it binds looser than its place asks; nested repeats need them too."""
    loose = node is not EMPTY and LOOSE.get(node.kind, 3) < level
    again = node.kind == "repeat" and level == 3
    return f"({write(node)})" if loose or again else write(node)


def bounds(low: int, high: int | None) -> str:
    """The quantifier of a repetition."""
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if (low, high) in short:
        return short[low, high]
    if low == high:
        return f"{{{low}}}"
    return f"{{{low},{'' if high is None else high}}}"


def write_class(node: Node) -> str:
    """A character, or a class with its runs as ranges."""
    chars = chars_of(node.mask)
    if len(chars) == 1 and not node.negated:
        return f"\\{chars}" if chars in RESERVED else chars
    codes, parts = sorted(map(ord, chars)), []
    while codes:
        run = 1
        while run < len(codes) and codes[run] == codes[0] + run:
            run += 1
        first, last = escape(chr(codes[0])), escape(chr(codes[run - 1]))
        parts.append(f"{first}-{last}" if run > 2 else "".join(escape(chr(c)) for c in codes[:run]))
        codes = codes[run:]
    return f"[{'^' if node.negated else ''}{''.join(parts)}]"


def escape(char: str) -> str:
    """A character inside a class."""
    return f"\\{char}" if char in "]\\^-[<" else char
