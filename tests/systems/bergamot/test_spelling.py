"""Words of a given output, cut as the model would have cut them."""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.systems.white_box import Spelling, respelled, segmented

VOCABULARY = ["<unk>", "▁se", "▁aderir", "▁a", "der", "ir", "derir", "▁colar", ",", "d"]


class Pieces:
    """A vocabulary of a few pieces, the longer ones likelier."""

    def id_to_piece(self, number: int) -> str:
        return VOCABULARY[number]

    def piece_to_id(self, piece: str) -> int:
        return VOCABULARY.index(piece) if piece in VOCABULARY else 0

    def get_score(self, number: int) -> float:
        return -1.0

    def unk_id(self) -> int:
        return 0


def odds(*values: tuple[float, str]) -> Sequence[tuple[float, int]]:
    return [(value, VOCABULARY.index(piece)) for value, piece in values]


def spelling(*pieces: str) -> Spelling:
    ids, spans, start = [VOCABULARY.index(piece) for piece in pieces], [], 0
    for piece in pieces:
        start += piece.startswith("▁") and start > 0
        spans.append((start, start + len(piece.removeprefix("▁"))))
        start = spans[-1][1]
    return Spelling(ids, spans)


def test_a_word_is_cut_as_the_model_would_have_begun_it() -> None:
    given = spelling("▁se", "▁aderir", ",")
    found = respelled(Pieces(), given, odds((-0.1, "▁se"), (-12.0, "▁a"), (-0.1, ",")))
    assert found == Spelling([1, 3, 6, 8], [(0, 2), (3, 4), (4, 9), (9, 10)])


def test_another_word_in_its_place_is_no_other_cut() -> None:
    given = spelling("▁se", "▁aderir", ",")
    assert respelled(Pieces(), given, odds((-0.1, "▁se"), (-12.0, "▁colar"), (-0.1, ","))) is None


def test_what_the_model_expects_is_left_alone() -> None:
    given = spelling("▁se", "▁aderir")
    assert respelled(Pieces(), given, odds((-0.1, "▁se"), (-1.0, "▁a"))) is None


def test_the_rest_of_a_word_takes_the_likeliest_pieces() -> None:
    assert segmented(Pieces(), "derir") == [VOCABULARY.index("derir")]
    assert segmented(Pieces(), "irder") == [VOCABULARY.index("ir"), VOCABULARY.index("der")]
    assert segmented(Pieces(), "xyz") is None
