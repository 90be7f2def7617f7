"""A tree as regex text again, with as few brackets as it takes."""

from __future__ import annotations

from polyglitch.represent.regex.tree import ANY, EMPTY, Node, chars_of

RESERVED = set("|&~()[]{}?*+.\\<>^")
LOOSE = {"or": 0, "and": 1, "cat": 2}  # all others bind tighter


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
