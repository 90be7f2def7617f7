"""How cases came out, as tables show it: a share for each relation of several prompts and models, a rate of failure for
each capability of one system or several, each with Wilson's interval.
"""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.store.verdicts import Tally

ALL = "all relations"
Interval = tuple[float, float]
Z = 1.959964  # of a 95% interval


def wilson(found: int, total: int) -> Interval:
    """Wilson's 95% interval of a share: sound for few and for extreme counts, where Wald's is not."""
    if not total:
        return 0.0, 1.0
    share, square = found / total, Z * Z / total
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


class Cell(msgspec.Struct, frozen=True):
    """How the cases of one relation came out for one prompt and model."""

    cases: int
    holds: int
    violated: int
    undecided: int
    share: float | None  # of the decided cases that hold
    interval: Interval


class Column(msgspec.Struct, frozen=True):
    """One prompt with one model: its run, its cells by relation, and what it took."""

    prompt: str
    system: str
    run: str
    cells: dict[str, Cell]
    latency: dict[str, float] = {}
    tokens: dict[str, int] = {}
    cost: float = 0.0
    passed: bool | None = None
    alarm: str = ""  # why its figures say nothing, if they do
    against: dict[str, Any] = {}  # the first column on the same cases: fixed, broken, p_value
    look: str = ""  # the command that shows its findings

    @property
    def name(self) -> str:
        """What the column is called."""
        return f"{self.prompt or 'no prompt'} · {self.system}"


class Matrix(msgspec.Struct, frozen=True):
    """Prompt x model x relation."""

    columns: tuple[Column, ...]

    @property
    def relations(self) -> tuple[str, ...]:
        """Every relation that some column has, all of them together first."""
        names = sorted({name for column in self.columns for name in column.cells} - {ALL})
        return (ALL, *names)


def make_cells(by_relation: dict[str, dict[str, Any]]) -> dict[str, Cell]:
    """The cells of a column from the figures of its run."""
    rows = {
        name: (row["holds"], row["violated"], row["undecided"]) for name, row in by_relation.items()
    }
    whole = tuple(sum(counts) for counts in zip(*rows.values(), strict=True)) or (0, 0, 0)
    return {name: make_cell(*counts) for name, counts in {ALL: whole, **rows}.items()}


def make_cell(holds: int, violated: int, undecided: int) -> Cell:
    """A cell from its counts."""
    decided = holds + violated
    share = round(holds / decided, 4) if decided else None
    low, high = wilson(holds, decided)
    return Cell(
        decided + undecided, holds, violated, undecided, share, (round(low, 4), round(high, 4))
    )


def told(cell: Cell | None) -> str:
    """A cell in a few words."""
    if cell is None or cell.share is None:
        return "" if cell is None else f"undecided ({cell.undecided})"
    low, high = cell.interval
    return f"{cell.share:.0%} of {cell.holds + cell.violated} ({low:.0%} to {high:.0%})"


def took(column: Column) -> str:
    """What the answers of a column took."""
    parts = [f"{name} {seconds:.2f} s" for name, seconds in column.latency.items()]
    parts += [f"{count:,} tokens {name}" for name, count in column.tokens.items() if count]
    return ", ".join([*parts, f"cost {column.cost:.4f}"] if column.cost else parts)


def compared(column: Column) -> str:
    """How a column compares with the first."""
    if not column.against:
        return ""
    return (
        f"{column.against['fixed']} fixed, {column.against['broken']} broken, "
        f"McNemar p = {column.against['p_value']:.3g}"
    )


def rows_of(matrix: Matrix) -> list[list[str]]:
    """The table as people read it: a head, a row a relation, then what each column took."""
    columns: Sequence[Column] = matrix.columns
    rows = [["relation", *(column.name for column in columns)]]
    rows += [
        [name, *(told(column.cells.get(name)) for column in columns)] for name in matrix.relations
    ]
    rows.append(["answers", *map(took, columns)])
    if any(column.against for column in columns):
        rows.append(["against the first", *map(compared, columns)])
    if any(column.alarm for column in columns):
        rows.append(["alarm", *(column.alarm for column in columns)])
    return rows


class CapabilityResult(msgspec.Struct, frozen=True):
    """The verdicts on one capability; the rate is of the decided cases, with Wilson's 95% interval."""

    name: str
    title: str
    method: str
    cases: int
    failed: int
    undecided: int
    rate: float | None  # of failure; none where nothing was decided
    interval: tuple[float, float] | None
    expansions: int = 0  # of the cases, those of a grown sentence
    pass_to_fail: int = 0  # expansions that fail though the test of their seed holds

    @property
    def decided(self) -> int:
        """The cases that hold or fail."""
        return self.cases - self.undecided

    @property
    def holds(self) -> float:
        """The share of decided cases that hold; nothing decided holds nothing."""
        return 0.0 if self.rate is None else 1.0 - self.rate

    @property
    def rate_in_words(self) -> str:
        """`12.5% (8.1 to 18.9)`, or a dash where nothing was decided."""
        if self.rate is None or self.interval is None:
            return "-"
        low, high = self.interval
        return f"{self.rate:.1%} ({low * 100:.1f} to {high * 100:.1f})"

    @property
    def pass_to_fail_in_words(self) -> str:
        """`3 of 120` expansions, or a dash where there are none."""
        return f"{self.pass_to_fail:,} of {self.expansions:,}" if self.expansions else "-"


def capability_results(tallies: Mapping[Tally, int]) -> list[CapabilityResult]:
    """One result for each capability that has a case, in the order of their names."""
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    titles: dict[tuple[str, str], str] = {}
    for told, count in tallies.items():
        if not told.capability:
            continue
        key = told.method, told.capability
        titles[key] = told.title or told.capability
        counts[key]["cases"] += count
        counts[key][told.outcome] += count
        counts[key]["expansions"] += count * told.expansion
        counts[key]["pass_to_fail"] += count * told.pass_to_fail
    return [one_result(*key, titles[key], counts[key]) for key in sorted(counts)]


def one_result(method: str, name: str, title: str, counts: Mapping[str, int]) -> CapabilityResult:
    """The result of one capability from its counts."""
    failed, undecided = counts["violated"], counts.get("undecided", 0)
    decided = counts["cases"] - undecided
    low, high = wilson(failed, decided)
    return CapabilityResult(
        name=name,
        title=title,
        method=method,
        cases=counts["cases"],
        failed=failed,
        undecided=undecided,
        rate=round(failed / decided, 6) if decided else None,
        interval=(round(low, 6), round(high, 6)) if decided else None,
        expansions=counts.get("expansions", 0),
        pass_to_fail=counts.get("pass_to_fail", 0),
    )


def method_results(by_method: Mapping[str, Mapping[str, int]]) -> tuple[CapabilityResult, ...]:
    """One result for each method of a run, for tables of systems that were tested for no capability."""
    return tuple(one_result(name, name, name, row) for name, row in by_method.items())


class SystemColumn(msgspec.Struct, frozen=True):
    """One system of a table: its name, its run, and its result for each capability, or each method without any."""

    system: str
    run: str
    results: tuple[CapabilityResult, ...]
    decided: int = 0  # tests of all kinds
    failed: int = 0
    passed: bool | None = None
    corpus: str = ""
    alarm: str = ""  # why its figures say nothing, if they do


def table_rows(
    columns: Sequence[SystemColumn],
) -> list[tuple[str, list[CapabilityResult | None]]]:
    """The titles of all capabilities, each with every system's result or nothing."""
    found = [{(r.method, r.name): r for r in column.results} for column in columns]
    keys = sorted({key for results in found for key in results})
    titled = {key: results[key].title for results in reversed(found) for key in results}
    return [(titled[key], [results.get(key) for results in found]) for key in keys]


@cache
def published_rates() -> dict[str, str]:
    """What ALiCT prints for its own tests, by the title of a capability: `BERT 85.7%, RoBERTa 78.6%, ...`."""
    path = files("polyglitch").joinpath("resources", "published", "alict.toml")
    found = {}
    for suite, rates in tomllib.loads(path.read_text("utf-8")).items():
        for each in load_suite(suite):
            pairs = zip(rates["models"], rates.get(each.name, ()), strict=False)
            found[each.title] = ", ".join(f"{model} {rate:.1f}%" for model, rate in pairs)
    return found
