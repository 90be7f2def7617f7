"""How the cases of each capability came out: what a table of capabilities shows, for one system or for several."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.results.matrix import wilson
from polyglitch.store.verdicts import Tally


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
    failed, undecided = counts["violated"], counts["undecided"]
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
        expansions=counts["expansions"],
        pass_to_fail=counts["pass_to_fail"],
    )


class SystemColumn(msgspec.Struct, frozen=True):
    """One system of a table: its name, its run, and its result for each capability."""

    system: str
    run: str
    results: tuple[CapabilityResult, ...]


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
