"""Figures that print well in a terminal and draw themselves in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from markupsafe import Markup

from polyglitch.errors import Missing
from polyglitch.evaluate.regression import RunComparison
from polyglitch.files.foreign import spelled_out
from polyglitch.results.findings import Summary

Row = Sequence[object]
OUTCOMES = ("holds", "violated", "undecided")


def text_table(head: Row, rows: Sequence[Row]) -> str:
    """Rows in columns: names to the left, numbers to the right."""
    cells = [[shown(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def html_table(head: Row, rows: Sequence[Row]) -> Markup:
    """The same as HTML."""

    def line(cells: Row, tag: str) -> Markup:
        opened = Markup(f'<{tag} style="text-align:{{}};padding:.1em .8em">{{}}</{tag}>')  # noqa: S704
        return Markup("<tr>{}</tr>").format(
            Markup("").join(
                opened.format("right" if place else "left", shown(cell))
                for place, cell in enumerate(cells)
            )
        )

    body = Markup("").join(line(row, "td") for row in rows)
    return Markup("<table>{}{}</table>").format(line(head, "th"), body)


def counted(count: int, noun: str) -> str:
    """`1 issue`, `2 issues`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shown(cell: object) -> str:
    """A cell as text: shares as percent, counts with commas."""
    if isinstance(cell, float):
        return f"{cell:.1%}"
    return f"{cell:,}" if isinstance(cell, int) else spelled_out(str(cell).replace("\n", " "))


class Counts(msgspec.Struct, frozen=True):
    """How some cases came out."""

    holds: int = 0
    violated: int = 0
    undecided: int = 0

    @property
    def cases(self) -> int:
        """All of them."""
        return self.holds + self.violated + self.undecided

    @property
    def rate(self) -> float | None:
        """The share of the decided cases that hold; nothing where none was decided."""
        decided = self.holds + self.violated
        return self.holds / decided if decided else None


class Breakdown(Mapping[str, Counts]):
    """Counts by method, relation or another property; a mapping that prints as a table, the worst first."""

    def __init__(self, by: str, counts: Mapping[str, Counts]) -> None:
        self.by = by
        worst = sorted(
            counts.items(),
            key=lambda item: (2.0 if item[1].rate is None else item[1].rate, item[0]),
        )
        self._counts = dict(worst)

    def __getitem__(self, name: str) -> Counts:
        return self._counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """A row a name: cases, outcomes, share that holds."""
        return [
            (name, c.cases, c.holds, c.violated, c.undecided, "-" if c.rate is None else c.rate)
            for name, c in self.items()
        ]

    def to_pandas(self) -> Any:
        """A DataFrame with a row a name."""
        head = (self.by, "cases", *OUTCOMES, "rate")
        rows = [
            (name, c.cases, c.holds, c.violated, c.undecided, c.rate) for name, c in self.items()
        ]
        return pandas().DataFrame(rows, columns=head)

    def __repr__(self) -> str:
        return text_table((self.by, "cases", *OUTCOMES, "hold"), self.rows)

    def _repr_html_(self) -> str:
        return str(html_table((self.by, "cases", *OUTCOMES, "hold"), self.rows))


class RunSummary(Summary, frozen=True):
    """The figures of a run; prints as a few lines."""

    @property
    def holds(self) -> float:
        """The share of decided cases that hold; 0 where none was decided."""
        decided = self.cases - self.undecided
        return (decided - self.violations) / decided if decided else 0.0

    @property
    def headline(self) -> str:
        """What came of it, in a sentence."""
        decided = self.cases - self.undecided
        if not decided:
            return f"nothing decided: all of {self.cases:,} cases are undecided"
        return (
            f"{self.holds:.1%} of {decided:,} decided cases hold; {self.violations:,} violated, "
            f"{counted(self.issues, 'issue')}, {self.undecided:,} undecided"
        )

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """A row a method."""
        return [
            (m.method, m.cases, m.holds, m.violated, m.undecided, m.issues) for m in self.methods
        ]

    @property
    def notes(self) -> list[str]:
        """What was left out or undecided, and why."""
        found = [
            f"undecided: {n:,} x {reason}" for reason, n in list(self.undecided_reasons.items())[:5]
        ]
        found += [f"skipped rows: {n:,} x {reason}" for reason, n in self.skipped.items()]
        found += [note.replace(" seeds", " texts", 1) for note in self.without_case_notes]
        return [spelled_out(note) for note in found]

    def __str__(self) -> str:
        table = text_table(SUMMARY_HEAD, self.rows)
        return "\n".join([spelled_out(self.title), self.headline, "", table, *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = Markup("").join(Markup("<div>{}</div>").format(note) for note in self.notes)
        return str(
            Markup("<div><b>{}</b></div><div>{}</div>{}{}").format(
                spelled_out(self.title), self.headline, html_table(SUMMARY_HEAD, self.rows), notes
            )
        )


SUMMARY_HEAD = ("method", "cases", *OUTCOMES, "issues")


class Comparison(RunComparison, frozen=True):
    """What a newer run fixed and broke; prints as a few lines."""

    @property
    def headline(self) -> str:
        """The change in a sentence, with whether it could be chance."""
        low, high = self.interval
        share = f"violated share {self.change:+.1%} (95% {low:+.1%} to {high:+.1%})"
        if not self.both:
            return "no case was decided in both runs: they cannot be compared"
        if not self.fixed + self.broken:
            return f"of {self.both:,} cases decided in both, none is fixed and none broken"
        chance = "could be chance" if self.p_value >= 0.05 else "is hardly chance"
        return (
            f"of {self.both:,} cases decided in both, {self.fixed:,} are fixed and {self.broken:,} broken: "
            f"{share}, which {chance} (p = {self.p_value:.2g})"
        )

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """A row a fate."""
        return list(self.fates.items())

    def __repr__(self) -> str:
        return f"{self.headline}\n\n{text_table(('fate', 'cases'), self.rows)}"

    def _repr_html_(self) -> str:
        return str(
            Markup("<div>{}</div>{}").format(
                self.headline, html_table(("fate", "cases"), self.rows)
            )
        )


def pandas() -> Any:
    """The package, or how to get it."""
    try:
        import pandas
    except ImportError:
        raise Missing("pandas", "a DataFrame", "pip install pandas") from None
    return pandas
