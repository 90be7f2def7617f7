"""What tells one service from another: how a question is put, how its answer is read, and which key it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from polyglitch.records import Input, Output

MOST_BYTES = 1_000_000  # of an answer; a translation of the longest accepted text is far below
MOST_CHARACTERS = 10_000  # that a request carries when it carries several texts


class Call(msgspec.Struct, frozen=True):
    """One request, whole."""

    url: str
    body: bytes
    headers: dict[str, str] = {}
    method: str = "POST"


class Fault(Exception):
    """Why a request gave no answer, and what can be done about it."""

    def __init__(
        self,
        what: str,
        *,
        again: bool = True,  # the same request may be answered later
        ours: bool = False,  # the request is at fault, the service is well
        stops: bool = False,  # no request can be answered: a wrong key, an unknown model
        busy: bool = False,  # the service asks for fewer requests
        billed: bool = False,  # the service may have done the work
        late: bool = False,
        wait: float | None = None,  # seconds that the service asks for
    ) -> None:
        super().__init__(what)
        self.again, self.ours, self.stops, self.busy = again, ours, stops, busy
        self.billed, self.late, self.wait = billed, late, wait


@dataclass(frozen=True)
class Key:
    """A key from the environment. Its value is shown nowhere: not here, not in errors, not in the store."""

    variable: str = ""
    secret: str = field(default="", repr=False)

    def hide(self, text: str) -> str:
        """A text that came from the service, without the key that it may repeat, however it spells it."""
        return spellings(self.secret).sub("***", text) if self.secret else text

    def hide_in(self, value: Any) -> Any:
        """The same for JSON that was read: an escape in it is a letter by now."""
        if not self.secret:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(one) for one in value]
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in(one) for name, one in value.items()}
        return value


@cache
def spellings(secret: str) -> re.Pattern[str]:
    """A key in letters of either case, JSON's escapes, percent signs or entities, letter by letter."""
    return re.compile("".join(map(spelling, secret)), re.IGNORECASE)


def spelling(letter: str) -> str:
    """The ways to write a letter in a text."""
    code = ord(letter)
    return rf"(?:{re.escape(letter)}|\\+u00{code:02x}|%{code:02x}|&#0*{code};|&#x0*{code:x};)"


def text_length(item: Input) -> int:
    """What translation services count: the characters of the text."""
    return len(item.text)


@dataclass(frozen=True)
class Api:
    """A service as the rest of this folder sees it."""

    signature: str
    call: Callable[[Sequence[Input]], Call]
    read: Callable[[Any, int], list[Output]]  # raises Fault for what is no answer
    key: Key = Key()
    languages: tuple[str | None, str | None] = (None, None)
    together: int = 1  # texts that a request may carry
    characters: Callable[[Input], int] = text_length
    answer_tokens: int = 0  # at most, where tokens are paid for
    # Read and written, as the service says; whether it can be believed is the meter's to judge.
    tokens: Callable[[Any], tuple[object, object] | None] = lambda _: None


def encode_json(value: object) -> bytes:
    """A JSON body."""
    return msgspec.json.encode(value)


def same_count(found: object, count: int) -> list[Any]:
    """A list with an answer for each question, or the fault that it is not one."""
    if not isinstance(found, list):
        raise Fault(f"the answer holds {type(found).__name__} instead of a list", billed=True)
    if len(found) != count:
        raise Fault(f"{len(found)} answers to {count} questions", billed=True)
    return found
