"""Findings as a page shows them: texts clipped and marked, figures in words."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

import msgspec

from polyglitch.files.foreign import spelled_out
from polyglitch.records import Case, Input, Output, Span, Trial, Verdict
from polyglitch.report.marks import (
    LONGEST_NAMED,
    Explanations,
    FaultRange,
    Piece,
    Range,
    differing_ranges,
    explanations_of,
    looks_alike,
    mark,
    name_differences,
)
from polyglitch.results.answer import capability
from polyglitch.results.findings import CONTAINED, Finding, ReportLimits, sureness

Languages = tuple[str | None, str | None]
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MOST_SCORES = 6  # of a label output: enough to see the runner-up, without a bar for each of 1,000
MOST_DETAILS = 8
PLACES = ("First", "Second")  # of a pair
QUOTED = re.compile(r"'([^']{1,60})'")  # words that a reason names
NOTHING: Mapping[int, list[FaultRange]] = {}
SEED_HOLDS = "seed_holds"  # the detail of a verdict on a grown sentence: whether its seed held
LONG = 1200  # characters: about what a box shows at the width of a phone


class ShownText(msgspec.Struct, frozen=True):
    """A text with its marks, its language, and how many characters were cut off."""

    pieces: list[Piece]
    language: str | None = None
    cut: int = 0

    @property
    def long(self) -> bool:
        """Whether it scrolls in its own box, so that a page stays a page."""
        return sum(len(piece.text) for piece in self.pieces) > LONG


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
    label_wrong: str = ""  # what a case expects in its place
    back: ShownText | None = None  # the way back, in the language of the source


class Reason(msgspec.Struct, frozen=True):
    """Why a verdict is what it is: in words, its number at the marks, and what it was told by."""

    text: str
    note: int = 0
    witness: str = ""


class Violation(msgspec.Struct, frozen=True):
    """A trial with its verdict as shown."""

    trial: Trial
    verdict: Verdict
    asked: list[ShownInput]
    answered: list[ShownOutput]
    names: list[tuple[str, str]]  # of each input and of its output
    unit: str  # what an input is
    score: str
    limit: str
    sure: str  # how sure it is, in words
    reasons: list[Reason]
    identical: bool
    details: list[tuple[str, str]]


class Card(msgspec.Struct, frozen=True):
    """A finding as shown."""

    number: int
    finding: Finding
    index: str  # what the page filters and sorts by, as JSON
    worst: Violation | None
    more: list[Violation]
    minimised: Violation | None = None
    explanations: Explanations | None = None  # of the worst


def card(number: int, finding: Finding, languages: Languages, limits: ReportLimits) -> Card:
    """What the page shows of a finding."""
    backs = (*finding.ways_back, *((),) * len(finding.violations))
    shown = [
        show_violation(*pair, languages, limits.characters, back)
        for pair, back in zip(finding.violations, backs, strict=False)
    ]
    less = None
    if finding.minimised is not None:
        less = show_violation(*finding.minimised, languages, limits.characters)
    worst = shown[0] if shown else None
    drawn = None
    if worst and (worst.trial.case.data or worst.verdict.drawn):
        drawn = explanations_of(worst.trial.case, worst.verdict)
    return Card(number, finding, index_of(finding), worst, shown[1:], less, drawn)


def index_of(finding: Finding) -> str:
    """What a page filters and sorts findings by, as JSON."""
    first = finding.violations[0][0].case if finding.violations else None
    entry = {
        "methods": [spelled_out(name) for name in finding.methods],
        "kind": spelled_out(finding.issue.kind),
        "tests": spelled_out(capability(first)) if first else "",
        "labels": sorted({label.verdict for label in finding.labels}),
        "size": len(first.inputs[0].text) if first and first.inputs else 0,
    }
    return json.dumps(entry, ensure_ascii=False)


def show_violation(
    trial: Trial,
    verdict: Verdict,
    languages: Languages,
    most: int,
    back: tuple[str, ...] = (),
) -> Violation:
    """What the page shows of a trial and its verdict, with the way back of each output where it is known."""
    outputs = [chain[-1] for chain in trial.chains if chain]
    texts = [output.text for output in outputs if output.ok and output.label is None]
    reasons = numbered_reasons(verdict)
    notes = {reason.text: reason.note for reason in reasons}
    lost = lost_words(trial, verdict, notes)
    return Violation(
        trial=trial,
        verdict=verdict,
        asked=show_inputs(trial, languages, most, lost),
        answered=show_outputs(trial, verdict, languages, most, back, notes, lost),
        names=side_names(trial, languages),
        unit="sentence" if row_names(trial, languages)[0] == "Source" else "input",
        score="" if verdict.score is None else number_in_words(verdict.score),
        limit=limit_in_words(verdict),
        sure=sureness(verdict),
        reasons=reasons,
        identical=len(texts) == len(outputs) > 1 and len(set(texts)) == 1,
        details=[(k, number_in_words(v)) for k, v in list(verdict.details.items())[:MOST_DETAILS]],
    )


def numbered_reasons(verdict: Verdict) -> list[Reason]:
    """The reasons, those with places in the outputs numbered as their marks are."""
    told = list(verdict.reasons) or [verdict.reason]
    witness = {span.reason: witness_in_words(span.witness) for span in verdict.spans}
    plainest = list(WITNESSES.values())
    placed = sorted(
        (text for text in dict.fromkeys(told) if text in witness),
        key=lambda text: plainest.index(witness[text]) if witness[text] in plainest else len(told),
    )
    rest = sorted((text for text in dict.fromkeys(told) if text and text not in witness), key=len)
    numbered = [Reason(text, number, witness[text]) for number, text in enumerate(placed, 1)]
    return numbered + [Reason(text) for text in rest]


WITNESSES = {  # what can be checked by reading first
    "": "",
    "source": "against its own source",
    "facts": "against its own source",
    "untranslated": "against its own source",
    "pair": "against the other output",
    "agreement": "by the forms that go together",
    "grammar": "by the forms that go together",
    "back": "by the way back",
    "judge": "by a judge",
    "second-opinion": "by a judge",
    "confidence": "by the model’s own confidence",
    "lens": "by another model’s confidence",
    "fluency": "by how likely the text is",
    "rarity": "by how rare the word is",
    "unknown": "by the words that the language has",
}


def witness_in_words(name: str) -> str:
    """What a fault was told by; a witness of somebody else's by its name."""
    return WITNESSES.get(name, f"by {name}")


def side_names(trial: Trial, languages: Languages) -> list[tuple[str, str]]:
    """What to call each input and its output, in the words that reasons use of them."""
    asked, answered = row_names(trial, languages)
    count = len(trial.case.inputs)
    if count < 2:
        return [(asked, answered)]
    if count > 2:
        return [(f"{asked} {number}", f"{answered} {number}") for number in range(1, count + 1)]
    if trial.case.relation == CONTAINED and asked == "Source":
        return [("The sentence", "Its translation"), ("The phrase alone", "Its translation")]
    return [(f"{place} {asked.lower()}", f"{place} {answered.lower()}") for place in PLACES]


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


def lost_words(
    trial: Trial, verdict: Verdict, notes: Mapping[str, int]
) -> dict[int, list[FaultRange]]:
    """Words of each source that its output lacks: nothing can be marked there, so they are marked where they stand."""
    found: dict[int, list[FaultRange]] = {}
    for span in verdict.spans:
        if not is_whole(trial, span) or span.output >= len(trial.case.inputs):
            continue
        source = trial.case.inputs[span.output].text
        for word in QUOTED.findall(span.reason):
            for place in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", source):
                lost = FaultRange(*place.span(), span.reason, notes.get(span.reason, 0))
                found.setdefault(span.output, []).append(lost)
    return found


def is_whole(trial: Trial, span: Span) -> bool:
    """Whether a fault is of all of an output: something is missing from it, and has no place there."""
    texts = [chain[-1].text for chain in trial.chains if chain]
    return span.output < len(texts) and span.start == 0 and span.end >= len(texts[span.output])


def show_inputs(
    trial: Trial, languages: Languages, most: int, lost: Mapping[int, list[FaultRange]] = NOTHING
) -> list[ShownInput]:
    """The inputs, marked where they differ from each other, or a lone one from its round trip, and what was lost."""
    inputs = trial.case.inputs
    texts = [item.text[:most] for item in inputs]
    named = named_texts(texts)
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
        text = clipped(item.text, most, marks[place], spoken, lost.get(place))
        if named:
            text = ShownText(named[place], spoken, max(len(item.text) - most, 0))
        shown.append(ShownInput(text, item.title, context))
    return shown


def named_texts(texts: list[str]) -> tuple[list[Piece], list[Piece]] | None:
    """The two texts of a pair with every difference named, where the eye would see none."""
    if len(texts) != 2 or max(map(len, texts)) > LONGEST_NAMED or not looks_alike(*texts):
        return None
    return name_differences(*texts)


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
    if edit and len(texts) == 2 and edit.old == edit.new and texts[1] == edit.new:
        return [[(edit.start, edit.end)], []]  # a phrase of a sentence and the phrase alone
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
    trial: Trial,
    verdict: Verdict,
    languages: Languages,
    most: int,
    back: tuple[str, ...],
    notes: Mapping[str, int],
    lost: Mapping[int, list[FaultRange]],
) -> list[ShownOutput]:
    """The chains, their last texts marked where they differ and where the oracle finds fault."""
    last = [
        chain[-1] if chain else Output(status="error", error="no output") for chain in trial.chains
    ]
    texts = [output.text[:most] if output.ok else "" for output in last]
    if len(texts) == 1 and trial.case.inputs and len(trial.chains[0]) > 1:
        marks = [differing_ranges(trial.case.inputs[0].text[:most], texts[0])[1]]
    elif trial.case.relation == CONTAINED and len(texts) == 2:
        marks = [
            [],
            [],
        ]  # of a whole and its part all the rest differs: only what is at fault is marked
    elif all(output.ok for output in last):
        marks = differing_each(texts)
    else:
        marks = [[] for _ in texts]  # beside a failed output, every word would be marked
    told = {fault.reason for faults in lost.values() for fault in faults}
    shown = []
    for place, (chain, output) in enumerate(zip(trial.chains, last, strict=True)):
        spoken = [hop_language(languages, hop) for hop in range(len(chain) or 1)]
        faults = [
            FaultRange(s.start, s.end, s.reason, notes.get(s.reason, 0))
            for s in verdict.spans
            if s.output == place and not (s.reason in told and is_whole(trial, s))
        ]
        steps = [clipped(step.text, most, [], spoken[hop]) for hop, step in enumerate(chain[:-1])]
        text = clipped(output.text, most, marks[place], spoken[-1], faults)
        differs = output.label != last[0].label
        scores = score_bars(output)
        shown.append(
            ShownOutput(
                output.status,
                output.error,
                text,
                steps,
                output.label,
                scores,
                differs,
                expected_instead(trial, verdict, place),
                shown_back(trial, back, place, languages, most),
            )
        )
    return shown


def expected_instead(trial: Trial, verdict: Verdict, place: int) -> str:
    """The labels that a case expects where the oracle found another; nothing where none is expected.

    The last output was judged; of the seed before it the oracle tells whether it held.
    """
    case = trial.case
    if verdict.outcome != "violated" or not case.relation.startswith("label:"):
        return ""
    last = place == len(trial.chains) - 1
    wrong = last or verdict.details.get(SEED_HOLDS) == 0
    return " or ".join(case.expected) if wrong else ""


def shown_back(
    trial: Trial, back: tuple[str, ...], place: int, languages: Languages, most: int
) -> ShownText | None:
    """The way back of an output, marked where it differs from what was asked."""
    text = back[place] if place < len(back) else ""
    if not text:
        return None
    asked = trial.case.inputs[place].text[:most]
    marks = differing_ranges(asked, text[:most], by_case=False)[1]
    return clipped(text, most, marks, language_tag(languages[0]))


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
    whole, _, decimals = f"{value or 0.0:,.3f}".partition(".")
    decimals = decimals.rstrip("0")
    return (f"{whole}.{decimals}" if decimals else whole).replace("-", "−")


def limit_in_words(verdict: Verdict) -> str:
    """What score would have passed."""
    if verdict.threshold is None:
        return ""
    bound = "at most" if verdict.direction == "above" else "at least"
    return f"{bound} {number_in_words(verdict.threshold)} passes"
