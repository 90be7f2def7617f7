"""Findings as a page shows them: texts clipped and marked, figures in words."""

from __future__ import annotations

import json
import math
import re

import msgspec

from polyglitch.files.foreign import spelled_out
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.report.explanations import Explanations, explanations_of
from polyglitch.report.marks import FaultRange, Piece, Range, differing_ranges, mark
from polyglitch.results.findings import Finding, ReportLimits

Languages = tuple[str | None, str | None]
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MOST_SCORES = 6  # of a label output: enough to see the runner-up, without a bar for each of 1,000
MOST_DETAILS = 8


class ShownText(msgspec.Struct, frozen=True):
    """A text with its marks, its language, and how many characters were cut off."""

    pieces: list[Piece]
    language: str | None = None
    cut: int = 0


class ShownInput(msgspec.Struct, frozen=True):
    """An input as shown."""

    text: ShownText
    title: str | None = None
    context: ShownText | None = None


class ShownOutput(msgspec.Struct, frozen=True):
    """A chain of outputs as shown: the steps on the way, then the last one."""

    status: str
    error: str
    text: ShownText
    steps: list[ShownText]
    label: str | None
    scores: list[tuple[str, float, float]]  # name, value, percent of the bar
    label_differs: bool


class Violation(msgspec.Struct, frozen=True):
    """A trial with its verdict as shown."""

    trial: Trial
    verdict: Verdict
    asked: list[ShownInput]
    answered: list[ShownOutput]
    names: tuple[str, str]  # of the row of inputs and of the row of outputs
    score: str
    limit: str
    reasons: list[str]
    identical: bool
    details: list[tuple[str, str]]


class Card(msgspec.Struct, frozen=True):
    """A finding as shown."""

    number: int
    finding: Finding
    methods: str  # a JSON list, for the page's filter
    worst: Violation | None
    more: list[Violation]
    minimised: Violation | None = None
    explanations: Explanations | None = None  # of the worst


def card(number: int, finding: Finding, languages: Languages, limits: ReportLimits) -> Card:
    """What the page shows of a finding."""
    shown = [show_violation(*pair, languages, limits.characters) for pair in finding.violations]
    methods = [spelled_out(name) for name in (finding.issue.method, *finding.also_found_by)]
    less = None
    if finding.minimised is not None:
        less = show_violation(*finding.minimised, languages, limits.characters)
    worst = shown[0] if shown else None
    drawn = None
    if worst and (worst.trial.case.data or worst.verdict.drawn):
        drawn = explanations_of(worst.trial.case, worst.verdict)
    return Card(number, finding, json.dumps(methods), worst, shown[1:], less, drawn)


def show_violation(trial: Trial, verdict: Verdict, languages: Languages, most: int) -> Violation:
    """What the page shows of a trial and its verdict."""
    outputs = [chain[-1] for chain in trial.chains if chain]
    texts = [output.text for output in outputs if output.ok and output.label is None]
    return Violation(
        trial=trial,
        verdict=verdict,
        asked=show_inputs(trial, languages, most),
        answered=show_outputs(trial, verdict, languages, most),
        names=row_names(trial, languages),
        score="" if verdict.score is None else number_in_words(verdict.score),
        limit=limit_in_words(verdict),
        reasons=list(dict.fromkeys(filter(None, (*verdict.reasons, verdict.reason)))),
        identical=len(texts) == len(outputs) > 1 and len(set(texts)) == 1,
        details=[(k, number_in_words(v)) for k, v in list(verdict.details.items())[:MOST_DETAILS]],
    )


def row_names(trial: Trial, languages: Languages) -> tuple[str, str]:
    """What to call inputs and outputs, judged by what they are."""
    if any(len(chain) > 1 for chain in trial.chains):
        return "Source", "Round trip"
    if any(item.context is not None for item in trial.case.inputs):
        return "Question", "Answer"
    if any(chain and chain[-1].label is not None for chain in trial.chains):
        return "Input", "Label"
    if languages[1] and languages[0] != languages[1]:
        return "Source", "Translation"
    return "Input", "Output"


def show_inputs(trial: Trial, languages: Languages, most: int) -> list[ShownInput]:
    """The inputs, marked where they differ from each other, or a lone one from its round trip."""
    inputs = trial.case.inputs
    texts = [item.text[:most] for item in inputs]
    if len(inputs) == 1 and trial.chains and len(trial.chains[0]) > 1:
        marks = [differing_ranges(texts[0], trial.chains[0][-1].text[:most])[0]]
    else:
        marks = edit_ranges(trial.case, texts) or differing_each(texts)
    around = [surroundings(item) for item in inputs]
    contexts = [text[:most] for text in around]
    context_marks = differing_each(contexts)
    shown = []
    for place, item in enumerate(inputs):
        spoken = language_tag(item.language or languages[0])
        context = None
        if around[place] or item.context is not None:
            context = clipped(around[place], most, context_marks[place], spoken)
        text = clipped(item.text, most, marks[place], spoken)
        shown.append(ShownInput(text, item.title, context))
    return shown


def surroundings(item: Input) -> str:
    """What an input has beside its text: context, variables of the prompt, earlier turns, and another order."""
    values = [f"{name}: {value}" for name, value in item.values.items()]
    turns = [f"{turn.role}: {turn.text}" for turn in item.turns]
    orders = [f"({part} of the prompt in reverse order)" for part in item.reversed]
    again = ["(asked once more)"] if item.again else []
    context = [item.context] if item.context else []
    return "\n".join([*context, *values, *turns, *orders, *again])


def edit_ranges(case: Case, texts: list[str]) -> list[list[Range]]:
    """The edited place in both inputs of a pair, or nothing where the edit is not all there is."""
    edit = case.edit
    if edit is None or len(texts) != 2 or not edit.old or not edit.new:
        return []
    if texts[0][: edit.start] + edit.new + texts[0][edit.end :] != texts[1]:
        return []
    return [[(edit.start, edit.end)], [(edit.start, edit.start + len(edit.new))]]


def differing_each(texts: list[str]) -> list[list[Range]]:
    """For each text what sets it off from the first; for the first, from the second."""
    if len(texts) < 2:
        return [[] for _ in texts]
    first, second = differing_ranges(texts[0], texts[1])
    return [first, second, *(differing_ranges(texts[0], text)[1] for text in texts[2:])]


def show_outputs(
    trial: Trial, verdict: Verdict, languages: Languages, most: int
) -> list[ShownOutput]:
    """The chains, their last texts marked where they differ and where the oracle finds fault."""
    last = [
        chain[-1] if chain else Output(status="error", error="no output") for chain in trial.chains
    ]
    texts = [output.text[:most] if output.ok else "" for output in last]
    if len(texts) == 1 and trial.case.inputs and len(trial.chains[0]) > 1:
        marks = [differing_ranges(trial.case.inputs[0].text[:most], texts[0])[1]]
    elif all(output.ok for output in last):
        marks = differing_each(texts)
    else:
        marks = [[] for _ in texts]  # beside a failed output, every word would be marked
    shown = []
    for place, (chain, output) in enumerate(zip(trial.chains, last, strict=True)):
        spoken = [hop_language(languages, hop) for hop in range(len(chain) or 1)]
        faults = [FaultRange(s.start, s.end, s.reason) for s in verdict.spans if s.output == place]
        steps = [clipped(step.text, most, [], spoken[hop]) for hop, step in enumerate(chain[:-1])]
        text = clipped(output.text, most, marks[place], spoken[-1], faults)
        differs = output.label != last[0].label
        scores = score_bars(output)
        shown.append(
            ShownOutput(output.status, output.error, text, steps, output.label, scores, differs)
        )
    return shown


def score_bars(output: Output) -> list[tuple[str, float, float]]:
    """The highest scores of a label output, with the width of each one's bar in percent."""
    finite = [(name, value) for name, value in output.scores.items() if math.isfinite(value)]
    ordered = sorted(finite, key=lambda item: -item[1])[:MOST_SCORES]
    full = max([1.0, *(value for _, value in ordered)])  # probabilities keep their own scale
    return [(name, value, round(max(value, 0.0) / full * 100, 1)) for name, value in ordered]


def clipped(
    text: str,
    most: int,
    changed: list[Range],
    language: str | None,
    faults: list[FaultRange] | None = None,
) -> ShownText:
    """The start of a text with its marks."""
    return ShownText(mark(text[:most], changed, faults or ()), language, max(len(text) - most, 0))


def hop_language(languages: Languages, hop: int) -> str | None:
    """The language of an output: a route goes there and back again."""
    return language_tag(languages[1 - hop % 2])


def language_tag(name: str | None) -> str | None:
    """A language fit for a `lang` attribute, or none."""
    return name if name and LANGUAGE_TAG.fullmatch(name) else None


def number_in_words(value: float) -> str:
    """A figure as people write it: no more than three decimals, none where there are none."""
    if not math.isfinite(value):
        return {"inf": "∞", "-inf": "−∞"}.get(str(value), "not a number")
    if value and abs(value) < 0.001:
        return f"{value:.1e}"
    whole, _, decimals = f"{value:,.3f}".partition(".")
    decimals = decimals.rstrip("0")
    return (f"{whole}.{decimals}" if decimals else whole).replace("-", "−")


def limit_in_words(verdict: Verdict) -> str:
    """What score would have passed."""
    if verdict.threshold is None:
        return ""
    bound = "at most" if verdict.direction == "above" else "at least"
    return f"{bound} {number_in_words(verdict.threshold)} passes"
