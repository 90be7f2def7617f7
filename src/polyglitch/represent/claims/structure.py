"""Answers with a form of their own: JSON, tool calls, code blocks, lists of items."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

FENCE = re.compile(r"(?<!`)```[ \t]*([\w+#-]*)[^\n]*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
ITEM = re.compile(r"^[ \t]*(?:[-*•–]|\(?\d{1,2}[.)]|\(?[a-z][.)])[ \t]+(.+)$", re.MULTILINE)
FIELD = re.compile(r"^[ \t]*(?:[-*•] +)?[*_]*([^\W\d_][\w /-]{0,24}?)[*_]*\s*:[*_]*\s+(\S.{0,80})$")
CALL = re.compile(r"\A\s*(?:\w+\.)*([A-Za-z_]\w*)\s*\((.*)\)\s*;?\s*\Z", re.DOTALL)
NAMES = ("name", "function", "tool", "tool_name", "action")
ARGUMENTS = ("arguments", "args", "parameters", "input", "action_input", "params")
LONGEST = 20_000  # characters of code or JSON that are parsed


class ToolCall(NamedTuple):
    """A tool that was called, with its arguments."""

    name: str
    arguments: dict[str, Any]


class Code(NamedTuple):
    """A block of code, the language it says it is in, and where it stands."""

    language: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def json_of(text: str) -> Any:
    """The JSON value that an answer is, alone or in a fence; `...` where it is none."""
    fenced = FENCE.search(text)
    alone = bool(fenced and fenced[1].lower() in ("", "json"))
    announced = re.match(r"[^\n{\[]*:\s*(?=[{\[])", text)  # "Here is the JSON:"
    bare = (fenced[2] if fenced and alone else text[announced.end() if announced else 0 :]).strip()
    if not bare or bare[0] not in "{[" or len(bare) > LONGEST:
        return ...
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        return ...


def broken_json(text: str) -> bool:
    """Whether an answer sets out to be JSON and is not."""
    bare = text.strip()
    return bare[:1] == "{" and '"' in bare and json_of(text) is ... and tool_call(text) is None


def tool_call(text: str) -> ToolCall | None:
    """The call that an answer is: a JSON object with name and arguments, or `name(key=value)`."""
    value = json_of(text)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        inner = value.get("function")
        call: dict[str, Any] = inner if isinstance(inner, dict) else value
        name = next((call[k] for k in NAMES if isinstance(call.get(k), str)), None)
        given = next((call[k] for k in ARGUMENTS if k in call), None)
        if isinstance(given, str):
            given = json_of(given)
        return ToolCall(name, given) if name and isinstance(given, dict) else None
    fenced = FENCE.search(text)
    return _written_call((fenced[2] if fenced else text).strip().strip("`"))


def _written_call(text: str) -> ToolCall | None:
    found = CALL.match(text) if len(text) < LONGEST and "\n\n" not in text else None
    if not found:
        return None
    try:
        node = ast.parse(found[0].strip().rstrip(";"), mode="eval").body
        if not isinstance(node, ast.Call):
            return None
        given = {str(n): ast.literal_eval(arg) for n, arg in enumerate(node.args)}
        given |= {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ToolCall(found[1], given)


def code_blocks(text: str) -> list[Code]:
    """The fenced blocks that are code, or the whole answer where it is Python and nothing else."""
    found = [
        Code(m[1].lower(), m[2], m.start(2), m.end(2))
        for m in FENCE.finditer(text)
        if m[1].lower() not in ("json", "text", "markdown")
    ]
    looks = re.search(
        r"^\s*(?:def |class |import |from \w+ import|return |for \w+ in |SELECT )", text, re.M
    )
    if not found and looks and not re.search(r"^[A-Z][a-z]+ [a-z]+ [a-z]+", text):
        return [Code("", text, 0, len(text))]
    return [block for block in found if json_of(block.text) is ...]


def inline_code(text: str) -> list[Code]:
    """Code between single marks in a line, where it is more than a name."""
    found = re.finditer(r"(?<!`)`([^`\n]{4,})`(?!`)", text)
    return [
        Code("", m[1], m.start(1), m.end(1)) for m in found if re.search(r"[^\w.]", m[1].strip())
    ]


def list_items(text: str) -> list[tuple[str, int, int]]:
    """The items of a list that stands one a line, at least two, with their places."""
    found = [(m[1].strip(), m.start(1), m.end(1)) for m in ITEM.finditer(text)]
    return found if len(found) > 1 else []


def labelled_fields(text: str) -> dict[str, str]:
    """The values of an answer that is lines of a label and a value, by label in small letters; else nothing."""
    lines = [line for line in text.splitlines() if line.strip()]
    found = [FIELD.match(line) for line in lines]
    if len(lines) < 2 or not all(found):
        return {}
    return {m[1].strip(" *_").lower(): m[2].strip(" *_") for m in found if m}


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a JSON value with their paths; items of a list share one path, their order does not count."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else str(key))
        if not value:
            yield path, {}
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, f"{path}[]")
        if not value:
            yield path, []
    else:
        yield path, value
