"""The similarity oracle reports what the edit does not explain, and reproduces published scores."""

from __future__ import annotations

from typing import Any

import pytest

from polyglitch.compare.oracles.similarity import METRICS, similar_enough
from polyglitch.errors import UsageError
from polyglitch.records import Output, Trial, Verdict
from polyglitch.registry import entries, load

from .materials import Labelled, MakeTrial

TOOLS: Any = None  # this oracle needs no language resources


def judge(trial: Trial, **options: Any) -> Verdict:
    (verdict,) = similar_enough(**options)([trial], TOOLS)
    return verdict


def test_a_second_change_is_reported_where_one_was_asked_for(trial: MakeTrial) -> None:
    a = "O gato preto da vizinha dorme no sofá da sala."
    b = "O cão preto da vizinha dorme não sofá da sala."
    verdict = judge(trial(a, b))
    assert verdict.outcome == "violated"
    assert verdict.reasons == ("'gato' became 'cão'", "'no' became 'não'")
    assert [(a, b)[s.output][s.start : s.end] for s in verdict.spans] == [
        "gato",
        "cão",
        "no",
        "não",
    ]
    assert verdict.score == verdict.details["lcs"] == pytest.approx(9 / 10)
    assert (verdict.threshold, verdict.direction) == (0.963, "below")
    assert verdict.severity > 0
    assert set(verdict.details) == {"lcs", "ed", "tfidf", "bleu"}


def test_the_change_that_was_asked_for_is_excused(trial: MakeTrial) -> None:
    verdict = judge(trial("O gato dorme no sofá.", "O cão dorme no sofá."))
    assert verdict.outcome == "holds"
    assert set(verdict.details.values()) == {1.0}
    assert verdict.spans == ()


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("Ele não quer sair de casa.", "Ele quer sair de casa.", "'não' is missing"),
        ("Ele quer sair de casa.", "Ele nunca quer sair de casa.", "'nunca' was added"),
    ],
)
def test_words_that_vanish_or_appear_are_reported(
    trial: MakeTrial, a: str, b: str, reason: str
) -> None:
    assert judge(trial(a, b)).outcome == "violated"
    assert judge(trial(a, b)).reasons == (reason,)


def test_a_long_change_is_not_excused(trial: MakeTrial) -> None:
    a, b = "Ela comprou pão e leite ontem.", "Ela nos viu lá fora ontem cedo ontem."
    assert judge(trial(a, b)).outcome == "violated"


def test_equal_outputs_hold_and_blanks_do_not_matter(trial: MakeTrial) -> None:
    assert judge(trial("Bom dia.", "Bom dia.")).score == 1.0
    assert judge(trial("Bom dia.", "Bom  dia. ")).outcome == "holds"


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        ((Output("Bom dia."), Output(status="timeout", error="after 30 s")), "timeout: after 30 s"),
        ((Output(status="refused"), Output("Bom dia.")), "refused"),
        (("", " "), "both outputs are empty"),
        (("Bom dia.",), "two outputs are needed to compare, the case has 1"),
    ],
)
def test_what_cannot_be_compared_is_undecided_with_its_reason(
    trial: MakeTrial, outputs: tuple[str | Output, ...], reason: str
) -> None:
    verdict = judge(trial(*outputs))
    assert (verdict.outcome, verdict.reason, verdict.score) == ("undecided", reason, None)


def test_votes_are_counted_and_the_shown_score_agrees_with_the_verdict(trial: MakeTrial) -> None:
    words = " ".join(f"palavra{index}" for index in range(40))
    case = trial(f"não {words}", words)  # one word of 41: too little for lcs and ed
    loose, strict = judge(case, vote="any"), judge(case, vote="all")
    assert loose.details["lcs"] > 0.963 > 0.0
    assert (loose.outcome, loose.threshold) == ("violated", 0.999)
    assert loose.severity > 0
    assert (strict.outcome, strict.threshold) == ("holds", 0.963)
    assert judge(case, vote=3).outcome == "holds"
    assert judge(case, metrics=("lcs",), thresholds={"lcs": 0.99}).outcome == "violated"


def test_verdicts_do_not_depend_on_the_batch(trial: MakeTrial) -> None:
    trials = [
        trial("O gato dorme no sofá.", "O cão dorme não sofá."),
        trial("Ele vem.", "Ele não vem."),
    ]
    oracle = similar_enough()
    assert oracle(trials, TOOLS) == [oracle([one], TOOLS)[0] for one in trials]


def test_texts_with_very_many_differences_stay_cheap(trial: MakeTrial) -> None:
    a = " ".join(f"x{index} same" for index in range(300))
    b = " ".join(f"y{index} same" for index in range(300))
    verdict = judge(trial(a, b))
    assert verdict.outcome == "violated"
    assert len(verdict.reasons) == 300


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ("lcss",)}, "did you mean 'lcs'"),
        ({"metrics": ()}, "metrics is empty"),
        ({"thresholds": {"bleau": 0.5}}, "no metric is called 'bleau'"),
        ({"vote": 5}, "vote=5 is not possible"),
        ({"vote": "most"}, "vote='most' is not possible"),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        similar_enough(**options)


def test_the_oracle_remembers_its_arguments() -> None:
    signature = similar_enough(metrics=("lcs", "ed"), vote="all").signature
    assert signature.startswith("similar_enough(faithful=False,")
    assert "metrics=lcs+ed" in signature
    assert "thresholds=bleu:0.906+ed:0.963" in signature


def test_published_scores_are_reproduced(trial: MakeTrial, labelled_cat: list[Labelled]) -> None:
    """LCS, ED and BLEU of all 100 labelled records; TF-IDF needs a table that was not published."""
    assert len(labelled_cat) == 100
    oracle = similar_enough(metrics=("lcs", "ed", "bleu"), faithful=True, reverse=True)
    verdicts = oracle([trial(record.mutant, record.seed) for record in labelled_cat], TOOLS)
    for record, verdict in zip(labelled_cat, verdicts, strict=True):
        expected = {name: record.scores[name] for name in ("lcs", "ed", "bleu")}
        assert verdict.details == pytest.approx(expected, rel=0, abs=1e-9)


def test_labelled_bugs_are_found(trial: MakeTrial, labelled_cat: list[Labelled]) -> None:
    """Both forms find nearly all labelled bugs, the published one with the published precision."""
    trials = [trial(record.mutant, record.seed) for record in labelled_cat]
    bugs = [record.bug for record in labelled_cat]
    assert sum(bugs) == 29
    for faithful in (True, False):
        oracle = similar_enough(metrics=("lcs",), faithful=faithful, reverse=faithful)
        found = [verdict.outcome == "violated" for verdict in oracle(trials, TOOLS)]
        hits = sum(one and other for one, other in zip(found, bugs, strict=True))
        assert hits / sum(bugs) >= 0.9
        if faithful:
            assert hits / sum(found) == pytest.approx(0.475, abs=0.02)


OTHERS = [name for name in entries("metrics") if name not in ("dep", "sbert", *METRICS)]


@pytest.mark.parametrize("name", OTHERS)
def test_any_registered_metric_is_accepted(trial: MakeTrial, name: str) -> None:
    metric = load("metrics", name)
    alike = judge(trial("At least 9 cats sleep.", "At least 9  cats sleep."), metrics=(name,))
    best = metric.range[1] if metric.direction == "similarity" else metric.range[0]
    assert (alike.outcome, alike.score) == ("holds", best)
    assert alike.direction == ("below" if metric.direction == "similarity" else "above")
    other = judge(
        trial("At least 9 cats sleep on my sofa.", "No dog with letters ran away from it today."),
        metrics=(name,),
    )
    assert other.outcome == "violated" and other.severity > 0


def test_a_registered_metric_excuses_the_replaced_word_too(trial: MakeTrial) -> None:
    swapped = trial("O gato dorme no sofá.", "O cão dorme no sofá.")
    lost = trial("O gato dorme no sofá da minha avó.", "O cão dorme no sofá.")
    assert judge(swapped, metrics=("chrf",)).score == 100
    assert judge(swapped, metrics=("ter",)).score == 0
    assert judge(lost, metrics=("chrf",)).outcome == "violated"
    assert judge(lost, metrics=("chrf",), thresholds={"chrf": 20}).outcome == "holds"
    assert judge(lost, metrics=("lcs", "ter"), vote="all").outcome == "violated"
    assert judge(lost, metrics=("ter",), thresholds={"ter": 500}).outcome == "holds"


def test_chinese_is_cut_without_blanks(trial: MakeTrial) -> None:
    assert judge(trial("猫在沙发上睡觉。", "狗在沙发上睡觉。"), metrics=("leven",)).score == 1


def test_a_mean_needs_one_direction(trial: MakeTrial) -> None:
    with pytest.raises(UsageError, match="some distances"):
        similar_enough(metrics=("lcs", "ter"), threshold=0.5)
    mean = judge(trial("a b c d", "a x y z q"), metrics=("ter", "bag"), threshold=1)
    assert (mean.outcome, mean.direction) == ("violated", "above")
