"""From whatever a system gave back to `Output`s: what is not an answer becomes a recorded error.

A value of numpy, pandas or torch counts as the plain value it holds, an enum as its text or its name, a list with one
answer as that answer; so `return model.predict([text])[0]` does, and without the `[0]` too.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from msgspec.structs import replace

from polyglitch.files.foreign import Foreign, one_line
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.records import Output, Trial

# Where the pipelines of Hugging Face put their text.
TEXTS = ("text", "translation_text", "generated_text", "summary_text", "answer")
NUMBERS = "return its label, or a mapping with `label` and `scores`"
LONGEST_ERROR = 1000  # characters that are kept of why a system gave no answer


def answer(raw: object, seconds: float = 0.0) -> Output:
    """The output for a raw value: text, bytes, a label, a mapping with label or text, (label, scores)."""
    if isinstance(raw, Output):
        known = {"text": raw.text, "label": raw.label, "scores": raw.scores}
        return raw if not raw.ok or _is_plain(raw) else answer(known, seconds)
    raw = plain(raw)
    if isinstance(raw, bytes):
        return _text_from_bytes(raw, seconds)
    if isinstance(raw, str):
        return _text(raw, seconds)
    if isinstance(raw, (bool, int, float)):
        name = label_name(raw)
        if name is None:
            return failed(f"the answer is the number {raw!r}; {NUMBERS}", seconds)
        return Output(label=name, seconds=seconds)
    if isinstance(raw, Mapping):
        return _mapped(raw, seconds)
    if isinstance(raw, tuple) and len(raw) == 2 and isinstance(raw[1], Mapping):
        return _labelled("", raw[0], raw[1], seconds)
    if raw is None:
        return failed("no answer (None)", seconds)
    if isinstance(raw, (list, tuple)):
        return _only_one(raw, seconds)
    return failed(f"the answer is of type {type(raw).__name__}, not text", seconds)


def plain(raw: object) -> object:
    """The plain value in one of numpy, pandas, torch or an enum; anything else as it is."""
    if isinstance(raw, Enum):
        return plain(raw.value) if isinstance(raw.value, str) else raw.name
    # Text of numpy is a `str` by inheritance, which no store takes.
    if isinstance(raw, str):
        return str.__str__(raw)
    unpack = getattr(raw, "tolist", None)
    if callable(unpack) and not isinstance(raw, type):
        try:
            return unpack()
        except Exception:
            return raw
    return raw


def label_name(value: object) -> str | None:
    """What a label is called: text as it is, 1, true; a number between two whole ones is no name."""
    value = plain(value)
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return None


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


def relabelled(output: Output, names: Mapping[str, str]) -> Output:
    """An output under other names of its labels, such as 0 for negative; one that has no other name stays."""
    known = {name.strip().casefold(): other for name, other in names.items()}
    told = output.label if output.label is not None else output.text
    label = known.get(told.strip().casefold(), output.label)
    scores = {
        known.get(name.strip().casefold(), name): value for name, value in output.scores.items()
    }
    return replace(output, label=label, scores=scores)


def _is_plain(output: Output) -> bool:
    numbers = all(type(k) is str and type(v) is float for k, v in output.scores.items())
    return numbers and type(output.text) is str and type(output.label) in (str, type(None))


def _only_one(raws: list[Any] | tuple[Any, ...], seconds: float) -> Output:
    """The answer in a list of one, however deep."""
    held: Any = raws
    while isinstance(held, (list, tuple)) and len(held) == 1:
        held = plain(held[0])
    if not isinstance(held, (list, tuple)) or not held:
        return (
            answer(held, seconds)
            if held != [] and held != ()
            else failed("no answer (an empty list)", seconds)
        )
    if all(isinstance(item, Mapping) and {"label", "score"} <= {*item} for item in held):
        scored = {label_name(item["label"]) or "": item["score"] for item in held}
        return _labelled("", None, scored, seconds)  # a pipeline asked for the score of every label
    if all(isinstance(plain(item), float) for item in held):
        return failed(f"the answer is {len(held)} numbers; {NUMBERS}", seconds)
    return failed(f"{len(held)} answers to one text; return one", seconds)


def _mapped(raw: Mapping[Any, Any], seconds: float) -> Output:
    """The output in a mapping: ours, or as a pipeline of Hugging Face gives it."""
    text = next((raw[name] for name in TEXTS if raw.get(name) is not None), "")
    label, scores = raw.get("label"), raw.get("scores")
    if scores is None and label is not None and isinstance(plain(raw.get("score")), float):
        scores = {label_name(label) or "": raw["score"]}
    if text == "" and label is None and scores is None and len(raw) == 1:
        text = next((value for value in raw.values() if isinstance(plain(value), str)), "")
    if raw and text == "" and label is None and scores is None:
        names = ", ".join(repr(str(name)[:40]) for name in list(raw)[:8])
        return failed(f"the answer is a mapping with {names}; `label` or `text` is needed", seconds)
    return _labelled(text, label, scores, seconds)


def relabelled_trial(trial: Trial, names: Mapping[str, str]) -> Trial:
    """A trial whose outputs have their labels under other names."""
    if not names:
        return trial
    chains = (tuple(relabelled(output, names) for output in chain) for chain in trial.chains)
    return Trial(trial.case, tuple(chains))


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
    for key, value in (scores or {}).items():
        name = label_name(key)
        if name is None or _fault(name):
            return failed(f"a score is for {key!r}, which is no label", seconds)
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            return failed(f"the score of {name!r} is {value!r}, not a number", seconds)
        if not math.isfinite(numbers[name]):
            return failed(f"the score of {name!r} is {value!r}, not a finite number", seconds)
    if label is None and numbers:
        label = max(numbers, key=lambda name: numbers[name])
    if label is None:
        return answer(text, seconds)
    named, text = label_name(label), plain(text)
    if named is None or not isinstance(text, str):
        kind = type(label if named is None else text).__name__
        return failed(f"label or text is of type {kind}, not text", seconds)
    fault = _fault(named) or (_fault(text) if text else "")
    if fault:
        return failed(fault, seconds)
    return Output(text=text, label=named, scores=numbers, seconds=seconds)


@cache
def answer_lists() -> dict[str, Any]:
    """The word lists of `answers.toml`."""
    return language_of(DEFAULT).table("qa/answers.toml", "reading answers")


def bare_answer(text: str) -> str:
    """The text in small letters, without markup, blanks and marks around it."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    folded = re.sub(r"[*_`#<>\[\]\"“”]", " ", folded)
    spaced = re.sub(r"\s+", " ", folded)
    return re.sub(r" (?=[,.;:!?])", "", spaced).strip(" .,:;!?'-")


def refuses(text: str) -> bool:
    """Whether a system declines instead of answering."""
    return bare_answer(text).startswith(refusals())


@cache
def refusals() -> tuple[str, ...]:
    """How refusals begin."""
    return tuple(bare_answer(phrase) for phrase in answer_lists()["refusals"])
