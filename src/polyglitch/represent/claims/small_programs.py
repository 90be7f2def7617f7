"""What small Python functions give for generated inputs.

Nothing of an answer is handed to Python: `program_tree` walks its tree and knows a closed set of operators, functions
and methods; anything else ends the attempt, and steps, depth and sizes are bounded. So code of a model may be compared
by what it does without being run.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

from polyglitch.represent.claims.program_tree import Jump, NotKnown, Program, TooMuch

INPUTS: tuple[Any, ...] = (
    0, 1, 2, 3, 4, 7, 10, 12, 25, -4, 97, 2.5, "", "a", "abba", "Hello World", "racecar", "the cat saw the dog",
    "x1 y22", [], [5], [3, 1, 2], [1, 1, 2, 3, -4, 6], [10, 9, 8, 7], [-1, -5], [0, 4, -3],
    ["b", "a", "b"], ["Tea", "coffee"], [[1, 2], [3]],
)  # fmt: skip
FEW: tuple[Any, ...] = (0, 1, 3, 8, -2, "a", "abcab", "b", [3, 1, 2], [2, 7, 11, 15], [])
EMPTY = ("([],)", "('',)")  # as they are written in the results
FIGURES = 3  # numbers of the programs themselves around which they are tried
PATIENCE = 3  # inputs that may take too long
LEAST = 3  # inputs that both programs must have a result for
APART = 0.15  # share of results from which two programs do something else; fewer are odd ends, such as an empty list


def results(code: str, figures: tuple[int, ...] = ()) -> dict[str, Any] | None:
    """What the function or expression of a program gives, by the input as it is written; `...` for an error."""
    try:
        tree = ast.parse(code.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    program = Program(tree)
    if program.names is None or not 1 <= len(program.names) <= 2:
        return None
    told = [n for n in figures if n > 1][:FIGURES]
    near = [n + d for n in told for d in (-1, 0, 1)]
    alone = (*INPUTS, *near, *([n + 7, 2 * n, 3] for n in told), *([n - 1, n, n + 1] for n in told))
    given = [(x,) for x in alone] if len(program.names) == 1 else [(x, y) for x in FEW for y in FEW]
    found: dict[str, Any] = {}
    too_much = 0
    for values in given:
        try:
            found[repr(values)] = program.call(*(ast.literal_eval(repr(v)) for v in values))
        except NotKnown:
            return None
        except TooMuch:
            found[repr(values)] = ...
            too_much += 1
            if too_much > PATIENCE:
                return None
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, Jump):
            found[repr(values)] = ...
        except (RecursionError, MemoryError):
            return None
    return found


def parted(one: str, other: str, odd_ends: bool = False) -> tuple[float, str] | None:
    """How often two programs give something else, by the kind of input that parts them least, if it can be told.

    With `odd_ends` what they give for an empty text or list was asked for, and settles it.
    """
    figures = tuple(
        dict.fromkeys(int(n) for n in re.findall(r"(?<![\w.])\d{1,6}(?![\w.])", one + other))
    )
    first, second = results(one, figures), results(other, figures)
    if first is None or second is None or first.keys() != second.keys():
        return None
    for key in EMPTY if odd_ends else ():
        if first.get(key, ...) is not ... and not alike(first[key], second[key]):
            return 1.0, f"for {key[1:-2]} they give {first[key]!r} and {shown_result(second[key])}"
    told = [apart_on(first, second, kind) for kind in (str, int, list)]
    shares = [each for each in told if each is not None]
    return min(shares, default=None)  # a text may be given a list, for which it was not made


def apart_on(
    first: dict[str, Any], second: dict[str, Any], kind: type[Any]
) -> tuple[float, str] | None:
    """The share of inputs of one kind for which two programs give something else, and one such input."""
    known = [
        k for k, v in first.items() if v is not ... and isinstance(ast.literal_eval(k)[0], kind)
    ]
    both = [key for key in known if second[key] is not ...]
    if len(both) < LEAST or len({repr(first[key]) for key in both}) < 2:
        return None
    apart = [key for key in both if not alike(first[key], second[key])]
    failed = len(known) - len(both) if len(both) < len(known) / 2 else 0
    share = (len(apart) + failed) / (len(both) + failed)
    shown = apart[0] if apart else next((key for key in known if key not in both), known[0])
    given = shown.removesuffix(",)").removesuffix(")").removeprefix("(")
    return share, f"for {given} they give {first[shown]!r} and {second[shown]!r}"


def shown_result(value: Any) -> str:
    """A result in words."""
    return "an error" if value is ... else repr(value)


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same; figures may differ by how they were reckoned."""
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, int | float) and isinstance(other, int | float)
        return numbers and math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    maps = isinstance(one, dict) and isinstance(other, dict)
    return (maps or type(one) is type(other)) and bool(one == other)
