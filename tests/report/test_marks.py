"""Marks: what differs is found word by word, and no character is ever lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.files.foreign import spelled_out, split_hidden
from polyglitch.report.marks import FaultRange, differing_ranges, mark, word_ranges

WORDS = ("the", "cat", ",", "don't", "猫", "が", "हिन्दी", "❤️", "\u202e", "\n", "é")
TEXTS = st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(WORDS), max_size=15).map(
    " ".join
)
PLACES = st.integers(-5, 80)


@given(TEXTS, TEXTS)
def test_pieces_make_up_the_text_again(first: str, second: str) -> None:
    for text, changed in zip((first, second), differing_ranges(first, second), strict=True):
        assert "".join(piece.text for piece in mark(text, changed)) == text


@given(TEXTS, st.lists(st.tuples(PLACES, PLACES)), st.lists(st.builds(FaultRange, PLACES, PLACES)))
def test_no_range_however_wrong_loses_a_character(
    text: str, changed: list[tuple[int, int]], faults: list[FaultRange]
) -> None:
    pieces = mark(text, changed, faults)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)


@given(TEXTS, TEXTS)
def test_what_is_left_unmarked_is_the_same_in_both(first: str, second: str) -> None:
    left = []
    for text, changed in zip((first, second), differing_ranges(first, second), strict=True):
        words = word_ranges(text)
        left.append([text[a:b] for a, b in words if not any(s <= a and b <= e for s, e in changed)])
    assert left[0] == left[1]


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert differing_ranges(text, text) == ([], [])


@given(TEXTS)
def test_words_cover_all_that_is_not_space(text: str) -> None:
    ranges = word_ranges(text)
    covered = {place for start, end in ranges for place in range(start, end)}
    assert len(covered) == sum(end - start for start, end in ranges), "words do not overlap"
    assert {place for place, char in enumerate(text) if not char.isspace()} == covered


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("The old cat sat.", "The old dog sat.", (["cat"], ["dog"])),
        ("It doesn't work", "It didn't work", (["doesn't"], ["didn't"])),
        ("猫が眠る", "犬が眠る", (["猫"], ["犬"])),
        ("यह हिन्दी है", "यह उर्दू है", (["हिन्दी"], ["उर्दू"])),
        ("We are home", "We are not home", ([], ["not"])),
        ("a well-known cat", "a well-read cat", (["known"], ["read"])),
        ("The shop is shut.", "The bus was late. The shop is shut.", ([], ["The bus was late."])),
        ("It rains. We go.", "It rains. We stay. We go.", ([], ["We stay."])),
        ("We go now. It rains.", "We go. It rains.", (["now"], [])),
    ],
)
def test_whole_words_are_marked(first: str, second: str, expected: tuple[list[str], ...]) -> None:
    ours, theirs = differing_ranges(first, second)
    assert ([first[a:b] for a, b in ours], [second[a:b] for a, b in theirs]) == expected


def test_faults_are_kept_apart_from_changes() -> None:
    pieces = mark("O moinho fechado", [(2, 8)], [FaultRange(5, 16, "gender")])
    assert [(p.text, p.changed, p.fault) for p in pieces] == [
        ("O ", False, None),
        ("moi", True, None),
        ("nho", True, "gender"),
        (" fechado", False, "gender"),
    ]


@pytest.mark.slow
@given(TEXTS)
def test_splitting_off_hidden_characters_loses_none(text: str) -> None:
    assert "".join(run for run, _ in split_hidden(text)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("ab\u200dcd", "ab⟨U+200D⟩cd"),
        ("\x00\x1b[31m", "⟨U+0000⟩⟨U+001B⟩[31m"),
        ("\ud800", "⟨U+D800⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("\u3164", "⟨U+3164⟩"),
        ("line\nbreak\ttab", "line\nbreak\ttab"),
        ("می\u200cروم", "می\u200cروم"),  # Persian spells with it
        ("👩\u200d🚀", "👩\u200d🚀"),  # one emoji
        ("prix : 5\u00a0€", "prix : 5\u00a0€"),
    ],
)
def test_hidden_characters_are_written_out(text: str, shown: str) -> None:
    assert spelled_out(text) == shown


def test_a_fault_is_marked_without_the_blanks_around_it() -> None:
    pieces = mark("used not five", faults=[FaultRange(4, 9, "why", 1)])
    assert [piece.text for piece in pieces if piece.fault] == ["not"]


def test_capitals_can_be_left_out_of_a_comparison() -> None:
    assert differing_ranges("the Autumn", "The autumn not", by_case=False) == ([], [(11, 14)])
