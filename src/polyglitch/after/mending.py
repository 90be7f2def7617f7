"""`repair`: for each issue of a run the outputs that would end it, in the manner of TransRepair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from polyglitch.after.reopen import Reopened
from polyglitch.errors import UsageError
from polyglitch.history import History
from polyglitch.issues.negation import unasked_negation
from polyglitch.protocols import WhiteBox
from polyglitch.records import Case, Edit, Input, Issue, Output, Trial
from polyglitch.repair.choose import consistency, likelihood, ranked
from polyglitch.repair.fixes import Choose, Fix, Mended
from polyglitch.repair.mend import Faults, Member, mend

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
    for issue in islice(history.store.issues(history.run_id), limit):
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
        for case in history.store.seed_cases(history.run_id, issue.seed_id)
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
