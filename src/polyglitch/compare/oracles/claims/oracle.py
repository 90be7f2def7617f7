"""Verdicts on pairs of answers: the claims must stay (`same`), follow the edit (`follows`), or vanish (`differs`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from polyglitch.compare.oracles.claims.asked import Asked, chosen_option
from polyglitch.compare.oracles.claims.difference import Difference
from polyglitch.compare.oracles.claims.differences import differences
from polyglitch.compare.oracles.claims.edit import (
    InputDifference,
    expected_answer,
    expected_once,
    find_edit,
    switched,
)
from polyglitch.compare.oracles.claims.vanished import says_new, still_said, vanished_score
from polyglitch.compare.oracles.claims.wording import Alike
from polyglitch.compare.oracles.two_outputs import undecided
from polyglitch.component import component
from polyglitch.errors import Missing
from polyglitch.languages import DEFAULT
from polyglitch.protocols import Comparison, Tools
from polyglitch.records import Input, Span, Trial, Verdict
from polyglitch.represent.claims.answer import read_answer
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.lists import lists, phrase_pattern
from polyglitch.represent.claims.structure import code_blocks, json_of

THRESHOLD = 0.5
SAME, FOLLOWS, DIFFERS = "same", "follows", "differs"
MEANS = {SAME: SAME, FOLLOWS: FOLLOWS, DIFFERS: DIFFERS, "similar": SAME, "different": DIFFERS}
MEANS |= {"flipped": DIFFERS, "contained": SAME}
TURNED = {"stance", "denied"}  # that a new figure may bring about
NO_ANSWER = ("unknown", "refusal")  # which no new figure turns into an answer
A_CHANGE = 0.2  # from which two programs do not do the same
LONGEST = 10_000  # characters of an answer that is compared
EMBEDDER = "minilm"
CITED = re.compile(r"(?<=[\w.,;!?)]) ?\[\d{1,2}\](?=[\s.,;]|$)")


Facts = tuple[Fact, ...]


class Judged(NamedTuple):
    """How surely a relation is broken, and what shows it."""

    score: float
    found: list[Difference]


@component
def claims(threshold: float = THRESHOLD, vectors: bool = False) -> Comparison:
    """Judge by what the answers claim; `vectors` asks MiniLM about wording, where it is installed.

    Off by default: it brought nothing on the pairs for tuning, and costs the start of torch.
    """

    def compare(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        alike = cosines(tools) if vectors else no_vectors
        return [undecided(trial) or judge(trial, alike) for trial in trials]

    def judge(trial: Trial, alike: Alike) -> Verdict:
        must = MEANS.get(trial.case.relation.partition(":")[0])
        if must is None:
            reason = f"the relation {trial.case.relation!r} is none of same, follows and differs"
            return Verdict(trial.case.id, "undecided", reason)
        inputs = [whole_input(item) for item in trial.case.inputs[:2]]
        texts = [output.label or output.text for output in trial.outputs[:2]]
        if max(map(len, texts)) > LONGEST:
            reason = f"an answer is longer than {LONGEST} characters, the most that is compared"
            return Verdict(trial.case.id, "undecided", reason)
        if pairs := trial.case.data.get(
            "swapped"
        ):  # what trades places is named, and nothing else changes
            expected = exchanged(texts[0], pairs)
            judged = same(expected, texts[1], Asked(inputs[0], inputs[1]), alike)
            due = f"the two changed places, so {expected.strip()!r:.60} was due; "
            told = [d._replace(first=None, reason=due + d.reason) for d in judged.found[:1]]
            judged = Judged(judged.score, told)
        else:
            judged = judge_pair(must, inputs[0], inputs[1], texts[0], texts[1], alike)
        return verdict(trial.case.id, judged, threshold, texts)

    return compare


def judge_pair(
    must: str, source: str, followup: str, first: str, second: str, alike: Alike
) -> Judged:
    """How surely two answers break a relation."""
    answers = chosen_option(uncited(first), source), chosen_option(uncited(second), followup)
    asked = Asked(source, followup, must == FOLLOWS)
    if must == SAME:
        if confirms(second, asked):
            return Judged(0.1, [])
        judged = same(*answers, asked, alike)
        slips = find_edit(source, followup).misspelt
        if judged.score < THRESHOLD or not slips.pairs:
            return judged
        copied = expected_answer(answers[0], slips, source, followup)  # a slip may be quoted
        return min(judged, same(copied, answers[1], asked, alike), key=lambda j: j.score)
    edit = find_edit(source, followup)
    if must == FOLLOWS:
        expected = expected_answer(answers[0], edit, source, followup)
        if code_blocks(answers[0]) and code_blocks(answers[1]):
            due = [expected, *expected_once(answers[0], edit)]  # a figure of code may be another
            return min(
                (same(text, answers[1], asked, alike) for text in due), key=lambda j: j.score
            )
        if (beside := switched(source, followup, edit)) is not None:
            return pointed(*answers, *beside)
        judged = same(expected, answers[1], asked, alike)
        if stuck := still_said(answers[1], asked, edit):
            return Judged(max(judged.score, stuck[0].weight), stuck)
        if judged.score < THRESHOLD:
            return judged
        strong = {d.kind for d in judged.found if d.weight >= THRESHOLD}
        known = all(read_answer(text).stance not in NO_ANSWER for text in answers)
        if known and strong <= TURNED and says_new(read_answer(answers[1]), edit):
            return Judged(THRESHOLD - 0.1, judged.found)  # "No, we close at 21:00" follows
        if known and expected == answers[0]:
            return derived(judged, answers, asked)
        back = [d for d in judged.found if d.second]  # places in what was expected are no places
        return Judged(judged.score, [d._replace(first=None) for d in back] or judged.found)
    if code_blocks(answers[0]) and code_blocks(answers[1]):
        return same_program(*answers, asked, edit, alike)
    kept = same(*answers, asked, alike)
    score, found = vanished_score(*answers, asked, edit, kept.score)
    return Judged(score, found)


def confirms(answer: str, asked: Asked) -> bool:
    """Whether an answer is no more than "Yes, I am sure" to a doubt that only the second input has."""
    bare = " ".join(re.findall(r"[\w']+", answer.lower()))
    doubted = phrase_pattern("doubting")
    asks = doubted.search(asked.followup.lower()) and not doubted.search(asked.source.lower())
    return bool(asks) and bare in lists()["confirming"]


def pointed(first: str, second: str, old: Facts, new: Facts) -> Judged:
    """The judgement where the edit asks about another of the things that the input tells of."""
    said = [facts(text) for text in (first, second)]
    kept = next((f for f in said[1] if any(same_fact(f, g) for g in old)), None)
    if any(same_fact(f, g) for f in said[1] for g in new) or kept is None:
        return Judged(0.1, [])
    reason = f"said {kept.text!r}, which the input says of something else"
    return Judged(0.75, [Difference("ungrounded", 0.75, reason, None, (kept.start, kept.end))])


def same_program(one: str, other: str, asked: Asked, edit: InputDifference, alike: Alike) -> Judged:
    """How surely a program does what it did, its names aside, though something else was asked for."""
    renamed = expected_answer(one, edit, asked.source, asked.followup)
    parted = min(same(text, other, asked, alike).score for text in (one, renamed))
    reason = "something else was asked for, and the program does the same"
    score = 0.85 if parted < A_CHANGE else 0.1
    return Judged(score, [Difference("unchanged", score, reason, None, (0, len(other)))])


def same(one: str, other: str, asked: Asked, alike: Alike) -> Judged:
    """How surely two answers claim different things."""
    if " ".join(one.split()).lower() == " ".join(other.split()).lower():
        return Judged(0.0, [])
    if are_labels(one, other):
        places = (0, len(one)), (0, len(other))
        reason = f"{one.strip()!r} against {other.strip()!r}"
        return Judged(0.9, [Difference("label", 0.9, reason, *places)])
    found = sorted(differences(one, other, asked, alike), key=lambda d: -d.weight)
    rest = 1.0
    for each in found:
        rest *= 1 - each.weight
    return Judged(1 - rest, found)


def are_labels(one: str, other: str) -> bool:
    """Whether two answers are letters or digits of a choice, and not the same: A and B claim nothing else."""
    bare = [text.strip(" \n.:()*\"'").lower() for text in (one, other)]
    return bare[0] != bare[1] and all(len(text) == 1 and text.isalnum() for text in bare)


def derived(judged: Judged, answers: tuple[str, str], asked: Asked) -> Judged:
    """A change that the edit may well have led to: what was said stood in neither input, and it is the only one."""
    strong = [d for d in judged.found if d.weight >= THRESHOLD]
    if len(strong) != 1 or strong[0].first is None or strong[0].second is None:
        return judged
    places = strong[0].first, strong[0].second
    old, new = (text[place[0] : place[1]] for text, place in zip(answers, places, strict=True))
    if old.lower() in asked.source.lower() or new.lower() in asked.followup.lower():
        return judged
    return Judged(min(judged.score, THRESHOLD - 0.1), judged.found)


def uncited(text: str) -> str:
    """An answer without marks such as [1] after a word, its places kept; in code they are no such marks."""
    if code_blocks(text) or json_of(text) is not ...:
        return text
    return CITED.sub(lambda found: " " * len(found[0]), text)


def whole_input(item: Input) -> str:
    """All that a system was given, as one text."""
    earlier = (turn.text for turn in item.turns)
    parts = (item.title, item.context, *item.values.values(), *earlier, item.text)
    return "\n".join(part for part in parts if part)


def exchanged(text: str, pairs: Sequence[Sequence[str]]) -> str:
    """An answer in which the two of each pair have traded places."""
    table = {one.lower(): other for pair in pairs for one, other in (pair, pair[::-1])}
    if not table:
        return text
    names = "|".join(re.escape(name) for name in sorted(table, key=len, reverse=True))
    found = re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
    return found.sub(lambda match: table[match[0].lower()], text)


def verdict(case: str, judged: Judged, threshold: float, texts: Sequence[str]) -> Verdict:
    """The verdict with its reasons in words and the places in both answers."""
    broken = judged.score >= threshold
    told = [d for d in judged.found if d.weight >= 0.1][:5] if broken else []
    spans = []
    for each in told:
        for number, place in enumerate((each.first, each.second)):
            if place and 0 <= place[0] < place[1] <= len(texts[number]):
                spans.append(Span(number, place[0], place[1], each.reason))
    reasons = tuple(d.reason for d in told)
    return Verdict(
        case,
        "violated" if broken else "holds",
        reason=reasons[0] if reasons else "",
        score=round(judged.score, 4),
        threshold=threshold,
        reasons=reasons,
        spans=tuple(spans),
    )


def no_vectors(one: str, other: str) -> float | None:
    """Where there are no vectors."""
    return None


def cosines(tools: Tools) -> Alike:
    """The cosine of two texts by MiniLM, or none where it is not installed."""
    try:
        embedder = tools.embedder(EMBEDDER, DEFAULT)
    except Missing:
        return no_vectors

    def alike(one: str, other: str) -> float | None:
        rows = embedder.embed([one, other])
        return float(rows[0] @ rows[1])

    return alike
