"""Cases in words: what had to hold, both inputs and outputs, and where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.files.foreign import spelled_out
from polyglitch.records import Case, Output, Trial, Verdict
from polyglitch.report.marks import differing_ranges, mark, marked
from polyglitch.results.findings import Finding

# What must hold, by the first word of a relation; the method says it where its relation is not here.
MUST = {
    "label": "the label must be {expected}",
    "same": "both must get the same answer",
    "flipped": "the answer must change",
    "contained": "one answer must be part of the other",
    "stronger": "the score must not fall",
    "weaker": "the score must not rise",
    "fairness": "the answer must not depend on who is named",
    "same answer": "the answer must stay the same",
    "yes if both are": "the answer to both together must be yes where both are",
}
LONGEST = 600  # characters of a text in a message
LINE_BREAK = "⏎ "


def must_hold(case: Case) -> str:
    """What had to hold, in words: `a full stop at the end: both must get the same answer`."""
    name, _, capability = case.relation.partition(":")
    expected = " or ".join(map(repr, case.expected)) or "as expected"
    if name not in MUST or case.method in ("rti", "patinv"):
        try:
            return registry.entry("methods", case.method).about
        except UsageError:
            return case.relation
    said = MUST[name].format(expected=expected)
    title = str(case.data.get("title") or re.sub("[-_]", " ", capability))
    return f"{title}: {said}" if capability else said


def said(output: Output) -> str:
    """What a system said: its label, its text, or why it said nothing."""
    if not output.ok:
        return f"({output.status}: {output.error})"
    return output.label if output.label is not None else output.text


def why(verdict: Verdict) -> str:
    """The reasons of a verdict in a line."""
    return "; ".join(verdict.reasons) or verdict.reason


def pointed(first: str, second: str) -> tuple[str, str]:
    """Two texts with what differs between [brackets], safe to print."""
    ours, theirs = differing_ranges(first, second)
    return bracketed(first, ours), bracketed(second, theirs)


def bracketed(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The text with some of its ranges between brackets."""
    pieces = mark(text, ranges)
    joined = "".join(f"[{piece.text}]" if piece.changed else piece.text for piece in pieces)
    return printable(joined)


def printable(text: str) -> str:
    """A text in a line, without what drives a terminal, and cut where it goes on and on."""
    line = spelled_out(text.replace("\n", LINE_BREAK))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}… ({len(line):,} characters)"


def told_lines(trial: Trial, verdict: Verdict) -> Iterator[str]:
    """A case as lines of text: what had to hold, each input above its output, why it does not."""
    texts = [item.text for item in trial.case.inputs]
    answers = [said(output) for output in trial.outputs]
    pairs = list(zip(map(printable, texts), map(printable, answers), strict=True))
    if len(texts) > 1:
        inputs, outputs = pointed(texts[0], texts[-1]), pointed(answers[0], answers[-1])
        pairs[0], pairs[-1] = (inputs[0], outputs[0]), (inputs[1], outputs[1])
    yield f"must     {must_hold(trial.case)}"
    for number, (text, answer) in enumerate(pairs):
        yield f"{'changed' if number else 'input  '}  {text}"
        yield f"output   {answer}"
    if verdict.outcome != "holds" and why(verdict):
        yield f"why      {printable(why(verdict))}"


class CaseResult(NamedTuple):
    """One test: the case, what the system answered, what the oracle said of it."""

    case: Case
    trial: Trial
    verdict: Verdict

    @property
    def outcome(self) -> str:
        """`holds`, `violated` or `undecided`."""
        return self.verdict.outcome

    @property
    def inputs(self) -> tuple[str, ...]:
        """The texts that were asked, the original first."""
        return tuple(item.text for item in self.case.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """What was answered to each."""
        return tuple(said(output) for output in self.trial.outputs)

    @property
    def reason(self) -> str:
        """Why it is violated or undecided."""
        return why(self.verdict)

    def __repr__(self) -> str:
        lines = told_lines(self.trial, self.verdict)
        return "\n  ".join([f"{self.verdict.outcome} ({self.case.method})", *lines])

    def _repr_html_(self) -> str:
        return str(case_html(self.trial, self.verdict))


class Found(Finding, frozen=True):
    """An issue, worst violation first; prints itself as a person would want to read it."""

    @property
    def method(self) -> str:
        """The method that raised it."""
        return self.issue.method

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """Its violated cases, worst first."""
        return tuple(CaseResult(trial.case, trial, verdict) for trial, verdict in self.violations)

    def __repr__(self) -> str:
        kind = f", {self.issue.kind}" if self.issue.kind else ""
        more = len(self.violations) - 1
        head = f"issue of {self.issue.method}{kind}{f' and {more} more' if more > 0 else ''}"
        lines = told_lines(*self.violations[0]) if self.violations else ()
        return "\n  ".join([head, *lines])

    def _repr_html_(self) -> str:
        return str(case_html(*self.violations[0])) if self.violations else ""


PAIR = Markup(
    '<div style="margin:.3em 0"><div>{text}</div><div style="padding-left:1.5em;color:#06c">{answer}</div></div>'
)
CASE = Markup(
    '<div style="border-left:3px solid {colour};padding:.2em .8em;margin:.6em 0">'
    '<div style="color:#666;font-size:90%">{must}</div>{pairs}<div style="color:#a00">{why}</div></div>'
)
COLOURS = {"holds": "#2a2", "violated": "#c33", "undecided": "#999"}


def case_html(trial: Trial, verdict: Verdict) -> Markup:
    """A case as HTML: whatever a system said is escaped, what differs is marked."""
    texts = [item.text[:LONGEST] for item in trial.case.inputs]
    answers = [said(output)[:LONGEST] for output in trial.outputs]
    pairs = []
    for number, (text, answer) in enumerate(zip(texts, answers, strict=True)):
        other = -1 if number == 0 else 0
        pairs.append(
            PAIR.format(
                text=differing(text, texts[other]), answer=differing(answer, answers[other])
            )
        )
    head = f"{trial.case.method}: {must_hold(trial.case)}"
    return CASE.format(
        colour=COLOURS[verdict.outcome],
        must=escape(head),
        pairs=Markup("").join(pairs),
        why=escape(why(verdict)),
    )


def differing(text: str, other: str) -> Markup:
    """A text with what the other lacks in bold."""
    return marked(mark(text, differing_ranges(text, other)[0]), "b")
