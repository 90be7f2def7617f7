"""Kinds of bugs: the hard facts first, and never blamed on the word that was changed on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.kinds import MEANT, confirmed, suggested
from msgspec.structs import replace

from polyglitch.compare.oracles.two_outputs import raw_distance
from polyglitch.issues.groups import suggest_kind, worst_first
from polyglitch.records import Edit, Input, Output, Seed, Span, Trial, Verdict, new_case
from polyglitch.tools import Toolbox

SEED = Seed("s", Input("The vaccine is kept in the fridge."))


def judged(one: str, other: str, old: str = "fridge", new: str = "box") -> tuple[Trial, Verdict]:
    edit = Edit("swap", 27, 33, old, new)
    case = new_case(SEED, "similar", (SEED.input, Input("The vaccine is kept in the box.")), edit)
    trial = Trial(case, ((Output(one),), (Output(other),)))
    return trial, raw_distance(above=0)([trial], Toolbox())[0]


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("A vacina é usada no prazo.", "A vacina é usada não prazo.", "negation"),
        ("Custa 30 euros hoje.", "Custa 40 euros hoje.", "number"),
        ("O rio corre para Lisboa agora.", "O rio corre para Porto agora.", "name"),
        ("ele viu o grande gato preto", "ele viu o gato preto grande", "words moved"),
        ("o conselho de diretores aprovou o plano ontem", "o conselho aprovou", "words missing"),
        ("o plano", "o plano novo foi aprovado ontem", "words added"),
        ("a vacina está na geladeira", "a vacina está na caixa", "words changed"),
    ],
)
def test_a_kind_is_told_from_the_difference(one: str, other: str, kind: str) -> None:
    assert suggest_kind(*judged(one, other)) == kind


def test_a_swapped_number_is_not_a_number_bug() -> None:
    assert (
        suggest_kind(*judged("Custa 30 euros.", "Custa 40 euros.", "30", "40")) == "words changed"
    )


@pytest.mark.parametrize(
    ("back", "kind"),
    [
        ("The captain sold the boat", "words missing"),
        ("The captain sold the old wooden boat to his brother in spring", "words added"),
        ("The captain sold the old boat from his brother", "logic"),
        ("To his brother the captain sold the old boat", "words moved"),
        ("The captain stole the old boat for his cousin", "words changed"),
        ("The captain never sold the old boat to his brother", "negation"),
        ("The captain sold the old boat to his brother", ""),
    ],
)
def test_what_came_back_of_a_sentence_tells_the_kind_too(back: str, kind: str) -> None:
    seed = Seed("s", Input("The captain sold the old boat to his brother"))
    case = new_case(seed, "same meaning", (seed.input,))
    trial = Trial(case, ((Output("该船长把旧船卖给了他的兄弟"), Output(back)),))
    assert suggest_kind(trial, Verdict(case.id, "violated")) == kind


def test_the_suggestion_is_right_on_most_confirmed_bugs(shared_data: Path) -> None:
    for name, least in (("sit", 0.75), ("rti", 0.65)):
        found = list(confirmed(shared_data / "mt" / f"errors_google_{name}.md"))
        assert len(found) == {"sit": 164, "rti": 123}[name]
        right = [kinds & set(MEANT[suggested(*texts)[1]]) for kinds, *texts in found]
        assert sum(map(bool, right)) > least * len(found)


def test_worst_first_orders_by_severity_then_length_and_names_the_kind() -> None:
    near, far = judged("a b c", "a b d"), judged("a b c", "a não x y z")
    also = judged("a b c", "a b e f")
    issue = worst_first(2)(SEED, [near, also, far])[0]
    assert issue.case_ids[0] == far[1].case_id
    assert issue.kind == "negation"
    assert worst_first(3)(SEED, []) == []


def test_a_word_left_as_it_stands_in_its_own_source_is_untranslated() -> None:
    trial, verdict = judged("a vacina está na geladeira", "a vacina está na box")
    at = len("a vacina está na ")
    left = Span(1, at, at + len("box"), "'box' was left as it stands", "untranslated")
    assert suggest_kind(trial, replace(verdict, spans=(left,))) == "untranslated"
    other = replace(left, witness="pair")
    assert suggest_kind(trial, replace(verdict, spans=(other,))) == "words added"
