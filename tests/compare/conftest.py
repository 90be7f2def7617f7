"""Trials to judge, and the labelled records of the CAT study."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.records import Case, Input, Output, Trial

from .materials import Labelled, MakeTrial


@pytest.fixture
def trial() -> MakeTrial:
    """Make a trial from outputs, given as texts or as whole outputs."""

    def make(*outputs: str | Output) -> Trial:
        inputs = tuple(Input(f"sentence {index}") for index in range(len(outputs)))
        case = Case("c1", "s1", "sit", "similar", inputs)
        chains = [(Output(item) if isinstance(item, str) else item,) for item in outputs]
        return Trial(case, tuple(chains))

    return make


@pytest.fixture(scope="session")
def labelled_cat(shared_data: Path) -> list[Labelled]:
    """The 100 labelled records of CAT: 11 lines each, the mutant's translation first."""
    path = shared_data / "mt" / "labelled_cat.txt"
    if not path.is_file():
        pytest.skip(f"no labelled records at {path}")
    lines = [line.rstrip() for line in path.read_text("utf-8").splitlines()]
    found = []
    for start in range(0, len(lines) - 9, 11):
        record = lines[start : start + 10]
        numbers = [float(line.split("\t")[1].split()[0]) for line in record[:4]]
        scores = dict(zip(("lcs", "ed", "tfidf", "bleu"), numbers, strict=True))
        found.append(Labelled(record[4], record[6], scores, record[9] == "label: True"))
    return found
