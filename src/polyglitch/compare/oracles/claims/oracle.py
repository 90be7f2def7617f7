"""Verdicts on pairs of answers: the claims must stay (`same`), follow the edit (`follows`), or vanish (`differs`).

What parts the claims of two answers: form, stance, the whole, then facts, statements and wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from polyglitch.compare.oracles.claims.difference import Asked, Difference, chosen_option
from polyglitch.compare.oracles.claims.edit import (
    InputDifference,
    expected_answer,
    expected_once,
    find_edit,
    switched,
)
from polyglitch.compare.oracles.claims.enumerations import (
    choice_differences,
    exchanged_parts,
    item_differences,
)
from polyglitch.compare.oracles.claims.items import (
    bound_differences,
    fact_differences,
    swapped_facts,
)
from polyglitch.compare.oracles.claims.programs import formed_differences
from polyglitch.compare.oracles.claims.statements import (
    NEAR,
    Alike,
    aligned,
    lost_statements,
    overlap,
    spoken,
    statement_differences,
    turned_words,
    word_differences,
)
from polyglitch.compare.oracles.claims.vanished import says_new, still_said, vanished_score
from polyglitch.errors import Missing
from polyglitch.languages import DEFAULT
from polyglitch.protocols import Comparison, Tools
from polyglitch.records import Input, Span, Trial, Verdict, undecided
from polyglitch.registry import component
from polyglitch.represent.claims.answer import (
    Answer,
    denial,
    half_denies,
    inner_capitals,
    read_answer,
)
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.other_languages import other_languages
from polyglitch.represent.claims.structure import code_blocks, json_of
from polyglitch.represent.claims.words import lists, phrase_pattern

GIVING_IN = 60  # characters at the start of an answer where it says that the user is right
CERTAIN = 0.9  # nothing else needs to be looked at
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


def differences(one: str, other: str, asked: Asked, alike: Alike) -> list[Difference]:
    """Everything that parts two answers, each with its weight."""
    formed = formed_differences(one, other, asked.source)
    if formed is not None:
        return formed
    known = frozenset().union(*map(inner_capitals, (one, other, asked.source, asked.followup)))
    a, b = read_answer(one, known), read_answer(other, known)
    found = list(stance_differences(a, b, asked))
    if found and found[0].weight > CERTAIN:
        return found
    found += whole_differences(a, b, asked)
    if a.stance == b.stance and a.stance in ("unknown", "refusal"):
        return found  # what is not known may be said in any way
    found += fact_differences(a, b, asked)
    found += statement_differences(a, b)
    found += lost_statements(a, b, asked)
    found += swapped_facts(a, b)
    if not any(d.kind == "opposite" for d in found):
        found += bound_differences(a, b)
    found += item_differences(one, other, asked)
    if not any(d.kind in ("roles", "swapped") for d in found):
        found += exchanged_parts(a, b)
    found += choice_differences(a, b, asked)
    found += word_differences(a, b, turned_words(a, b), alike)
    found += agreed_differences(a, b)
    return found


def stance_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Yes against no, an answer against a refusal or "not known"."""
    sides = {a.stance, b.stance}
    places = opening(a), opening(b)
    if len(sides) == 1 or sides == {"unknown", "refusal"}:
        return
    if sides == {"yes", "no"}:
        if asked.turned_question and denied_at_all(a) == denied_at_all(b):
            return  # "That's right, they can't" to "They can't, can they?" is a no
        yield Difference("stance", 0.95, f"{a.stance!r} became {b.stance!r}", *places)
    elif sides & {"unknown", "refusal"}:
        said = {"unknown": "says that it is not known", "refusal": "declines"}
        first, second = (said.get(x.stance, "answers") for x in (a, b))
        yield Difference("stance", 0.92, f"the first {first}, the second {second}", *places)
    elif a.sentences and b.sentences:
        clear, plain = (a, b) if a.stance else (b, a)
        denied = any(s.negated for s in spoken(plain))
        alike = any(overlap(x, y) >= NEAR for x, y in aligned(a, b))
        if not denied and clear.stance == "no" and alike:
            return  # "No, we are closed" and "We are closed"
        if denied != (clear.stance == "no") and len(plain.text.split()) > 2:
            what = "denies" if denied else "affirms"
            reason = f"one answer is a {clear.stance!r}, the other {what}"
            yield Difference("stance", 0.6 if denied else 0.35, reason, *places)


def agreed_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """The second answer tells the user that they are right, and the first does not."""
    said = [phrase_pattern("giving_in").search(x.text[:GIVING_IN].lower()) for x in (a, b)]
    if said[1] and not said[0]:
        yield Difference("agreed", 0.35, "only the second answer gives in", None, said[1].span())


def denied_at_all(answer: Answer) -> bool:
    """Whether an answer denies something beyond its first word."""
    return bool(denial(answer.text.partition(" ")[2]) or half_denies(answer.text))


def whole_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """What can be told of an answer as a whole: empty, cut off, in another language."""
    if bool(a.text.strip()) != bool(b.text.strip()):
        yield Difference("empty", 0.95, "one answer is empty")
    elif a.cut_off != b.cut_off:
        cut, which = (a, "first") if a.cut_off else (b, "second")
        end = len(cut.text.rstrip())
        span = (max(0, end - 15), end)
        places = (span, None) if a.cut_off else (None, span)
        yield Difference("cut off", 0.75, f"the {which} answer is cut off", *places)
    if other_language(a, b) and not asked.in_another_language:
        first, second = (x.language or "another language" for x in (a, b))
        reason = f"answered in {first!r}, then in {second!r}"
        yield Difference("language", 0.9, reason, opening(a), opening(b))


def other_language(a: Answer, b: Answer) -> bool:
    """Whether two answers are in different languages; a short one may only tell in which it is not."""
    if a.language and b.language:
        return a.language != b.language
    return other_languages(a.text, b.text)


def opening(answer: Answer) -> tuple[int, int] | None:
    """The place of the first sentence."""
    first = answer.sentences[0] if answer.sentences else None
    return (first.start, first.end) if first else None


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
