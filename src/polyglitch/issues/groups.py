"""Issues that are one bug brought together: the same words changed in the outputs, or the same negation made up.

A swapped word always changes the word that translates it, so that change alone makes no group across sentences:
two issues are one bug when they share a change under different swaps, when they are about the same sentence, or when
the change is all there is to either of them.

Negations that an output has and its source has not: the plainest sign that two issues are one bug.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from polyglitch.issues.kinds import words
from polyglitch.languages import language as language_of
from polyglitch.records import Group, Issue, Trial, Verdict, digest

Change = tuple[
    str, str
]  # what stands in the one output and in the other, in the order of the alphabet
Violations = Sequence[tuple[Trial, Verdict]]


class Sight(NamedTuple):
    """A trait of an issue in the case that shows it best."""

    case_id: str
    clear: (
        bool  # for a change, that nothing else changed; for a negation, that only one output has it
    )


class Traits(NamedTuple):
    """What an issue is told by."""

    issue: Issue
    negation: str  # the negation that nothing in the source asks for
    seen: Sight
    changes: dict[Change, Sight]
    edits: frozenset[tuple[str, str]]


def group_issues(found: Iterable[tuple[Issue, Violations]], languages: Languages) -> list[Group]:
    """Groups of issues, each worst first, the largest group first; every issue is in one."""
    traits = [traits_of(issue, violations, languages) for issue, violations in found]
    place = {each.issue.id: number for number, each in enumerate(traits)}
    left = dict(zip(place, traits, strict=True))
    groups: list[Group] = []
    for title, members in (*by_negation(traits), *by_change(traits)):
        some = [(each, sight) for each, sight in members if each.issue.id in left]
        if len(some) > 1:
            groups.append(make_group(title, some))
            for each, _ in some:
                del left[each.issue.id]
    groups += [make_group(*alone(each)) for each in left.values()]
    return sorted(groups, key=lambda group: (-len(group.issue_ids), place[group.issue_ids[0]]))


Members = Sequence[tuple[Traits, Sight]]


def traits_of(issue: Issue, violations: Violations, languages: Languages) -> Traits:
    """What tells an issue, from all its violations."""
    negation, seen = "", Sight("", False)
    changes, edits = dict[Change, Sight](), set[tuple[str, str]]()
    for trial, verdict in violations:
        word, clear = negation_of(trial, languages)
        if word and (not negation or (clear and not seen.clear)):
            negation, seen = word, Sight(trial.case.id, clear)
        found = changes_of(trial, verdict)
        for change in found:
            if change not in changes or (len(found) == 1 and not changes[change].clear):
                changes[change] = Sight(trial.case.id, len(found) == 1)
        if trial.case.edit:
            edits.add((trial.case.edit.old, trial.case.edit.new))
    return Traits(issue, negation, seen, changes, frozenset(edits))


def negation_of(trial: Trial, languages: Languages) -> tuple[str, bool]:
    """The negation that nothing asks for in some output of a trial, and whether only one output has it."""
    if moved := moved_negation(trial, languages):
        return moved, True
    for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
        if word := unasked_negation(item.text, output.text, languages):
            return word, False
    return "", False


def changes_of(trial: Trial, verdict: Verdict) -> list[Change]:
    """The changes an oracle marked, each as the two sides that stand against one another."""
    sides: dict[str, list[str]] = {}
    for span in verdict.spans:
        text = trial.outputs[span.output].text[span.start : span.end].lower()
        sides.setdefault(span.reason, ["", ""])[min(span.output, 1)] = text
    return [(min(pair), max(pair)) for pair in sides.values() if any(pair)]


def by_negation(traits: Sequence[Traits]) -> Iterable[tuple[str, Members]]:
    """The issues with the same negation out of nowhere."""
    for word in dict.fromkeys(each.negation for each in traits if each.negation):
        title = f"‘{word}’ that the source does not ask for"
        yield title, [(each, each.seen) for each in traits if each.negation == word]


def by_change(traits: Sequence[Traits]) -> Iterable[tuple[str, Members]]:
    """The issues with the same change, the most common change first."""
    holders: dict[Change, list[Traits]] = {}
    for each in traits:
        for change in each.changes:
            holders.setdefault(change, []).append(each)
    most_first = sorted(holders.items(), key=lambda item: (-len(item[1]), -size(item[0]), item[0]))
    for change, some in most_first:
        kin = [each for each in some if any(akin(each, other, change) for other in some)]
        if len(kin) > 1:
            yield title_of(change), [(each, each.changes[change]) for each in kin]


def akin(one: Traits, other: Traits, change: Change) -> bool:
    """Whether a change that two issues share makes them one bug, rather than two alike swaps."""
    if one is other:
        return False
    same_seed = one.issue.seed_id == other.issue.seed_id
    only_this = one.changes[change].clear and other.changes[change].clear
    return same_seed or only_this or not one.edits & other.edits


def size(change: Change) -> int:
    """How many characters a change concerns: the longer, the less likely two issues share it by chance."""
    return len(change[0]) + len(change[1])


def title_of(change: Change) -> str:
    """A change in words."""
    first, second = change
    return f"‘{first}’ against ‘{second}’" if first else f"‘{second}’ on one side only"


def alone(each: Traits) -> tuple[str, Members]:
    """An issue as a group of one, told by its longest change."""
    if not each.changes:
        return "", [(each, Sight("", False))]
    longest = max(each.changes, key=size)
    return title_of(longest), [(each, each.changes[longest])]


def make_group(title: str, members: Members) -> Group:
    """A group of issues; the first that shows the bug clearly goes before the rest, which come worst first."""
    ordered = sorted(members, key=lambda member: not member[1].clear)
    ordered = ordered[:1] + [member for member in members if member is not ordered[0]]
    ids = tuple(each.issue.id for each, _ in ordered)
    kinds = Counter(each.issue.kind for each, _ in ordered if each.issue.kind)
    negating = all(each.negation for each, _ in ordered)
    return Group(
        id=digest(sorted(ids)),
        title=title,
        issue_ids=ids,
        kind="negation" if negating else (kinds.most_common(1)[0][0] if kinds else ""),
        methods=tuple(sorted({each.issue.method for each, _ in ordered})),
        case_id=ordered[0][1].case_id,
    )


Languages = tuple[str | None, str | None]


def unasked_negation(source: str, output: str, languages: Languages) -> str:
    """The negating particle that stands in an output more often than its source negates, or nothing.

    Only the plain particle counts: many languages say "nothing" with two negating words. A source with a word that
    others put with a negation ("has yet to") is given the benefit of the doubt.
    """
    particle, found = particles(output, languages[1])
    wanted = denials(source, languages[0])
    if not particle or wanted is None:
        return ""
    implied = frozenset(language_of(languages[0]).negation.implied)
    if implied.intersection(map(str.lower, words(source))):
        return ""
    return particle if found > wanted else ""


def moved_negation(trial: Trial, languages: Languages) -> str:
    """The negating particle that one of two outputs has more often, though the sources negate alike; or nothing."""
    if len(trial.outputs) != 2 or trial.case.relation == "contained":
        return ""
    wanted = [denials(item.text, languages[0]) for item in trial.case.inputs]
    counts = [particles(output.text, languages[1]) for output in trial.outputs]
    same = wanted[0] is not None and wanted[0] == wanted[1]
    return counts[0][0] if same and counts[0] != counts[1] else ""


def denials(text: str, language: str | None) -> int | None:
    """How often a text negates; unknown for a language without a list."""
    denying = language_of(language).negation.words
    if not denying:
        return None
    told = [word.lower().replace("’", "'") for word in words(text)]
    return sum(word in denying or word.endswith("n't") for word in told)


def particles(text: str, language: str | None) -> tuple[str, int]:
    """The plain negating particle of a language, and how often a text has it."""
    particle = next(iter(language_of(language).negation.words), "")
    return particle, sum(word.lower() == particle for word in words(text))
