"""`python:pkg.mod:fn` or `python:path/file.py:fn`: a Python function, class or object as a system.

A function takes a text and returns a text, a label with scores, or a mapping with `label` and `scores`. It takes a list
and returns a list if it has `batch = True`, or if its first parameter is annotated as a list or sequence or is called
`texts` or `inputs`. A question's context goes to its `context` parameter, or else its second one. It may be `async`:
then several texts are asked at once. An object with `predict` is asked as scikit-learn does, a list at a time.

A changed function or model is a changed system. A file on disk is known by its content. What lives in memory alone (a
cell of a notebook, a trained model) is known by its code and by what it holds: numbers, texts, tables, arrays, other
functions and models. Connections and the like are known by their type only, since they change with every call.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
import inspect
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.records import Input, Output
from polyglitch.registry import suggest
from polyglitch.systems.answers import answer, as_list, failed
from polyglitch.systems.command.child import LENGTH, fingerprint

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


AT_ONCE = 8  # calls of an async function under way together, where it does not say `parallel`
LIST_TYPES = ("list", "sequence", "iterable", "collection", "tuple")
LIST_NAMES = ("texts", "inputs")


class PythonCall:
    """A function as a system; it runs in process, where no timeout can stop it."""

    languages: tuple[str | None, str | None] = (None, None)

    def __init__(self, found: object, signature: str) -> None:
        self.signature = signature
        self.parallel = max(1, int(getattr(found, "parallel", 1)))
        self.batch_size = max(1, int(getattr(found, "batch_size", 32)))
        self._function = function = callable_of(found)
        parameters = _parameters(function)
        self._batch = bool(getattr(function, "batch", _takes_list(parameters[:1])))
        predicts = inspect.ismethod(function) and function.__name__ == "predict"
        if predicts and _first_is_free(parameters[:1]):
            self._batch = True  # that of a model takes a list, whatever it calls it
        self._context = _context_parameter(parameters)
        self._async = inspect.iscoroutinefunction(inspect.unwrap(function)) or (
            inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
        )
        self._loop: BackgroundLoop | None = None

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input."""
        if self._async and not self._batch:
            return self._ask_together(inputs)
        if not self._batch:
            return [self._ask_one(item) for item in inputs]
        if len(inputs) > 1:
            start = time.perf_counter()
            try:
                raws = as_list(self._awaited(self._call(inputs)), len(inputs))
            except (Exception, SystemExit):
                raws = None  # one bad input must not take the others with it: each alone, below
            if raws is not None:
                seconds = round((time.perf_counter() - start) / len(inputs), 6)
                return [answer(raw, seconds) for raw in raws]
        return [self._ask_one(item) for item in inputs]

    def close(self) -> None:
        """End the thread in which async calls run, if there was one."""
        if self._loop:
            self._loop.close()
            self._loop = None

    def _ask_one(self, item: Input) -> Output:
        start = time.perf_counter()
        try:
            raw = self._awaited(self._call([item] if self._batch else item))
            listed = as_list(raw, 1) if self._batch else [raw]
        except (Exception, SystemExit) as error:
            return failed(error, time.perf_counter() - start)
        seconds = round(time.perf_counter() - start, 6)
        if listed is None:
            return failed(f"not a list with one answer for one input: {raw!r:.80}", seconds)
        return answer(listed[0], seconds)

    def _ask_together(self, inputs: Sequence[Input]) -> list[Output]:
        """Answers of an async function, several under way at once."""

        async def one(item: Input, room: asyncio.Semaphore) -> Output:
            async with room:
                start = time.perf_counter()
                try:
                    raw = await self._call(item)
                except (Exception, SystemExit) as error:
                    return failed(error, time.perf_counter() - start)
                return answer(raw, time.perf_counter() - start)

        async def every() -> list[Output]:
            room = asyncio.Semaphore(self.parallel if self.parallel > 1 else AT_ONCE)
            return await asyncio.gather(*(one(item, room) for item in inputs))

        outputs: list[Output] = self._awaited(every())
        return outputs

    def _awaited(self, raw: Any) -> Any:
        """A value, waited for where it is a promise of one."""
        if not inspect.isawaitable(raw):
            return raw
        self._loop = self._loop or BackgroundLoop()
        return self._loop.result(raw)

    def _call(self, asked: Input | Sequence[Input]) -> Any:
        one = isinstance(asked, Input)
        text = asked.text if isinstance(asked, Input) else [item.text for item in asked]
        context = asked.context if isinstance(asked, Input) else [item.context for item in asked]
        given = context is not None if one else any(c is not None for c in context or ())
        parameter = self._context
        if parameter is None or not (given or parameter.default is parameter.empty):
            return self._function(text)
        if parameter.name == "context" and parameter.kind is not parameter.POSITIONAL_ONLY:
            return self._function(text, context=context)
        return self._function(text, context)


class BackgroundLoop:
    """An event loop in a thread: a notebook has one running already, where none may be started."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def result(self, promise: Awaitable[Any]) -> Any:
        """What a promise comes to."""

        async def waited() -> Any:
            return await promise

        return asyncio.run_coroutine_threadsafe(waited(), self._loop).result()

    def close(self) -> None:
        """Stop the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def callable_of(found: object) -> Callable[..., Any]:
    """The function itself, or the `predict` of a model."""
    predict = getattr(found, "predict", None)
    if callable(predict) and not inspect.isroutine(found) and not inspect.isclass(found):
        chosen: Callable[..., Any] = predict
        return chosen
    if not callable(found):
        raise UsageError(
            f"a system of type {type(found).__name__}: give a function of a text or of a list of texts, an object "
            "with `predict`, or one that fits polyglitch.System"
        )
    return found


def found_by_name(rest: str) -> tuple[Any, ModuleType]:
    """What `module:name` or `file.py:name` names, and its module."""
    place, _, name = rest.rpartition(":")
    if not place or not name:
        raise UsageError(f"python:{rest} names no function; for example python:my_module:translate")
    module = _import(place)
    try:
        return getattr(module, name), module
    except AttributeError as error:
        public = tuple(key for key, value in vars(module).items() if callable(value))
        raise UsageError(f"python: no {name!r} in {place}{suggest(name, public)}") from error


NOTICED = 0.1  # of estimates from 0 to 1, as most estimators give


class EstimatorFunction:
    """A function of sources and translations as a quality estimator; its attribute `noticed` tells its scale."""

    def __init__(self, name: str, function: Callable[..., Any], module: ModuleType) -> None:
        self._function = function
        self.noticed = float(getattr(function, "noticed", NOTICED))
        self.signature = f"{name}{source_version(function, module)}"

    def estimate(self, sources: Sequence[str], translations: Sequence[str]) -> list[float]:
        """One number a translation."""
        found = [float(one) for one in self._function(list(sources), list(translations))]
        if len(found) != len(sources):
            raise UsageError(
                f"{self.signature} gave {len(found)} estimates for {len(sources)} translations; one each is needed"
            )
        return found


def open_quality(uri: str) -> EstimatorFunction:
    """The estimator that `python:module:function` or `python:file.py:function` names."""
    scheme, _, rest = uri.strip().partition(":")
    if scheme != "python":
        raise UsageError(
            f"--quality {uri!r}: name a function of sources and translations, such as python:my_metric.py:estimate"
        )
    function, module = found_by_name(rest)
    if not callable(function):
        raise UsageError(f"--quality {uri!r}: this is no function")
    return EstimatorFunction(uri.strip(), function, module)


def open_python(rest: str, timeout: float) -> System:
    """The system that a function, a class or an object of the user's makes."""
    found, module = found_by_name(rest)
    name = rest.rpartition(":")[2]
    if inspect.isclass(found):
        try:
            found = found()
        except Exception as error:
            raise UsageError(f"python:{rest} cannot be made without arguments: {error}") from error
    if isinstance(found, System):
        return found
    if not callable(found) and not callable(getattr(found, "predict", None)):
        raise UsageError(
            f"python:{rest} is {type(found).__name__}; a function, an object with `predict` or a System is needed"
        )
    return PythonCall(found, f"python:{module.__name__}:{name}{source_version(found, module)}")


def _import(place: str) -> ModuleType:
    """Import a module by name or file; the current folder counts as a place to look."""
    folder = Path.cwd() if not place.endswith(".py") else Path(place).expanduser().resolve().parent
    for entry in {str(folder), str(Path.cwd())} - set(sys.path):
        sys.path.insert(0, entry)
    importlib.invalidate_caches()
    try:
        if place.endswith(".py"):
            return _import_file(Path(place).expanduser().resolve())
        return importlib.import_module(place)
    except Exception as error:
        raise UsageError(
            f"python: {place!r} cannot be imported ({type(error).__name__}: {error}); give a "
            "file, or a module that is installed or in the current folder"
        ) from error


def _import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Left under its own name so that dataclasses and the like find it, unless that name is taken.
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions do not tell
        return []
    single = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [parameter for parameter in parameters if parameter.kind not in single]


def _takes_list(first: list[inspect.Parameter]) -> bool:
    for parameter in first:
        note = parameter.annotation
        if note is parameter.empty:
            return parameter.name in LIST_NAMES
        text = note if isinstance(note, str) else inspect.formatannotation(note)
        return text.partition("[")[0].rpartition(".")[2].strip().lower() in LIST_TYPES
    return False


def _context_parameter(parameters: list[inspect.Parameter]) -> inspect.Parameter | None:
    for parameter in parameters[1:]:
        if parameter.name == "context":
            return parameter
    second = parameters[1:2]
    needed = second and second[0].default is inspect.Parameter.empty
    return second[0] if needed else None


def _first_is_free(first: list[inspect.Parameter]) -> bool:
    """Whether nothing says that a single text is wanted."""
    return not any(
        p.annotation in (str, "str") or p.name in ("text", "sentence", "question") for p in first
    )
