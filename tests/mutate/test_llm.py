"""Relations for LLM features: each makes what its title says, of rows that have the parts for it."""

from __future__ import annotations

import pytest

from polyglitch.errors import UsageError
from polyglitch.mutate.llm.changes import CHANGES
from polyglitch.mutate.llm.relations import bundled, choose_relations, llm_cases
from polyglitch.mutate.relations import CHANGES as REUSED
from polyglitch.records import Case, Input, Seed
from polyglitch.tools import Toolbox

BAKERY = (
    "Maria Stone runs the bakery in Leeds.\n\n"
    "She bought it on 12 March 1998. It sells 250 loaves every Saturday to people from Spain."
)
SEEDS = [
    Seed("a", Input("Which person runs the bakery?", BAKERY), "Maria Stone"),
    Seed("b", Input("When was the bridge opened?", "The bridge opened in 1931. It is long."), "1931"),
    Seed("c", Input("Which is largest? A) Mars B) Jupiter C) Venus"), "Jupiter"),
]  # fmt: skip


def made(*names: str, seeds: list[Seed] = SEEDS, seed: int = 0) -> list[Case]:
    return list(llm_cases(names)(seeds, Toolbox(corpus=SEEDS, seed=seed)))


def one(name: str, seed: Seed = SEEDS[0]) -> Input:
    (case,) = made(name, seeds=[seed])
    assert case.inputs[0] == seed.input
    return case.inputs[1]


def test_every_relation_makes_a_case_and_names_what_must_happen() -> None:
    cases = made()
    assert {case.data["relation"] for case in cases} == {each.name for each in bundled()}
    assert len(bundled()) >= 15 and len({each.name for each in bundled()}) == len(bundled())
    must = {each.name: each.must for each in bundled()}
    for case in cases:
        assert case.relation == f"{must[case.data['relation']]}:{case.data['relation']}"
        assert case.inputs[0] != case.inputs[1]


def test_every_change_is_there_and_none_is_a_copy_of_a_general_one() -> None:
    for relation in bundled():
        assert relation.change in (REUSED if relation.reuse else CHANGES)
    assert not set(CHANGES) & set(REUSED)


def test_the_same_campaign_makes_the_same_cases() -> None:
    assert made() == made()
    assert made() != made(seed=1)


def test_a_substitution_is_carried_out_in_question_and_context() -> None:
    asked = Seed("d", Input("When did Maria buy the bakery in Leeds?", BAKERY), "12 March 1998")
    for name, old in (("other-name", "Maria"), ("other-city", "Leeds"), ("other-year", "1998")):
        new = one(name, asked)
        assert old not in new.text + (new.context or "")
        assert "\x1e" not in new.text + (new.context or "")
    assert "250" not in (one("other-number").context or "")
    assert "12 March" not in (one("other-day").context or "")


def test_the_fact_is_gone_and_nothing_else() -> None:
    left = one("fact-removed").context or ""
    assert "Maria Stone" not in left and "250 loaves" in left
    assert "Maria" not in (one("unanswerable").context or "")


def test_passages_and_options_change_places_only() -> None:
    parts = (one("passage-order").context or "").split("\n\n")
    assert sorted(parts) == sorted(BAKERY.split("\n\n")) and parts != BAKERY.split("\n\n")
    assert one("option-order", SEEDS[2]).text == "Which is largest? A) Jupiter B) Venus C) Mars"


def test_the_suggested_answer_is_a_wrong_one() -> None:
    for name in ("wrong-suggestion", "wrong-authority"):
        text = one(name).text
        assert text.startswith(SEEDS[0].input.text) and "Maria" not in text
        assert "1931" in text or "Jupiter" in text


def test_rows_without_the_parts_take_no_part() -> None:
    bare = [Seed("e", Input("How are you?"))]
    cases = list(llm_cases()(bare, Toolbox(corpus=bare)))
    kinds = {case.data["relation"] for case in cases}
    assert "are-you-sure" in kinds
    assert not kinds & {"fact-removed", "wrong-suggestion", "option-order", "distractor-after"}


def test_a_wrong_name_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="are-you-sure"):
        choose_relations(("are-you-shure",))
