"""What tells one function or model from another, so that a changed one is a changed system.

A file on disk is known by its content. What lives in memory alone (a cell of a notebook, a trained model) is known by
its code and by what it holds: numbers, texts, tables, arrays, other functions and models. Connections and the like are
known by their type only, since they change with every call.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from polyglitch.systems.command.lines import LENGTH, fingerprint

MOST = 200_000  # values looked at: the vocabulary of a model, and an end to anything larger
MODELS = ("predict", "transform", "state_dict", "get_params")  # what has one of these is a model


def source_version(found: object, module: ModuleType | None = None) -> str:
    """`#` and a digest of the source file, and of what a model or a function of no file holds."""
    try:
        source = inspect.getsourcefile(inspect.unwrap(found))  # type: ignore[arg-type]
    except TypeError:
        source = None
    source = source or getattr(module, "__file__", None)
    filed = f"#{fingerprint([Path(source)])}" if source and Path(source).is_file() else ""
    held = not filed or _captured(found) or not isinstance(found, (FunctionType, type))
    return f"{filed}#{Digest().of(found)}" if held else filed


def _captured(found: object) -> bool:
    """Whether a function brings values of its own along, besides what its file says."""
    if isinstance(found, (partial, MethodType)):
        return True
    return bool(getattr(found, "__closure__", None) or getattr(found, "__defaults__", None))


class Digest:
    """One digest over a value and all that it holds."""

    def __init__(self) -> None:
        self._state = hashlib.blake2b(digest_size=LENGTH // 2)
        self._seen: dict[int, object] = {}  # held, so that no id is given twice

    def of(self, value: object) -> str:
        """The digest of a value."""
        self._add(value)
        return self._state.hexdigest()

    def _say(self, *parts: object) -> None:
        for part in parts:
            raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            self._state.update(len(raw).to_bytes(8, "little") + raw)

    def _add(self, value: object) -> None:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            self._say(type(value).__name__, value)
            return
        if id(value) in self._seen or len(self._seen) > MOST:
            self._say("again")
            return
        self._seen[id(value)] = value
        if isinstance(value, Mapping):
            self._say("mapping", len(value))
            for key, held in value.items():
                self._add(key)
                self._add(held)
        elif isinstance(value, (set, frozenset)):
            self._say("set", *sorted(map(repr, value)))
        elif isinstance(value, (list, tuple)):
            self._say("list", len(value))
            for held in value:
                self._add(held)
        else:
            self._add_object(value)

    def _add_object(self, value: object) -> None:
        self._say(type(value).__module__, type(value).__qualname__)
        if isinstance(value, partial):
            self._add([value.func, value.args, value.keywords])
        elif isinstance(value, MethodType):
            self._add([value.__func__, value.__self__])
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif (raw := array_bytes(value)) is not None:
            self._say(*raw)
        elif not isinstance(value, (type, ModuleType)) and _holds_state(value):
            self._add(dict(sorted(vars(value).items())))

    def _add_function(self, function: FunctionType) -> None:
        self._add_code(function.__code__)
        self._add([function.__defaults__, function.__kwdefaults__])
        for cell in function.__closure__ or ():
            try:
                self._add(cell.cell_contents)
            except ValueError:  # not filled yet
                self._say("empty")
        for name in sorted(function.__code__.co_names):
            if name in function.__globals__:
                self._add([name, function.__globals__[name]])

    def _add_code(self, code: CodeType) -> None:
        self._say(code.co_code, *code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._add_code(constant)
            else:
                self._add(constant)


def array_bytes(value: Any) -> tuple[object, ...] | None:
    """What an array of numpy, pandas or torch, or a sparse one of scipy, holds; nothing for what is none."""
    if isinstance(value, type) or not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return None
    if callable(getattr(value, "detach", None)):  # a tensor of torch
        value = value.detach().cpu().numpy()
    elif callable(getattr(value, "toarray", None)):  # sparse
        value = value.toarray() if value.shape[0] == 1 else value.tocoo().data
    elif callable(getattr(value, "to_numpy", None)):  # of pandas
        value = value.to_numpy()
    content = repr(value.tolist()) if value.dtype == object else value.tobytes()
    return str(value.dtype), value.shape, content


def _holds_state(value: object) -> bool:
    """Whether a value is a model, or a plain object of the user's own."""
    if not hasattr(value, "__dict__"):
        return False
    place = type(value).__module__
    return any(hasattr(value, name) for name in MODELS) or place in ("__main__", "builtins")
