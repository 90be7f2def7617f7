"""Texts from memory as a corpus: lists, DataFrames, datasets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from polyglitch.corpus.named_rows import as_json
from polyglitch.errors import UsageError

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
