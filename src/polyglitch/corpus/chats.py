"""Rows in the shapes of chats and of other people's test sets, brought to a text with its earlier turns.

Known are OpenAI's `messages`, ShareGPT's `conversations`, Inspect's samples (`input`, `target`, `choices`) and the logs
of lm-evaluation-harness (`doc`, `target`). A last message of the assistant is the row's answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polyglitch.records import Role, Turn

CHATS = ("messages", "conversations", "conversation", "input")
ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "prompter": "user",
    "assistant": "assistant", "gpt": "assistant", "bot": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip
PASSAGES = ("context", "contexts", "passages", "documents", "retrieved_contexts")
OPTIONS = ("options", "choices")
ANSWERS = ("target", "gold", "answer", "label")
LETTERS = "ABCDEFGH"


class BadChat(ValueError):
    """Why a list of messages is no chat."""


def reshaped(cells: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Turn, ...]]:
    """The cells of a row with a plain text, context and answer, and the turns before the text."""
    row = dict(cells)
    if isinstance(row.get("doc"), Mapping):  # a sample of lm-evaluation-harness
        row = {**harness_doc(row), "id": f"{row.get('doc_id', '')}" or None}
    turns: tuple[Turn, ...] = ()
    name = next((n for n in CHATS if is_chat(row.get(n))), None)
    if name:
        chat = read_chat(row.pop(name))
        if chat[-1].role == "assistant":
            row.setdefault("answer", chat[-1].text)
            chat = chat[:-1]
        if not chat or chat[-1].role != "user":
            raise BadChat("no message of the user to answer")
        turns, row["text"] = tuple(chat[:-1]), chat[-1].text
    passages = next((n for n in PASSAGES if is_texts(row.get(n))), None)
    if passages:
        row["context"] = "\n\n".join(row.pop(passages))
    if "target" in row and "answer" not in row and "label" not in row:
        row["answer"] = row.pop("target")
    return with_options(row), turns


def harness_doc(sample: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a logged sample, with the target as its only answer; of options it is the place, as text."""
    doc = dict(sample["doc"])
    if "target" not in sample:
        return doc
    target = sample["target"]
    listed = any(is_options(doc.get(name)) for name in OPTIONS)
    if listed and isinstance(target, str) and target.isdecimal():
        target = int(target)
    return {k: v for k, v in doc.items() if k not in ANSWERS} | {"target": target}


def with_options(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose options stand in its text by letters, and whose answer is an option's text."""
    name = next((n for n in OPTIONS if is_options(row.get(n))), None)
    answer = next((n for n in ANSWERS if n in row), None)
    if answer and is_texts(row[answer]):  # several right answers: the first stands for them
        row[answer] = row[answer][0]
    if not name:
        return row
    given = row.pop(name)
    options = list(given["text"] if isinstance(given, Mapping) else given)[: len(LETTERS)]
    labels = list(given.get("label", LETTERS)) if isinstance(given, Mapping) else list(LETTERS)
    asked = next((n for n in ("text", "question", "input", "query") if row.get(n)), None)
    if asked and isinstance(row[asked], str) and f"B) {options[-1]}" not in row[asked]:
        listed = "\n".join(f"{LETTERS[n]}) {option}" for n, option in enumerate(options))
        row[asked] = f"{row[asked].rstrip()}\n{listed}"
    if answer:
        row[answer] = chosen(row[answer], options, labels)
    return row


def chosen(answer: Any, options: list[str], labels: list[Any]) -> Any:
    """The option that a letter, a label or a number from 0 stands for."""
    if isinstance(answer, int) and not isinstance(answer, bool):
        return options[answer] if 0 <= answer < len(options) else str(answer)
    place = labels.index(answer) if answer in labels else -1
    return options[place] if 0 <= place < len(options) else answer


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def is_texts(value: Any) -> bool:
    """Whether a value is a list of texts."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)


def is_options(value: Any) -> bool:
    """Whether a value lists options: texts, or texts with their labels."""
    listed = value.get("text") if isinstance(value, Mapping) else value
    return isinstance(listed, list) and len(listed) > 1 and is_texts(listed)


def read_chat(messages: list[Any]) -> list[Turn]:
    """The turns of a list of messages; content in parts is joined, what is no text is refused."""
    found: list[Turn] = []
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Mapping):
            raise BadChat(f"message {number} is no object")
        said = str(message.get("role", message.get("from", "")))
        if said not in ROLES:
            raise BadChat(f"message {number} has the role {said!r}; known are {', '.join(ROLES)}")
        content = message.get("content", message.get("value"))
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, Mapping)]
            texts = [part for part in parts if isinstance(part, str)]
            content = "\n".join(texts) if texts and len(texts) == len(content) else None
        if not isinstance(content, str):
            raise BadChat(f"message {number} has no text")
        found.append(Turn(ROLES[said], content))
    return found
