"""What a small Python program may be made of, and how large it may grow: all that `program_tree` knows."""

from __future__ import annotations

import ast
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

STEPS = 3_000  # parts of a tree that one call may take
ALL_STEPS = 40_000  # and all calls together
DEPTH = 30  # calls within calls
LARGEST = 300  # items or letters of a value, those of its parts counted
BITS = 512  # of a whole number
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len, "sum": sum, "min": min, "max": max, "abs": abs, "sorted": sorted, "round": lambda *x: rounded(*x),
    "int": int,
    "float": float, "str": str, "bool": bool, "list": list, "tuple": tuple, "set": set, "dict": dict, "any": any,
    "all": all, "ord": ord, "chr": chr, "divmod": divmod, "Counter": Counter, "isinstance": isinstance,
    "reversed": lambda x: list(reversed(x)), "enumerate": lambda x, start=0: list(enumerate(x, start)),
    "zip": lambda *x: list(zip(*x, strict=False)), "map": lambda f, *x: list(map(f, *x)),
    "filter": lambda f, x: list(filter(f, x)), "range": lambda *x: limited(range(*x)),
    "defaultdict": lambda kind=None: defaultdict(kind),
}  # fmt: skip
MATHS = {
    name: getattr(math, name)
    for name in ("pi", "e", "inf", "floor", "ceil", "sqrt", "gcd", "log", "log2", "log10", "fabs")
}
METHODS = {
    str: "split join lower upper strip lstrip rstrip replace startswith endswith count find index isalpha isdigit "
    "isalnum isspace isupper islower title capitalize swapcase casefold splitlines isnumeric removeprefix removesuffix",
    list: "append extend insert pop remove reverse sort index count copy clear",
    tuple: "index count",
    dict: "get items keys values setdefault pop update copy most_common",
    set: "add remove discard union intersection difference issubset issuperset copy update",
}  # fmt: skip
KNOWN_METHODS = frozenset(name for names in METHODS.values() for name in names.split())


class NotKnown(Exception):
    """A part of a program that is not known here, or too much of it."""


class TooMuch(Exception):
    """More steps or calls than are taken."""


class Jump(Exception):
    """A return, break or continue on its way out."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind, self.value = kind, value


def limited(value: Any) -> Any:
    """A value that is not too large to go on with, its parts counted: ten lists of ten lists are a hundred."""
    if isinstance(value, int) and value.bit_length() > BITS:
        raise TooMuch
    left, count = [value], 0
    while left:
        each = left.pop()
        if isinstance(each, str | list | tuple | dict | set | range):
            count += len(each)
            if count > LARGEST:
                raise TooMuch
            if isinstance(each, list | tuple | dict):
                left += [*each, *each.values()] if isinstance(each, dict) else each
    return value


def rounded(value: Any, digits: Any = 0) -> Any:
    """A number rounded to so many digits, as many as make sense."""
    if digits is not None and abs(digits) > 30:
        raise NotKnown
    return round(value, digits) if digits else round(value)
