"""`polyglitch.run(...)`: a campaign from Python, with the options of the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from polyglitch.api.corpora import CorpusLike, as_corpus
from polyglitch.api.progress import progress_shown
from polyglitch.api.result import Result
from polyglitch.campaign import Campaign, make_campaign
from polyglitch.errors import UsageError
from polyglitch.flow import finished
from polyglitch.protocols import System
from polyglitch.run.budget import Progress, Watch
from polyglitch.run.plan import Open
from polyglitch.systems.python_call import PythonCall
from polyglitch.systems.python_version import source_version
from polyglitch.systems.uri import open_system


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
