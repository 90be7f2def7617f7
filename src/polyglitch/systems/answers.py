"""From whatever a system gave back to `Output`s: what is not an answer becomes a recorded error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from polyglitch.files.foreign import Foreign, one_line
from polyglitch.records import Output

LONGEST_ERROR = 1000  # characters that are kept of why a system gave no answer


def answer(raw: object, seconds: float = 0.0) -> Output:
    """The output for a raw value: text, bytes, a mapping with label or text, (label, scores)."""
    if isinstance(raw, Output):
        return raw
    if isinstance(raw, bytes):
        return _text_from_bytes(raw, seconds)
    if isinstance(raw, str):
        return _text(raw, seconds)
    if isinstance(raw, Mapping):
        return _labelled(raw.get("text", ""), raw.get("label"), raw.get("scores"), seconds)
    if isinstance(raw, tuple) and len(raw) == 2 and isinstance(raw[1], Mapping):
        return _labelled("", raw[0], raw[1], seconds)
    if raw is None:
        return failed("no answer (None)", seconds)
    return failed(f"the answer is of type {type(raw).__name__}, not text", seconds)


def failed(error: str | BaseException | Foreign, seconds: float = 0.0) -> Output:
    """An output that says why there is no answer, in one harmless line: it goes to terminals, logs and reports."""
    if isinstance(error, BaseException):
        error = f"{type(error).__name__}: {error}".removesuffix(": ")
    told = (
        error.line(LONGEST_ERROR) if isinstance(error, Foreign) else one_line(error, LONGEST_ERROR)
    )
    return Output(status="error", error=told, seconds=seconds)


def timed_out(timeout: float, seconds: float = 0.0) -> Output:
    """An output for a system that did not answer in time."""
    return Output(status="timeout", error=f"no answer in {timeout:g} s", seconds=seconds)


def as_list(raws: object, count: int) -> list[Any] | None:
    """The raw answers to a batch if there is one for each input, else nothing."""
    if raws is None or isinstance(raws, (str, bytes, Mapping)) or not isinstance(raws, Iterable):
        return None
    listed = list(raws)
    return listed if len(listed) == count else None


def _text_from_bytes(raw: bytes, seconds: float) -> Output:
    try:
        return _text(raw.decode("utf-8"), seconds)
    except UnicodeDecodeError as error:
        return failed(
            f"the answer is not valid UTF-8: byte 0x{raw[error.start]:02x} at {error.start}",
            seconds,
        )


def _text(text: str, seconds: float) -> Output:
    fault = _fault(text)
    return failed(fault, seconds) if fault else Output(text=text, seconds=seconds)


def _fault(text: str) -> str:
    """Why a string is no answer; control characters are kept, they are what the system said."""
    if not text.strip():
        return "empty answer"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"the answer is not valid Unicode: lone surrogate at {error.start}"
    return ""


def _labelled(text: object, label: object, scores: object, seconds: float) -> Output:
    """A classifier's output; the best scored label stands in for one that was not given."""
    if scores is not None and not isinstance(scores, Mapping):
        return failed(f"scores are of type {type(scores).__name__}, not a mapping", seconds)
    numbers: dict[str, float] = {}
    for name, value in (scores or {}).items():
        try:
            numbers[str(name)] = float(value)
        except (TypeError, ValueError, OverflowError):
            return failed(f"the score of {name!r} is {value!r}, not a number", seconds)
        if not math.isfinite(numbers[str(name)]):
            return failed(f"the score of {name!r} is {value!r}, not a finite number", seconds)
    if label is None and numbers:
        label = max(numbers, key=lambda name: numbers[name])
    if label is None:
        return answer(text, seconds)
    if not isinstance(label, str) or not isinstance(text, str):
        kind = type(text if isinstance(label, str) else label).__name__
        return failed(f"label or text is of type {kind}, not text", seconds)
    fault = _fault(label) or (_fault(text) if text else "")
    if fault:
        return failed(fault, seconds)
    return Output(text=text, label=label, scores=numbers, seconds=seconds)
