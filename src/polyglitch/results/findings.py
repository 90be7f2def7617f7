"""What a report is made of: plain records, so that it needs no store; and which finding is worse than another, whatever
method raised it, and which are one finding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from polyglitch.compare.oracles.labels import ALIASES, NEUTRAL
from polyglitch.issues.groups import UNTRANSLATED
from polyglitch.records import Issue, Label, Record, Seed, Trial, Verdict, encode
from polyglitch.results.curves import Curve
from polyglitch.results.tables import CapabilityResult, Cell
from polyglitch.store.store import Store


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

    def joined(self, twins: Sequence[Finding]) -> Finding:
        """The finding with what other methods found on the same inputs, and every further violation of theirs."""
        if not twins:
            return self
        pairs = {encode(trial.case.inputs): (trial, verdict) for trial, verdict in self.violations}
        for trial, verdict in (pair for twin in twins for pair in twin.violations):
            pairs.setdefault(encode(trial.case.inputs), (trial, verdict))
        others = tuple(twin.issue for twin in twins)
        return replace(self, violations=tuple(pairs.values()), twins=others)


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
    relations: dict[str, Cell] = {}  # how the cases of each came out, where there are several
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

    cards: int = 300  # findings drawn in the HTML without being asked for, and printed
    first: int = 100  # of them drawn before the page is open where there are more: the rest follow when it is
    packed: int = (
        20_000  # findings after those, compressed in the page and drawn when they are asked for
    )
    worst: int = 10  # issues in the Markdown: a pull request comment is skimmed
    numbers: int = 60  # links to the issues of one bug
    characters: int = 4000  # of one text in the HTML: longer ones are cut, and say by how much


# What a reader is misled by most: a fact turned round, then words that are not there, then another choice of words.
GRAVITY = (
    "negation",
    "number",
    "name",
    UNTRANSLATED,
    "words missing",
    "words added",
    "words changed",
    "logic",
)
CHANCE = "chance"  # the detail of a verdict that is a calibrated probability
CONTAINED = "contained"  # the relation of a whole and its part: what a part alone becomes misleads fewer readers
AT_ONCE = 500  # cases read in one query
VERY_LIKELY, LIKELY = 0.7, 0.4  # 0.7 is what a hard fact alone gives in the joined model
FAR, PAST = 0.6, 0.25


def likelihood(verdict: Verdict) -> float:
    """How sure a violation is, from 0 to 1: its probability, or how much of the way beyond its limit it is."""
    if CHANCE in verdict.details:
        return min(max(verdict.details[CHANCE], 0.0), 1.0)
    if verdict.score is None:
        return 0.0
    score, limit = verdict.score, verdict.threshold or 0.0
    if verdict.direction == "below":
        return min(max((limit - score) / limit, 0.0), 1.0) if limit > 0 else 0.5
    if score <= 1 and limit < 1:
        return min(max((score - limit) / (1 - limit), 0.0), 1.0)
    return min(max(1 - limit / score, 0.0), 1.0) if score > 0 else 0.0


def sureness(verdict: Verdict) -> str:
    """How sure a violation is, in words; nothing where nothing was violated."""
    if verdict.outcome != "violated":
        return ""
    sure = likelihood(verdict)
    if CHANCE in verdict.details:
        names = ("very likely a bug", "likely a bug", "possibly a bug")
        return names[0 if sure >= VERY_LIKELY else 1 if sure >= LIKELY else 2]
    if verdict.score is None or (verdict.score == 1 and not verdict.threshold):
        return "breaks the rule"  # a rule that holds or does not: there is no more or less
    names = ("a clear case", "a fairly clear case", "a close call")
    return names[0 if sure >= FAR else 1 if sure >= PAST else 2]


WorstKey = tuple[int, int, bool, bool, float, int, str]


def worst_first(
    issue: Issue, verdict: Verdict, trial: Trial | None = None, failed: int = 1
) -> WorstKey:
    """A key to sort issues by, the worst first.

    Those that are sure, of them the grave ones, whole texts before parts, labels turned round before those that went
    half the way, then what the system was surest of, and the input of which most tests failed.
    """
    sure = likelihood(verdict)
    known = CHANCE in verdict.details
    bounds = (VERY_LIKELY, LIKELY) if known else (FAR, PAST)
    band = 0 if sure >= bounds[0] else 1 if sure >= bounds[1] else 2
    gravity = GRAVITY.index(issue.kind) if issue.kind in GRAVITY else len(GRAVITY)
    part = trial is not None and trial.case.relation == CONTAINED
    half_way = trial is None or not turned_round(trial)
    how_far = sure if trial is None else confidence(trial, verdict)
    return band, gravity, part, half_way, -round(how_far, 2), -failed, issue.id


def turned_round(trial: Trial) -> bool:
    """Whether a label became its opposite: what was said is no neutral, nor is all that should have been said."""
    last = trial.outputs[-1].label if trial.outputs else None
    wanted = wanted_labels(trial)
    return last is not None and plain(last) != NEUTRAL and {*map(plain, wanted)} != {NEUTRAL}


def confidence(trial: Trial, verdict: Verdict) -> float:
    """How sure a system is of a wrong label, where a rule only tells that it is wrong; else how far past its limit."""
    last = trial.outputs[-1] if trial.outputs else None
    is_rule = CHANCE not in verdict.details and verdict.score == 1 and not verdict.threshold
    if last is None or last.label is None or not last.scores or not is_rule:
        return likelihood(verdict)
    wanted = [last.scores.get(name, 0.0) for name in wanted_labels(trial) if name != last.label]
    return min(max(last.scores.get(last.label, 1.0) - max(wanted, default=0.0), 0.0), 1.0)


def wanted_labels(trial: Trial) -> tuple[str, ...]:
    """What should have been said: the labels that a case expects, or else the first label that was given."""
    first = trial.outputs[0].label if trial.outputs else None
    return trial.case.expected or ((first,) if first is not None else ())


def plain(label: str) -> str:
    """A label by the name that the oracle of labels knows it by."""
    return ALIASES.get(label.lower(), label)


def twins_of(store: Store, run_id: str) -> dict[str, tuple[Issue, ...]]:
    """For the first issue of several methods on a pair of inputs that they share, the others: the same finding."""
    shared = store.verdicts.issues_of_shared_seeds(run_id)
    asked: dict[tuple[str, str], str] = {}
    for method in sorted({issue.method for issue in shared}):
        ids = [name for issue in shared if issue.method == method for name in issue.case_ids]
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            for case, _ in store.verdicts.get(run_id, method, ids=some):
                asked[method, case.id] = encode(case.inputs)
    alike: dict[str, list[tuple[set[str], list[Issue]]]] = defaultdict(list)  # by seed
    for issue in shared:
        pairs = {asked[key] for name in issue.case_ids if (key := (issue.method, name)) in asked}
        for known, members in alike[issue.seed_id]:
            if known & pairs and all(issue.method != other.method for other in members):
                members.append(issue)
                break
        else:
            alike[issue.seed_id].append((pairs, [issue]))
    groups = (members for some in alike.values() for _, members in some)
    return {first.id: tuple(others) for first, *others in groups if others}
