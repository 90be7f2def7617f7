"""What is drawn beside an issue: words under words, arcs over words, and nothing of a shape unknown."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import Missing
from polyglitch.records import Case, Input, Output, Parse, Token, Trial
from polyglitch.report.marks import word_ranges
from polyglitch.review.evidence import (
    Automaton,
    Link,
    Trees,
    align,
    arc_levels,
    automaton_diagram,
    evidence,
    tree_diagram,
)

WORDS = st.lists(st.sampled_from(("a", "ponte", "foi", "fechada", "não", ".")), max_size=12)


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_ranges(text)]


@given(WORDS, WORDS)
def test_the_aligned_stretches_are_the_two_texts(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    found = align(first, second)
    assert [w for part in found for w in words(part.first)] == words(first)
    assert [w for part in found for w in words(part.second)] == words(second)
    for part, following in pairwise(found):
        assert part.same or following.same or not (part.first == "" and following.second == ""), (
            "what stands in for another stands under it"
        )


def test_a_replaced_word_stands_under_its_original() -> None:
    found = align("A ponte está fechada.", "O moinho está fechado.")
    assert [(part.first, part.second) for part in found] == [
        ("A ponte", "O moinho"),
        ("está", "está"),
        ("fechada", "fechado"),
        (".", "."),
    ]


LINKS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12, unique=True)


@given(LINKS)
def test_no_two_arcs_run_into_each_other(pairs: list[tuple[int, int]]) -> None:
    links = [Link(a, b, "x") for a, b in pairs if a != b]
    levels = arc_levels(links)
    for one, first in enumerate(links):
        for other, second in enumerate(links[:one]):
            low = max(min(first.start, first.end), min(second.start, second.end))
            high = min(max(first.start, first.end), max(second.start, second.end))
            assert low >= high or levels[one] != levels[other]


def parse(*tokens: tuple[str, int, str]) -> Parse:
    return Parse(
        " ".join(text for text, _, _ in tokens),
        tuple(Token(text, 0, 0, "", "NOUN", text, head, rel) for text, head, rel in tokens),
    )


def test_a_tree_marks_the_relations_that_the_other_lacks() -> None:
    one = parse(("cats", 1, "nsubj"), ("sleep", 1, "ROOT"), ("well", 1, "advmod"))
    other = parse(("cats", 1, "nsubj"), ("sleep", 1, "ROOT"))
    marked = {arc.label: arc.marked for arc in tree_diagram(one, other).arcs}
    assert marked == {"nsubj": False, "advmod": True}
    drawn = tree_diagram(one)
    assert "sleep to well: advmod" in drawn.in_words
    assert [node.under for node in drawn.nodes] == ["NOUN", "NOUN · root", "NOUN"]


def test_an_automaton_is_drawn_or_left_out() -> None:
    machine = Automaton(2, [1], [(0, 1, "a"), (0, 1, "b"), (1, 1, "c")])
    drawn = automaton_diagram(machine)
    assert drawn is not None and [arc.label for arc in drawn.arcs] == ["a b", "c"]
    assert automaton_diagram(msgspec.structs.replace(machine, edges=[(0, 7, "a")])) is None


KEYS = st.sampled_from(("tokens", "weights", "states", "edges", "accepting"))
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text("ab01", max_size=5) | st.integers(-3, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["heat", "template", "regexes", "automata"]), JSON))
def test_data_of_any_shape_breaks_nothing(data: dict[str, Any]) -> None:
    evidence(Case("c", "s", "r", (Input("x"),), data=data))


def test_heat_is_in_steps_of_the_hottest() -> None:
    data = {"heat": [{"tokens": ["a", "b"], "weights": [1, -4]}, {"tokens": ["a"], "weights": []}]}
    found = evidence(Case("c", "s", "r", (Input("x"),), data=data))
    assert [heat.tokens for heat in found.explanations.heat] == [[("a", 2, 1.0), ("b", 6, -4.0)]]


def test_without_a_parser_the_page_says_what_to_install() -> None:
    def find(language: str | None) -> Any:
        raise Missing(f"a pipeline for {language!r}", "parsing", "pip install it")

    trial = Trial(Case("c", "s", "r", (Input("x"),)), ((Output("y"),),))
    drawn = Trees(find).draw(trial, ("en", "pt"))
    assert [row[0].problem.split(" is")[0] for row in drawn] == [
        "a pipeline for 'en'",
        "a pipeline for 'pt'",
    ]


@pytest.mark.needs("spacy")
def test_a_real_parser_draws_a_real_sentence() -> None:
    from polyglitch.tools import Toolbox

    sentences = ("The bridge is closed.", "The bridge is closed.")
    case = Case("c", "s", "r", tuple(Input(text) for text in sentences))
    trial = Trial(case, ((Output("A ponte"),), (Output("O moinho"),)))
    sources, _ = Trees(Toolbox().parser).draw(trial, ("en", "pt"))
    names = [drawn.name for drawn in sources]
    assert names == ["First source", "Second source"]
    tree = sources[0].tree
    assert tree is not None
    assert " ".join(node.text for node in tree.nodes) == "The bridge is closed ."
    assert "bridge to The: det" in tree.in_words
    assert not any(arc.marked for arc in tree.arcs), "both sentences have the same relations"
