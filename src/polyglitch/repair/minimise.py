"""The smallest pair that still fails in the same way: delta debugging over constituents, or words without a parser.

Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, TSE 2002. What may be left out comes from the
grammar (`shrink`), so that each step is a sentence; that it is the same bug is told by the words that changed.

`minimise`: the issues of a run, each with the smallest pair that still fails in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import islice
from typing import NamedTuple

import msgspec

from polyglitch.errors import PolyglitchError
from polyglitch.records import Case, Edit, Input, Issue, Parse, Trial, Verdict, digest
from polyglitch.repair.pair import InputPair, contained_pair, swapped_pair, well_formed
from polyglitch.repair.shrink import ShrinkableSentence, same_bug, still_a_sentence, words_less
from polyglitch.results.history import MINIMISED, History
from polyglitch.results.reopened import Reopened, issue_by_issue, with_inputs

AT_ONCE = 4  # candidates asked together: few are wasted when the first of them will do

Judged = tuple[Trial, Verdict]
Smaller = Callable[[Set[int]], Iterable[frozenset[int]]]
Judge = Callable[[Sequence[frozenset[int]]], list[Judged | None]]  # None: not a sentence, not asked


class Minimised(NamedTuple):
    """What is left of a pair, and at what cost."""

    kept: frozenset[int]
    judged: Judged | None  # nothing where nothing could be left out
    tried: int


def minimise(
    everything: frozenset[int],
    smaller: Smaller,
    judge: Judge,
    same: Callable[[Judged], bool],
    left: Callable[[], int],
) -> Minimised:
    """Leave out whatever can go, the most at once first, as long as `left` says that there are queries left."""
    kept, best = everything, None
    seen: set[frozenset[int]] = set()
    found = True
    while found and left() > 0:
        found = False
        options = (option for option in smaller(kept) if option not in seen)
        while not found and left() > 0 and (some := list(islice(options, AT_ONCE))):
            seen.update(some)
            for option, judged in zip(some, judge(some), strict=True):
                if judged and judged[1].outcome == "violated" and same(judged):
                    kept, best, found = option, judged, True
                    break
    return Minimised(kept, best, len(seen))


BUDGET = 60  # queries an issue: three quarters of the bundled translator's issues need fewer


class Shrunk(msgspec.Struct, frozen=True):
    """What became of one issue; a reason where it was left as it was."""

    issue_id: str
    words_before: int
    words_after: int
    queries: int = 0
    reason: str = ""


def minimise_run(
    history: History,
    opened: Reopened,
    limit: int | None = None,
    budget: int = BUDGET,
    watch: Callable[[Shrunk], None] = lambda _: None,
) -> list[Shrunk]:
    """Minimise the worst issues of a run; the pairs are kept in its store, beside the issues."""
    return issue_by_issue(
        history, limit, lambda issue: minimise_issue(history, opened, issue, budget), watch
    )


def minimise_issue(history: History, opened: Reopened, issue: Issue, budget: int) -> Shrunk:
    """Shrink the worst violation of an issue that can be shrunk, and keep the pair that comes of it."""
    violations = history.finding(issue).violations
    size = word_count(violations[0][0].case)
    reason, spent, best = "", opened.asker.queries, None
    for judged in violations:
        reason = reason or unfit(judged, opened)
        if reason:
            break
        left = Left(opened, spent, budget)
        best = Shrinker(opened, judged, left).run().judged
        if best and word_count(best[0].case) < size:
            break  # another violation of the same sentence may be another bug
        best = None
    history.store.outputs.replace_kept(MINIMISED, {issue.id: best})
    queries = opened.asker.queries - spent
    if best is None:
        return Shrunk(issue.id, size, size, queries, reason or "nothing can be left out")
    return Shrunk(issue.id, size, word_count(best[0].case), queries)


def unfit(judged: Judged, opened: Reopened) -> str:
    """Why a case cannot be shrunk, or nothing."""
    case = judged[0].case
    if opened.methods[case.method].route != "direct":
        return "a round trip"
    if len(case.inputs) != 2:
        return "not a pair of inputs"
    if any(item.context is not None for item in case.inputs):
        return "a question with its context"
    return "an expected answer" if case.expected else ""


class Left:
    """How many queries a budget leaves."""

    def __init__(self, opened: Reopened, spent: int, budget: int) -> None:
        self._asker, self._end = opened.asker, spent + budget

    def __call__(self) -> int:
        return self._end - self._asker.queries


class Shrinker:
    """One pair at work."""

    def __init__(self, opened: Reopened, first: Judged, left: Callable[[], int]) -> None:
        self.opened, self.first, self.left = opened, first, left
        self.case = first[0].case
        self.glosses = self._glosses()
        one, other = (item.text for item in self.case.inputs)
        self.parse, self.parsed = self._parse([one])[0], True
        if self.case.relation == "contained":
            self.pair = contained_pair(self.parse, one, other)
        else:
            self.pair = swapped_pair(self.parse, one, other)

    def run(self) -> Minimised:
        """Leave out what can go."""
        everything = frozenset(range(len(self.pair.units)))
        grammar = (
            ShrinkableSentence(self.parse, self.pair).smaller
            if self.parse.tokens[0].relation
            else None
        )
        smaller = grammar or (lambda kept: words_less(self.pair, kept))
        return minimise(everything, smaller, self.judge, self.same, self.left)

    def judge(self, options: Sequence[frozenset[int]]) -> list[Judged | None]:
        """What the oracle says of each option that is a sentence."""
        texts = [self.pair.render(option) for option in options]
        parses = self._parse([one for one, _ in texts])
        good = [
            number
            for number, ((one, other), parse) in enumerate(zip(texts, parses, strict=True))
            if well_formed(one) and well_formed(other) and still_a_sentence(parse, self.parse)
        ]
        judged = self.opened.judge([shortened(self.case, self.pair, texts[n]) for n in good])
        found: list[Judged | None] = [None] * len(options)
        for number, pair in zip(good, judged, strict=True):
            found[number] = pair
        return found

    def same(self, judged: Judged) -> bool:
        """Whether it is the same bug still."""
        return same_bug(self.first, judged, self.glosses)

    def _glosses(self) -> list[str]:
        """What the system makes of the swapped words alone: what they change is no fault."""
        edit = self.case.edit
        if edit is None or self.case.relation == "contained" or not (edit.old and edit.new):
            return []
        language = self.case.inputs[0].language
        asked = [Input(text, language=language) for text in (edit.old, edit.new)]
        return [output.text for output in self.opened.ask(asked)]

    def _parse(self, texts: list[str]) -> list[Parse]:
        try:
            return self.opened.tools.parser(self.opened.languages[0]).parse(texts)
        except PolyglitchError:  # no parser for this language: words are all there is
            from polyglitch.repair.pair import plain_parse

            return [plain_parse(text) for text in texts]


def shortened(case: Case, pair: InputPair, texts: tuple[str, str]) -> Case:
    """The case of a shorter pair, its edit where it now stands."""
    made = with_inputs(case, texts, id=digest([case.id, *texts]))
    edit = case.edit
    if edit is None:
        return made
    start = texts[0].find(edit.old)
    if case.relation == "contained":
        start = texts[0].find(texts[1])
        moved = Edit(edit.kind, max(start, 0), max(start, 0) + len(texts[1]), texts[1], texts[1])
    else:
        moved = Edit(edit.kind, start, start + len(edit.old), edit.old, edit.new)
    return msgspec.structs.replace(made, edit=moved if start >= 0 else None)


def word_count(case: Case) -> int:
    """The words of the original."""
    return len(case.inputs[0].text.split())


def median_share(done: Sequence[Shrunk]) -> float:
    """The median of how much of the original's words is left."""
    shares = sorted(each.words_after / each.words_before for each in done if each.words_before)
    return shares[len(shares) // 2] if shares else 1.0


def reasons(done: Sequence[Shrunk]) -> Counter[str]:
    """Why issues were left as they were, each reason counted."""
    return Counter(each.reason for each in done if each.reason)
