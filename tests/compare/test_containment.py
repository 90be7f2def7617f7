"""Whether a phrase's translation is found in that of its container."""

from __future__ import annotations

from polyglitch.compare.oracles.two_outputs import contained_in, fold, other_script
from polyglitch.languages import language
from polyglitch.tools import Toolbox

from .materials import MakeTrial

PORTUGUESE = Toolbox(languages=("en", "pt"))
CHINESE = Toolbox(languages=("en", "zh"))


def test_articles_and_contractions_may_differ_words_may_not(trial: MakeTrial) -> None:
    trials = [
        trial("Ela mora no centro da cidade velha.", "O centro de uma cidade velha"),
        trial("Os sindicatos menos poderosos perderam.", "as uniões menos potentes"),
        trial("Um sindicato poderoso perdeu.", "sindicatos poderosos"),
    ]
    same, other, agreeing = contained_in()(trials, PORTUGUESE)
    assert (same.outcome, same.score) == ("holds", 0.0)
    assert (other.outcome, other.score, other.direction) == ("violated", 2.0, "above")
    assert [reason.split()[0] for reason in other.reasons] == ["'uniões'", "'potentes'"]
    text = "as uniões menos potentes"
    assert [text[span.start : span.end] for span in other.spans] == ["uniões", "potentes"]
    assert all(span.output == 1 for span in other.spans)
    assert agreeing.outcome == "holds"
    assert contained_in(above=2)(trials, PORTUGUESE)[1].outcome == "holds"


def test_a_word_counts_as_often_as_it_is_there(trial: MakeTrial) -> None:
    once = trial("Uma fábrica fechou.", "fábrica de fábrica")
    assert contained_in()([once], PORTUGUESE)[0].score == 1.0


def test_chinese_is_compared_by_characters_and_latin_leftovers_are_not_judged(
    trial: MakeTrial,
) -> None:
    trials = [
        trial("这位新老板称赞了钢铁厂。", "新的老板"),
        trial("这位新老板称赞了钢铁厂。", "新工会"),
        trial("这位新老板称赞了steel厂。", "钢铁厂"),
    ]
    found = contained_in()(trials, CHINESE)
    assert [verdict.outcome for verdict in found] == ["holds", "violated", "undecided"]
    assert found[1].score == 2.0
    assert "Latin letters" in found[2].reason


def test_scripts_and_endings() -> None:
    assert other_script("东京 NATO") is False or other_script("东京大学 NATO") is False
    assert other_script("Привет, мир") and not other_script("Olá, mundo")
    assert fold("Americanas", "pt") == fold("americano", "pt") != fold("americano", "en")
    assert fold("ano", "pt") == "ano"  # too short to cut
    assert "pelos" in language("pt-BR").stop_words and not language("xx").stop_words
