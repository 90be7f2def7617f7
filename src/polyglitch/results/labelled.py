"""What people's labels say of methods: precision, recall, kinds of bugs, and who found what.

The unit is a sentence under a method: it has an issue, or none. Where reviewers also labelled sentences without one
(the shelves "held" and "undecided" of the review), recall and F can be told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from polyglitch.records import Label, Verdict
from polyglitch.results.tables import Interval, wilson

Shelf = Literal["issue", "held", "undecided"]
Rule = Literal["majority", "unanimous", "any"]
WRONG, UNSAID = ("original", "follow-up", "both"), "unsaid"
BUG, FINE, UNSURE, DISPUTED = "bug", "not a bug", "unsure", "disputed"


class Said(msgspec.Struct, frozen=True):
    """What reviewers say together."""

    word: str  # bug, not a bug, unsure, disputed
    kind: str = ""
    case: str = ""
    wrong: str = ""  # original, follow-up, both; empty where nobody says
    kinds: tuple[str, ...] = ()  # all, where there are several


class LabelledCase(msgspec.Struct, frozen=True):
    """A sentence under a method with its worst verdict and what people say of it."""

    id: str
    method: str
    seed: str
    shelf: Shelf
    verdict: Verdict
    said: Said
    suspected: str = ""  # the kind that was suggested
    place: int = 1  # which of the reported cases shows the bug

    @property
    def decided(self) -> bool:
        """Whether people say bug or not."""
        return self.said.word in (BUG, FINE)

    @property
    def bug(self) -> bool:
        """Whether people call it a bug."""
        return self.said.word == BUG


def join_labels(labels: Sequence[Label], rule: Rule = "majority") -> Said:
    """One word from several reviewers. "Unsure" abstains; a draw is disputed, any dissent too if all must agree."""
    bugs = [label for label in labels if label.verdict == BUG]
    fine = sum(label.verdict == FINE for label in labels)
    if not bugs and not fine:
        return Said(UNSURE)
    if bugs and (rule == "any" or not fine or (rule == "majority" and len(bugs) > fine)):
        kinds = Counter(label.kind for label in bugs if label.kind)
        cases = Counter(label.case for label in bugs)
        wrong: Counter[str] = Counter(label.wrong for label in bugs if label.wrong)
        kind, case, where = (most_named(counted) for counted in (kinds, cases, wrong))
        also = dict.fromkeys(name for label in bugs for name in label.also if name != kind)
        return Said(BUG, kind, case, where, tuple(filter(None, (kind, *also))) if also else ())
    if not bugs or (rule == "majority" and fine > len(bugs)):
        return Said(FINE)
    return Said(DISPUTED)


def most_named(names: Counter[str]) -> str:
    """The name given most often, the first by alphabet among equals."""
    return min(names, key=lambda name: (-names[name], name), default="")


def share(found: int, total: int) -> dict[str, Any]:
    """A share with its counts and Wilson's interval."""
    value = round(found / total, 4) if total else None
    low, high = wilson(found, total)
    return {
        "value": value,
        "found": found,
        "of": total,
        "interval": [round(low, 4), round(high, 4)],
    }


def precision(items: Iterable[LabelledCase], top: int | None = None) -> dict[str, Any]:
    """Issues that are bugs, of those decided; with `top`, whose bug is in the first so many cases (SIT's top-k)."""
    issues = [item for item in items if item.shelf == "issue" and item.decided]
    found = [item for item in issues if item.bug and (top is None or item.place <= top)]
    return share(len(found), len(issues))


def recall(items: Iterable[LabelledCase]) -> dict[str, Any] | None:
    """Bugs that were reported, of all labelled ones; nothing where no sentence without an issue is labelled."""
    known = [item for item in items if item.decided]
    if all(item.shelf == "issue" for item in known):
        return None
    bugs = [item for item in known if item.bug]
    return share(sum(item.shelf == "issue" for item in bugs), len(bugs))


def f_score(items: Sequence[LabelledCase]) -> float:
    """The harmonic mean of precision and recall; not a number where nothing is a bug or reported."""
    hits = sum(item.bug and item.shelf == "issue" for item in items)
    both = sum(item.bug for item in items) + sum(item.shelf == "issue" for item in items)
    return 2 * hits / both if both else math.nan


def estimated_recall(items: Sequence[LabelledCase], issues: int, others: int) -> float:
    """Recall over the whole run, if what is not labelled is like what is; not a number where that says nothing."""
    raised = [item.bug for item in items if item.shelf == "issue"]
    passed = [item.bug for item in items if item.shelf != "issue"]
    if not raised or not passed:
        return math.nan
    hits = issues * sum(raised) / len(raised)
    missed = others * sum(passed) / len(passed)
    return hits / (hits + missed) if hits + missed else math.nan


def f_interval(items: Sequence[LabelledCase]) -> Interval:
    """Wilson's interval carried over to F, which rises with the share of hits among all that is a bug or reported."""
    hits = sum(item.bug and item.shelf == "issue" for item in items)
    low, high = wilson(hits, sum(item.bug or item.shelf == "issue" for item in items))
    return 2 * low / (1 + low), 2 * high / (1 + high)


def estimated_recall_interval(items: Sequence[LabelledCase], issues: int, others: int) -> Interval:
    """From the ends of both shares that the estimate is made of: a little too wide, and never too sure."""
    raised = [item.bug for item in items if item.shelf == "issue"]
    passed = [item.bug for item in items if item.shelf != "issue"]
    right, missed = wilson(sum(raised), len(raised)), wilson(sum(passed), len(passed))

    def recall_of(hit: float, miss: float) -> float:
        found, lost = issues * hit, others * miss
        return found / (found + lost) if found + lost else 1.0

    return recall_of(right[0], missed[1]), recall_of(right[1], missed[0])


def method_figures(
    items: Sequence[LabelledCase], issues: int, others: int, top: int
) -> dict[str, Any]:
    """All figures of one method (or of all) as plain data."""
    words = Counter(item.said.word for item in items if item.shelf == "issue")
    known = [item for item in items if item.decided]
    found: dict[str, Any] = {
        "issues": issues,
        "labelled": sum(words.values()),
        **{word: words[word] for word in (BUG, FINE, UNSURE, DISPUTED)},
        "top": {str(k): precision(items, k) for k in range(1, top + 1)},
        "wrong": wrong_outputs(items),
        "several_kinds": several_kinds(items),
        "precision": precision(items),
        "recall": recall(items),
    }
    if found["recall"] is not None:
        passed = [item for item in known if item.shelf != "issue"]
        found |= {
            "without_issue": {"sentences": others, "labelled": len(passed)},
            "missed": sum(item.bug for item in passed),
            "f": figure(known, f_score(known), f_interval(known)),
            "recall_of_the_run": figure(
                known,
                estimated_recall(known, issues, others),
                estimated_recall_interval(known, issues, others),
            ),
        }
    return found


def figure(
    items: Sequence[LabelledCase], value: float, interval: tuple[float, float]
) -> dict[str, Any]:
    """A figure that is no plain share, with its interval."""
    shown = None if math.isnan(value) else round(value, 4)
    return {"value": shown, "of": len(items), "interval": [round(end, 4) for end in interval]}


def wrong_outputs(items: Iterable[LabelledCase]) -> dict[str, int]:
    """In which output reported bugs are: the original's, the follow-up's, both, or unsaid (SIT's table 4)."""
    found = Counter(
        item.said.wrong or UNSAID for item in items if item.bug and item.shelf == "issue"
    )
    return {name: found[name] for name in (*WRONG, UNSAID)}


def several_kinds(items: Iterable[LabelledCase]) -> dict[str, int]:
    """How many reported bugs are of one kind, of two, ... at once (SIT's sentences with several bugs)."""
    counts = Counter(
        max(1, len(item.said.kinds)) for item in items if item.bug and item.shelf == "issue"
    )
    return {str(size): counts[size] for size in sorted(counts)}


def kinds(items: Iterable[LabelledCase]) -> dict[str, dict[str, int]]:
    """For each kind of bug, as people name it or else as it is suspected, how many each method found."""
    found: dict[str, Counter[str]] = {}
    for item in items:
        for kind in (item.said.kinds or (kind_of(item),)) if item.bug else ():
            found.setdefault(kind, Counter())[item.method] += 1
    return {name: dict(found[name]) for name in sorted(found, key=lambda n: (-found[n].total(), n))}


def kind_of(item: LabelledCase) -> str:
    """The kind that people name, or else the suspected one."""
    return item.said.kind or item.suspected or "no kind"


def overlap(items: Iterable[LabelledCase]) -> dict[str, Any]:
    """Distinct reported bugs (a sentence and a kind): by method, by it alone, and by each set of methods."""
    finders: dict[tuple[str, str], set[str]] = {}
    for item in items:
        if item.bug and item.shelf == "issue":
            for kind in item.said.kinds or (kind_of(item),):
                finders.setdefault((item.seed, kind), set()).add(item.method)
    sets = Counter("+".join(sorted(methods)) for methods in finders.values())
    names = sorted({name for methods in finders.values() for name in methods})
    by_method = {
        name: {"bugs": sum(name in methods for methods in finders.values()), "alone": sets[name]}
        for name in names
    }
    return {"bugs": len(finders), "methods": by_method, "sets": dict(sets.most_common())}
