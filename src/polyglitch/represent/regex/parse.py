"""The regex dialect as people write it, read into a tree; a bad one is an error that shows where.

Loosest first: `|`, `&`, one after the other, the postfix `? * + {m} {m,} {,n} {m,n}`, the prefix `~`. A name in
angle brackets is a named literal or class (`<M0>`, `<VOW>`); `resources/descriptions/names.toml` has them. Blanks
count, unless the whole regex is `spaced` as in the published data.
"""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from polyglitch.errors import UsageError
from polyglitch.represent.regex import tree
from polyglitch.represent.regex.tree import Node

LARGEST = 1000  # repetitions; beyond that a regex is a mistake or an attack
DEEPEST = 100  # brackets inside each other
LONGEST = 2000  # characters; published descriptions need tens
SPECIAL = set("|&~()[]{}?*+.\\")
ENDS = {"", "|", "&", ")"}
QUANTIFIERS = {"?", "*", "+", "{"}
SIMPLE: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
ESCAPES = {
    "d": ("0123456789", False),
    "D": ("0123456789", True),
    "w": (tree.WORD, False),
    "W": (tree.WORD, True),
    "s": (" \t", False),
    "S": (" \t", True),
}


class BadRegex(UsageError):
    """A regex that cannot be read; `position` is the index of the character at fault."""

    def __init__(self, regex: str, position: int, cause: str) -> None:
        shown = regex if len(regex) <= 80 else regex[:77] + "..."
        super().__init__(f"regex {shown!r}, character {position + 1}: {cause}")
        self.position = position


@cache
def names() -> dict[str, tuple[str, str]]:
    """The named literals and classes: for each its kind (`class` or `text`) and value."""
    table = files("polyglitch").joinpath("resources", "descriptions", "names.toml")
    found = tomllib.loads(table.read_text("utf-8"))
    return {
        name: (kind, value)
        for kind, rows in (("class", found["classes"]), ("text", found["texts"]))
        for name, value in rows.items()
    }


@lru_cache(maxsize=16384)
def parse(regex: str, spaced: bool = False) -> Node:
    """A regex as a tree, or `BadRegex`."""
    return _Reader(regex.replace(" ", "") if spaced else regex).read()


class _Reader:
    """Recursive descent over the characters."""

    def __init__(self, regex: str) -> None:
        self.regex, self.at, self.depth = regex, 0, 0
        self.chars: list[str] = [*regex, ""]  # so that the end can be looked at too

    def read(self) -> Node:
        if len(self.regex) > LONGEST:
            raise self.error(f"more than {LONGEST} characters", LONGEST)
        node = self.union()
        if self.at < len(self.regex):
            raise self.error("this bracket closes nothing")
        return node

    def error(self, cause: str, position: int | None = None) -> BadRegex:
        return BadRegex(self.regex, self.at if position is None else position, cause)

    def peek(self) -> str:
        return self.chars[self.at]

    def take(self, char: str) -> bool:
        if self.chars[self.at] == char:
            self.at += 1
            return True
        return False

    def union(self) -> Node:
        node = self.intersection()
        if self.chars[self.at] != "|":
            return node
        parts = [node]
        while self.take("|"):
            parts.append(self.intersection())
        return tree.either(*parts)

    def intersection(self) -> Node:
        node = self.sequence()
        if self.chars[self.at] != "&":
            return node
        parts = [node]
        while self.take("&"):
            if self.peek() in ENDS:
                raise self.error("nothing stands after '&'")
            parts.append(self.sequence())
        return tree.both(*parts)

    def sequence(self) -> Node:
        parts = []
        while self.chars[self.at] not in ENDS:
            parts.append(self.repetition())
        node = tree.EMPTY
        for item in reversed(parts):
            node = tree.cat(item, node)
        return node

    def repetition(self) -> Node:
        node = self.prefix() if self.chars[self.at] == "~" else self.atom()
        while self.chars[self.at] in QUANTIFIERS:
            low, high = self.bounds()
            node = tree.repeat(node, low, high)
        return node

    def bounds(self) -> tuple[int, int | None]:
        start, char = self.at, self.peek()
        self.at += 1
        if char != "{":
            return SIMPLE[char]
        end = self.regex.find("}", self.at)
        if end < 0:
            raise self.error("'{' is not closed", start)
        first, comma, second = self.regex[self.at : end].partition(",")
        self.at = end + 1
        numbers = [
            int(part[:9]) if part.isascii() and part.isdigit() else None for part in (first, second)
        ]
        if (
            (first and numbers[0] is None)
            or (second and numbers[1] is None)
            or not (first or second)
        ):
            raise self.error("between '{' and '}' stands m  m,  ,n  or m,n", start)
        low = numbers[0] or 0
        high = numbers[1] if comma else low
        if high is not None and high < low:
            raise self.error(f"{{{low},{high}}} asks for more than it allows", start)
        if max(low, high or 0) > LARGEST:
            raise self.error(f"more than {LARGEST} repetitions", start)
        return low, high

    def prefix(self) -> Node:
        if self.take("~"):
            if self.peek() in ENDS:
                raise self.error("nothing stands after '~'")
            return tree.complement(self.nested(self.prefix))
        return self.atom()

    def nested(self, read: object) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} brackets inside each other")
        node = read()  # type: ignore[operator]
        self.depth -= 1
        return node  # type: ignore[no-any-return]

    def atom(self) -> Node:
        start, char = self.at, self.peek()
        self.at += 1
        if char == "(":
            node = self.nested(self.union)
            if not self.take(")"):
                raise self.error("'(' is not closed", start)
            return node
        if char == "[":
            return self.char_class(start)
        if char == ".":
            return tree.ANY
        if char == "\\":
            return self.escape(start)
        if char == "<" and (name := self.name()):
            kind, value = names()[name]
            return tree.text(value) if kind == "text" else tree.chars(self.ranges(value, start))
        if char in SPECIAL:
            raise self.error(
                f"{char!r} has nothing before it" if char in "?*+{" else f"stray {char!r}", start
            )
        return tree.text(char)

    def name(self) -> str:
        """The known name that ends at the next `>`, taken; or nothing."""
        end = self.regex.find(">", self.at, self.at + 20)
        name = self.regex[self.at : end] if end > 0 else ""
        if name not in names():
            return ""
        self.at = end + 1
        return name

    def escape(self, start: int) -> Node:
        char = self.peek()
        if not char:
            raise self.error("nothing stands after '\\'", start)
        self.at += 1
        if char == "b":
            return tree.boundary()
        if char in ESCAPES:
            found, negated = ESCAPES[char]
            return tree.chars(tree.mask_of(found), negated)
        if char.isascii() and char.isalnum():
            raise self.error(f"'\\{char}' is not known here", start)
        return tree.text(char)

    def char_class(self, start: int) -> Node:
        negated = self.take("^")
        end = self.at
        while end < len(self.regex) and self.regex[end] != "]":
            end += 2 if self.regex[end] == "\\" else 1
        if end >= len(self.regex):
            raise self.error("'[' is not closed", start)
        inside = self.regex[self.at : end]
        self.at = end + 1
        for name, (kind, value) in names().items() if "<" in inside else ():
            if kind == "class":
                inside = inside.replace(f"<{name}>", value)
        return tree.chars(self.ranges(inside, start), negated)

    def ranges(self, inside: str, start: int) -> int:
        """The mask of the inside of a class: characters, `a-z` ranges and escapes."""
        try:
            return class_mask(inside)
        except ValueError as error:
            raise self.error(str(error), start) from None


@lru_cache(maxsize=4096)
def class_mask(items: str) -> int:
    """The mask of the inside of a class; a `ValueError` says what is wrong with it."""
    mask = at = 0
    while at < len(items):
        char = items[at]
        if char == "\\" and at + 1 < len(items):
            found, negated = ESCAPES.get(items[at + 1], (items[at + 1], False))
            if negated:
                raise ValueError(f"'\\{items[at + 1]}' cannot stand inside a class")
            mask |= tree.mask_of(found)
            at += 2
        elif at + 2 < len(items) and items[at + 1] == "-":
            first, last = ord(char), ord(items[at + 2])
            if last < first or last - first > 512:
                raise ValueError(f"bad range {items[at : at + 3]!r}")
            mask |= tree.mask_of("".join(map(chr, range(first, last + 1))))
            at += 3
        else:
            mask |= tree.mask_of(char)
            at += 1
    return mask
