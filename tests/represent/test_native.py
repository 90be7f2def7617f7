"""The compiled comparison of regexes says what the Python one says, or hands back. `make native` builds it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.represent.automata.similarity import (
    CONVERGED,
    compiled,
    language_similarity,
    native_similarity,
)
from polyglitch.represent.regex.parse import parse
from tests.represent.regexes import bigger, regexes

built = pytest.mark.skipif(compiled() is None, reason="not built here: make native")
ATOMS = "a b . [ab] [^a] dog \\b <M0> <VOW> [<LOW>] [A-Z] [^0-9] \\d \\W \\S [a-c\\d-] [] [^] ()"
ODD = "~b _ # \\. truck [b-] < <M9>"
atoms = st.sampled_from([" ", *ATOMS.split(), *ODD.split()])
wider = st.recursive(
    atoms, lambda inner: bigger(inner) | st.builds("{}{}".format, inner, inner), max_leaves=7
)
anything = st.text(st.sampled_from("ab[]()|&~{}?*+.\\<>M0^-,12 _"), max_size=12)


def same_as_python(one: str, other: str, threshold: float = CONVERGED) -> bool:
    """Whether both ways agree to the last bit; whether it was decided at all."""
    quick = native_similarity(one, other, threshold)
    if quick is not None:
        slow = language_similarity(parse(one), parse(other), threshold)
        assert quick == (slow.value, slow.length, slow.exact), (one, other)
    return quick is not None


@built
@settings(max_examples=400, deadline=None)
@given(regexes | wider, regexes | wider)
@example("(.*dog.*){7,}", "(.*([0-9]).*([AEIOU]).*){5,}")
@example("\\b(([A-Za-z])|(dog))|([a-z])\\b", ".*\\b(dog)&([a-z])\\b.*")
@example("#{0}a", "b|[]#")  # what is simplified away is no letter of the alphabet
def test_the_compiled_similarity_is_the_one_in_python(one: str, other: str) -> None:
    assert same_as_python(one, other)


@built
@settings(max_examples=100, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12]))
def test_ratios_of_numbers_of_any_size_are_rounded_as_in_python(m: int, n: int, t: float) -> None:
    same_as_python(f"([a-z]{{{m},}}[0-9]?)|.{{2,{n}}}", f"[a-y]*.{{{n}}}|[b-e]{{,{m}}}", t)
    same_as_python(f"(.|[ab]{{{n}}})*", f"([a-z_]{{{m}}})+", t)


@built
@settings(max_examples=400, deadline=None)
@given(anything, anything)
def test_what_is_wrong_is_handed_back_and_told_by_python(one: str, other: str) -> None:
    try:
        parse(one), parse(other)
    except UsageError:
        assert native_similarity(one, other, CONVERGED) is None
    else:
        assert same_as_python(one, other)


@built
@pytest.mark.parametrize(
    "regex", ["é", "a\0b", "a" * 2001, "(" * 150 + "a" + ")" * 150, ".*a.{14}", "a{1001}", "\ud800"]
)
def test_what_is_out_of_the_ordinary_is_handed_back(regex: str) -> None:
    assert native_similarity(regex, "ab*", CONVERGED) is None


def test_a_similarity_is_the_same_with_and_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("[a-m].*", ".*"), ("a|b", "b|c"), ("~(.*dog.*)", ".*dog.*"), ("\\bdog\\b.*", "dog.*")]
    found = [language_similarity(*pair) for pair in pairs]
    monkeypatch.setattr(
        "polyglitch.represent.automata.similarity.native_similarity", lambda *_: None
    )
    assert [language_similarity(*pair) for pair in pairs] == found
