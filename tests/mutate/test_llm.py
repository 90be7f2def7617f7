"""Relations for LLM features: each makes what its title says, of rows that have the parts for it."""

from __future__ import annotations

import pytest

from polyglitch.errors import UsageError
from polyglitch.mutate.llm.changes import CHANGES, INPUT_CHANGES, wording
from polyglitch.mutate.llm.context_changes import CONTEXT_CHANGES, no_such_time, wrong_answers
from polyglitch.mutate.llm.relations import bundled, choose_relations, llm_cases
from polyglitch.mutate.relations import CHANGES as REUSED
from polyglitch.records import Case, Input, Seed, Turn
from polyglitch.tools import Toolbox

BAKERY = (
    "Maria Stone runs the bakery in Leeds.\n\n"
    "She bought it on 12 March 1998. It sells 250 loaves every Saturday to people from Spain."
)
SEEDS = [
    Seed("a", Input("Which person runs the bakery?", BAKERY), "Maria Stone"),
    Seed("b", Input("When was the bridge opened?", "The bridge opened in 1931. It is long."), "1931"),
    Seed("c", Input("Which is largest? A) Mars B) Jupiter C) Venus"), "Jupiter"),
    Seed("d", Input("Who planned the tunnel?", "Anna and Tom planned it in 1990 and dug 940 metres until 1994. "
                    "They used two machines."), "1994"),
    Seed("e", Input("The soup was cold.", "A guest says that the soup was cold."), "entailment"),
    Seed("f", Input("May I come with a dog?", "Dogs may come inside. Cats must wait."), "yes"),
    Seed("g", Input("I live near the station. Which bus is mine?", turns=(
        Turn("user", "Bus 12 goes to the station."), Turn("assistant", "Thank you."))), "12"),
    Seed("h", Input("What does it return?", "def add(a, b):\n    return a + b"), "the sum"),
    Seed("i", Input("Their story is better than the other one, I think.", values={"one": "A tale", "two": "A poem"}),
         "one"),
    Seed("k", Input("Is Ida older than Max Held?", "Ida is 40. Max Held is 30."), "yes"),
    Seed("j", Input("How many people are more than 12 years old?"), "3"),
]  # fmt: skip
PARTS = ("chat", "examples", "tools", "labels", "keys:name/date", "swap:one/two:first=second")
MODELS = {"paraphrase": ("echo:",), "translate": ("echo:",), "back": ("echo:", "echo:")}


class Helped(Toolbox):
    """Tools with a model at hand that says everything in capitals."""

    def ask(self, uri: str, text: str) -> str | None:
        return text.upper()


def made(*names: str, seeds: list[Seed] = SEEDS, seed: int = 0) -> list[Case]:
    mutate = llm_cases(names, 1, PARTS, MODELS)
    return list(mutate(seeds, Helped(corpus=SEEDS, seed=seed)))


def one(name: str, seed: Seed = SEEDS[0]) -> Input:
    (case,) = made(name, seeds=[seed])
    assert case.inputs[0] == seed.input
    return case.inputs[1]


@pytest.mark.slow
def test_every_relation_makes_a_case_and_names_what_must_happen() -> None:
    cases = made()
    assert {case.data["relation"] for case in cases} == {each.name for each in bundled()}
    assert len(bundled()) >= 40 and len({each.name for each in bundled()}) == len(bundled())
    must = {each.name: each.must for each in bundled()}
    for case in cases:
        assert case.relation == f"{must[case.data['relation']]}:{case.data['relation']}"
        assert case.inputs[0] != case.inputs[1]
        assert (
            len({item.text for item in case.inputs}) > 1
            or case.inputs[0].identity != case.inputs[1].identity
        )


def test_every_change_is_there_and_none_is_a_copy_of_a_general_one() -> None:
    own = [CHANGES, CONTEXT_CHANGES, INPUT_CHANGES]
    for relation in bundled():
        assert any(relation.change in some for some in ([REUSED] if relation.reuse else own))
    used = {relation.change for relation in bundled()}
    assert all(change in used for some in own for change in some)


def test_all_relations_of_llmorph_are_there() -> None:
    named = [relation.llmorph for relation in bundled() if relation.llmorph]
    assert len(named) == len(set(named)) == 36


@pytest.mark.slow
def test_the_same_campaign_makes_the_same_cases() -> None:
    assert made() == made()
    assert made() != made(seed=1)


def test_a_substitution_is_carried_out_in_question_and_context() -> None:
    asked = Seed("y", Input("When did Maria buy the bakery in Leeds?", BAKERY), "12 March 1998")
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
        assert any(seed.label in text for seed in SEEDS[1:] if seed.label)
    assert any(
        wrong in one("wrong-suggestion", SEEDS[2]).text
        for wrong in ("Mars.", "Venus.", "Mars?", "Venus?")
    )
    assert "193" in one("wrong-suggestion", SEEDS[1]).text
    assert (
        one("contradicted-answer", SEEDS[5]).text.partition(" May I")[0].rstrip(".").split()[-1]
        != "yes"
    )


def test_facts_are_composed_and_questions_turned_round() -> None:
    composed, chained = (
        one(name, SEEDS[1]).context or "" for name in ("fact-composed", "fact-chained")
    )
    assert composed == "The bridge opened in Alpha-1. It is long. Alpha-1 stands for 1931."
    assert chained.endswith("Alpha-1 stands for Beta-2. Beta-2 stands for 1931.")
    ages = next(seed for seed in SEEDS if seed.id == "k")
    assert one("inverse-question", ages).text == "Is Max Held younger than Ida?"
    assert one("asked-for-no", ages).text.endswith("Is Ida older than Max Held?")


def test_rows_without_the_parts_take_no_part() -> None:
    bare = [Seed("z", Input("How are you?"))]
    cases = list(llm_cases()(bare, Toolbox(corpus=bare)))
    kinds = {case.data["relation"] for case in cases}
    assert "are-you-sure" in kinds
    assert not kinds & {"fact-removed", "wrong-suggestion", "option-order", "distractor-after"}


def test_a_wrong_name_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="are-you-sure"):
        choose_relations(("are-you-shure",))


def test_a_chat_is_doubted_split_and_cut() -> None:
    chat = SEEDS[6]
    assert [t.text for t in one("doubted-answer", chat).turns][-1] == "12"
    assert one("doubted-answer", chat).text.endswith(chat.input.text)
    assert one("turns-split", chat).text == "Which bus is mine?"
    assert one("turns-merged", chat).text.startswith("Bus 12 goes")
    assert not any("12" in turn.text for turn in one("turn-removed", chat).turns)


def test_parts_of_the_prompt_change_places_and_the_answers_with_them() -> None:
    assert one("example-order").reversed == ("examples",)
    (case,) = made("judge-swap", seeds=[SEEDS[8]])
    assert case.inputs[1].values == {"one": "A poem", "two": "A tale"}
    assert case.data["swapped"] == [["first", "second"]]
    assert one("format-again").text.endswith("keys name, date.")


@pytest.mark.slow
def test_what_the_prompt_does_not_declare_is_not_changed() -> None:
    plain = {case.data["relation"] for case in llm_cases()(SEEDS, Helped(corpus=SEEDS))}
    assert not plain & {"example-order", "tool-order", "judge-swap", "format-again", "label-order"}
    assert not plain & {"back-translation", "paraphrase-by-model", "other-language"}


def test_measures_and_dates_keep_their_amount() -> None:
    assert "0.94 kilometres" in (one("other-unit", SEEDS[3]).context or "")
    assert "1998-03-12" in (one("date-in-digits").context or "")


@pytest.mark.parametrize("language", ["pt", "es", "fr", "de"])
def test_other_languages_have_phrases_of_their_own(language: str) -> None:
    name = wording(language)["names"]["female"][0]
    spoken = Input(f"{name}?", f"{name} 1998. Paris.", language=language)
    other = Input("Wer?", "Zwei 1999.", language=language)
    rows = [Seed("a", spoken, name), Seed("b", other, "Peter")]
    cases = list(llm_cases((), 1, PARTS)(rows, Toolbox(corpus=rows, languages=(language, None))))
    made = {case.data["relation"]: case.inputs[1] for case in cases}
    assert {"doubted-answer", "fact-removed", "instruction-in-data", "other-name"} <= set(made)
    assert "Are you" not in made["are-you-sure"].text


def test_wrong_answers_are_of_the_kind_of_the_right_one() -> None:
    def wrong(right: str) -> list[str]:
        return wrong_answers(right, "Which?", ["green", "Oslo"], {}, {"ten": 10, "twelve": 12})

    assert wrong("ten") == ["twelve"]
    assert wrong("Friday at 18:30") == ["Friday at 21:30", "Friday at 1:30"]
    assert wrong("Rome") == ["Oslo"]


def test_no_change_makes_a_time_that_no_clock_shows() -> None:
    assert no_such_time("Open until 27:00.", "Open until 23:00.")
    assert not no_such_time("Open until 21:00.", "Open until 23:00.")
    assert not no_such_time("Psalm 91:11", "Psalm 91:11, verse")
