"""Regexes and descriptions from strangers: read or refused with the character, compared in bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyglitch.represent.automata.dfa import AutomatonLimits
from polyglitch.represent.automata.similarity import (
    language_similarity,
    regex_similarity,
    regex_tokens,
)
from polyglitch.represent.descriptions.rerank import describe_all
from polyglitch.represent.regex.parse import BadRegex, parse
from polyglitch.represent.regex.tree import write as written
from tests.fuzz.hostile import SLOWEST, fuzz, refused, texts, write

pieces = st.sampled_from(
    [*"ab01_.|&~()[]{}?*+^-,\\<> ", "\\b", "\\d", "<M0>", "<VOW>", "[a-z]", "{2,3}", "{1000}", "(.*)", "~(", ".*", "é"]
)  # fmt: skip
regexes = st.lists(pieces, max_size=14).map("".join) | st.text(max_size=30)
QUICK = AutomatonLimits(states=400, seconds=0.5)


@fuzz
@given(regexes)
@example("(" * 50_000)
@example("~" * 50_000)
@example("a" * 20_000)
@example("a|" * 20_000)
@example("a&" * 5_000 + "a")
@example("[" + "a" * 100_000 + "]")
@example("{" * 10_000)
@example("a{" + "9" * 5000 + "}")
@example("a" + "{1000}" * 50)
@example("a" + "*" * 20_000)
@example("\ud800")
def test_any_text_as_a_regex(regex: str) -> None:
    started = time.process_time()
    try:
        node = parse(regex)
    except BadRegex as error:
        assert 0 <= error.position <= len(regex)
        assert "character" in str(error)
    else:
        assert parse(written(node)) is not None
    regex_tokens(regex)
    assert time.process_time() - started < SLOWEST


@pytest.mark.slow
@fuzz
@given(regexes, regexes)
@example("((a{1000}){1000}){1000}", "a")
@example("(.*a.{30}){20}", "(.*b.{30}){20}")
@example("~(.*a.{25})", ".*b.{25}")
@example("(a|b)*a" + "(a|b)" * 40, "b*")
@example("&".join(f"(.{{{n}}})*" for n in (2, 3, 5, 7, 11, 13, 17, 19)), ".*")
@example("a" * 3000, "b" * 3000)
@example("(a?){1000}a{1000}", "a*")
@example("((a*)*)*" * 30, "a")
def test_any_two_regexes_are_compared_in_bounded_time(one: str, other: str) -> None:
    started = time.process_time()
    try:
        parse(one), parse(other)
    except BadRegex:
        return
    for mode in ("paper", "exact"):
        found = language_similarity(one, other, mode=mode, limits=QUICK)  # type: ignore[arg-type]
        assert found.undecided if found.value is None else 0 <= found.value <= 1
    assert 0 <= regex_similarity(one, other) <= 1
    assert time.process_time() - started < SLOWEST


WORDS = """lines with a vowel or number before the string dog at least 3 times and not starting ending containing
words 3 or more , ' " ; ( ) followed by either letter capital that have"""
words = st.sampled_from(WORDS.split())
sentences = st.lists(words, max_size=14).map(" ".join) | texts


@pytest.mark.slow
@fuzz
@given(sentences)
@example("a vowel or " * 200)
@example("not " * 500)
@example("'" * 3000)
@example("lines containing " + "'dog' and " * 60)
@example("at least 99999999999999999999 vowels")
def test_any_sentence_as_a_description(sentence: str) -> None:
    started = time.process_time()
    found = list(describe_all([sentence], None))
    assert len(found) == 1
    if found[0].regex:
        parse(found[0].regex)
    assert time.process_time() - started < SLOWEST


def test_a_file_of_descriptions_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "d.txt", b"lines with a vowel\n\xff\xfe\n")
    code, told = refused(["regex", "-i", str(path)], capsys)
    assert code == 2 and f"{path}:2:" in told
