"""The regex dialect: what is read, what is refused and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from polyglitch.represent.automata.dfa import equivalent
from polyglitch.represent.regex.parse import BadRegex, parse
from polyglitch.represent.regex.tree import write
from tests.represent.regexes import regexes


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(regexes)
def test_writing_and_reading_again_changes_nothing(regex: str) -> None:
    node = parse(regex)
    assert equivalent(parse(write(node)), node)


@pytest.mark.parametrize(
    ("regex", "position", "cause"),
    [
        ("(ab", 0, "not closed"),
        ("ab)", 2, "closes nothing"),
        ("a{2", 1, "not closed"),
        ("a{3,2}", 1, "more than it allows"),
        ("a{x}", 1, "stands m"),
        ("*a", 0, "nothing before it"),
        ("[ab", 0, "not closed"),
        ("a&", 2, "after '&'"),
        ("~", 1, "after '~'"),
        ("a\\", 1, "after"),
        ("a{2000}", 1, "repetitions"),
        ("[z-a]", 0, "bad range"),
        ("(" * 200, 101, "inside each other"),
    ],
)
def test_a_bad_regex_is_an_error_that_shows_where(regex: str, position: int, cause: str) -> None:
    with pytest.raises(BadRegex, match=cause) as error:
        parse(regex)
    assert error.value.position == position
    assert f"character {position + 1}" in str(error.value)


def test_operators_bind_as_in_the_published_data() -> None:
    same = [("a|b&c", "a|(b&c)"), ("ab&.*", "(ab)&(.*)"), ("~a*", "(~a)*"), ("ab{2}", "a(b{2})")]
    for one, other in same:
        assert equivalent(parse(one), parse(other))
    assert not equivalent(parse("~a*"), parse("~(a*)"))


def test_named_literals_and_the_spaced_form_of_the_data() -> None:
    assert parse("( [ <VOW> ] ) . * <M0>", spaced=True) is parse("[AEIOUaeiou].*dog")
    assert parse("<VOW>") is parse("[AEIOUaeiou]")
    assert parse("<nobody>") is not parse("<M0>")
