"""What a report is made of: plain records, so that a report needs no store."""

from __future__ import annotations

import msgspec

from polyglitch.records import Issue, Label, Record, Seed, Trial, Verdict
from polyglitch.results.capabilities import CapabilityResult
from polyglitch.results.curves import Curve
from polyglitch.results.matrix import Cell


class Finding(Record, frozen=True, tag="finding/1"):
    """An issue with all that is needed to show it; the violations come worst first."""

    issue: Issue
    seed: Seed
    violations: tuple[tuple[Trial, Verdict], ...]
    also_found_by: tuple[str, ...] = ()  # other methods that raised an issue on the same seed
    minimised: tuple[Trial, Verdict] | None = None  # the smallest pair that still fails
    twins: tuple[Issue, ...] = ()  # what other methods raised on the very same inputs
    labels: tuple[Label, ...] = ()  # what people said of it
    # For each violation the way back of its outputs, in the source's language, where the store has it.
    ways_back: tuple[tuple[str, ...], ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """Every method that found it, the first to do so first."""
        return (self.issue.method, *(twin.method for twin in self.twins))


class MethodCount(msgspec.Struct, frozen=True):
    """How the cases of one method came out."""

    method: str
    cases: int
    violated: int
    holds: int
    undecided: int
    issues: int


class Bug(msgspec.Struct, frozen=True):
    """Issues that are one bug: the places of all in the report, and the pair that shows it best."""

    title: str
    kind: str
    methods: tuple[str, ...]
    numbers: tuple[int, ...]
    shown: tuple[Trial, Verdict] | None = None


class Gate(msgspec.Struct, frozen=True):
    """What came of a run's limits; `passed` is nothing where none was set."""

    holds: float
    cases: int  # decided ones
    passed: bool | None
    sentence: str
    failures: tuple[str, ...] = ()  # why it does not pass, beyond the share that holds


class Chart(msgspec.Struct, frozen=True):
    """What most findings are about: names with counts, the most common first."""

    title: str
    counts: dict[str, int]


class Summary(msgspec.Struct, frozen=True):
    """The totals of a campaign, and what is needed to run it again."""

    title: str
    signature: str
    command: str
    created: str
    system: str
    languages: tuple[str | None, str | None]
    seeds: int
    cases: int
    queries: int
    cache_hits: int
    violations: int
    undecided: int
    errors: int
    issues: int
    seconds: float
    methods: tuple[MethodCount, ...]
    undecided_reasons: dict[str, int]
    skipped: dict[str, int]  # skipped corpus rows by reason
    capabilities: tuple[CapabilityResult, ...] = ()
    without_case: dict[str, int] = {}  # seeds of which a method could make no case, by method
    without_case_reasons: dict[
        str, dict[str, int]
    ] = {}  # why, by method, as far as it was looked into
    stages: dict[str, float] = {}  # seconds that each stage was waited for
    unasked: int = 0  # cases that the budget did not pay for
    latency: dict[str, float] = {}  # seconds of an answer: the middle one, and one in twenty
    tokens: dict[str, int] = {}  # read and written, where the service tells
    cost: float = 0.0
    relations: dict[str, Cell] = {}  # how the cases of each relation came out
    curves: tuple[Curve, ...] = ()
    overlap: dict[str, int] = {}  # for two methods "a and b", the seeds that both found fault with
    groups: int = 0  # how many bugs the issues come down to
    alarms: tuple[str, ...] = ()  # what must be read before any figure
    bugs: tuple[Bug, ...] = ()  # those of more than one issue, the largest first
    findings: int = 0  # the issues, those of several methods on the same inputs counted once
    affected: int = 0  # seeds with an issue
    answer: str = ""  # what came of it, in a sentence or two
    gate: Gate | None = None  # what came of its limits
    chart: Chart | None = None
    look: str = ""  # the command that opens the run in the browser
    unread: str = ""  # the language of the outputs, where no second system translated them back

    @property
    def without_case_notes(self) -> list[str]:
        """A line a method on the seeds that it made no case of, with the reasons that are known."""
        notes = []
        for method, count in self.without_case.items():
            known = self.without_case_reasons.get(method, {})
            why = "; ".join(f"{n:,} x {reason}" for reason, n in known.items())
            notes.append(f"{method} made no case of {count:,} seeds" + (f": {why}" if why else ""))
        return notes


class ReportLimits(msgspec.Struct, frozen=True):
    """How much a report shows of what it is given."""

    cards: int = 300  # findings drawn in the HTML at once, and printed: a browser stays quick
    packed: int = (
        20_000  # findings after those, compressed in the page and drawn when they are asked for
    )
    worst: int = 10  # issues in the Markdown: a pull request comment is skimmed
    numbers: int = 60  # links to the issues of one bug
    characters: int = 4000  # of one text in the HTML: longer ones are cut, and say by how much
