"""Several prompts and models on the same rows: for each relation the share that holds, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

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
