"""The fluency witness and its network: what is no Portuguese whatever it stands for."""

from __future__ import annotations

import pytest

from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.witnesses.changed_words import Statement
from polyglitch.compare.oracles.witnesses.fluency import Fluency
from polyglitch.nlp.models.misfits import misfits
from polyglitch.tools import Toolbox

SOURCES = ("The towels were soft.", "The towels were fluffy.")


def said_of(first: str, second: str, target: str = "pt") -> Statement | None:
    one = trial_of(Saved("1", *SOURCES, first, second, "en", target))
    return Fluency().hear([one], Toolbox(languages=("en", target)))[0]


@pytest.mark.parametrize(
    ("right", "wrong", "word"),
    [
        ("As toalhas eram macias.", "As toalhas eram macio.", "macio"),
        ("Eles queriam comprar pão.", "Eles queriam compraram pão.", "compraram"),
        ("Ela abriu a porta da casa.", "Ela abriu o porta da casa.", "o"),
        ("Os alunos foram para a escola.", "Os alunos foram para escolar.", "escolar"),
        ("O menino gosta de nadar.", "O menino gosta de nadou.", "nadou"),
    ],
)
def test_a_word_in_a_wrong_form_is_odder_than_the_right_one(
    right: str, wrong: str, word: str
) -> None:
    said = said_of(right, wrong)
    assert said is not None
    assert said.output == 1
    assert said.span is not None
    assert wrong[slice(*said.span)] == word
    assert f"{word!r} in the second translation hardly goes with the words" in said.words
    fine = said_of(right, right.replace(".", " agora."))
    assert fine is not None
    assert fine.suspicion < said.suspicion


def test_a_text_is_read_alike_alone_and_among_others() -> None:
    network = misfits("pt")
    assert network is not None
    texts = ["Ela saiu.", "As camas eram bons, disse o homem, mas ninguém riu.", "", "Sim"] * 9
    together = network.odds(texts)
    assert together == [network.odds([text])[0] for text in texts]
    assert [len(row) for row in together[:4]] == [3, 13, 0, 1]
    assert "".join(texts[1][one.start : one.end] for one in together[1]) == texts[1].replace(
        " ", ""
    )


def test_languages_without_a_network_are_silent() -> None:
    assert misfits("de") is None
    assert misfits("../pt") is None
    assert said_of("Die Tücher waren weich.", "Die Tücher waren weiche.", "de") is None


def test_a_word_that_both_have_is_nobodys_choice() -> None:
    said = said_of("Nada faltava no quarto.", "Não faltava nada na gaveta.")
    assert said is not None
    assert "faltava" not in said.words
