"""Every pattern and every oracle at n, 2n and 4n characters: hostile text costs time in proportion, never more."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

import polyglitch
from polyglitch import registry
from polyglitch.cli.judge import maker
from polyglitch.compare.judge import Saved, judge_all
from polyglitch.tools import Toolbox

try:
    from re import _parser as sre_parse  # type: ignore[attr-defined]
except ImportError:  # Python 3.10 and before
    import sre_parse  # type: ignore[no-redef]

SIZE = 1500  # characters of the shortest text; a quadratic pattern takes a good part of a second on four times as many
SLACK = (
    2.5  # on a growth of 4: quadratic grows by 16, and a busy machine must not fail a linear one
)
NOISE = 0.03  # seconds of CPU below which nothing is told apart
ALWAYS = " a0\"'(.\n-<"
SKIPPED = ("polyglitch.__main__",)


def seconds(work: Callable[[], object]) -> float:
    """CPU time, the better of two."""
    found = []
    for _ in range(2):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
        if found[-1] > 0.5:
            break
    return min(found)


def growth(work: Callable[[int], Callable[[], object]]) -> str:
    """Why a piece of work is more than linear in its size, seen three times in a row; empty where it is not."""
    for _ in range(3):
        long = seconds(work(4 * SIZE))
        if long < NOISE:
            return ""
        short = seconds(work(SIZE))
        if long <= 4 * SLACK * max(short, NOISE / 16):
            return ""
    return f"{short:.3f} s at {SIZE:,} characters, {long:.3f} s at {4 * SIZE:,}"


def modules() -> Iterator[object]:
    """Every module that can be imported here."""
    for found in pkgutil.walk_packages(polyglitch.__path__, "polyglitch."):
        if found.name not in SKIPPED:
            try:
                yield importlib.import_module(found.name)
            except ModuleNotFoundError:  # an extra that is not installed
                continue


def compiled(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """The patterns in a value, also inside tuples and tables."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from compiled(one, depth - 1)
    elif callable(value) and getattr(value, "__annotations__", {}) == {"return": "re.Pattern[str]"}:
        yield value()  # made on first use, and kept
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from compiled(one, depth - 1)


def written(path: Path) -> Iterator[tuple[int, re.Pattern[str]]]:
    """The patterns that stand in the source as they are; what only matches at the start is tried only there."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
            and node.func.attr != "escape"
        ):
            start = r"\A" if node.func.attr in ("match", "fullmatch") else ""
            if node.func.attr != "compile":  # those are found in their modules, with their flags
                yield node.lineno, re.compile(start + node.args[0].value)


def all_patterns() -> dict[str, re.Pattern[str]]:
    """Every pattern of the project by where it stands."""
    found: dict[str, re.Pattern[str]] = {}
    seen: set[tuple[str, int]] = set()
    for module in modules():
        for name, value in vars(module).items():
            for pattern in compiled(value):
                if (pattern.pattern, pattern.flags) not in seen:
                    seen.add((pattern.pattern, pattern.flags))
                    found[f"{module.__name__}.{name} {pattern.pattern[:60]}"] = pattern  # type: ignore[attr-defined]
    root = Path(polyglitch.__path__[0])
    for path in sorted(root.rglob("*.py")):
        for line, pattern in written(path):
            if (pattern.pattern, pattern.flags) not in seen:
                seen.add((pattern.pattern, pattern.flags))
                found[f"{path.relative_to(root)}:{line} {pattern.pattern[:60]}"] = pattern
    return found


def letters(pattern: re.Pattern[str]) -> str:
    """Characters that a pattern speaks of, first those that it repeats."""
    found: dict[str, None] = {}

    def look(parts: object) -> None:
        for part in parts:  # type: ignore[attr-defined]
            if isinstance(part, tuple) and len(part) == 2 and str(part[0]) == "LITERAL":
                found[chr(part[1])] = None
            elif isinstance(part, tuple) and len(part) == 2 and str(part[0]) == "RANGE":
                found[chr(part[1][0])] = None
            elif isinstance(part, (tuple, list, sre_parse.SubPattern)):
                look(part)

    look(sre_parse.parse(pattern.pattern, pattern.flags & ~re.DEBUG))
    return "".join(dict.fromkeys([*list(found)[:12], *ALWAYS]))


def attacks(pattern: re.Pattern[str]) -> Iterator[str]:
    """Pieces that are repeated to make a hostile text."""
    chosen = letters(pattern)
    yield from chosen
    yield from (a + b for a in chosen[:6] for b in ' a("' if a != b)


@pytest.mark.slow
def test_every_pattern_takes_linear_time() -> None:
    patterns = all_patterns()
    assert len(patterns) > 100, "the walk finds them"
    slow = {}
    for where, pattern in patterns.items():
        for piece in attacks(pattern):

            def work(
                size: int, piece: str = piece, pattern: re.Pattern[str] = pattern
            ) -> Callable[[], object]:
                first, _, again = piece.partition("|") if len(piece) == 3 else ("", "", piece)
                text = first + (again * size)[:size]
                return lambda: [
                    sum(1 for _ in pattern.finditer(text)),
                    pattern.fullmatch(text + "\x00"),
                ]

            if why := growth(work):
                slow[where] = f"{piece!r} repeated: {why}"
                break
    assert not slow, "\n".join(f"{where}: {why}" for where, why in slow.items())


HOSTILE = ("a", "a ", "1 ", "1,", '"', "(", "no. ", "A b ", "\n- x", " ", "is not the ")

ASK_A_MODEL = {"back", "confidence", "second-opinion"}  # which reads so many tokens and no more
HEARD = {"aligned", "facts"}  # by `witnesses`


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sorted(set(registry.entries("oracles")) - ASK_A_MODEL - HEARD))
def test_every_oracle_takes_linear_time(name: str) -> None:
    make, tools = maker(registry.load("oracles", name), name, None), Toolbox()
    relation = "same" if name == "claims" else "similar"

    def judged(answers: tuple[str, str]) -> None:
        saved = Saved("1", "One answer.", "Other answer.", *answers, "en", "pt", relation)  # type: ignore[arg-type]
        assert len(list(judge_all([saved], make, tools))) == 1

    judged(("Um.", "Dois."))  # what is opened once is not counted
    slow, new = {}, count()  # a text that was read before costs nothing
    for piece in HOSTILE:

        def work(size: int, piece: str = piece) -> Callable[[], object]:
            text = (piece * size)[:size]
            return lambda: judged((f"{next(new)} {text}", f"b {text} c"))

        if why := growth(work):
            slow[piece] = why
    assert not slow, "\n".join(f"{piece!r} repeated: {why}" for piece, why in slow.items())
