"""QAQA and QAAskeR on the bundled questions: what is asked, what must hold, and what a distracted system does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from polyglitch.corpus import open_corpus
from polyglitch.errors import UsageError
from polyglitch.mutate.qa.ask_back import ask_back
from polyglitch.mutate.qa.material import SentencePool, declarative, starts_with_name
from polyglitch.mutate.qa.relations import insert_sentences
from polyglitch.nlp.embedders.sentence_vectors import SentenceIndex
from polyglitch.records import Case, Seed
from polyglitch.tools import Toolbox

pytestmark = pytest.mark.needs("spacy", "torch")


@pytest.fixture(scope="module")
def seeds() -> list[Seed]:
    return list(open_corpus("sample:qa"))


@pytest.fixture(scope="module")
def cases(seeds: list[Seed]) -> list[Case]:
    return list(insert_sentences(each="all")(seeds, Toolbox(corpus=open_corpus("sample:qa"))))


def named(cases: list[Case], name: str) -> list[Case]:
    return [case for case in cases if case.data["relation"] == name]


def test_every_relation_makes_cases_and_keeps_title_and_language(cases: list[Case]) -> None:
    assert {case.data["relation"] for case in cases} == {"EQ", "EC", "EQC", "TI", "ETI"}
    for case in cases:
        seed, last = case.inputs[0], case.inputs[-1]
        assert seed.title is not None and last.title is not None and seed.title in last.title
        assert last.language == "en" and case.data["why"] and case.data["inserted"]
        assert seed.context is not None and last.context is not None
        assert seed.context in last.context


def test_what_is_inserted_is_of_another_passage_and_holds_no_answer(
    cases: list[Case], seeds: list[Seed]
) -> None:
    by_id = {seed.id: seed for seed in seeds}
    for case in named(cases, "EQ") + named(cases, "EC"):
        seed = by_id[case.seed_id]
        assert case.data["inserted"] not in (seed.input.context or "")
        if seed.data["kind"] == "extractive":
            assert seed.label is not None
            assert seed.label.lower() not in case.data["inserted"].lower()


def test_the_question_stays_whole_where_it_must(cases: list[Case]) -> None:
    for case in named(cases, "EQ") + named(cases, "EQC") + named(cases, "ETI"):
        asked = case.inputs[0].text.rstrip("?")
        assert asked[1:] in case.inputs[-1].text
        assert case.inputs[-1].text.endswith("?") and case.inputs[-1].text.count("?") == 1
    for case in named(cases, "EC"):
        assert case.inputs[-1].text == case.inputs[0].text


def test_an_integrated_question_has_two_questions_before_it(cases: list[Case]) -> None:
    for case in named(cases, "TI"):
        first, second, both = case.inputs
        assert case.relation == "yes if both are" and both.text.startswith(("Is it", "Isn't it"))
        assert first.context and second.context
        assert both.context == f"{second.context} {first.context}"


def test_one_relation_a_seed_is_drawn_from_the_seed_number(seeds: list[Seed]) -> None:
    def draw(number: int) -> list[str]:
        tools = Toolbox(seed=number, corpus=open_corpus("sample:qa"))
        return [case.id for case in insert_sentences()(seeds, tools)]

    assert draw(1) == draw(1) != draw(2)
    assert len(draw(1)) <= len(seeds)


def test_the_truth_can_be_what_is_expected(seeds: list[Seed]) -> None:
    tools = Toolbox(corpus=open_corpus("sample:qa"))
    made = insert_sentences(("EQ", "TI"), each="all", expectation="truth")(seeds, tools)
    by_id = {seed.id: seed for seed in seeds}
    for case in made:
        seed = by_id[case.seed_id]
        if case.data["relation"] == "EQ":
            assert case.expected == (seed.label, *seed.data["aliases"])
        else:
            other = by_id[case.data["partner"]]
            assert case.expected == ("yes" if seed.label == other.label == "yes" else "no",)


def test_published_code_is_reproduced_on_demand(seeds: list[Seed]) -> None:
    tools = Toolbox(corpus=open_corpus("sample:qa"))
    (case,) = insert_sentences(("EC",), each="all", faithful=True)(seeds[:1], tools)
    assert case.inputs[1].title is None  # dropped, as published
    assert (case.inputs[1].context or "").endswith(case.inputs[0].context or "?")
    assert case.data["inserted"].count(".") == 3


@pytest.mark.parametrize(
    ("text", "whole", "name"),
    [
        ("Last winter the bridge over the Aller was closed for repairs.", True, False),
        ("Honey keeps for years in a closed jar.", True, False),
        ("German novels are on the second floor.", True, True),
        ("Brown bears sleep through most of the winter.", True, False),  # for a tagger, two names
        ("Sourdough bread is raised by wild yeast.", True, False),
        ("Sunday mornings are quiet in the harbour.", True, True),
        ("Rosa Lind bakes forty loaves before breakfast.", True, True),
        ("Users should clean it with vinegar.", False, False),  # what is cleaned is not said
        ("The oldest one in the village was planted by monks.", False, False),
    ],
)
def test_a_sentence_stands_alone_and_keeps_only_the_capital_of_a_name(
    text: str, whole: bool, name: bool
) -> None:
    pool = SentencePool((), (), cast("SentenceIndex", None), frozenset(("novels", "river")))
    parse = Toolbox(languages=("en", None)).parser("en").parse([text])[0]
    assert declarative(parse) is whole
    assert starts_with_name(parse, pool) is name


def test_an_unknown_relation_is_named() -> None:
    with pytest.raises(UsageError, match=r"EQQ.*available: EC"):
        insert_sentences(("EQQ",))


def test_asking_back_makes_a_statement_of_question_and_answer(seeds: list[Seed]) -> None:
    made = {case.inputs[0].text: case for case in ask_back()(seeds, Toolbox())}
    expected = {
        "Who gave the Lindqvist Library to the town?": "Is it true that Agnes Lindqvist gave the "
        "Lindqvist Library to the town?",
        "When did the Lindqvist Library open?": "Is it true that the Lindqvist Library opened on "
        "3 May 1912?",
        "Where did Tadeo Brun work as a clockmaker?": "Is it true that Tadeo Brun worked as a "
        "clockmaker in Leeds?",
        "What do bees make honey from?": "Is it true that bees make honey from the nectar of "
        "flowers?",
        "How long is the Velmont Bridge?": "Is it true that the Velmont Bridge is 412 metres long?",
    }
    for question, asked in expected.items():
        assert made[question].inputs[1].text == asked
        assert made[question].relation == "stands by it"
    unanswered = [seed.input.text for seed in seeds if seed.data["kind"] == "no answer"]
    assert not set(unanswered) & set(made)


DISTRACTED = '''
def answer(text, context=None, **rest):
    """Looks at the first word it knows of the question, and is thrown by anything before it."""
    return "yes" if text.split()[0].lower() in ("is", "does", "can", "was", "may") else "no"
'''


def test_a_campaign_finds_a_system_that_is_thrown_by_a_remark(cli, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "distracted.py").write_text(DISTRACTED)
    arguments = ("--corpus", "sample:qa", "--source-language", "en", "--method", "qaqa", "--json")
    system = ("--system", "python:distracted:answer")
    done = cli("run", *system, *arguments, "--param", "qaqa.each=all", "-o", "report.html")
    figures = json.loads(done.stdout)
    assert figures["violations"] > 5 and figures["undecided"] == 0
    assert "was to be expected" in (tmp_path / "report.html").read_text("utf-8")
    ranks = ("--rank", "noise,similarity", "--shuffles", "5", "-o", "curves.svg", "--json")
    shown = json.loads(cli("evaluate", "priority", *ranks).stdout)
    assert shown["faults"] == figures["violations"]
    assert set(shown["orders"]) == {"initial", "noise", "similarity", "ideal"}
    assert shown["orders"]["ideal"]["auc"] >= shown["orders"]["noise"]["auc"]
    assert "<svg" in (tmp_path / "curves.svg").read_text("utf-8")
    blind = cli("evaluate", "priority", "--rank", "gri", code=2)
    assert "name it with --system" in blind.stderr
