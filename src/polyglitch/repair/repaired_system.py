"""`repaired:SYSTEM`: a translator that checks itself against mutants of every input and repairs what is inconsistent.

Each input costs several queries to the system behind: the price of TransRepair's repair where it runs unattended.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from polyglitch.compare.oracles.similarity import similar_enough
from polyglitch.errors import UsageError
from polyglitch.mutate.swap import swap_words
from polyglitch.protocols import System
from polyglitch.records import Case, Input, Output, Seed, Trial, digest
from polyglitch.repair.mend import Member, consistency, glosses_of, mend, plain_faults, ranked
from polyglitch.tools import Toolbox, open_system

PROPOSER = "vectors"
MUTANTS = 6  # an input: enough for a majority, few enough to pay for
REMEMBERED = 100_000  # answers of the system behind, kept for mutants that several inputs share


class Repaired:
    """The system behind, its answers made consistent with those to mutants of the same input."""

    batch_size, parallel = 8, 1

    def __init__(self, system: System) -> None:
        if None in system.languages:
            raise UsageError(
                f"repaired: {system.signature} does not tell its languages, and mutants need the source's"
            )
        self._system, self.languages = system, system.languages
        self._tools = Toolbox(languages=system.languages)
        self._mutate = swap_words(PROPOSER, ("NOUN", "ADJ", "NUM"), per_seed=MUTANTS, edges=True)
        self._compare = similar_enough(vote="all")
        self._faults = plain_faults(system.languages)
        self._known: dict[str, Output] = {}
        self._lock = threading.Lock()
        parts = (self._mutate.signature, self._compare.signature)
        self.signature = f"repaired:{digest(parts)}|{system.signature}"

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input, repaired where its mutants say otherwise."""
        with self._lock:  # parsers and proposers are not made for two threads
            seeds = [
                Seed(f"{n}", Input(item.text, language=self.languages[0]))
                for n, item in enumerate(inputs)
            ]
            cases: dict[str, list[Case]] = {seed.id: [] for seed in seeds}
            for case in self._mutate(seeds, self._tools):
                cases[case.seed_id].append(case)
            self._translate([seed.input for seed in seeds])
            self._translate([case.inputs[1] for some in cases.values() for case in some])
            return [self._repair(seed.input, cases[seed.id]) for seed in seeds]

    def close(self) -> None:
        """Let go of the system behind."""
        self._system.close()

    def _translate(self, items: Sequence[Input]) -> list[Output]:
        """The answers of the system behind, each asked once."""
        new = list({item.text: item for item in items if item.text not in self._known}.values())
        if len(self._known) + len(new) > REMEMBERED:
            self._known.clear()
            new = list({item.text: item for item in items}.values())
        for start in range(0, len(new), self._system.batch_size):
            some = new[start : start + self._system.batch_size]
            answers = self._system.ask(some)
            self._known.update((i.text, o) for i, o in zip(some, answers, strict=True))
        return [self._known[item.text] for item in items]

    def _repair(self, item: Input, cases: Sequence[Case]) -> Output:
        own = self._translate([item])[0]
        pairs = [(case, self._translate([case.inputs[1]])[0]) for case in cases]
        pairs = [(case, output) for case, output in pairs if output.ok]
        if not own.ok or len(pairs) < 2:
            return own
        members = [
            Member(item.text, own.text),
            *(Member(case.inputs[1].text, output.text, case.edit) for case, output in pairs),
        ]

        def judge(outputs: Mapping[str, str]) -> int:
            trials = [
                Trial(case, tuple((Output(outputs[each.text]),) for each in case.inputs))
                for case, _ in pairs
            ]
            verdicts = self._compare(trials, self._tools)
            return sum(verdict.outcome == "violated" for verdict in verdicts)

        order = ranked(consistency([member.output for member in members]))
        edits = [case.edit for case, _ in pairs]
        glosses = glosses_of(edits, self._translate, self.languages)
        found = mend(members, order, glosses, judge, self._faults)
        return own if found is None else Output(found.outputs[item.text], seconds=own.seconds)


def open_repaired(rest: str, timeout: float) -> Repaired:
    """The system of a URI, repaired."""
    return Repaired(open_system(rest, timeout))


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
