"""`explain --run`: the issues of a run on a classifier, each with what made the system say what it said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from polyglitch.after.reopen import Reopened, issue_by_issue
from polyglitch.evaluate.explain import MASK, Explanation, explain
from polyglitch.history import History
from polyglitch.labels import read_label
from polyglitch.records import Issue, Trial


class Effort(msgspec.Struct, frozen=True):
    """How much is asked for one explanation, and when a template is good enough."""

    samples: int = 500
    fills: int = 1000
    threshold: float = 0.9
    seed: int = 0


class Explained(msgspec.Struct, frozen=True):
    """What became of one issue; a reason where it was left without."""

    issue_id: str
    label: str = ""
    template: str = ""
    kept: float = 0.0
    reason: str = ""


def explain_run(
    history: History,
    opened: Reopened,
    limit: int | None,
    effort: Effort,
    watch: Callable[[Explained], None] = lambda _: None,
) -> list[Explained]:
    """Explain the worst violation of each issue; reports and reviews of the run draw it from then on."""
    return issue_by_issue(
        history, limit, lambda issue: explain_issue(history, opened, issue, effort), watch
    )


def explain_issue(history: History, opened: Reopened, issue: Issue, effort: Effort) -> Explained:
    """Explain the input at fault of an issue's worst violation, and leave it with the verdict."""
    trial, verdict = history.finding(issue).violations[0]
    reason = unfit(trial, opened.methods[issue.method].task)
    if reason:
        return Explained(issue.id, reason=reason)
    item = trial.case.inputs[at_fault(trial)]
    found = explain(
        opened.system,
        item.text,
        effort.samples,
        effort.fills,
        effort.threshold,
        effort.seed,
        item.language or history.definition["languages"][0] or "en",
    )
    history.store.draw(history.run_id, issue.method, verdict, drawable(found))
    return Explained(issue.id, found.label, found.template_text, found.kept)


def unfit(trial: Trial, task: str) -> str:
    """Why a violation cannot be explained word by word, or nothing; what a classifier says as text is its label."""
    if task != "classification":
        return f"{task} is no classification"
    if any(item.context is not None for item in trial.case.inputs):
        return "a question with its context"
    return ""


def at_fault(trial: Trial) -> int:
    """Which input to explain: the one that must have another label, or the first that differs where all must agree."""
    labels = [read_label(output)[0] for output in trial.outputs]
    if trial.case.expected:
        return len(labels) - 1  # an expansion stands after its seed
    return next((n for n, label in enumerate(labels) if label != labels[0]), len(labels) - 1)


def drawable(found: Explanation) -> dict[str, Any]:
    """An explanation as a verdict keeps it for pages."""
    words = list(found.words)
    title = f"What each word contributes to {found.label!r}"
    heat = [{"title": title, "tokens": words, "weights": list(found.contributions)}]
    if found.gradients:
        title = f"The gradient of {found.label!r} by word"
        heat.append({"title": title, "tokens": words, "weights": list(found.gradients)})
    least = [None if word == MASK else word for word in found.template]
    return {
        "heat": heat,
        "template": {"label": found.label, "words": least, "kept": found.kept},
    }
