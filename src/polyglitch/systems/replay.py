"""Answers that are looked up.

`replay:file.jsonl`: answers saved earlier, by input. A line is an object. The input stands under `input` (a text, or an
object with `text` and `context`), `text` or `source`, the answer under `output` or `target`, or as `label` and
`scores`. The file may be gzipped.

`hotfix:FILE,SYSTEM`: a system whose wrong outputs are replaced from a table, the quickest fix there is. He, Meister,
Su: Structure-Invariant Testing (ICSE 2020), 5.2, name it: "hardcode" what was reported. The table is what `polyglitch
repair -o FILE` writes: .jsonl with `source` and `target`, or .tsv with the two in columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import BROKEN, cause, gunzipped
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed

LONGEST = 10_000_000  # bytes of a line: an answer with its input, and then some
Key = tuple[str, str | None]


class Replay:
    """Saved outputs as a system."""

    languages: tuple[str | None, str | None] = (None, None)
    batch_size = 256
    parallel = 1

    def __init__(self, path: Path) -> None:
        self.path = path
        self._outputs: dict[Key, Output] = {}
        state = hashlib.blake2b(digest_size=8)
        for number, line in enumerate(_lines(path), 1):
            state.update(line)
            if line.strip():
                self._add(line, f"{path}, line {number}")
        self.signature = f"replay:{state.hexdigest()}"

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The saved output of each input."""
        absent = failed(f"not in {self.path.name}")
        return [self._outputs.get((item.text, item.context), absent) for item in inputs]

    def close(self) -> None:
        """Nothing is held open."""

    def _add(self, line: bytes, where: str) -> None:
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{where}: not JSON ({error}); a line is one JSON object") from None
        if not isinstance(row, dict):
            raise UsageError(f"{where}: {type(row).__name__} instead of a JSON object")
        key, output = _key(row, where), _output(row, where)
        if self._outputs.setdefault(key, output) != output:
            raise UsageError(
                f"{where}: {key[0]!r} has another answer on an earlier line; keep one of the two"
            )


def open_replay(rest: str, timeout: float) -> Replay:
    """The system that repeats what a file says; the timeout has nothing to limit."""
    path = Path(rest).expanduser()
    if not path.is_file():
        raise UsageError(f"replay: no file {str(path)!r}; paths start from the current folder")
    return Replay(path)


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as plain:
        zipped = plain.read(2) == b"\x1f\x8b"
        plain.seek(0)
        stream = gunzipped(str(path), plain) if zipped else plain
        number = 0
        while True:
            number += 1
            try:
                line = stream.readline(LONGEST + 1)
            except BROKEN as error:
                raise UsageError(f"{path}, line {number}: {cause(error)}") from None
            if len(line) > LONGEST:
                raise UsageError(f"{path}, line {number}: longer than {LONGEST:,} bytes")
            if not line:
                return
            yield line


def _key(row: dict[str, Any], where: str) -> Key:
    found: Any = next((row[name] for name in ("input", "text", "source") if name in row), None)
    context = row.get("context")
    if isinstance(found, dict):
        found, context = found.get("text"), found.get("context", context)
    if not isinstance(found, str):
        raise UsageError(f"{where}: no input; put its text under 'input', 'text' or 'source'")
    if context is not None and not isinstance(context, str):
        raise UsageError(f"{where}: 'context' is {type(context).__name__}, not text")
    return found, context


def _output(row: dict[str, Any], where: str) -> Output:
    for name in ("output", "target"):
        if name in row:
            return answer(row[name])
    if "label" in row or "scores" in row:
        return answer({"label": row.get("label"), "scores": row.get("scores")})
    raise UsageError(
        f"{where}: no answer; put it under 'output', 'target', or 'label' and 'scores'"
    )
