"""`hotfix:FILE,SYSTEM`: a system whose wrong outputs are replaced from a table, the quickest fix there is.

He, Meister, Su: Structure-Invariant Testing (ICSE 2020), 5.2, name it: "hardcode" what was reported. The table is what
`polyglitch repair -o FILE` writes: .jsonl with `source` and `target`, or .tsv with the two in columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.records import Input, Output, digest
from polyglitch.systems.uri import open_system


class HotFixed:
    """A system behind a table of corrected outputs; what the table does not have is asked of the system."""

    def __init__(self, system: System, table: dict[str, str]) -> None:
        self._system, self._table = system, table
        self.languages, self.batch_size = system.languages, system.batch_size
        self.parallel = system.parallel
        told = [part for pair in sorted(table.items()) for part in pair]
        self.signature = f"hotfix:{digest(told)}|{system.signature}"

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The table's output where it has one, else the system's."""
        missing = [
            item for item in inputs if item.text not in self._table or item.context is not None
        ]
        answers = iter(self._system.ask(missing) if missing else ())
        absent = {id(item) for item in missing}
        return [
            next(answers) if id(item) in absent else Output(self._table[item.text])
            for item in inputs
        ]

    def close(self) -> None:
        """Let go of the system behind."""
        self._system.close()


def open_hotfix(rest: str, timeout: float) -> HotFixed:
    """The system of a URI behind the table of a file."""
    name, comma, uri = rest.partition(",")
    if not comma or not uri.strip():
        raise UsageError(
            f"hotfix:{rest}: write hotfix:FILE,SYSTEM, such as hotfix:fixes.jsonl,firefox:en-pt"
        )
    return HotFixed(open_system(uri, timeout), read_table(Path(name).expanduser()))


def read_table(path: Path) -> dict[str, str]:
    """Sources with their corrected outputs; errors name the line."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"hotfix: {str(path)!r} cannot be read: {error}") from None
    table: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            source, target = read_line(line, f"{path}, line {number}", path.suffix.lower())
            if table.setdefault(source, target) != target:
                raise UsageError(
                    f"{path}, line {number}: {source!r} has another output on an earlier line"
                )
    return table


def read_line(line: str, where: str, extension: str) -> tuple[str, str]:
    """The source and the output of a line."""
    if extension == ".tsv":
        cells = line.split("\t")
        if len(cells) != 2 or not all(cells):
            raise UsageError(
                f"{where}: {len(cells)} columns; a line is a source, a tab and its output"
            )
        return cells[0], cells[1]
    try:
        row = msgspec.json.decode(line)
        return str(row["source"]), str(row["target"])
    except (msgspec.DecodeError, KeyError, TypeError) as error:
        raise UsageError(f"{where}: not an object with 'source' and 'target': {error}") from None
