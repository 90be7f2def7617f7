"""Two programs side by side: what they give for some inputs, their trees, their telling parts; nothing is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from polyglitch.compare.oracles.claims.difference import Difference, place_of
from polyglitch.represent.claims.lists import phrase_pattern
from polyglitch.represent.claims.small_programs import APART, parted

NEARLY = 0.2  # programs that differ in so little of their words are one program with a change
QUERY = re.compile(r"\bselect\b", re.IGNORECASE)
ONE_LINE = 12  # words of a command, in which each tells
TELLING_PARTS = (
    ("comparison", r"<=|>=|==|!=|(?<![-=<])[<>](?![<>=])", 0.6),
    ("constant", r"(?<![\w.])(?!0\b)\d+(?:\.\d+)?|'[^'\n]+'|\"[^\"\n]+\"", 0.5),
    (
        "operator",
        r"\*\*|//|(?<!\w)(?:not|and|or|min|max|reverse|reversed|sorted)(?!\w)|[*/%](?!=)",
        0.4,
    ),
    ("call", r"(?<![\w.])[a-z_]{3,}(?=\()|(?<=\.)\w+", 0.2),
)


def code_differences(
    one: str, other: str, first: str, second: str, asked: str = ""
) -> Iterator[Difference]:
    """Python by its tree with its own names numbered; other code, and Python of another shape, by telling parts."""
    trees = tree_of(one), tree_of(other)
    if (
        (trees[0] and trees[0] == trees[1])
        or squeezed(one) == squeezed(other)
        or renamed(one, other)
    ):
        return
    odd_ends = phrase_pattern("odd_ends").search(asked.lower()) is not None
    if (told := parted(one, other, odd_ends)) is not None:
        if told[0] >= APART:
            yield Difference("code", 0.85, f"the programs do not do the same: {told[1]}")
        return
    if trees[0] and not trees[1] and not re.search(r"(?i)select|function|const|;", other):
        yield Difference("code", 0.85, "only the first program can be parsed")
        return
    bags = [Counter(code_tokens(code)) for code in (one, other)]
    lost, new = bags[0] - bags[1], bags[1] - bags[0]
    share = sum((lost + new).values()) / max(1, sum((bags[0] + bags[1]).values()))
    spans = place_of(next(iter(lost), ""), first), place_of(next(iter(new), ""), second)
    if share < NEARLY:
        shown = f"{' '.join(lost) or 'nothing'} became {' '.join(new) or 'nothing'}"
        yield Difference("code", 0.75, f"the programs are the same but that {shown}", *spans)
        return
    plain = not any(trees) or not re.search(r"[(=\n]", one + other)  # "ls -a" parses as Python
    if max(sum(bag.values()) for bag in bags) <= ONE_LINE and plain:
        if reordered(one, other):
            return
        shown = f"{' '.join(lost) or 'nothing'} became {' '.join(new) or 'nothing'}"
        yield Difference("code", 0.75, f"the commands differ: {shown}", *spans)
        return
    for kind, pattern, weight in TELLING_PARTS:
        parts = [Counter(re.findall(pattern, uncommented(code))) for code in (one, other)]
        gone, come = parts[0] - parts[1], parts[1] - parts[0]
        if gone or come:
            shown = f"{', '.join(gone) or 'nothing'} became {', '.join(come) or 'nothing'}"
            both = 1.0 if gone and come else 0.5
            yield Difference("code", weight * both, f"{kind}: {shown}", *spans)


def reordered(one: str, other: str) -> bool:
    """Whether two commands have the same words, in capitals or not: conditions of a query in another order."""
    bags = [Counter(word.lower() for word in code_tokens(code)) for code in (one, other)]
    return bags[0] == bags[1]


def code_tokens(code: str) -> list[str]:
    """The words, numbers, texts and signs of a program."""
    return re.findall(r"'[^'\n]*'|\"[^\"\n]*\"|\w+|[<>=!*/+%-]=?|\.\w+", uncommented(code))


def renamed(one: str, other: str) -> bool:
    """Whether two programs are the same but for names of their own, each used at least twice."""
    left, right = code_tokens(one), code_tokens(other)
    if len(left) != len(right) or QUERY.search(one):  # the names of a query are not its own
        return False
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for a, b in zip(left, right, strict=True):
        if there.setdefault(a, b) != b or back.setdefault(b, a) != a:
            return False
    changed = [a for a, b in there.items() if a != b and a.lower() != b.lower()]
    called = set(re.findall(r"(?<=\.)\w+", uncommented(one)))
    return all(a.isidentifier() and left.count(a) > 1 and a not in called for a in changed)


def squeezed(code: str) -> str:
    """Code without blanks and comments."""
    return re.sub(r"\s+", "", uncommented(code)).replace("'", '"').rstrip(";").lower()


def uncommented(code: str) -> str:
    """Code without comments, docstrings and calls that only print an example."""
    if QUERY.search(code):
        code = re.sub(
            r"(?i)(?<!\s)\s+as\s+\w+", "", code
        )  # what a column is called changes nothing
    code = re.sub(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'', "", code)
    return re.sub(r"(?m)(?:^|(?<=\s))(?:#|--|//)[^\n]*|^print\(.*\)$", "", code)


def tree_of(code: str) -> str | None:
    """The tree of a Python program with its own names numbered, docstrings and examples left out."""
    if len(code) > 20_000:
        return None
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    numbers: dict[str, str] = {}
    bound = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.body = [n for n in node.body if not is_text(n)] or node.body
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.Name) and node.id in bound:
            node.id = numbers.setdefault(node.id, f"v{len(numbers)}")
        if isinstance(node, ast.arg):
            node.arg = numbers.setdefault(node.arg, f"v{len(numbers)}")
            node.annotation = None
    tree.body = [n for n in tree.body if not is_text(n) and not is_print(n)]
    return ast.dump(tree) if tree.body else None


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_print(node: ast.stmt) -> bool:
    """Whether a statement prints an example."""
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    )
