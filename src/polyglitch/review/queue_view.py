"""What a reviewer has on the desk: a run's queue in pages, and each issue with all that explains it."""

from __future__ import annotations

import threading
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request

from polyglitch.errors import UsageError
from polyglitch.records import Case, Issue, Label, Trial, Verdict, decode
from polyglitch.report.cards import Card, Languages, card
from polyglitch.results.answer import capability, title_of
from polyglitch.results.findings import ReportLimits, sureness
from polyglitch.results.history import History
from polyglitch.results.ways_back import bring_back
from polyglitch.store.labels import QueueFilter, QueueRow
from polyglitch.store.store import Store

PAGE = 30  # rows of the list at a time: more than a screen, and the next are fetched before the last is reached
BEHIND = 8  # rows shown above the current one
MOST_SHOWN = 90  # characters of an input in the list
ISSUES_AT_ONCE = 200  # made searchable in one go


class QueueLine(msgspec.Struct, frozen=True):
    """A row of the list as shown."""

    row: QueueRow
    number: int
    old: str
    new: str
    relation: str
    sure: str  # how sure it is, in words
    about: str = ""  # the input, where what was changed does not tell one row from another


class Opened(msgspec.Struct, frozen=True):
    """An issue on the desk."""

    row: QueueRow
    number: int
    card: Card
    labels: list[Label]
    own: Label | None
    kinds: tuple[str, ...]


class QueueView:
    """One run of a store, as its reviewers see it."""

    def __init__(self, store: Store, run_id: str | None = None) -> None:
        self.store = store
        self.history = History(store, run_id)
        self.run_id = self.history.run_id
        self.title = title_of(self.history.definition)
        self.methods = [method["name"] for method in self.history.definition["methods"]]
        source, target = self.history.definition["languages"]
        self.languages: Languages = (source, target)
        # What another method found on the same inputs is looked at and labelled together with the first.
        self.hidden = frozenset(t.id for twins in self.history.twins.values() for t in twins)
        self._hidden_places = [
            place
            for place, issue in enumerate(
                store.verdicts.issues(self.run_id) if self.hidden else (), 1
            )
            if issue.id in self.hidden
        ]
        self.total = store.queue.count(self.run_id, "", QueueFilter(), self.hidden)
        self._suspected = store.queue.suspected_kinds(self.run_id)

    def make_searchable(self) -> Iterator[int]:
        """Gather what can be read of each issue, so that it can be searched; how many are done."""
        records = iter(self.store.queue.unsearchable(self.run_id))
        done = 0
        while some := [decode(record, Issue) for record in islice(records, ISSUES_AT_ONCE)]:
            texts: dict[str, str] = {}
            for method in sorted({issue.method for issue in some}):
                texts |= self._texts(method, [issue for issue in some if issue.method == method])
            self.store.queue.make_searchable(self.run_id, texts)
            done += len(some)
            yield done

    def count(self, who: str, wanted: QueueFilter) -> int:
        """How many rows a filter lets pass; counted only where there is a filter."""
        if wanted == QueueFilter():
            return self.total
        return self.store.queue.count(self.run_id, who, wanted, self.hidden)

    def done(self, who: str) -> int:
        """How many findings a reviewer has labelled."""
        return self.store.labels.labelled_by(self.run_id, who, self.hidden)

    def page(
        self,
        who: str,
        wanted: QueueFilter,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[QueueRow]:
        """The rows after a position or before one, without those that another stands for."""
        return self.store.queue.page(
            self.run_id, who, wanted, after=after, before=before, limit=limit, hidden=self.hidden
        )

    def number(self, position: int) -> int:
        """What a finding is called by, as in the report: those that another stands for are not counted."""
        return position - bisect_right(self._hidden_places, position)

    def kinds(self) -> list[str]:
        """The kinds that methods suspect, which stay, and those that reviewers name."""
        return sorted(self._suspected | self.store.queue.named_kinds(self.run_id))

    def window(
        self, who: str, wanted: QueueFilter, at: int
    ) -> tuple[list[QueueRow], QueueRow | None]:
        """The rows around a position, and the one to look at: the first there or after it."""
        ahead = self.page(who, wanted, after=at - 1, limit=PAGE)
        behind = self.page(who, wanted, before=at, limit=BEHIND) if at > 1 else []
        current = ahead[0] if ahead else behind[-1] if behind else None
        return behind + ahead, current

    def lines(self, rows: Sequence[QueueRow]) -> list[QueueLine]:
        """Rows with what was changed and how far off the answer was."""
        found: dict[tuple[str, str], tuple[Case, Verdict]] = {}
        for method in sorted({row.method for row in rows}):
            ids = [row.issue.case_ids[0] for row in rows if row.method == method]
            for pair in self.store.verdicts.get(self.run_id, method, ids=ids):
                found[method, pair[0].id] = pair
        return [self._line(row, found) for row in rows]

    def open(self, who: str, row: QueueRow) -> Opened:
        """All there is to see of a row."""
        finding = self.history.merged([row.issue])[0]
        labels = self.store.labels.of_issue(row.id)
        own = next((label for label in labels if label.who == who), None)
        trials = [trial for trial, _ in finding.violations]
        number = self.number(row.position)
        shown = card(number, finding, self.languages, ReportLimits())
        return Opened(row, number, shown, labels, own, kinds_of(trials))

    def _line(self, row: QueueRow, found: dict[tuple[str, str], tuple[Case, Verdict]]) -> QueueLine:
        pair = found.get((row.method, row.issue.case_ids[0]))
        number = self.number(row.position)
        if pair is None:
            return QueueLine(row, number, "", "", row.seed, "")
        case, verdict = pair
        sure = sureness(verdict) or verdict.reason[:60]
        edit = case.edit
        if edit and edit.old == edit.new and edit.old:  # a phrase, alone and in its sentence
            return QueueLine(row, number, "", "", f"{edit.old}, alone", sure)
        old, new = (edit.old, edit.new) if edit else ("", "")
        text = case.inputs[0].text[:MOST_SHOWN]
        if not (old or new) and len(case.inputs) == 1 and self.languages[1]:
            return QueueLine(row, number, "", "", text, sure)  # a sentence and its translation
        return QueueLine(row, number, old, new, capability(case), sure, "" if old or new else text)

    def _texts(self, method: str, issues: list[Issue]) -> dict[str, str]:
        ids = [case_id for issue in issues for case_id in issue.case_ids]
        pairs = [
            pair
            for start in range(0, len(ids), ISSUES_AT_ONCE)
            for pair in self.store.verdicts.get(
                self.run_id, method, ids=ids[start : start + ISSUES_AT_ONCE]
            )
        ]
        trials = self.history.trials([case for case, _ in pairs])
        read = {
            trial.case.id: texts_of(trial, verdict)
            for trial, (_, verdict) in zip(trials, pairs, strict=True)
        }
        return {
            issue.id: "\n".join(
                dict.fromkeys(  # the original and its answer are in every case of an issue
                    [issue.id, issue.seed_id, issue.kind]
                    + [part for case_id in issue.case_ids for part in read.get(case_id, ())]
                )
            )
            for issue in issues
        }


def texts_of(trial: Trial, verdict: Verdict) -> list[str]:
    """Everything that a person reads of a trial."""
    parts: list[str | None] = [verdict.reason, *verdict.reasons, trial.case.relation]
    for item in trial.case.inputs:
        parts += [item.text, item.title, item.context]
    for chain in trial.chains:
        for output in chain:
            parts += [output.text, output.label, output.error]
    return [part for part in parts if part]


def kinds_of(trials: Sequence[Trial]) -> tuple[str, ...]:
    """The kinds of bug that fit what the system does, in the order of the keys."""
    if any(item.context is not None for trial in trials for item in trial.case.inputs):
        return bug_kinds()["answer"]
    if any(output.label is not None for trial in trials for output in trial.outputs):
        return bug_kinds()["label"]
    return bug_kinds()["translation"]


@cache
def bug_kinds() -> dict[str, tuple[str, ...]]:
    """The kinds of bug by what a system gives."""
    text = files("polyglitch").joinpath("resources", "bug_kinds.toml").read_text("utf-8")
    return {name: tuple(kinds) for name, kinds in tomllib.loads(text).items()}


class Desks:
    """The run that the server was started for, and any other of its store."""

    def __init__(self, first: QueueView) -> None:
        self.first = first
        self.store: Store = first.store
        # One that goes on is read anew each time.
        self._opened = {first.run_id: first} if first.history.finished else {}
        self._lock = threading.Lock()

    def of(self, request: Request) -> QueueView:
        """The run that an address names; the first where it names none."""
        run = request.path_params.get("run")
        if not run and self.first.history.finished:
            return self.first
        return self.named(run or self.first.run_id)

    def named(self, run: str) -> QueueView:
        """A run by (the beginning of) its id."""
        with self._lock:
            if run in self._opened:
                return self._opened[run]
            try:
                desk = QueueView(self.store, run)
            except UsageError as error:
                raise HTTPException(404, str(error)) from None
            for _ in desk.make_searchable():
                pass
            if desk.history.finished:
                self._opened[run] = desk
                threading.Thread(target=bring_back, args=(desk.history,), daemon=True).start()
            return desk

    def base(self, request: Request) -> str:
        """What stands before every address of a run's pages."""
        run = request.path_params.get("run")
        return f"/run/{run}" if run else ""
