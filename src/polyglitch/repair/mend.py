"""What a repair proposes: an output in place of another, and what came of it.

Which of several translations to believe: the one that agrees most with the others, or the likeliest.

The translations of a sentence and its mutants made consistent: one is believed, the others follow its wording.

`repair`: for each issue of a run the outputs that would end it, in the manner of TransRepair.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

import msgspec
from rapidfuzz.distance import Indel

from polyglitch.errors import UsageError
from polyglitch.issues.groups import unasked_negation, words
from polyglitch.protocols import Inspection, WhiteBox
from polyglitch.records import Case, Edit, Input, Issue, Output, Trial
from polyglitch.repair.transfer import cut, transfer
from polyglitch.results.history import History
from polyglitch.results.reopened import Reopened

Choose = Literal["similarity", "probability"]


class Fix(msgspec.Struct, frozen=True):
    """A source with the output it had and the one proposed instead."""

    source: str
    before: str
    after: str


class Mended(msgspec.Struct, frozen=True):
    """A repair of one issue: whose wording was taken, what is proposed, and how many violations that ends."""

    issue_id: str
    seed_id: str
    method: str
    fixes: tuple[Fix, ...] = ()
    chosen: str = ""  # the source whose translation was believed
    violations: int = 0
    gone: int = 0
    reason: str = ""  # why there is no proposal

    @property
    def repaired(self) -> bool:
        """Whether nothing of the issue is left."""
        return bool(self.fixes) and self.gone == self.violations


def consistency(outputs: Sequence[str]) -> list[float]:
    """For each output its mean similarity to the others, word by word: cross-reference."""
    texts = [[word.text.lower() for word in cut(output)] for output in outputs]
    return [
        sum(Indel.normalized_similarity(text, other) for other in texts[:n] + texts[n + 1 :])
        / max(len(texts) - 1, 1)
        for n, text in enumerate(texts)
    ]


def likelihood(inspections: Sequence[Inspection]) -> list[float]:
    """For each output the mean log probability of its tokens, as a white box gives them."""
    return [
        sum(math.log(max(float(p), 1e-9)) for p in each.probabilities)
        / max(len(each.probabilities), 1)
        for each in inspections
    ]


def ranked(scores: Sequence[float], original: int = 0) -> list[int]:
    """Places by score, the highest first; the original wins a tie."""
    return sorted(range(len(scores)), key=lambda n: (-round(scores[n], 9), n != original, n))


class Member(NamedTuple):
    """The original (which has no edit) or a mutant, with its translation."""

    text: str
    output: str
    edit: Edit | None = None


Glosses = Mapping[str, str]  # what the system makes of a word alone
Judge = Callable[[Mapping[str, str]], int]  # outputs by source: how many violations they leave
Faults = Callable[[str, str], int]  # how many plain facts of a source an output gets wrong


class Choice(NamedTuple):
    """A member that was believed, the outputs that follow from it, and the violations that are left."""

    chosen: Member
    outputs: dict[str, str]
    left: int


def mend(
    members: Sequence[Member], order: Sequence[int], glosses: Glosses, judge: Judge, faults: Faults
) -> Choice | None:
    """The first member in order whose wording leaves no violation, else the one that leaves fewest; if any helps.

    What most translations agree on can still be wrong: members with fewer plain faults come first.
    """
    best: Choice | None = None
    start = judge({member.text: member.output for member in members})
    for place in sorted(order, key=lambda n: faults(members[n].text, members[n].output)):
        outputs = dict(follow(members[place], members, glosses, faults))
        left = judge(outputs)
        if left < (best.left if best else start):
            best = Choice(members[place], outputs, left)
        if left == 0:
            break
    return best


def follow(
    model: Member, members: Sequence[Member], glosses: Glosses, faults: Faults
) -> Iterator[tuple[str, str]]:
    """Every member's source with its translation in the wording of the model, where that adds no fault."""
    for member in members:
        if member.text == model.text:
            yield member.text, member.output
            continue
        told = {word.lower() for word in swapped(model, member, glosses)}
        new = transfer(model.output, member.output, told)
        worse = faults(member.text, new) > faults(member.text, member.output)
        yield member.text, member.output if worse else new


def swapped(one: Member, other: Member, glosses: Glosses) -> list[str]:
    """The translations of the words that set two sources apart."""
    edits = [member.edit for member in (one, other) if member.edit]
    return [
        word
        for edit in edits
        for text in (edit.old, edit.new)
        for word in words(glosses.get(text, ""))
    ]


SWAPPED = "similar"  # the relation of a sentence and its mutant: the only one a wording can be carried over

NUMBER = re.compile(r"\d+")
Ask = Callable[[Sequence[Input]], Sequence[Output]]


def repair_run(
    history: History, opened: Reopened, choose: Choose = "similarity", limit: int | None = None
) -> Iterator[Mended]:
    """Repair the issues of a run, the worst first; each is told, with a reason where there is no repair."""
    if choose == "probability" and not isinstance(opened.system, WhiteBox):
        raise UsageError(
            f"--choose probability: {opened.uri} shows no probabilities; use similarity, which needs none"
        )
    for issue in islice(history.store.verdicts.issues(history.run_id), limit):
        yield repair_issue(history, opened, issue, choose)


def repair_issue(history: History, opened: Reopened, issue: Issue, choose: Choose) -> Mended:
    """Make the translations of an issue's sentence and its mutants agree."""
    violations = [trial.case for trial, _ in history.finding(issue).violations]
    told = Mended(issue.id, issue.seed_id, issue.method, violations=len(violations))
    if any(case.relation != SWAPPED or len(case.inputs) != 2 for case in violations):
        return with_reason(told, "no word was swapped: there is no wording to carry over")
    members = gather(history, issue, violations)
    if len(members) < 3:
        return with_reason(told, "one mutant only: two translations cannot outvote each other")

    def judge(outputs: Mapping[str, str]) -> int:
        trials = [
            Trial(case, tuple((Output(outputs[item.text]),) for item in case.inputs))
            for case in violations
        ]
        return sum(verdict.outcome == "violated" for verdict in opened.verdicts(trials))

    order = ranked(scores(members, opened, choose))
    glosses = glosses_of([member.edit for member in members], opened.ask, opened.languages)
    found = mend(members, order, glosses, judge, plain_faults(opened.languages))
    if found is None:
        return with_reason(told, "no wording makes them agree")
    concerned = {item.text for case in violations for item in case.inputs}
    fixes = tuple(
        Fix(member.text, member.output, found.outputs[member.text])
        for member in members
        if member.text in concerned and found.outputs[member.text] != member.output
    )
    gone = len(violations) - found.left
    return Mended(
        issue.id, issue.seed_id, issue.method, fixes, found.chosen.text, len(violations), gone
    )


def with_reason(told: Mended, reason: str) -> Mended:
    """An issue without a repair."""
    return Mended(
        told.issue_id, told.seed_id, told.method, violations=told.violations, reason=reason
    )


def gather(history: History, issue: Issue, violations: Sequence[Case]) -> list[Member]:
    """The original and every mutant that some method made of it by a swap, each once."""
    cases = [
        case
        for case in history.store.cases.of_seed(history.run_id, issue.seed_id)
        if case.relation == SWAPPED and len(case.inputs) == 2 and case.edit
    ]
    members: dict[str, Member] = {}
    for trial in history.trials(cases):
        original, mutant = trial.case.inputs
        if trial.failure or original.text != violations[0].inputs[0].text:
            continue
        members.setdefault(original.text, Member(original.text, trial.outputs[0].text))
        members.setdefault(mutant.text, Member(mutant.text, trial.outputs[1].text, trial.case.edit))
    return list(members.values())


def scores(members: Sequence[Member], opened: Reopened, choose: Choose) -> list[float]:
    """How far each member is to be believed."""
    outputs = [member.output for member in members]
    if choose == "similarity":
        return consistency(outputs)
    inputs = [Input(member.text, language=opened.languages[0]) for member in members]
    return likelihood(opened.system.inspect(inputs, outputs))


def glosses_of(
    edits: Iterable[Edit | None], ask: Ask, languages: tuple[str | None, str | None]
) -> dict[str, str]:
    """What the system makes of each swapped word alone."""
    swapped = list(dict.fromkeys(text for edit in edits if edit for text in (edit.old, edit.new)))
    answers = ask([Input(text, language=languages[0]) for text in swapped])
    return {text: output.text for text, output in zip(swapped, answers, strict=True)}


def plain_faults(languages: tuple[str | None, str | None]) -> Faults:
    """Counts what can be told without understanding: made-up negations, and numbers that were lost or made up."""

    def count(source: str, output: str) -> int:
        asked, given = Counter(NUMBER.findall(source)), Counter(NUMBER.findall(output))
        wrong = (asked - given).total() + (given - asked).total()
        return wrong + bool(unasked_negation(source, output, languages))

    return count
