"""The rarity witness: the rarest changed word by a list of frequencies."""

from __future__ import annotations

import pytest

from polyglitch.compare.oracles.witnesses.alone import rarity
from polyglitch.compare.oracles.witnesses.changed_words import Rarity, counted
from polyglitch.compare.oracles.witnesses.oracle import LEADS
from polyglitch.errors import UsageError
from polyglitch.tools import Toolbox
from tests.compare.witnesses.test_confidence import trial

pytestmark = pytest.mark.needs("wordfreq")
LEFT = ("El alcalde habló con los vecinos.", "El alcalde habló con los villagers.")
SAME = ("El alcalde habló con los vecinos.", "El alcalde habló con los dueños.")


def test_a_word_left_in_english_is_named_and_a_common_word_weighs_little() -> None:
    tools = Toolbox(languages=("en", "es"))
    left, same = Rarity().hear([trial(LEFT), trial(SAME)], tools)
    assert left is not None and same is not None and left.suspicion > same.suspicion + 3
    assert (left.output, left.span) == (1, (25, 34))
    assert left.words.startswith("'villagers' in the second translation is")
    verdicts = rarity()([trial(LEFT), trial(SAME)], tools)
    assert [verdict.outcome for verdict in verdicts] == ["violated", "holds"]


def test_words_that_both_have_are_passed_over_and_no_list_means_no_word() -> None:
    both = (LEFT[1], "El dueño habló con los villagers.")
    said = Rarity("es").hear([trial(both)], Toolbox())[0]
    assert said is not None and "villagers" not in said.words
    assert Rarity().hear([trial(LEFT)], Toolbox(languages=("en", "zh"))) == [None]
    with pytest.raises(UsageError, match="--target-language"):
        rarity()([trial(LEFT)], Toolbox())


def test_numbers_are_said_as_people_say_them() -> None:
    assert [counted(n) for n in (89_125_094, 1e9, 40_123)] == [
        "89 million",
        "1,000 million",
        "40,000",
    ]


def test_a_form_of_a_listed_verb_is_rare_and_not_made_up() -> None:
    outputs = ("O show desapontou os fãs.", "O show desapontava os fãs.")
    said = Rarity("pt").hear([trial(outputs)], Toolbox())[0]
    assert said is not None and said.words.endswith("is a rare form of a Portuguese verb")
    assert 6 < said.suspicion < LEADS[Rarity.name]
    made_up = Rarity("pt").hear([trial((outputs[0], "O show desapontrou os fãs."))], Toolbox())[0]
    assert made_up is not None and made_up.suspicion >= LEADS[Rarity.name]
    assert made_up.words.endswith("is not in the list of Portuguese words")
