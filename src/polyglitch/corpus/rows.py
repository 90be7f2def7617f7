"""Rows of a corpus: what a line of sentences or of JSON says, under the names the project knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from polyglitch.corpus.chats import BadChat, reshaped
from polyglitch.errors import UsageError
from polyglitch.records import Turn
from polyglitch.registry import suggest

if TYPE_CHECKING:
    from polyglitch.corpus.source import Line


# What people call the columns. The first that is there is taken, unless the caller names one.
KNOWN: dict[str, tuple[str, ...]] = {
    "text": (
        "text", "sentence", "source", "question", "input", "test_case", "tweet", "msgid", "src", "utterance",
        "prompt", "review", "comment", "message", "content", "body", "query",
    ),
    "label": (
        "label", "class", "category", "label_gold", "gold", "answer", "labels", "sentiment", "intent", "topic",
        "expected", "polarity", "emotion",
    ),
    "context": ("context", "passage", "paragraph"),
    "title": ("title",),
    "id": ("id", "sent_id", "guid"),
}  # fmt: skip
ROLES = tuple(KNOWN)


@dataclass(frozen=True, slots=True)
class Row:
    """What may become a seed."""

    line: int
    text: str
    context: str | None = None
    label: str | None = None
    title: str | None = None
    id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()  # of a chat, before the text


@dataclass(frozen=True, slots=True)
class Bad:
    """A row that cannot be used: the reason it is counted under, and a detail for the example."""

    line: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Columns:
    """The columns the caller asked for by name."""

    text: str | None = None
    label: str | None = None
    context: str | None = None
    title: str | None = None
    id: str | None = None

    def asked(self) -> dict[str, str]:
        """Field to column, for those asked for."""
        return self._asked

    @cached_property
    def _asked(self) -> dict[str, str]:
        named = {role: getattr(self, role) for role in ROLES}
        return {role: name for role, name in named.items() if name is not None}


def make_columns(fields: Mapping[str, str], **single: str | None) -> Columns:
    """The columns of `--field` and those of the older options; a field that does not exist is refused."""
    named = {role: name for role, name in single.items() if name is not None} | dict(fields)
    for role, name in named.items():
        if role not in ROLES:
            raise UsageError(
                f"field {role!r}: a text has no such field{suggest(role, ROLES)}; write FIELD=COLUMN, such as "
                "text=review"
            )
        if not name.strip():
            raise UsageError(f"field {role!r} is given no column; write {role}=COLUMN")
    return Columns(**named)


def choose(names: Iterable[str], columns: Columns) -> dict[str, str]:
    """Which of the names holds each field; a column asked for that is not there is left out."""
    exact = list(names)
    folded = {name.strip().lower(): name for name in reversed(exact)}
    chosen: dict[str, str] = {}
    asked = columns.asked()
    for role, name in asked.items():
        if name in exact:
            chosen[role] = name
        elif name.strip().lower() in folded:
            chosen[role] = folded[name.strip().lower()]
    for role, known in KNOWN.items():
        free = (folded[k] for k in known if k in folded and folded[k] not in chosen.values())
        if role not in asked and (found := next(free, None)) is not None:
            chosen[role] = found
    return chosen


def json_rows(lines: Iterable[Line], columns: Columns) -> Iterator[Row | Bad]:
    """A row a line of JSON: an object, or a string that is the text."""
    for line in lines:
        if line.problem:
            yield Bad(line.number, line.problem, line.detail)
        elif not line.text.strip():
            yield Bad(line.number, "empty")
        else:
            yield _json_row(line, columns)


def _json_row(line: Line, columns: Columns) -> Row | Bad:
    try:
        value = msgspec.json.decode(line.text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Bad(line.number, "bad JSON", str(error))
    return value_row(line.number, value, columns)


def value_row(number: int, value: object, columns: Columns) -> Row | Bad:
    """The row that one value of JSON makes: an object, or a string that is the text."""
    if isinstance(value, str):
        asked = columns.asked()
        if asked:
            first = next(iter(asked.values()))
            return Bad(number, "no such field", f"a plain string has no {first!r}")
        return Row(number, value)
    if not isinstance(value, dict):
        return Bad(number, "neither an object nor a string", json_kind(value))
    if set(value) >= {"row", "row_idx"} and isinstance(value["row"], dict):
        value = value["row"]  # as the dataset server of Hugging Face answers
    try:
        cells, turns = reshaped(value)
    except BadChat as error:
        return Bad(number, "no chat", str(error))
    row = chosen_row(number, cells, columns)
    return replace(row, turns=turns) if turns and isinstance(row, Row) else row


def chosen_row(line: int, cells: Mapping[str, Any], columns: Columns) -> Row | Bad:
    """The row that named cells make where each row has names of its own; `a.b` asks for `b` inside of `a`."""
    asked = columns.asked()
    for name in asked.values():
        outer, dot, inner = name.partition(".")
        held = cells.get(outer) if dot and name not in cells else None
        if isinstance(held, Mapping) and inner in held:
            cells = {**cells, name: held[inner]}
    chosen = choose(cells, columns)
    for role, name in list(chosen.items()):
        # `labels: [...]` may be anything; only what is called by the role's own name must be one.
        guessed = role not in asked and name.strip().lower() != role
        if guessed and role != "text" and isinstance(cells[name], (list, Mapping)):
            del chosen[role]
    return row_of(line, cells, chosen, columns)


def row_of(
    line: int, cells: Mapping[str, Any], chosen: Mapping[str, str], columns: Columns
) -> Row | Bad:
    """The row that named cells make, once it is chosen which of them is which."""
    for role, name in columns.asked().items():
        if chosen.get(role) not in cells:
            return Bad(line, "no such field", f"no {name!r}; there are {listed(cells)}")
    if chosen.get("text") not in cells:
        return Bad(
            line, "no text", f"no field is known to hold the text; there are {listed(cells)}"
        )
    fields: dict[str, str | None] = {}
    for role, name in chosen.items():
        value = cells.get(name)
        if isinstance(value, str):
            fields[role] = value or None
            continue
        # A label or an id may be a number, true or false: what it is called is all that matters.
        if role in ("label", "id") and isinstance(value, (bool, int)):
            value = str(value).lower()
        elif role in ("label", "id") and isinstance(value, float) and value.is_integer():
            value = str(int(value))
        elif value is not None or role == "text":
            return Bad(line, f"{role} is not a string", f"{name!r} is {json_kind(value)}")
        fields[role] = value or None
    taken = chosen.values()
    data = {name: value for name, value in cells.items() if name not in taken}
    text = fields.pop("text") or ""
    return Row(line, text, **fields, data=data)  # type: ignore[arg-type]  # of strings, by role


def like_labels(rows: Sequence[Row]) -> str | None:
    """The column that was not used and holds a few short words again and again, as labels do."""
    for column in rows[0].data if len(rows) >= 4 else ():
        values = [row.data.get(column) for row in rows]
        words = {value for value in values if isinstance(value, (str, int)) and value != ""}
        if 2 <= len(words) <= len(rows) // 2 and all(len(str(word)) <= 24 for word in words):
            return column
    return None


def json_kind(value: object) -> str:
    """What JSON calls a value."""
    names = {type(None): "null", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "a string" if isinstance(value, str) else "a number")


def listed(cells: Iterable[str]) -> str:
    """The names of some fields, as a message shows them: without a header they may be of any length."""
    names = [repr(str(name)[:40]) for name in cells]
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return (", ".join(names[:20]) or "none") + more


def no_text(where: str, found: str) -> str:
    """How a table without a known column is refused: what was found, and what would work."""
    return (
        f"{where}: which column holds the text? {found}; name it with --field text=COLUMN (and label=COLUMN, "
        f"context=COLUMN where there are any); known by themselves are {', '.join(KNOWN['text'][:8])} and the like"
    )
