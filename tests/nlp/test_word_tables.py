"""Tables of words in the cache folder say what the packages say that they were made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.lexicons.word_tables import NumberTable, laid_out, table_of
from polyglitch.nlp.lexicons.words import frequencies, zipf_frequency

KEYS = st.integers(0, 2**64 - 1)
ODD = ["meio-dia", "-", "...", "", "don't", "3rd", "a b", "Ação", "ß", "ÇA", "x-", "a-zzqx", "@s"]


@given(st.dictionaries(KEYS, st.integers(-1, 2**31 - 1)), KEYS)
def test_a_table_says_what_it_was_made_of(numbers: dict[int, int], other: int) -> None:
    table = NumberTable(laid_out(numbers))
    assert {key: table.get(key) for key in numbers} == numbers
    assert table.get(other) == numbers.get(other)


def test_a_table_is_made_once_and_again_for_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    file, made = tmp_path / "list", []
    for text in ("one", "one", "other"):
        if not file.is_file() or file.read_text() != text:
            file.write_text(text)
        table = table_of(file, lambda: made.append(1) or {7: len(made)})  # type: ignore[func-returns-value]
    assert len(made) == 2
    assert table.get(7) == 2


def test_where_nothing_can_be_kept_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path / "file"))
    assert table_of(tmp_path / "file", lambda: {1: 2}).get(1) == 2


@pytest.mark.needs("wordfreq")
@pytest.mark.parametrize("code", ["en", "pt", "de", "tr", "ru"])
def test_frequencies_are_those_of_wordfreq(code: str) -> None:
    from wordfreq import top_n_list

    known = top_n_list(code, 20_000)[::40]
    words = [*ODD, *known, *(word.title() for word in known), *(f"{word}-{code}" for word in known)]
    told = frequencies(code)
    assert told is not None
    assert [told(word) for word in words] == [zipf_frequency(code, word) for word in words]
