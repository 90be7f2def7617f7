"""Texts are cut by script, and nothing but blanks gets lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.metrics.units import cut, cut_characters, units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O guarda-chuva não é meu.", "O|guarda-chuva|não|é|meu|."),
        ("It's 1,234.50 euros, isn't it?", "It's|1,234.50|euros|,|isn't|it|?"),
        ("他在NatWest银行工作。", "他|在|NatWest|银|行|工|作|。"),
        ("2016年8月", "2016|年|8|月"),
        ("東京タワーへ行く", "東|京|タ|ワ|ー|へ|行|く"),
        ("ดีมาก Bob", "ดี|ม|า|ก|Bob"),
        ("यह हिन्दी है।", "यह|हिन्दी|है|।"),
        ("서울에 갑니다!", "서울에|갑니다|!"),
        ("نمی\u200cدانم چرا؟", "نمی\u200cدانم|چرا|؟"),
        ("cafe\u0301 noir", "cafe\u0301|noir"),
        ("", ""),
    ],
)
def test_each_script_is_cut_in_its_own_way(text: str, expected: str) -> None:
    assert units(text) == (expected.split("|") if expected else [])


def test_elided_articles_are_units_where_the_language_has_them() -> None:
    assert units("L'homme dort.", "fr") == ["L'", "homme", "dort", "."]
    assert units("L'homme dort.", "fr-CA") == ["L'", "homme", "dort", "."]
    assert units("Don't go.", "en") == ["Don't", "go", "."]


@given(st.text())
def test_spans_point_at_the_units_and_only_blanks_fall_between(text: str) -> None:
    for result in (cut(text), cut(text, "fr"), cut_characters(text)):
        assert [text[start:end] for start, end in result.spans] == result.units
        assert "".join(result.units) == "".join(text.split())


@given(st.text())
def test_a_place_without_units_is_empty_and_inside_the_text(text: str) -> None:
    result = cut(text)
    for index in range(len(result.units) + 1):
        start, end = result.place(index, index)
        assert start == end
        assert 0 <= start <= len(text)
