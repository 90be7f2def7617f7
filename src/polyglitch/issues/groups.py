"""Issues: which violations make one, what kind of defect they suggest, and which issues are one bug.

A swapped word always changes the word that translates it, so that change alone makes no group across sentences:
two issues are one bug when they share a change under different swaps, when they are about the same sentence, or when
the change is all there is to either of them. The plainest sign is a negation that an output has and its source has not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from polyglitch.languages import all_languages
from polyglitch.languages import language as language_of
from polyglitch.languages.record import share_half
from polyglitch.protocols import IssueRule
from polyglitch.records import Group, Issue, Seed, Span, Trial, Verdict, digest
from polyglitch.registry import component

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*['’]?")
HAN = re.compile(r"[\u3400-\u9fff]")
UNTRANSLATED = "untranslated"
OWN_SOURCE = ("facts", "source", UNTRANSLATED)  # who hold an output against its own source


def suggest_kind(trial: Trial, verdict: Verdict) -> str:
    """Negation, number, name, untranslated, words missing, added, moved or changed, logic; or nothing."""
    if len(trial.outputs) == 1 and len(trial.chains[0]) > 1 and trial.case.inputs:
        lost, gained = differing_words(trial.case.inputs[0].text, trial.chains[0][-1].text)
        return kind_of(lost, gained) if lost or gained else ""
    if len(trial.outputs) == 1 and verdict.spans and verdict.details:
        return max(verdict.details, key=lambda kind: verdict.details[kind])  # the oracle named them
    if len(trial.outputs) < 2 or not verdict.spans:
        return ""
    if is_left_over(trial, verdict.spans[0]):
        return UNTRANSLATED
    last = len(trial.outputs) - 1
    lost, gained = words_at_fault(trial, verdict, 0), words_at_fault(trial, verdict, last)
    edit = trial.case.edit
    return kind_of(lost, gained, f"{edit.old} {edit.new}" if edit else "")


def is_left_over(trial: Trial, span: Span) -> bool:
    """Whether a place that was held against its own source is a word of that source, as it stands there."""
    if span.witness not in OWN_SOURCE or span.output >= len(trial.case.inputs):
        return False
    word = trial.outputs[span.output].text[span.start : span.end]
    return len(word) > 2 and word.isalpha() and word in words(trial.case.inputs[span.output].text)


def kind_of(lost: list[str], gained: list[str], touched: str = "") -> str:
    """The kind of a difference; what was changed on purpose is no fact against the system."""
    return fact(lost, gained, touched) or shape(lost, gained)


def fact(lost: list[str], gained: list[str], touched: str = "") -> str:
    """A negation, number or name that differs, or nothing."""
    if differs(lost, gained, is_negation) and not any(map(is_negation, words(touched))):
        return "negation"
    if differs(lost, gained, has_digit) and not has_digit(touched):
        return "number"
    if differs(lost, gained, is_name) and not any(map(is_name, words(touched))):
        return "name"
    return ""


def shape(lost: list[str], gained: list[str]) -> str:
    """What became of the words that carry meaning: missing, added, changed; or all there, but not as they were."""
    if Counter(map(str.lower, lost)) == Counter(map(str.lower, gained)):
        return "words moved"
    gone, new = without_forms(content(lost), content(gained))
    if not gone and not new:
        # Only function words or forms of the same words differ. Lost without a substitute they are missing, else what
        # the words say of each other is another thing.
        return "words missing" if lost and not gained else "logic"
    # A phrase for a word is a change of words; but whoever has less than half to say left something out.
    if not new or len(gone) > 2 * len(new):
        return "words missing"
    return "words changed" if gone else "words added"


def words_at_fault(trial: Trial, verdict: Verdict, output: int) -> list[str]:
    """The words of one output that the oracle marked."""
    text = trial.outputs[output].text
    marked = [text[span.start : span.end] for span in verdict.spans if span.output == output]
    return [word for piece in marked for word in words(piece)]


def differing_words(one: str, other: str) -> tuple[list[str], list[str]]:
    """The words of each of two texts that have no counterpart in the other, in order."""
    first, second = words(one), words(other)
    steps = LCSseq.opcodes([w.lower() for w in first], [w.lower() for w in second])
    apart = [step for step in steps if step.tag != "equal"]
    lost = [word for step in apart for word in first[step.src_start : step.src_end]]
    gained = [word for step in apart for word in second[step.dest_start : step.dest_end]]
    return lost, gained


def words(text: str) -> list[str]:
    """Words, and single characters where a script has no blanks."""
    found: list[str] = []
    for word in WORD.findall(text):
        found += list(word) if HAN.search(word) else [word]
    return found


def content(found: list[str]) -> list[str]:
    """Without function words, in lower case."""
    return [word for word in map(str.lower, found) if word not in function_words()]


def without_forms(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Two lists without the words that both have, in whatever form."""
    gone, new = [], list(other)
    for word in one:
        match = next((place for place, each in enumerate(new) if share_half(word, each)), None)
        if match is None:
            gone.append(word)
        else:
            del new[match]
    return gone, new


def differs(lost: list[str], gained: list[str], test: Callable[[str], bool]) -> bool:
    """Whether the words that pass a test are others on the two sides."""
    sides = [Counter(word.lower() for word in side if test(word)) for side in (lost, gained)]
    return sides[0] != sides[1]


def has_digit(word: str) -> bool:
    """Whether there is a number in figures."""
    return any(character.isdigit() for character in word)


def is_name(word: str) -> bool:
    """Whether a word is written as a name is."""
    if len(word) < 2 or not word[0].isupper() or HAN.search(word):
        return False
    return word.lower() not in function_words()  # they begin sentences


def is_negation(word: str) -> bool:
    """Whether a word negates, in any of the known languages."""
    return word.lower() in negations()


@cache
def function_words() -> frozenset[str]:
    """The telling function words of all languages: texts do not tell theirs."""
    telling = [known for known in all_languages() if known.telling_stop_words]
    return frozenset(word for known in telling for word in known.stop_words)


@cache
def negations() -> frozenset[str]:
    """All negating words."""
    return frozenset(word for known in all_languages() for word in known.negation.words)


@component
def worst_first(top: int = 3) -> IssueRule:
    """The `top` most severe violations of a seed; among equals, the shortest output (SIT's rule)."""

    def build(seed: Seed, violations: Sequence[tuple[Trial, Verdict]]) -> list[Issue]:
        if not violations:
            return []
        worst = sorted(
            violations,
            key=lambda item: (-item[1].severity, len(item[0].outputs[-1].text), item[1].case_id),
        )[:top]
        method = worst[0][0].case.method
        # The answers are part of the name: a label given to an old model's is not the new one's.
        answers = [output.text or output.label for trial, _ in worst for output in trial.outputs]
        return [
            Issue(
                id=digest([method, seed.id, *(v.case_id for _, v in worst), *answers]),
                seed_id=seed.id,
                method=method,
                case_ids=tuple(verdict.case_id for _, verdict in worst),
                severity=worst[0][1].severity,
                kind=suggest_kind(*worst[0]),
            )
        ]

    return build


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
    if len(trial.outputs) == 1:  # nothing stands against it: the reason tells the change
        return [(reason, reason) for reason in dict.fromkeys(span.reason for span in verdict.spans)]
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
    if first == second:
        return first
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
