"""Pages about one run besides its queue: what its labels say, what a calibration would report, and its bugs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from polyglitch.campaign import make_method
from polyglitch.errors import PolyglitchError, UsageError
from polyglitch.evaluate.calibration import ThresholdCandidate, calibrate, read_goal
from polyglitch.evaluate.labelled_scores import from_judgements, settings
from polyglitch.files.settings import written
from polyglitch.records import Group, Issue
from polyglitch.report.cards import Card, card
from polyglitch.results.answer import look_at, run_again, title_of
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import History, short_id
from polyglitch.results.judgements import Judgements
from polyglitch.results.reopened import kept_parameters
from polyglitch.results.summary import groups_of
from polyglitch.review.pages import Form, render, session_of
from polyglitch.review.queue_view import Desks, QueueView
from polyglitch.store.store import shown

GOAL = "precision>=0.8"  # of five findings four are worth a look: what reviewers put up with
MOST_OTHERS, MOST_TOLD = 50, 120  # findings of a bug that its page lists, and letters told of each
FEW = 20  # of either word: below it an interval says more than a figure


class Proposed(msgspec.Struct, frozen=True):
    """What a calibration comes to for one method."""

    method: str
    problem: str = ""
    now: int = 0  # findings that are reported today
    labelled: int = 0
    best: ThresholdCandidate | None = None
    lines: tuple[str, ...] = ()  # for polyglitch.toml
    few: bool = False


class RunPages:
    """What there is to read about a run."""

    def __init__(self, desks: Desks) -> None:
        self.desks, self.store = desks, desks.store

    def labels(self, request: Request) -> Response:
        """Precision with its interval by method, from the labels so far."""
        return self._labels(request, [])

    def calibrate(self, request: Request, form: Form) -> Response:
        """The threshold that the labels speak for, and what it would report; nothing is written."""
        desk = self.desks.of(request)
        return self._labels(request, [propose(desk.history, method) for method in desk.methods])

    def _labels(self, request: Request, proposed: list[Proposed]) -> Response:
        desk = self.desks.of(request)
        return HTMLResponse(
            render(
                "labels",
                base=self.desks.base(request),
                desk=desk,
                title=title_of(desk.history.definition),
                figures=Judgements(desk.history).figures(),
                proposed=proposed,
                token=session_of(request).token,
            )
        )

    def bugs(self, request: Request) -> Response:
        """The groups of issues that are one bug, the largest first."""
        desk = self.desks.of(request)
        values = {"base": self.desks.base(request), "title": title_of(desk.history.definition)}
        return HTMLResponse(render("bugs", groups=bug_groups(desk), **values))

    def bug(self, request: Request) -> Response:
        """One bug to hand to a developer: the pair, the smallest pair, why, and the commands."""
        desk = self.desks.of(request)
        wanted = request.path_params["bug"]
        group = next((one for one in bug_groups(desk) if one.id == wanted), None)
        if group is None:
            raise HTTPException(404, "no such bug in this run")
        issues = {issue.id: issue for issue in self.store.verdicts.issues(desk.run_id)}
        return HTMLResponse(
            render("bug", base=self.desks.base(request), **bug_values(desk, group, issues))
        )


def bug_values(desk: QueueView, group: Group, issues: dict[str, Issue]) -> dict[str, Any]:
    """What the page of a bug shows."""
    found = desk.history.merged([issues[group.issue_ids[0]]])[0]
    named = [pair for pair in found.violations if pair[0].case.id == group.case_id]
    rest = [pair for pair in found.violations if pair not in named]
    first = msgspec.structs.replace(found, violations=(*named, *rest))
    others = [issues[name] for name in group.issue_ids[1:]]
    shown_card = card(1, first, desk.languages, ReportLimits())
    positions = {row: place for place, row in enumerate(issues, 1)}
    return {
        "group": group,
        "title": title_of(desk.history.definition),
        "card": shown_card,
        "others": [
            (positions[one.id], desk.number(positions[one.id]), one, seed_text(desk, one))
            for one in others[:MOST_OTHERS]
        ],
        "unseen": max(len(others) - MOST_OTHERS, 0),
        "commands": list(ways_to_reproduce(desk.history, shown_card)),
    }


def ways_to_reproduce(history: History, found: Card) -> Iterator[tuple[str, str]]:
    """Commands with what they are for; a smallest pair is looked for where there is a pair and none was found yet."""
    again = "Run the campaign again; answers in the store are not asked twice"
    yield again, run_again(history)
    yield "Look at this run", look_at(history)
    pair = found.worst is not None and len(found.worst.trial.case.inputs) > 1
    if pair and not found.minimised:
        yield "Find the smallest pair that still fails", minimise_command(history)


def seed_text(desk: QueueView, issue: Issue) -> str:
    """The beginning of what a finding is about."""
    text = desk.store.cases.seed(desk.run_id, issue.seed_id).input.text
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD].rstrip()}…"


def minimise_command(history: History) -> str:
    """The command that looks for the smallest failing pairs of a run."""
    words = ["polyglitch", "minimise", short_id(history), "--store", shown(history.store.where)]
    system = history.definition.get("opened", {}).get("system")
    return shlex.join([*words, "--system", system] if system else words)


def propose(history: History, method: str) -> Proposed:
    """What the labels of a method speak for."""
    now = history.store.verdicts.issue_counts(history.run_id).get(method, 0)
    try:
        sample = from_judgements(Judgements(history).items(), method)
        if problem := one_sided(sample.bugs):
            return Proposed(method, problem, now)
        _, best = calibrate(sample, read_goal(GOAL))
        oracle = make_method(method, kept_parameters(history).get(method)).compare
        values = settings(method, best, sample.direction, oracle)
    except (PolyglitchError, UsageError) as error:
        return Proposed(method, str(error), now)
    bugs = sum(sample.bugs)
    lines = (f"[parameters.{method}]", *(f"{key} = {written(v)}" for key, v in values.items()))
    few = min(bugs, len(sample.bugs) - bugs) < FEW
    return Proposed(method, "", now, len(sample.bugs), best, lines if values else (), few)


def one_sided(bugs: Sequence[bool]) -> str:
    """Why labels tell no threshold, in words: all of them say the same; nothing where they do not."""
    if not bugs or len({*bugs}) > 1:
        return ""
    said, lacks = ("bugs", "not a bug") if bugs[0] else ("not bugs", "a bug")
    return (
        f"All findings that were decided are {said} ({len(bugs)}). A threshold tells bugs from the rest: it can be "
        f"chosen once some finding is labelled ‘{lacks}’, too."
    )


def bug_groups(desk: QueueView) -> list[Group]:
    """The bugs of a run; they are worked out once as long as its issues stay."""
    return _grouped(desk, desk.total)


@lru_cache(maxsize=16)
def _grouped(desk: QueueView, total: int) -> list[Group]:
    return groups_of(desk.history)
