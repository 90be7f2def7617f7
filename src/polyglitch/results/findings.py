"""What a report is made of: plain records, so that a report needs no store."""

from __future__ import annotations

import msgspec

from polyglitch.records import Issue, Record, Seed, Trial, Verdict
from polyglitch.results.curves import Curve
from polyglitch.results.matrix import Cell


class Finding(Record, frozen=True, tag="finding/1"):
    """An issue with all that is needed to show it; the violations come worst first."""

    issue: Issue
    seed: Seed
    violations: tuple[tuple[Trial, Verdict], ...]
    also_found_by: tuple[str, ...] = ()  # other methods that raised an issue on the same seed
    minimised: tuple[Trial, Verdict] | None = None  # the smallest pair that still fails


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
    without_case: dict[str, int] = {}  # seeds of which a method could make no case, by method
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


class ReportLimits(msgspec.Struct, frozen=True):
    """How much a report shows of what it is given."""

    cards: int = (
        500  # issues in the HTML: a browser stays quick, and nobody reads more in a sitting
    )
    worst: int = 10  # issues in the Markdown: a pull request comment is skimmed
    numbers: int = 60  # links to the issues of one bug
    characters: int = 4000  # of one text in the HTML: longer ones are cut, and say by how much
