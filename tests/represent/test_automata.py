"""Automata against a slow reading of the same regexes, against greenery, and on the paper's examples."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from polyglitch.represent.automata.dfa import (
    AutomatonLimits,
    alphabet,
    automaton,
    equivalent,
)
from polyglitch.represent.automata.product import counts, product
from polyglitch.represent.automata.similarity import (
    CONVERGED,
    LENGTHS,
    hybrid,
    language_similarity,
    regex_similarity,
    trim,
)
from polyglitch.represent.regex import tree
from polyglitch.represent.regex.parse import parse
from polyglitch.represent.regex.tree import covers
from tests.represent.regexes import LONGEST, WORDS, matches, regexes

SYMBOLS = tree.mask_of("ab ")


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(regexes)
def test_an_automaton_accepts_what_the_regex_means(regex: str) -> None:
    found = automaton(parse(regex), SYMBOLS)
    for word in WORDS:
        assert found.accepts(word) == matches(regex, word, 0, len(word)), word


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(regexes, regexes)
def test_counts_of_a_product_are_those_of_enumeration(one: str, other: str) -> None:
    pair = product(automaton(parse(one), SYMBOLS), automaton(parse(other), SYMBOLS))
    a, b = ({w for w in WORDS if matches(regex, w, 0, len(w))} for regex in (one, other))
    for length, (both, either) in zip(range(LONGEST + 1), counts(pair), strict=False):
        assert both == sum(len(w) == length for w in a & b)
        assert either == sum(len(w) == length for w in a | b)


def slow_similarity(one: str, other: str) -> tuple[float | None, int, bool]:
    """The paper's loop as it reads, over all pairs of states: what the quick way must come to."""
    symbols = alphabet(parse(one), parse(other))
    pair = product(automaton(parse(one), symbols), automaton(parse(other), symbols))
    if pair.left == pair.right:
        return 1.0, 0, True
    if not any(a and b for a, b in zip(pair.left, pair.right, strict=True)):
        return 0.0, 0, True
    shared = total = length = 0
    before = -1.0
    for length, (more, all_more) in enumerate(counts(trim(pair))):
        shared, total = shared + more, total + all_more
        if all_more:
            if shared and abs(shared / total - before) < CONVERGED:
                return shared / total, length, False
            before = shared / total
        if length > LENGTHS:
            return None, length, False
    return float(Fraction(shared, total)), length, True


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(regexes, regexes)
def test_the_quick_similarity_is_the_slow_one(one: str, other: str) -> None:
    slow = slow_similarity(one, other)
    for quick in (language_similarity(one, other), language_similarity(parse(one), parse(other))):
        assert (quick.value, quick.length, quick.exact) == slow


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(regexes, regexes)
def test_equal_languages_have_equal_automata(one: str, other: str) -> None:
    a, b = (automaton(parse(regex), SYMBOLS) for regex in (one, other))
    pair = product(a, b)
    assert (a == b) == (pair.left == pair.right)
    again = automaton(parse(f"({one})|({one})(({other})&~(.*))|({one})"), SYMBOLS)
    assert again == a


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(regexes, regexes, regexes)
def test_what_covers_at_a_glance_covers_in_truth(one: str, other: str, tail: str) -> None:
    for wide, narrow in [
        (f".*({tail})", f"({one})({other}).*({tail})"),
        (f"({one})(({other}){{1,}})({tail})", f"({one})(({other}){{2,}})({tail})"),
        (f"(.*({one})){{2,}}", f"({other})((.*({one})){{3,}})"),
        (one, other),
    ]:
        if covers(parse(wide), parse(narrow)):
            found = automaton(parse(wide), SYMBOLS)
            inside = automaton(parse(f"({wide})|({narrow})"), SYMBOLS)
            assert found == inside
            accepted = [w for w in WORDS if automaton(parse(narrow), SYMBOLS).accepts(w)]
            assert all(found.accepts(word) for word in accepted)


def test_trees_are_forgotten_in_time_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "REMEMBERED", 40)
    parse.cache_clear()
    one, other = "(.*dog.*){3,}|[0-9]+", "(.*dog.*){2,}&~(cat)"
    first = language_similarity(parse(one), parse(other))
    parse.cache_clear()
    assert language_similarity(parse(one), parse(other)) == first
    assert len(tree._nodes) <= 40


def test_of_two_equal_trees_one_stays() -> None:
    dogs = tree.repeat(parse(".*dog.*"), 3, None)
    tree.forget()  # what is made now is another object
    again = tree.repeat(dogs.parts[0], 3, None)
    assert again is not dogs
    assert equivalent(tree.either(dogs, again, tree.NONE), dogs)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(regexes)
def test_double_complement_and_de_morgan_hold(regex: str) -> None:
    assert equivalent(parse(f"~(~({regex}))"), parse(regex))
    assert equivalent(parse(f"~(({regex})|(a))"), parse(f"(~({regex}))&(~(a))"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(ab){2,}", "ab(ab)+"),
        ("[ab]*a[ab]*", "b*a[ab]*"),
        ("(a|b){0,3}", "[ab]?[ab]?[ab]?"),
        ("(dog){2,}", "dog{2,}"),
        ("a{2,4}b", "aab|aaab|aaaab"),
        ("(a*b*)*", "[ab]*"),
        ("(ab)+", "(ab)*"),
    ],
)
def test_equivalence_agrees_with_greenery(one: str, other: str) -> None:
    greenery = pytest.importorskip("greenery")
    theirs = greenery.parse(one).equivalent(greenery.parse(other))
    assert equivalent(parse(one), parse(other)) == theirs


def test_the_running_examples_of_the_paper() -> None:
    first = ("[A-Z]{3,}", "[A-Z]{0,3}")
    second = ("~[Y]", "[Y]")
    r, d = regex_similarity(*first), language_similarity(*first).value
    assert d is not None
    assert (round(r, 3), round(d, 3), round(hybrid(r, d), 3)) == (0.5, 0.0, 0.25)
    r, d = regex_similarity(*second), language_similarity(*second).value
    assert (r, d) == (0.75, 0.0)
    assert hybrid(r, 0.0) == 0.375
    vague = language_similarity("[Y]{3,}", "[Y]{5,}").value
    assert vague is not None and round(vague, 3) == 0.957  # section 5.3


def test_quantifiers_of_groups_are_honoured() -> None:
    assert not equivalent(parse("(dog){2,}"), parse("dog{2,}"))
    assert not equivalent(parse("(.*dog.*){3,}"), parse("(.*dog.*){2,}"))
    assert automaton(parse("(dog){2,}"), alphabet(parse("dog"))).accepts("dogdog")


def test_a_word_boundary_is_no_letter() -> None:
    node = parse(r".*\bcat\b.*")
    found = automaton(node, alphabet(node))
    assert found.accepts("a cat sat") and found.accepts("cat")
    assert not found.accepts("concat") and not found.accepts("b" + "cat" + "b")


def test_exact_limits() -> None:
    def exact(one: str, other: str) -> float | None:
        return language_similarity(one, other, mode="exact").value

    assert exact(".*dog.*", ".*") == pytest.approx(1.0)  # almost every long word has a dog
    assert exact("[a-z]*", "[a-m]*") == 0.0
    assert exact("[a-m].*", ".*") == pytest.approx(13 / 63)
    assert exact("[a-m].*|b", "[a-z].*") == pytest.approx(0.5)
    assert exact("a|b", "b|c") == pytest.approx(float(Fraction(1, 3)))
    swings = language_similarity("(..)*", ".*", mode="exact")
    assert swings.value is None and "no limit" in swings.undecided


def test_exact_and_counted_limits_meet() -> None:
    for one, other in [
        ("[a-m].*", ".*"),
        ("[A-Z]{3,}", "[A-Z]{0,3}"),
        ("a*b", "a*b|b"),
        ("[ab].*c", ".*c"),
    ]:
        counted = language_similarity(one, other, threshold=1e-9)
        exact = language_similarity(one, other, mode="exact")
        assert counted.value is not None and exact.value is not None
        assert counted.value == pytest.approx(exact.value, abs=1e-3)


def test_what_grows_too_large_is_undecided_and_not_endless() -> None:
    found = language_similarity(
        ".*a.{14}", ".*b.{14}", limits=AutomatonLimits(states=500, seconds=1)
    )
    assert found.value is None
    assert found.undecided == "undecided: more than 500 states"


def test_trimming_leaves_finite_languages_that_end() -> None:
    node, other = parse("ab?"), parse("ab")
    symbols = alphabet(node)
    pair = trim(product(automaton(node, symbols), automaton(other, symbols)))
    assert list(counts(pair)) == [(0, 0), (0, 1), (1, 1)]
