"""What a repair proposes: an output in place of another, and what came of it.

Which of several translations to believe: the one that agrees most with the others, or the likeliest.

The translations of a sentence and its mutants made consistent: one is believed, the others follow its wording.

`repair`: for each issue of a run the outputs that would end it, in the manner of TransRepair.

One translation rewritten after another: the wording of the more consistent one, the swapped word of the other.

This is the repair of TransRepair (Sun et al., ICSE 2020), with two outputs of the system in place of an aligner: what
stands in both is common, and of the stretches that differ those that translate the swapped words, or agree with them
in their endings, stay as they are; all others are taken over.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple

import msgspec
from rapidfuzz.distance import Indel

from polyglitch.errors import UsageError
from polyglitch.issues.groups import is_negation, unasked_negation, words
from polyglitch.languages.record import share_most
from polyglitch.protocols import Inspection, WhiteBox
from polyglitch.records import Case, Edit, Input, Issue, Output, Trial
from polyglitch.repair.pair import WORD
from polyglitch.repair.shrink import like_any
from polyglitch.results.history import History
from polyglitch.results.reopened import Reopened

SHORT = 3  # letters: articles and prepositions, which follow the gender of the word after them
Choose = Literal["similarity", "probability"]


class TransferWord(NamedTuple):
    """A word of an output with the blanks before it."""

    text: str
    before: str


def cut(text: str) -> list[TransferWord]:
    """The words and marks of a text."""
    found, end = [], 0
    for match in WORD.finditer(text):
        found.append(TransferWord(match.group(), text[end : match.start()]))
        end = match.end()
    return found


def transfer(model: str, own: str, glosses: Collection[str]) -> str:
    """`own` in the wording of `model`; `glosses` are translations of the words that set their sources apart."""
    ours, theirs = cut(own), cut(model)
    steps = merged([word.text.lower() for word in ours], [word.text.lower() for word in theirs])
    kept: list[TransferWord] = []
    for same, mine, other in steps:
        beside = any(
            like_any(w.text, list(glosses))
            for w in (*ours[: mine.start][-1:], *ours[mine.stop :][:1])
        )
        if same:
            kept += ours[mine]
        else:
            kept += settle(ours[mine], theirs[other], glosses, beside)
    text = ""
    for word in kept:
        # The first word of a text has no blank before it, and may have come to stand after another.
        glued = not word.before and text[-1:].isalnum() and word.text[:1].isalnum()
        text += (word.before or " " * glued if text else "") + word.text
    return text[:1].upper() + text[1:] if own[:1].isupper() else text


def merged(ours: list[str], theirs: list[str]) -> list[tuple[bool, slice, slice]]:
    """Stretches that are the same and stretches that differ, in turn; a deletion beside an insertion is one."""
    found: list[tuple[bool, slice, slice]] = []
    for step in Indel.opcodes(ours, theirs):
        same = step.tag == "equal"
        mine, other = slice(step.src_start, step.src_end), slice(step.dest_start, step.dest_end)
        if found and not same and not found[-1][0]:
            _, before, against = found.pop()
            mine, other = slice(before.start, mine.stop), slice(against.start, other.stop)
        found.append((same, mine, other))
    return found


def settle(
    mine: Sequence[TransferWord],
    other: Sequence[TransferWord],
    glosses: Collection[str],
    beside: bool,
) -> Sequence[TransferWord]:
    """Which side of a difference to take; `beside` says that a swapped word stands next to it.

    Where a stretch holds a swapped word, or agrees with one, the two sides cannot be mixed without tearing articles and
    endings from their noun: it stays as it is, unless it negates and the other side does not.
    """
    own_due, their_due = due(mine, glosses), due(other, glosses)
    if not own_due and not their_due:
        bound = beside and (not mine or not other or all_short((*mine, *other)))
        return mine if bound or only_endings(mine, other) or ends_differ(mine, other) else other
    denied = any(map(negates, mine)) and not any(map(negates, other))
    if not denied or not own_due or not their_due:
        return mine
    first, last = min(their_due), max(their_due)
    return [*other[:first], *mine[min(own_due) : max(own_due) + 1], *other[last + 1 :]]


def negates(word: TransferWord) -> bool:
    """Whether a word negates; two letters are too few to tell, since languages share them."""
    return len(word.text) > 2 and is_negation(word.text)


def all_short(words: Sequence[TransferWord]) -> bool:
    """Whether there are articles and prepositions only."""
    return all(len(word.text) <= SHORT + 1 for word in words)


def ends_differ(mine: Sequence[TransferWord], other: Sequence[TransferWord]) -> bool:
    """Whether one long word faces another with another ending: of another gender or number, as like as not."""
    if len(mine) != 1 or len(other) != 1 or min(len(mine[0].text), len(other[0].text)) <= SHORT:
        return False
    one, two = mine[0].text, other[0].text
    plural = one.endswith("s") and two.endswith("s")  # the letter before it tells then
    return one[-2] != two[-2] if plural else one[-1] != two[-1]


def due(words: Sequence[TransferWord], glosses: Collection[str]) -> set[int]:
    """The places of the words that translate a swapped one."""
    return {
        place
        for place, word in enumerate(words)
        if len(word.text) > SHORT and like_any(word.text, list(glosses))
    } or {place for place, word in enumerate(words) if word.text.lower() in glosses}


def only_endings(mine: Sequence[TransferWord], other: Sequence[TransferWord]) -> bool:
    """Whether two stretches are the same words in other forms."""
    if len(mine) != len(other) or not mine:
        return not mine and not other
    return all(
        share_most(one.text, two.text) or other_ending(one.text.lower(), two.text.lower())
        for one, two in zip(mine, other, strict=True)
    )


def other_ending(one: str, other: str) -> bool:
    """Whether two short words differ in their last letter at most, and neither negates."""
    if abs(len(one) - len(other)) > 1 or max(len(one), len(other)) > SHORT + 2:
        return False
    if one.endswith("s") and other.endswith("s"):
        one, other = one[:-1], other[:-1]
    stem = max(min(len(one), len(other)) - 1, 0)
    negating = any(negates(TransferWord(word, "")) for word in (one, other))
    return one[:stem] == other[:stem] and not negating


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
