"""The oracle of question answering: whether two answers say the same.

Yes and no are compared as such; other answers by their words, numbers and dates, and where these do not decide, by
the likeness of their vectors. The paper's threshold, 0.76, is for Phrase-BERT; see `docs/methods/qaqa.md` for MiniLM.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from polyglitch.compare.oracles.two_outputs import Judge
from polyglitch.protocols import Tools
from polyglitch.records import Output, Trial, Verdict
from polyglitch.registry import component
from polyglitch.represent.claims.answer_text import Date, ReadAnswer, polarity, read, says_nothing
from polyglitch.systems.answers import bare_answer, refuses

THRESHOLD = 0.76  # cosine, as published
SHORT_IN_LONG = (
    1 / 3
)  # share of the longer answer's words that the shorter must have to be its gist

FIRST_WORD = re.compile(r"\A\W*(\w+)")

Same = Literal["same", "differ", "vectors"]


@dataclass(frozen=True)
class JudgedAnswer:
    """What the rules say of two answers, or which texts' vectors must decide."""

    same: Same
    reason: str = ""
    texts: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class WantedAnswer:
    """The answer to judge and the answers that are right; or why there is nothing to judge, or nothing right."""

    answer: str = ""
    right: tuple[str, ...] = ()
    undecided: str = ""
    violated: str = ""


@component
def same_answer(embedder: str = "minilm", threshold: float = THRESHOLD) -> Judge:
    """Violated if the last answer differs in meaning from what the first ones, or the truth, ask for."""

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        wanted = [what_is_right(trial) for trial in trials]
        likeness = vector_likeness(
            [(w.answer, right) for w in wanted for right in w.right],
            embedder,
            languages(trials),
            tools,
        )
        return [
            verdict(trial, w, threshold, likeness) for trial, w in zip(trials, wanted, strict=True)
        ]

    return judge_all


def languages(trials: Sequence[Trial]) -> str | None:
    """The language of the first question."""
    return trials[0].case.inputs[0].language if trials else None


def said(output: Output) -> str:
    """The answer of a system: its label where it chose one."""
    return output.label if output.label is not None else output.text


def what_is_right(trial: Trial) -> WantedAnswer:
    """The answer that a relation asks for, worked out from the answers before the last."""
    if trial.failure:
        return WantedAnswer(undecided=trial.failure)
    answers = [said(output) for output in trial.outputs]
    for place, text in enumerate(answers):
        if not bare_answer(text):
            return WantedAnswer(undecided="an answer is empty")
        if refuses(text):
            if place and place == len(answers) - 1:  # all before it were answered
                why = "the system answered what came before and declined the last question"
                return WantedAnswer(text, violated=f"{why}: {text!r}")
            return WantedAnswer(undecided="the system declined to answer the first question")
    case = trial.case
    if case.relation == "stands by it":
        return stands_by(answers, trial)
    if case.expected:
        return WantedAnswer(answers[-1], case.expected)
    if case.relation == "yes if both are":
        sides = [polarity(text) for text in answers[:-1]]
        if None in sides:
            return WantedAnswer(undecided="a single question was answered by neither yes nor no")
        return WantedAnswer(answers[-1], ("yes" if set(sides) == {"yes"} else "no",))
    if case.relation == "opposite answer":
        if (first := FIRST_WORD.match(answers[-1])) and first[1].lower() in ("true", "false"):
            # "False." to "Is it false that ...?" denies the question or says that it is so.
            return WantedAnswer(
                undecided=f"{first[1]!r} can mean either when asked whether it is false"
            )
        side = polarity(answers[0])
        if side is None:
            return WantedAnswer(undecided="the first question was answered by neither yes nor no")
        return WantedAnswer(answers[-1], ("no" if side == "yes" else "yes",))
    return WantedAnswer(answers[-1], (answers[0],))


def stands_by(answers: Sequence[str], trial: Trial) -> WantedAnswer:
    """Asked back whether `claim` is true: yes is right for who gave that answer, no for who did not."""
    claims = trial.case.data.get("claims", [])
    decided = [by_rules(answers[0], claim) for claim in claims]
    if any(item.same == "same" for item in decided):
        return WantedAnswer(answers[-1], ("yes",))
    if all(item.same == "differ" for item in decided):
        return WantedAnswer(answers[-1], ("no",))
    return WantedAnswer(undecided="whether the first answer makes the statement cannot be told")


def by_rules(one: str, other: str) -> JudgedAnswer:
    """What words, numbers and dates say of two answers."""
    nothing = says_nothing(one), says_nothing(other)
    if any(nothing):
        return (
            JudgedAnswer("same")
            if all(nothing)
            else JudgedAnswer("differ", "one says there is no answer")
        )
    sides = polarity(one), polarity(other)
    if any(sides):
        if None in sides:
            return JudgedAnswer("differ", "one is yes or no and the other is neither")
        return (
            JudgedAnswer("same")
            if sides[0] == sides[1]
            else JudgedAnswer("differ", "yes against no")
        )
    whole = bare_answer(one), bare_answer(other)
    if whole[0] == whole[1]:
        return JudgedAnswer("same")
    judged = by_facts(read(one), read(other))
    return (
        judged
        if judged.same != "vectors" or any(judged.texts)
        else JudgedAnswer("vectors", texts=whole)
    )


def by_facts(a: ReadAnswer, b: ReadAnswer) -> JudgedAnswer:
    """Dates and numbers first, since vectors hardly see them; then negation, then words."""
    if a.date and b.date and not dates_agree(a.date, b.date):
        return JudgedAnswer("differ", "the dates differ")
    if a.numbers and b.numbers and not (a.numbers <= b.numbers or b.numbers <= a.numbers):
        return JudgedAnswer("differ", "the numbers differ")
    shared = a.words & b.words
    facts = a.numbers == b.numbers and whole_date(a) == whole_date(b)
    if a.negated != b.negated:
        return (
            JudgedAnswer("differ", "one denies what the other says")
            if shared
            else JudgedAnswer("vectors")
        )
    if a.words == b.words and (a.words or a.date or a.numbers):
        return JudgedAnswer("same") if facts else JudgedAnswer("vectors")
    if (a.numbers or a.date) and facts and (not a.words or not b.words):
        return JudgedAnswer("same")  # "three" and "three times"
    smaller, larger = sorted((a.words, b.words), key=len)
    gist = bool(smaller) and smaller <= larger and len(smaller) >= SHORT_IN_LONG * len(larger)
    if gist and facts:
        return JudgedAnswer("same")
    if not shared and len(a.words) == len(b.words) == 1:
        return JudgedAnswer("differ", "they name different things")  # Monday and Tuesday look alike
    if shared and len(a.words - b.words) == len(b.words - a.words) == 1:
        # All but one word in common: whole answers look alike, so the two words are compared.
        return JudgedAnswer("vectors", texts=(min(a.words - b.words), min(b.words - a.words)))
    return JudgedAnswer("vectors")


def whole_date(answer: ReadAnswer) -> bool:
    """Whether an answer names a day or a month; a year alone is seen as a number too."""
    return answer.date is not None and answer.date[1:] != (None, None)


def dates_agree(one: Date, other: Date) -> bool:
    """Whether two dates can be the same day: what both say is equal."""
    return all(a == b for a, b in zip(one, other, strict=True) if a is not None and b is not None)


def vector_likeness(
    pairs: Sequence[tuple[str, str]], embedder: str, language: str | None, tools: Tools
) -> dict[tuple[str, str], float]:
    """The cosine of each pair that the rules leave open."""
    judged = {pair: by_rules(*pair) for pair in dict.fromkeys(pairs)}
    left = {pair: item.texts for pair, item in judged.items() if item.same == "vectors"}
    if not left:
        return {}
    texts = list(dict.fromkeys(text for both in left.values() for text in both))
    row = dict(zip(texts, tools.embedder(embedder, language).embed(texts), strict=True))
    return {pair: float(row[one] @ row[other]) for pair, (one, other) in left.items()}


def verdict(
    trial: Trial, wanted: WantedAnswer, threshold: float, likeness: dict[tuple[str, str], float]
) -> Verdict:
    """Holds if the answer is as good as one of the right ones."""
    if wanted.undecided:
        return Verdict(trial.case.id, "undecided", wanted.undecided)
    if wanted.violated:
        return Verdict(trial.case.id, "violated", wanted.violated, 0.0, threshold, "below")
    scored: list[tuple[float, str]] = []
    for right in wanted.right:
        judged = by_rules(wanted.answer, right)
        # A system that all but said the right thing is less wrong than one that is sure of the other.
        nearly = min(trial.outputs[-1].scores.get(right, 0.0), threshold / 2)
        alike = likeness.get((wanted.answer, right), 0.0)
        score = {"same": 1.0, "differ": nearly, "vectors": alike}
        scored.append((score[judged.same], judged.reason or "the answers differ in meaning"))
    best, reason = max(scored)
    violated = best < threshold
    expected = f"{reason}: {wanted.right[0]!r} was to be expected, {wanted.answer!r} came"
    return Verdict(
        trial.case.id,
        "violated" if violated else "holds",
        score=best,
        threshold=threshold,
        direction="below",
        reasons=(expected,) if violated else (),
    )
