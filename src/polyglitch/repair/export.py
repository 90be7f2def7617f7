"""Corrected outputs and agreed ones as files that other tools train on: JSONL, TSV, TMX.

What a run has to train on: outputs that were corrected, and mutants on whose outputs the oracle found no fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from polyglitch import __version__
from polyglitch.errors import UsageError
from polyglitch.records import Trial
from polyglitch.registry import suggest
from polyglitch.repair.mend import Mended
from polyglitch.results.history import History

Languages = tuple[str | None, str | None]


class TrainingRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source with the output it should have, and what it is known by."""

    source: str
    target: str
    before: str = ""  # what the system said, where that was wrong
    origin: str = ""  # the issue or seed it comes from


def write_rows(path: Path, rows: Iterable[TrainingRow], languages: Languages) -> int:
    """Write rows in the format that the extension names; how many there are. Each source comes once."""
    extension = path.suffix.lower()
    if extension not in FORMATS:
        raise UsageError(
            f"cannot export to {str(path)!r}: no format has the extension {extension!r}"
            f"{suggest(extension, tuple(FORMATS))}"
        )
    once = list({row.source: row for row in rows}.values())
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(FORMATS[extension](once, languages))
    return len(once)


def jsonl(rows: Iterable[TrainingRow], languages: Languages) -> Iterator[str]:
    """A line a row, with the keys that `datasets` and `replay:` read."""
    for row in rows:
        yield json.dumps(msgspec.to_builtins(row), ensure_ascii=False) + "\n"


def tsv(rows: Iterable[TrainingRow], languages: Languages) -> Iterator[str]:
    """Source and target, a tab between; tabs and line ends inside become blanks."""
    for row in rows:
        yield "\t".join(" ".join(text.split()) for text in (row.source, row.target)) + "\n"


def tmx(rows: Iterable[TrainingRow], languages: Languages) -> Iterator[str]:
    """A translation memory, TMX 1.4, as translation tools import it."""
    source, target = (language or "und" for language in languages)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    yield (
        f'<header creationtool="polyglitch" creationtoolversion={quoteattr(__version__)} datatype="plaintext" '
        f'segtype="sentence" adminlang="en" srclang={quoteattr(source)} o-tmf="polyglitch"/>\n<body>\n'
    )
    for row in rows:
        pairs = ((source, row.source), (target, row.target))
        told = "".join(
            f"<tuv xml:lang={quoteattr(language)}><seg>{escape(text)}</seg></tuv>"
            for language, text in pairs
        )
        yield f"<tu>{told}</tu>\n"
    yield "</body>\n</tmx>\n"


FORMATS: dict[str, Callable[[Iterable[TrainingRow], Languages], Iterator[str]]] = {
    ".jsonl": jsonl,
    ".tsv": tsv,
    ".tmx": tmx,
}


AT_ONCE = 200  # cases whose outputs are read together


def corrected(
    history: History, mended: Iterable[Mended], only_confirmed: bool = False
) -> Iterator[TrainingRow]:
    """The proposals of a repair; `only_confirmed` leaves out issues that nobody has called a bug."""
    bugs = confirmed(history)
    if only_confirmed and not bugs:
        raise UsageError(
            f"--confirmed: no issue of run {history.run_id} is labelled a bug; `polyglitch review` labels them"
        )
    for each in mended:
        if only_confirmed and each.issue_id not in bugs:
            continue
        for fix in each.fixes:
            yield TrainingRow(fix.source, fix.after, fix.before, each.issue_id)


def confirmed(history: History) -> set[str]:
    """The issues that someone called a bug and nobody called none."""
    said: dict[str, set[str]] = {}
    for label in history.store.labels.of_run(history.run_id):
        said.setdefault(label.issue_id, set()).add(label.verdict)
    return {
        name for name, verdicts in said.items() if "bug" in verdicts and "not a bug" not in verdicts
    }


def agreed(history: History) -> Iterator[TrainingRow]:
    """All mutants, and their seeds, with outputs on which the relation held and no case of the run was violated."""
    outcomes = list(history.store.verdicts.case_outcomes(history.run_id))
    held = {(method, case) for method, case, outcome in outcomes if outcome == "holds"}
    violated = {(method, case) for method, case, outcome in outcomes if outcome == "violated"}
    blamed = {
        item.text for trial in trials(history, sorted(violated)) for item in trial.case.inputs
    }
    for trial in trials(history, sorted(held)):
        for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
            if output.ok and item.text not in blamed:
                yield TrainingRow(item.text, output.label or output.text, origin=trial.case.seed_id)


def trials(history: History, named: Sequence[tuple[str, str]]) -> Iterator[Trial]:
    """Cases by method and name with their outputs, some at a time."""
    for start in range(0, len(named), AT_ONCE):
        some = named[start : start + AT_ONCE]
        for method in dict.fromkeys(method for method, _ in some):
            ids = [case for name, case in some if name == method]
            pairs = history.store.verdicts.get(history.run_id, method, ids=ids)
            yield from history.trials([case for case, _ in pairs])
