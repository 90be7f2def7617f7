"""The consistency study of ALiCT (its RQ2): what people say of tests, and the figures of table 7 from that.

A test is read blind, its expected label unseen. A reader gives the label, how well the test shows its capability (1 to
5), and of an expansion how far it still says what its seed says (1 to 5) and whether it reads naturally.

How far reviewers agree beyond chance: Cohen's kappa of every two, and the mean of them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.records import digest
from polyglitch.results.tables import Interval, wilson

MOST_MARKS = 5  # as the paper's participants gave them
# Table 7 of the paper: label consistency, relevance, validity of an expansion, by task and type of test.
PUBLISHED = {
    "sentiment": {"seed": (0.862, 0.926, None), "expansion": (0.859, 0.923, 0.934)},
    "hate": {"seed": (0.814, 0.891, None), "expansion": (0.822, 0.890, 0.948)},
}
JointCounts = Mapping[tuple[str, str], int]


class StudyTest(msgspec.Struct, frozen=True):
    """A test to read, as `polyglitch generate` writes it."""

    text: str
    label: str = ""  # expected; several are parted by |
    capability: str = ""
    capability_title: str = ""
    parent: str = ""  # names the test of the seed, where this is one of its expansions
    inputs: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Named by what is read."""
        return digest([self.capability, self.text])

    @property
    def seed(self) -> str:
        """The test that this one grew from."""
        return self.inputs[0] if self.parent and self.inputs else ""


class StudyReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one reader says of one test; what was not asked is none."""

    text: str
    expected: str
    capability: str
    reader: str
    label: str = ""
    relevance: int | None = None
    validity: int | None = None
    natural: bool | None = None
    seed: str = ""
    suite: str = ""

    @property
    def id(self) -> str:
        """That of the test."""
        return digest([self.capability, self.text])

    @property
    def right(self) -> bool:
        """Whether the reader says a label that was expected."""
        return self.label in self.expected.split("|")


Joint = dict[tuple[str, str], int]


class StudyRow(msgspec.Struct, frozen=True):
    """The figures of one type of test; a mean of marks is scaled to 0 to 1."""

    suite: str
    type: str
    tests: int
    label: float | None
    label_interval: Interval
    relevance: float | None
    validity: float | None
    natural: float | None
    natural_interval: Interval
    published: tuple[float | None, ...] = ()


def read_tests(path: Path, sample: int | None = None, seed: int = 0) -> list[StudyTest]:
    """Tests to read, a sample of them drawn evenly over capabilities and over seeds and expansions."""
    found = [test for test in read_lines(path, StudyTest) if test.label]
    if not found:
        raise UsageError(
            f"{path}: no test has a text and a label; `polyglitch generate` writes some"
        )
    groups: dict[tuple[str, bool], list[StudyTest]] = defaultdict(list)
    for test in found:
        groups[test.capability, bool(test.parent)].append(test)
    rows = [groups[key] for key in sorted(groups)]
    for row in rows:
        random.Random(seed).shuffle(row)  # noqa: S311 - a sample, no secret
    turns = [row[turn] for turn in range(max(map(len, rows))) for row in rows if turn < len(row)]
    return turns[:sample]


def read_readings(path: Path) -> list[StudyReading]:
    """What was said; of a test read twice by the same reader the last word counts."""
    last = {(one.id, one.reader): one for one in read_lines(path, StudyReading)}
    return list(last.values())


def read_lines(path: Path, kind: Any) -> Iterable[Any]:
    """The records of a file of JSON lines."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=kind, strict=False)
        except msgspec.DecodeError as error:
            raise UsageError(f"{path}:{number}: {error}") from None


def study_rows(readings: Sequence[StudyReading]) -> list[StudyRow]:
    """The figures by suite and type of test, every reading counted once."""
    groups: dict[tuple[str, str], list[StudyReading]] = defaultdict(list)
    for one in readings:
        groups[one.suite, "expansion" if one.seed else "seed"].append(one)
    return [row_of(*key, groups[key]) for key in sorted(groups, reverse=True)]


def row_of(suite: str, type: str, readings: Sequence[StudyReading]) -> StudyRow:
    """One row of table 7."""
    said = [one.right for one in readings if one.label]
    natural = [one.natural for one in readings if one.natural is not None]
    return StudyRow(
        suite,
        type,
        len({one.id for one in readings}),
        sum(said) / len(said) if said else None,
        wilson(sum(said), len(said)),
        mean_mark([one.relevance for one in readings]),
        mean_mark([one.validity for one in readings]),
        sum(natural) / len(natural) if natural else None,
        wilson(sum(natural), len(natural)),
        PUBLISHED.get(suite, {}).get(type, ()),
    )


def mean_mark(marks: Sequence[int | None]) -> float | None:
    """The mean of marks from 1 to 5, as a share of the most."""
    given = [mark for mark in marks if mark is not None]
    return sum(given) / (MOST_MARKS * len(given)) if given else None


def joint_words(readings: Sequence[StudyReading]) -> dict[str, dict[tuple[str, str], Joint]]:
    """For labels, relevance and validity: of every two readers, how often one said this and the other that."""
    by_test: dict[str, list[StudyReading]] = defaultdict(list)
    for one in sorted(readings, key=lambda one: one.reader):
        by_test[one.id].append(one)
    found: dict[str, dict[tuple[str, str], Joint]] = {}
    for field in ("label", "relevance", "validity", "natural"):
        pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        for some in by_test.values():
            for one, other in combinations(some, 2):
                words = getattr(one, field), getattr(other, field)
                if None not in words and "" not in words:
                    pairs[one.reader, other.reader][str(words[0]), str(words[1])] += 1
        if pairs:
            found[field] = {pair: dict(counts) for pair, counts in pairs.items()}
    return found


class ReviewerAgreement(msgspec.Struct, frozen=True):
    """Two reviewers on the issues that both have labelled."""

    first: str
    second: str
    both: int
    agreed: int
    kappa: float | None  # none where chance alone explains everything


def cohen_kappa(joint: JointCounts) -> float | None:
    """Agreement beyond chance, from how often one said this and the other that (Cohen 1960)."""
    total = sum(joint.values())
    if not total:
        return None
    one: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for (said, replied), count in joint.items():
        one[said] += count
        other[replied] += count
    seen = sum(count for (said, replied), count in joint.items() if said == replied) / total
    chance = sum(one[name] * other[name] for name in one) / total**2
    return None if chance == 1 else (seen - chance) / (1 - chance)


def agreements(pairs: Mapping[tuple[str, str], JointCounts]) -> list[ReviewerAgreement]:
    """Every two reviewers who have labelled an issue in common."""
    return [
        ReviewerAgreement(
            first,
            second,
            sum(joint.values()),
            sum(count for (said, replied), count in joint.items() if said == replied),
            cohen_kappa(joint),
        )
        for (first, second), joint in pairs.items()
    ]


def mean_kappa(found: list[ReviewerAgreement]) -> float | None:
    """The mean of the pairwise kappas (Light 1971): one figure for any number of reviewers."""
    known = [pair.kappa for pair in found if pair.kappa is not None]
    return sum(known) / len(known) if known else None


def in_words(kappa: float) -> str:
    """What Landis and Koch (1977) call a kappa."""
    names = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    return next((name for bound, name in names if kappa <= bound), "almost perfect")
