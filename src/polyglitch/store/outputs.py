"""Outputs by system and input, and what tools keep: asked for once, within and across runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import delete, select, update

from polyglitch.records import Input, Output, digest, encode
from polyglitch.store import schema as s
from polyglitch.store.columns import output_record, pack_all, read_output, unpack
from polyglitch.store.rows import Rows, by_keys, pages

KNOWN = "select key, record from outputs where key {keys}"
LONGEST_KIND = 64  # as schema.kept has it


@lru_cache(8192)  # needed to send, to gather, and for every case of a seed
def output_key(signature: str, item: Input, turn: int = 0) -> str:
    """Where an output is kept: the system, all of the input that can change the answer, and which time it was asked."""
    parts = [signature, *item.identity]
    return digest([*parts, f"turn {turn}"] if turn else parts, 32)


class Outputs(Rows):
    """Everything dear to compute, by key."""

    def get(self, keys: Sequence[str]) -> dict[str, Output]:
        """The outputs known under these keys."""
        found: dict[str, Output] = {}
        with self._engine.connect() as connection:
            for rows in by_keys(connection, KNOWN, pack_all(keys)):
                found |= {unpack(row[0]): read_output(row[1]) for row in rows}
        return found

    def add(self, found: dict[str, Output]) -> None:
        """Keep outputs; one that is there already stays."""
        rows = [
            {"key": key, "status": output.status, "record": output_record(output)}
            for key, output in found.items()
        ]
        self.add_rows(s.outputs, rows)

    def forget_failures(self, run: str) -> None:
        """Drop failed outputs, and a run's verdicts that were left undecided, so that they are asked again."""
        undecided = (s.verdicts.c.run == run) & (s.verdicts.c.outcome == "undecided") & s.NOT_HELD
        with self._engine.begin() as connection:
            connection.execute(delete(s.outputs).where(s.outputs.c.status != "ok"))
            connection.execute(delete(s.verdicts).where(undecided))
            connection.execute(update(s.runs).where(s.runs.c.id == run).values(state="running"))

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What tools kept under these keys."""
        found: dict[str, Any] = {}
        with self._engine.connect() as connection:
            for some in pages(keys):
                query = select(s.kept.c.key, s.kept.c.value).where(
                    s.kept.c.kind == fitting(kind), s.kept.c.key.in_(some)
                )
                for key, value in connection.execute(query):
                    found[key] = msgspec.json.decode(value)
        return found

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values for tools."""
        place = fitting(kind)
        self.add_rows(
            s.kept, [{"kind": place, "key": key, "value": encode(v)} for key, v in values.items()]
        )

    def replace_kept(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values in place of earlier ones."""
        with self._engine.begin() as connection:
            for some in pages(list(values)):
                old = (s.kept.c.kind == fitting(kind)) & s.kept.c.key.in_(some)
                connection.execute(delete(s.kept).where(old))
        self.keep(kind, values)


def fitting(kind: str) -> str:
    """A kind as it fits its column, which not every database stretches."""
    return kind if len(kind) <= LONGEST_KIND else digest([kind], 32)
