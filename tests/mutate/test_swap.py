"""Cases of one changed word: in turns or by score, bounded, and proposals remembered across runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.mutate.swap import (
    SECOND_LOOK,
    Draft,
    more_parts,
    natural_enough,
    proposer_for,
    swap_words,
)
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR
from polyglitch.nlp.proposers.corpus import open_word_sets
from polyglitch.records import Candidate, Edit, Input, Parse, Seed, Slot, Token
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

TEXT = "The old farmer sold his barn to a young doctor in the village."
WORDS = {
    "farmer": [("teacher", 0.9), ("baker", 0.5)],
    "barn": [("house", 0.8), ("boat", 0.7)],
    "doctor": [("lawyer", 0.6)],
    "young": [("him", 0.95)],
}


class Fixed:
    """Proposes from a table and counts what it is asked."""

    signature = "fixed/1"

    def __init__(self) -> None:
        self.asked = 0

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        self.asked += len(slots)
        return [
            [Candidate(*pair) for pair in WORDS.get(slot.token.text, [])][:top] for slot in slots
        ]


class More:
    """Proposes for any word, with a probability by the word."""

    signature = "more/1"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        likely = {"Farmers": 0.9, "garden": 0.8, "sheds": 0.2, "cows": 0.95, "hens": 0.97}
        return [[Candidate("teachers", 1.0, likely.get(slot.token.text, 0.1))] for slot in slots]


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> Fixed:
    proposer = Fixed()
    real = registry.load

    def load(kind: str, name: str) -> object:
        if name == "more":
            return lambda language: More()
        return (lambda language: proposer) if name == "fixed" else real(kind, name)

    monkeypatch.setattr(registry, "load", load)
    return proposer


SEED = Seed("s", Input(TEXT, language="en"))


def new_words(**options: object) -> list[str]:
    mutate = swap_words("fixed", **options)  # type: ignore[arg-type]
    return [case.edit.new for case in mutate([SEED], Toolbox()) if case.edit]


def test_every_slot_has_its_turn_and_another_part_of_speech_is_refused(fixed: Fixed) -> None:
    assert new_words() == ["teacher", "house", "lawyer", "baker", "boat"]
    assert new_words(per_seed=3) == ["teacher", "house", "lawyer"]


def test_by_score_the_best_come_first_whatever_their_slot(fixed: Fixed) -> None:
    assert new_words(order="score", per_seed=3) == ["teacher", "house", "boat"]


def test_a_second_run_asks_the_proposer_nothing(fixed: Fixed, tmp_path: Path) -> None:
    for _ in range(2):
        store = Store(str(tmp_path / "s.sqlite"))
        cases = list(swap_words("fixed")([SEED], Toolbox(store)))
        store.close()
        assert len(cases) == 5
        assert fixed.asked == 5  # farmer, barn, young, doctor, village; `old` is held


def test_words_that_were_found_beside_other_slots_are_asked_for_anew(
    fixed: Fixed, tmp_path: Path
) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    for pos, asked in ((("NOUN", "ADJ"), 5), (("NOUN",), 9), (("NOUN",), 9)):
        list(swap_words("fixed", pos=pos)([SEED], Toolbox(store)))
        assert fixed.asked == asked
    store.close()


def test_filters_show_in_the_signature() -> None:
    assert "same_countability" in swap_words("fixed").signature
    assert "not_in_idiom" in swap_words("fixed").signature


def draft(word: str) -> Draft:
    return Draft(f"The {word}.", 4, Edit("swap", 4, 4 + len(word), "farmer", word))


def scored(*chances: float) -> list[tuple[Candidate, Draft]]:
    return [
        (Candidate(f"w{n}", chance, chance), draft(f"w{n}")) for n, chance in enumerate(chances)
    ]


def test_a_sentence_without_a_natural_word_gives_its_best_if_not_far_below() -> None:
    assert len(natural_enough(scored(0.95, 0.9, 0.5), 0.9, 0.5)) == 2
    (only,) = natural_enough(scored(0.5, 0.7, 0.6), 0.9, 0.5)
    assert only[0].accepted == 0.7
    assert natural_enough(scored(0.2, 0.4), 0.9, 0.5) == []
    assert natural_enough([], 0.9, 0.5) == []


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 1))
def test_asking_for_less_never_gives_fewer_cases(
    chances: list[float], one: float, other: float, spare: float
) -> None:
    low, high = sorted((one, other))
    some = scored(*chances)
    assert len(natural_enough(some, low, spare)) >= len(natural_enough(some, high, spare))
    assert natural_enough(some, 0.0, spare) == some


def test_without_a_dial_no_word_is_dropped_for_being_odd() -> None:
    assert proposer_for("auto", ASKED_FOR) == "auto"
    assert proposer_for("smollm", ASKED_FOR) == "smollm"
    assert proposer_for("auto", 0.85) == "auto:more"
    assert proposer_for("smollm", 0.85) == "smollm:0.8"
    assert proposer_for("auto", 0) == "auto:any" and proposer_for("smollm", 0) == "smollm:0"
    # A lower dial leaves no sentence without a word that a higher one gives: it has its second look too.
    for name in ("auto", "gemma", "smollm"):
        assert SECOND_LOOK[proposer_for(name, 0.85)] == SECOND_LOOK[name]
        assert proposer_for(name, 0) not in SECOND_LOOK  # as published
    assert proposer_for("masked-lm:some/folder", 0) == "masked-lm:some/folder"


@pytest.mark.parametrize("dial", [-0.1, 1.5])
def test_a_dial_that_is_no_probability_is_refused(dial: float) -> None:
    with pytest.raises(UsageError, match=r"naturalness = .* from 0"):
        swap_words(naturalness=dial)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Farmers walked past the old sheds.",
            ["Farmers"],
        ),  # the first word too, the likeliest alone
        ("They ran past the old garden sheds.", []),  # a singular takes no plural
        ("They ran past the sheds again.", []),  # too unlikely
        (TEXT, ["farmer", "barn", "doctor", "farmer", "barn"]),  # had words at the first look
        (
            "They fed the cows and the hens again.",
            ["hens"],
        ),  # one case, however many words are fine
    ],
)
def test_a_sentence_without_a_word_is_looked_at_once_more(
    fixed: Fixed, monkeypatch: pytest.MonkeyPatch, text: str, found: list[str]
) -> None:
    monkeypatch.setitem(SECOND_LOOK, "fixed", "more")
    seed = Seed("s", Input(text, language="en"))
    cases = list(swap_words("fixed")([seed], Toolbox()))
    assert [case.edit.old for case in cases if case.edit] == found


def test_other_parts_are_swapped_only_in_sentences_without_a_case(
    fixed: Fixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECOND_LOOK, "fixed", "more")
    monkeypatch.setitem(WORDS, "sold", [("gave", 0.95)])
    seed = Seed("s", Input(TEXT, language="en"))

    def changed(pos: tuple[str, ...]) -> set[str]:
        cases = swap_words("fixed", pos=pos, last_pos=("VERB",))([seed], Toolbox())
        return {case.edit.old for case in cases if case.edit}

    assert "sold" not in changed(("NOUN", "ADJ"))
    assert changed(("NUM",)) == {"sold"}


def test_more_parts_of_speech_are_swapped_only_where_sets_list_them() -> None:
    both = ("NOUN", "ADJ")
    assert more_parts("auto", "fr", both) == ("ADV", "NUM", "VERB")
    assert more_parts("auto", "de", both) == ()
    assert more_parts("causal:FILE.gguf", "fr", both) == ()
    assert more_parts("auto", "fr", ("NOUN",)) == ()  # who names the parts gets these alone


class OneSentence:
    """Tools with one tagged sentence, whose tagger takes every new word for a verb."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse

    def parser(self, language: str | None) -> OneSentence:
        return self

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        return [self._parse for _ in texts]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        new = tuple(msgspec.structs.replace(one, tag="VERB") for one in self._parse.tokens)
        return [msgspec.structs.replace(self._parse, text=text, tokens=new) for text in texts]

    def word_ranks(self, seeds: object, parses: object) -> None:
        return None

    def proposer(self, name: str, language: str | None) -> object:
        return open_word_sets(language or "")

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, object]:
        return {}

    def keep(self, kind: str, values: object) -> None:
        return None


@pytest.mark.parametrize(("language", "expected"), [("fr", ["trois", "fréquemment"]), ("de", [])])
def test_words_of_french_sets_are_not_held_against_a_wavering_tagger(
    language: str, expected: list[str]
) -> None:
    text, parts = "Il passe souvent deux ponts ici", ("PRON", "VERB", "ADV", "NUM", "NOUN", "X")
    tokens, at = [], 0
    for number, (word, pos) in enumerate(zip(text.split(), parts, strict=True)):
        at = text.index(word, at)
        tokens.append(Token(word, at, at + len(word), pos, pos, word.lower(), number, ""))
    parse = Parse(text, tuple(tokens), universal=True, language=language)
    seed = Seed("1", Input(text, language=language))
    cases = swap_words("word-sets")([seed], OneSentence(parse))  # type: ignore[arg-type]
    found = [case.edit.new for case in cases if case.edit]
    assert sorted(found) == sorted(expected + ["régulièrement"] * bool(expected))
