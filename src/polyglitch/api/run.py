"""`polyglitch.run(...)`: a campaign from Python, with the options of the command line; texts from memory as its corpus,
and a bar while it goes on, drawn in a notebook by itself, elsewhere only where it is asked for.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
from markupsafe import Markup

from polyglitch.api.result import Result
from polyglitch.campaign import Campaign, make_campaign
from polyglitch.corpus.tables import as_json
from polyglitch.errors import UsageError
from polyglitch.flow import finished
from polyglitch.protocols import System
from polyglitch.run.budget import Progress, Watch
from polyglitch.run.plan import Open
from polyglitch.systems.python_call import PythonCall, source_version
from polyglitch.tools import open_system

GIVE = "give texts, mappings with `text`, a DataFrame, a dataset, or the path of a file"


@runtime_checkable
class TableLike(Protocol):
    """A DataFrame of pandas or polars, as far as it is looked at."""

    @property
    def columns(self) -> Any: ...

    def to_dict(self, *arguments: Any, **options: Any) -> Any: ...


@runtime_checkable
class Dataset(Protocol):
    """A dataset of Hugging Face, as far as it is looked at: mappings, and the names of their columns."""

    @property
    def column_names(self) -> Any: ...

    def __iter__(self) -> Iterator[Mapping[str, Any]]: ...


CorpusLike = str | Path | Iterable[str | Mapping[str, Any]] | TableLike | Dataset


def as_corpus(corpus: CorpusLike, folder: Path) -> str:
    """A corpus as a campaign names it; texts from memory go to a file, where a run can read them again."""
    if isinstance(corpus, (str, Path)):
        return str(corpus)
    path, count = folder / "corpus.jsonl", 0
    with path.open("wb") as out:
        for row in rows_of(corpus):
            out.write(msgspec.json.encode(row) + b"\n")
            count += 1
    if not count:
        raise UsageError(f"corpus: the {type(corpus).__name__} is empty; {GIVE}")
    return str(path)


def rows_of(corpus: object) -> Iterator[dict[str, Any]]:
    """The rows of a corpus in memory, each as JSON has it."""
    if isinstance(corpus, Mapping):
        raise UsageError(told_mapping(corpus))
    names: dict[str, list[str]] = {}
    found: Any = corpus
    if isinstance(corpus, Dataset):
        names = class_names(getattr(corpus, "features", None))
    elif isinstance(corpus, TableLike):
        records = getattr(corpus, "to_dicts", None)  # of polars
        found = records() if callable(records) else corpus.to_dict("records")
    if not isinstance(found, Iterable):
        raise UsageError(f"corpus is of type {type(corpus).__name__}; {GIVE}")
    for number, row in enumerate(found, 1):
        if isinstance(row, str):
            yield {"text": str.__str__(row)}
        elif isinstance(row, Mapping):
            yield {
                str(key): named(as_json(value), names.get(str(key))) for key, value in row.items()
            }
        else:
            raise UsageError(f"corpus: row {number} is of type {type(row).__name__}; {GIVE}")


def class_names(features: object) -> dict[str, list[str]]:
    """What the numbers of a column are called, where a dataset says so."""
    if not isinstance(features, Mapping):
        return {}
    return {
        str(column): [str(name) for name in feature.names]
        for column, feature in features.items()
        if isinstance(getattr(feature, "names", None), (list, tuple))
    }


def named(value: object, names: list[str] | None) -> object:
    """A class by its name, anything else as it is."""
    return names[value] if names and type(value) is int and 0 <= value < len(names) else value


def told_mapping(corpus: Mapping[Any, Any]) -> str:
    """Why a mapping is no corpus: it may be a dataset with splits, or columns."""
    keys = [str(key)[:40] for key in list(corpus)[:8]]
    values = list(corpus.values())
    if values and all(isinstance(value, Dataset) for value in values):
        return f"corpus: a dataset with the splits {', '.join(keys)}; give one of them, such as corpus[{keys[0]!r}]"
    return f"corpus: a mapping with {', '.join(map(repr, keys)) or 'nothing'}; {GIVE}"


SECONDS = 0.2  # between two drawings
BAR = Markup('<progress value="{done}" max="{total}" style="width:20em"></progress> {told}')


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this, which can draw; a terminal's IPython cannot."""
    shell = sys.modules.get("IPython")
    here = shell.get_ipython() if shell else None
    return here is not None and type(here).__name__ == "ZMQInteractiveShell"


def told(step: Progress) -> str:
    """How far a run is, in words."""
    of = f" of {step.seeds_total:,}" if step.seeds_total else ""
    errors = f", {step.errors:,} errors" if step.errors else ""
    counts = f"{step.cases:,} cases, {step.queries:,} queries, {step.violations:,} violated"
    return f"{step.seeds:,}{of} texts, {counts}{errors}"


@contextmanager
def progress_shown(wanted: bool | None) -> Iterator[Watch]:
    """A watcher that shows how far a run is; `None` shows it in a notebook only."""
    if wanted is False or (wanted is None and not in_notebook()):
        yield lambda _: None
    elif in_notebook():
        yield from _drawn()
    else:
        yield from _printed()


def _drawn() -> Iterator[Watch]:
    jupyter: Any = import_module("IPython.display")
    handle = jupyter.display(jupyter.HTML("starting"), display_id=True)
    last = 0.0

    def watch(step: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS:
            last = time.monotonic()
            html = BAR.format(done=step.seeds, total=step.seeds_total or 1, told=told(step))
            handle.update(jupyter.HTML(str(html)))

    try:
        yield watch
    finally:
        handle.update(jupyter.HTML(""))  # the result says it better


def _printed() -> Iterator[Watch]:
    """One line that is written over, and cleared at the end; in a pipe nothing."""
    terminal, last = sys.stderr.isatty(), 0.0

    def watch(step: Progress) -> None:
        nonlocal last
        if terminal and time.monotonic() - last >= SECONDS:
            last = time.monotonic()
            sys.stderr.write(f"\r\x1b[K{told(step)}")
            sys.stderr.flush()

    try:
        yield watch
    finally:
        if terminal:
            sys.stderr.write("\r\x1b[K")


@runtime_checkable
class Predicts(Protocol):
    """A model in the manner of scikit-learn: `predict` takes a list of texts."""

    @property
    def predict(self) -> Callable[..., Any]: ...


SystemLike = str | System | Predicts | Callable[..., Any]


def run(
    system: SystemLike,
    corpus: CorpusLike = "sample",
    methods: str | Sequence[str] = ("sit",),
    *,
    store: str | Path | None = None,
    progress: bool | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Result:
    """Run methods on a system and give back what came of it.

    system: a URI as on the command line (`firefox:en-pt`); a function of a text or of a list of texts, async or not;
        an object with `predict`, as scikit-learn has them; or any object that fits `polyglitch.System`.
    corpus: a file, `sample`, or the texts themselves: strings, mappings with `text` and, where there are any, `label`,
        `context`, `id`; a DataFrame or a dataset of Hugging Face. `fields={"text": "review"}` names other columns.
    methods: names as `polyglitch list methods` shows them, one or several.
    store: the file or database that keeps everything, so that the same call goes on where it stopped; without one a
        temporary file is used, which the result removes when it is no longer needed.
    progress: True shows how far the run is, False does not; else a notebook shows it.
    watch: called with the progress of the run.
    options: the options of `polyglitch run`, such as `limit=20`, `source_language="en"`, `parameters={"sit": {...}}`.
    """
    scratch = tempfile.TemporaryDirectory(prefix="polyglitch-")
    names = methods.split(",") if isinstance(methods, str) else list(methods)
    uri, open_one = as_system(system)
    campaign = make_campaign(
        {
            "system": uri,
            "corpus": as_corpus(corpus, Path(scratch.name)),
            "methods": names,
            "store": str(store or Path(scratch.name) / "runs.sqlite"),
            **options,
        }
    )
    with progress_shown(progress) as show:

        def tell(step: Progress) -> None:
            show(step)
            if watch:
                watch(step)

        with finished(campaign, tell, open_one) as (history, figures):
            run_id = history.run_id
    title = "" if isinstance(corpus, (str, Path)) else f"{title_of(system, uri)} on texts in memory"
    return Result(run_id, figures, campaign.store, scratch, title)


def title_of(system: SystemLike, uri: str) -> str:
    """What a system is called at the head of a report."""
    if isinstance(system, str):
        return uri.partition("|")[0]
    return str(getattr(system, "__name__", type(system).__name__))


def as_system(system: SystemLike) -> tuple[str, Open | None]:
    """A system as a campaign names it, and what opens it where it is an object of this process."""
    if isinstance(system, str):
        return system, None
    if not isinstance(system, (System, Predicts)) and not callable(system):
        raise UsageError(
            f"system is of type {type(system).__name__}; give a URI such as firefox:en-pt, a function of a text or "
            "of a list of texts, an object with `predict`, or one that fits polyglitch.System"
        )
    name = name_of(system)
    opened = system if isinstance(system, System) else PythonCall(system, name)

    def open_one(uri: str, timeout: float) -> System:
        return opened if uri == name else open_system(uri, timeout)

    return name, open_one


def name_of(system: object) -> str:
    """The name of a function or object; its source is part of it, so that edited code is another system."""
    if isinstance(system, System):
        return system.signature
    place = getattr(system, "__module__", None) or "function"
    return f"python:{place}:{getattr(system, '__qualname__', type(system).__name__)}{source_version(system)}"


__all__ = ["Campaign", "CorpusLike", "SystemLike", "run"]
