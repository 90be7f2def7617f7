"""`polyglitch.run(...)`: a campaign from Python, with the options of the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.api.result import Result
from polyglitch.campaign import Campaign, make_campaign
from polyglitch.errors import UsageError
from polyglitch.flow import finished
from polyglitch.protocols import System
from polyglitch.run.budget import Watch
from polyglitch.run.plan import Open
from polyglitch.systems.python_call import PythonCall
from polyglitch.systems.uri import open_system

SystemLike = str | System | Callable[..., Any]
CorpusLike = str | Path | Iterable[str | Mapping[str, Any]]


def run(
    system: SystemLike,
    corpus: CorpusLike = "sample",
    methods: str | Sequence[str] = ("sit",),
    *,
    store: str | Path | None = None,
    watch: Watch = lambda _: None,
    **options: Any,
) -> Result:
    """Run methods on a system and give back what came of it.

    system: a URI as on the command line (`firefox:en-pt`), a function of a text or of a list of texts, or any object
        that fits `polyglitch.System`.
    corpus: a file, `sample`, or the texts themselves: strings, or mappings with `text` and, where there are any,
        `label`, `context`, `id`.
    methods: names as `polyglitch list methods` shows them, one or several.
    store: the file or database that keeps everything, so that the same call goes on where it stopped; without one a
        temporary file is used, which the result removes when it is no longer needed.
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
    with finished(campaign, watch, open_one) as (history, figures):
        run_id = history.run_id
    return Result(run_id, figures, campaign.store, scratch)


def as_system(system: SystemLike) -> tuple[str, Open | None]:
    """A system as a campaign names it, and what opens it where it is an object of this process."""
    if isinstance(system, str):
        return system, None
    if not isinstance(system, System) and not callable(system):
        raise UsageError(
            f"system is of type {type(system).__name__}; give a URI such as firefox:en-pt, a function of a text, "
            "or an object that fits polyglitch.System"
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
    from polyglitch.systems.python_version import source_version

    place = getattr(system, "__module__", None) or "function"
    return f"python:{place}:{getattr(system, '__qualname__', type(system).__name__)}{source_version(system)}"


def as_corpus(corpus: CorpusLike, folder: Path) -> str:
    """A corpus as a campaign names it; texts from memory go to a file, where a run can read them again."""
    if isinstance(corpus, (str, Path)):
        return str(corpus)
    path = folder / "corpus.jsonl"
    with path.open("wb") as out:
        for row in corpus:
            if not isinstance(row, (str, Mapping)):
                raise UsageError(
                    f"corpus: a row is of type {type(row).__name__}; give strings, or mappings with `text`"
                )
            out.write(msgspec.json.encode({"text": row} if isinstance(row, str) else dict(row)))
            out.write(b"\n")
    return str(path)


__all__ = ["Campaign", "run"]
