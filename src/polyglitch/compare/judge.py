"""Saved pairs of outputs judged by an oracle, without any system: JSONL or CSV in, JSONL or CSV out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Literal

import msgspec

from polyglitch.errors import UsageError
from polyglitch.protocols import Oracle, Tools
from polyglitch.records import Case, Input, Output, Trial, Verdict

CHUNK = 5000  # pairs judged together: an oracle that learns from its batch wants many
FIELDS = ("id", "source", "followup", "source_output", "followup_output")
COLUMNS = ("id", "score", "violated", "reasons", "spans")


class Saved(msgspec.Struct, frozen=True):
    """A line to be judged; other keys are ignored."""

    id: str | int
    source: str
    followup: str
    source_output: str
    followup_output: str
    source_lang: str | None = None
    target_lang: str | None = None
    relation: Literal["similar", "contained", "different", "same", "follows", "differs"] = "similar"

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Source and target language, where they are told."""
        return self.source_lang, self.target_lang


def read_jsonl(lines: Iterable[bytes], name: str) -> Iterator[Saved]:
    """The pairs in lines of JSON; blank lines are passed over, a bad one is an error."""
    decoder = msgspec.json.Decoder(Saved)
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                raise bad_line(name, number, error) from None


def read_csv(lines: Iterable[str], name: str) -> Iterator[Saved]:
    """The pairs in a table with a heading; empty cells of languages and relation count as not told."""
    rows = csv.DictReader(lines)
    try:
        names = rows.fieldnames or ()
    except (csv.Error, UnicodeError) as error:
        raise bad_line(name, 1, error) from None
    lacking = [field for field in FIELDS if field not in names]
    if lacking:
        raise UsageError(
            f"{name}: no column {', '.join(map(repr, lacking))}; needed: {', '.join(FIELDS)}"
        )
    while True:
        try:
            row = next(rows, None)
            if row is None:
                return
            kept = {key: value for key, value in row.items() if key and (value or key in FIELDS)}
            saved = msgspec.convert(kept, Saved)
        except (msgspec.ValidationError, csv.Error, UnicodeError) as error:
            raise bad_line(name, rows.line_num, error) from None
        yield saved


def bad_line(name: str, number: int, error: Exception) -> UsageError:
    """What is wrong with a line and what it should look like."""
    return UsageError(
        f"{name}, line {number}: {error}; each must have {', '.join(FIELDS)} and may have source_lang, "
        "target_lang and relation (similar, contained or different; for claims same, follows or differs)"
    )


def trial_of(saved: Saved) -> Trial:
    """A saved pair as if a campaign had just asked it."""
    inputs = tuple(
        Input(text, language=saved.source_lang) for text in (saved.source, saved.followup)
    )
    chains = tuple((Output(text),) for text in (saved.source_output, saved.followup_output))
    return Trial(Case(str(saved.id), str(saved.id), saved.relation, inputs), chains)


def judge_all(
    pairs: Iterable[Saved], open_oracle: Any, tools: Tools, chunk: int = CHUNK
) -> Iterator[dict[str, Any]]:
    """For each pair a row with its verdict, in order; pairs of the same languages are judged together."""
    rest = iter(pairs)
    while some := list(islice(rest, chunk)):
        order = sorted(range(len(some)), key=lambda i: tuple(x or "" for x in some[i].languages))
        rows: dict[int, dict[str, Any]] = {}
        for (_, target), places in groupby(order, key=lambda i: some[i].languages):
            chosen = list(places)
            oracle: Oracle = open_oracle(target)
            verdicts = oracle([trial_of(some[i]) for i in chosen], tools)
            rows |= {i: row_of(some[i], v) for i, v in zip(chosen, verdicts, strict=True)}
        yield from (rows[i] for i in range(len(some)))


def row_of(saved: Saved, verdict: Verdict) -> dict[str, Any]:
    """A verdict as a line of output; what could not be decided has no score and says why."""
    decided = verdict.outcome != "undecided"
    spans = [
        {"output": s.output, "start": s.start, "end": s.end, "reason": s.reason}
        for s in verdict.spans
    ]
    return {
        "id": saved.id,
        "score": verdict.score if decided else None,
        "violated": verdict.outcome == "violated" if decided else None,
        "reasons": list(verdict.reasons) if decided else [verdict.reason],
        "spans": spans,
    }


def as_cells(row: dict[str, Any]) -> Sequence[Any]:
    """A row for a CSV file: reasons by semicolon, spans as JSON."""
    spans = json.dumps(row["spans"], ensure_ascii=False)
    return [row["id"], row["score"], row["violated"], "; ".join(row["reasons"]), spans]
