"""In which order the cases of a campaign are run when a budget may end before they do.

Ranks of words take turns: a case of every sentence, the most promising first, before the second of any, so that a
budget visits many sentences and words. `ahead` scores each case, and has a sentence wait after each of its cases.
`adaptive` learns from the verdicts which cases are worth asking.

A model that learns from verdicts as they come: logistic regression with a prior, fitted anew from all of them.

Deterministic: the same verdicts in the same order give the same weights, on any machine to the last digits of a float.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

from polyglitch.files.lazy_numpy import np, npt
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.protocols import Tools
from polyglitch.rank.scores import Glimpse, LookAhead
from polyglitch.records import Case

Doubles: TypeAlias = "npt.NDArray[np.float64]"
STEPS = 12  # of Newton's method: it converges in five or six from the prior
FIXED_AT_ONCE = 256  # cases of a fixed order that are asked before the next are
LEARNT_AT_ONCE = (
    24  # verdicts between two looks at what they say: fewer learn sooner, more keep a service busy
)
EXPLORING = 0.1  # share of the cases that is drawn by chance, so that a wrong prior is found out
WAIT = 0.3  # of the range of percentiles: how much better a sentence's next case must be to come at once
REPEATED = (
    0.15  # worth of a violation in a sentence that has one already: its bug is mostly the same
)
CLASSES = ("NOUN", "ADJ", "VERB", "ADV")
# Weights before any verdict, and how many verdicts they weigh: rounded from a fit on the bundled sentences, shrunk.
PRIOR = {
    "base": (-3.0, 0.5),
    "drop": (1.5, 4.0),
    "left": (0.8, 4.0),
    "doubt": (1.0, 4.0),
    "worst": (0.6, 4.0),
    "attention": (-1.0, 4.0),
    "length": (0.0, 4.0),
    "old_rarity": (0.5, 4.0),
    "new_rarity": (0.0, 4.0),
    **dict.fromkeys(CLASSES, (0.0, 4.0)),
}
# How sure a deviation must be before it counts, in verdicts: of one sentence, of a word taken out, of one put in.
STEADINESS = {"sentence": 1.5, "old": 3.0, "new": 3.0, "method": 4.0}


class OnlineModel:
    """Weights that start at a prior and move as far as the verdicts warrant; the first is the intercept."""

    def __init__(self, prior: Sequence[float], precision: Sequence[float]) -> None:
        self._prior = np.asarray(prior, np.float64)
        self._precision = np.asarray(precision, np.float64)
        self.weights = self._prior.copy()

    def fit(self, rows: Doubles, outcomes: Doubles) -> None:
        """The weights that fit prior and outcomes best."""
        if not len(rows):
            self.weights = self._prior.copy()
            return
        weights = self.weights.copy()
        for _ in range(STEPS):
            chances = sigmoid(rows @ weights)
            slope = rows.T @ (chances - outcomes) + self._precision * (weights - self._prior)
            bend = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.diag(self._precision)
            step = np.linalg.solve(bend, slope)
            weights = weights - step
            if float(np.abs(step).max()) < 1e-9:
                break
        self.weights = weights

    def chances(self, rows: Doubles) -> Doubles:
        """How likely each row is violated."""
        return sigmoid(rows @ self.weights)


def sigmoid(values: Doubles) -> Doubles:
    """From log-odds to probabilities, without overflow."""
    found: Doubles = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return found


def percentiles(values: Sequence[float]) -> Doubles:
    """Where each value stands among all, from -0.5 to 0.5; ties share their mean place."""
    array = np.asarray(values, np.float64)
    if len(array) < 2:
        return np.zeros(len(array))
    distinct, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    middle = first + (counts - 1) / 2.0
    found: Doubles = middle[inverse.reshape(-1)] / (len(array) - 1) - 0.5
    return found if len(distinct) > 1 else np.zeros(len(array))


class CaseOrder(Protocol):
    """Which cases come next."""

    def take(self) -> list[Case]:
        """The next cases, none when all were taken."""

    def tell(self, case: Case, violated: bool | None) -> None:
        """What came of a case; nothing where it is undecided or was not asked."""


class FixedOrder:
    """Cases in an order that no verdict changes."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._left = deque(cases)

    def take(self) -> list[Case]:
        """The next cases."""
        return [self._left.popleft() for _ in range(min(FIXED_AT_ONCE, len(self._left)))]

    def tell(self, case: Case, violated: bool | None) -> None:
        """Nothing is learnt."""


def in_turns(
    cases: Sequence[Case], worth: Sequence[float], promise: Mapping[str, float]
) -> list[Case]:
    """The worthiest case of every sentence, the most promising sentence first; then the second of every one."""
    turns: Counter[str] = Counter()
    places: list[tuple[int, float, int]] = []
    for number in sorted(range(len(cases)), key=lambda n: (-worth[n], n)):
        seed = cases[number].seed_id
        places.append((turns[seed], -promise.get(seed, 0.0), number))
        turns[seed] += 1
    return [cases[number] for _, _, number in sorted(places)]


def look_ahead(cases: Sequence[Case], ahead: LookAhead | None, tools: Tools) -> CaseOrder:
    """Cases by what the first output loses for them and by its doubt, each sentence waiting after each of its own."""
    seen = ahead.glimpses(cases) if ahead else [None] * len(cases)
    told = [glimpse or Glimpse() for glimpse in seen]
    worth = percentiles([glimpse.drop for glimpse in told])
    worth += percentiles([glimpse.doubt for glimpse in told])
    turns: Counter[str] = Counter()
    places: list[tuple[float, int]] = []
    for number in sorted(range(len(cases)), key=lambda n: (-worth[n], n)):
        seed = cases[number].seed_id
        places.append((WAIT * turns[seed] - float(worth[number]), number))
        turns[seed] += 1
    return FixedOrder([cases[number] for _, number in sorted(places)])


class Adaptive:
    """The case that is most likely to show a new bug, by all that is known of it and of cases like it."""

    def __init__(self, cases: Sequence[Case], rows: Doubles, names: Sequence[str], seed: int):
        self._cases, self._rows = list(cases), rows
        self._left = set(range(len(cases)))
        self._place = {(case.method, case.id): n for n, case in enumerate(cases)}
        self._told: dict[int, bool] = {}
        prior = [PRIOR[name] for name in names]
        self._model = OnlineModel([mean for mean, _ in prior], [weight for _, weight in prior])
        self._seed, self._turn = seed, 0

    def take(self) -> list[Case]:
        """The most promising cases, one a sentence at most, and some drawn by chance."""
        if not self._left:
            return []
        waiting = sorted(self._left)
        values = self._values()
        best = sorted(waiting, key=lambda n: (-values[n], n))
        dice = random.Random(f"{self._seed}:{self._turn}")  # noqa: S311 - a draw of tests
        drawn = sorted(waiting, key=lambda _: dice.random())
        exploring = round(EXPLORING * LEARNT_AT_ONCE)
        chosen = one_a_sentence(self._cases, best, LEARNT_AT_ONCE - exploring)
        chosen += one_a_sentence(self._cases, drawn, LEARNT_AT_ONCE - len(chosen), chosen)
        self._left -= set(chosen)
        self._turn += 1
        return [self._cases[number] for number in chosen]

    def tell(self, case: Case, violated: bool | None) -> None:
        """Remember a verdict; what it means is worked out before the next cases are taken."""
        if violated is not None:
            self._told[self._place[case.method, case.id]] = violated

    def _values(self) -> Doubles:
        """What each case is worth: its chance to be violated, less where its sentence has a violation."""
        told = sorted(self._told)
        outcomes = np.array([self._told[n] for n in told], np.float64)
        self._model.fit(self._rows[told], outcomes)
        odds = self._rows @ self._model.weights + self._effects(told, outcomes)
        values = 1 / (1 + np.exp(-odds))
        found = {self._cases[n].seed_id for n in told if self._told[n]}
        again = np.array([case.seed_id in found for case in self._cases], bool)
        return np.where(again, REPEATED, 1.0) * values

    def _effects(self, told: Sequence[int], outcomes: Doubles) -> Doubles:
        """How much likelier than expected cases like each were, shrunk by how few there were."""
        total = np.zeros(len(self._cases))
        if not told:
            return total
        expected = self._model.chances(self._rows[list(told)])
        for kind, steady in STEADINESS.items():
            keys = [likeness(case, kind) for case in self._cases]
            more, weight = defaultdict[str, float](float), defaultdict[str, float](float)
            for number, outcome, chance in zip(told, outcomes, expected, strict=True):
                more[keys[number]] += outcome - chance
                weight[keys[number]] += chance * (1 - chance)
            total += [more[key] / (weight[key] + steady) if key in more else 0.0 for key in keys]
        return total


def likeness(case: Case, kind: str) -> str:
    """By what a case is like others: its sentence, the word taken out, the word put in, its method."""
    if kind == "sentence":
        return case.seed_id
    if kind == "method":
        return case.method
    edit = case.edit
    return "" if edit is None else (edit.old if kind == "old" else edit.new).lower()


def one_a_sentence(
    cases: Sequence[Case], order: Sequence[int], most: int, before: Sequence[int] = ()
) -> list[int]:
    """The first of an order that belong to different sentences; of all of them where there are too few."""
    taken = {cases[number].seed_id for number in before}
    chosen: list[int] = []
    for number in order:
        if len(chosen) >= most:
            break
        if cases[number].seed_id not in taken:
            taken.add(cases[number].seed_id)
            chosen.append(number)
    return chosen


def adaptive(cases: Sequence[Case], ahead: LookAhead | None, tools: Tools) -> CaseOrder:
    """An order that learns, from what is seen inside where something is, and from what anyone can see."""
    columns = outside(cases, tools)
    if ahead is not None:
        seen = [glimpse or Glimpse() for glimpse in ahead.glimpses(cases)]
        for name in ("drop", "left", "doubt", "worst", "attention"):
            columns[name] = percentiles([getattr(glimpse, name) for glimpse in seen])
    names = ["base", *sorted(columns)]
    rows = np.column_stack([np.ones(len(cases)), *(columns[name] for name in names[1:])])
    return Adaptive(cases, np.asarray(rows, np.float64), names, tools.seed)


def outside(cases: Sequence[Case], tools: Tools) -> dict[str, Doubles]:
    """What is known of cases without a look inside: length, how rare the words are, their part of speech."""
    language = cases[0].inputs[0].language if cases else None
    texts = list(dict.fromkeys(case.inputs[0].text for case in cases))
    parses = dict(zip(texts, tools.words(language).parse(texts), strict=True)) if texts else {}
    found = {"length": percentiles([len(parses[case.inputs[0].text].tokens) for case in cases])}
    edits = [case.edit for case in cases]
    if common := frequencies(language or ""):
        for name, words in (
            ("old_rarity", [edit.old if edit else "" for edit in edits]),
            ("new_rarity", [edit.new if edit else "" for edit in edits]),
        ):
            found[name] = percentiles([-common(word) for word in words])
    classes = [
        next((t.pos for t in parses[case.inputs[0].text].tokens if t.start == edit.start), "")
        if (edit := case.edit)
        else ""
        for case in cases
    ]
    for name in CLASSES:
        found[name] = np.array([float(one == name) for one in classes])
    return found
