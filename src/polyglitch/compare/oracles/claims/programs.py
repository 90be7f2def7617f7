"""Two programs side by side: what they give for some inputs, their trees, their telling parts; nothing is run.

Answers with a form of their own side by side: JSON field by field, tool calls by argument, code by what it does.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from polyglitch.compare.oracles.claims.difference import Difference, place_of
from polyglitch.represent.claims.facts import facts, same_fact
from polyglitch.represent.claims.small_programs import APART, parted
from polyglitch.represent.claims.structure import (
    ToolCall,
    code_blocks,
    inline_code,
    json_of,
    labelled_fields,
    leaves,
    tool_call,
)
from polyglitch.represent.claims.words import content_words, phrase_pattern

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


def formed_differences(one: str, other: str, asked: str = "") -> list[Difference] | None:
    """How two answers with a form differ; nothing where neither has one."""
    calls = tool_call(one), tool_call(other)
    if calls[0] and calls[1]:
        return list(call_differences(*calls, one, other))  # type: ignore[arg-type]
    values = json_of(one), json_of(other)
    if values[0] is not ... and values[1] is not ...:
        return list(field_differences(values[0], values[1], one, other))
    fields = labelled_fields(one), labelled_fields(other)
    if len(fields[0].keys() & fields[1].keys()) > 1:
        return list(labelled_differences(*fields, one, other))
    blocks = code_blocks(one), code_blocks(other)
    if not (blocks[0] and blocks[1]):  # code may stand in the line
        inline = blocks[0] or inline_code(one), blocks[1] or inline_code(other)
        blocks = inline if all(inline) else blocks
    if blocks[0] and blocks[1]:
        return list(code_differences(blocks[0][0].text, blocks[1][0].text, one, other, asked))
    for what, pair in (
        ("a tool call", calls),
        ("JSON", [v is not ... for v in values]),
        ("code", blocks),
    ):
        if bool(pair[0]) != bool(pair[1]):
            which = "first" if pair[0] else "second"
            return [Difference("form", 0.85, f"only the {which} answer is {what}")]
    return None


def call_differences(a: ToolCall, b: ToolCall, one: str, other: str) -> Iterator[Difference]:
    """The tool, then its arguments."""
    if a.name != b.name:
        places = place_of(a.name, one), place_of(b.name, other)
        yield Difference("tool", 0.95, f"called {a.name!r}, then {b.name!r}", *places)
    yield from field_differences(*named_alike(a.arguments, b.arguments), one, other)


def labelled_differences(
    a: dict[str, str], b: dict[str, str], one: str, other: str
) -> Iterator[Difference]:
    """Lines such as "Currency: USD" of which the other answer has another value, or none."""
    for key in dict.fromkeys((*a, *b)):
        if key in a and key in b:
            if not same_text(a[key], b[key]):
                spans = place_of(a[key], one), place_of(b[key], other)
                yield Difference("field", 0.7, f"{key}: {a[key]!r} became {b[key]!r}", *spans)
        else:
            which, text = ("first", one) if key in a else ("second", other)
            span = place_of((a if key in a else b)[key], text)
            places = (span, None) if key in a else (None, span)
            yield Difference("field", 0.55, f"only the {which} answer has {key!r}", *places)


def same_text(one: str, other: str) -> bool:
    """Whether two values in words say the same: equal facts, and words of meaning of which one has none of its own."""
    if same_value(one, other) or one.strip(" .").lower() == other.strip(" .").lower():
        return True
    a, b = facts(one), facts(other)
    if not all(any(same_fact(x, y) for y in b) for x in a) or len(a) != len(b):
        return False
    left, right = ({w.root for w in content_words(text)} for text in (one, other))
    if a and not (left - right and right - left):
        return True
    return bool(left and right) and (left <= right or right <= left)


def named_alike(a: dict[str, Any], b: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments given by place under the names that the other call has for them."""
    for mine, other in ((a, b), (b, a)):
        names = [key for key in other if not key.isdigit()]
        if mine and all(key.isdigit() for key in mine) and len(mine) <= len(names):
            named = dict(zip(names, mine.values(), strict=False))
            return (named, b) if mine is a else (a, named)
    return a, b


def field_differences(a: Any, b: Any, one: str, other: str) -> Iterator[Difference]:
    """Fields that are lost, added, of another type or value; order of keys and items does not count."""
    first, second = by_path(a), by_path(b)
    for path in dict.fromkeys((*first, *second)):
        left, right = list(first.get(path, [])), list(second.get(path, []))
        for value in list(left):
            twin = next((v for v in right if same_value(value, v)), ...)
            if twin is not ...:
                left.remove(value)
                right.remove(twin)
        for value, new in zip(left, right, strict=False):
            kind = type_name(value), type_name(new)
            what = f"{value!r} became {new!r}" + (
                "" if kind[0] == kind[1] else f" ({kind[0]}, then {kind[1]})"
            )
            spans = place_of(str(value), one), place_of(str(new), other)
            yield Difference("field", 0.9, f"{path or 'the value'}: {what}", *spans)
        for value in left[len(right) :]:
            reason = f"{path or 'the list'}: {value!r} is lost"
            yield Difference("field", 0.8, reason, place_of(str(value), one), None)
        for value in right[len(left) :]:
            reason = f"{path or 'the list'}: {value!r} is new"
            yield Difference("field", 0.8, reason, None, place_of(str(value), other))


def by_path(value: Any) -> dict[str, list[Any]]:
    """The values of each path; paths as they are written whatever the case and the style of keys."""
    found: dict[str, list[Any]] = {}
    for path, item in leaves(value):
        found.setdefault(path, []).append(item)
    return found


def same_value(one: Any, other: Any) -> bool:
    """Whether two fields say the same and are of one type."""
    if type_name(one) != type_name(other):
        return False
    if not isinstance(one, str):
        return bool(one == other)
    a, b = facts(one), facts(other)
    if len(a) == len(b) and not re.search(r"[^\W\d_]", one + other):  # "06-12" is not "12-06"
        return all(same_fact(x, y) for x, y in zip(a, b, strict=True)) and bool(a or one == other)
    if len(a) != len(b) or not all(any(same_fact(x, y) for y in b) for x in a):
        return False
    return bag(one, a) == bag(other, b) or (bool(a) and not (bag(one, a) - bag(other, b)))


def bag(text: str, found: Any) -> Counter[str]:
    """The words of meaning outside the facts; all words where there are none."""
    covered = frozenset(p for f in found for p in range(f.start, f.end))
    words = Counter(w.root for w in content_words(text, covered))
    return words or Counter(re.findall(r"\w+", text.lower()) if not found else [])


def type_name(value: Any) -> str:
    """The type of a JSON value in its own words; whole and broken numbers are one type."""
    names = {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}
    return names.get(type(value), "list" if isinstance(value, list) else "object")
