"""The language of the sentences where nobody tells it, and methods that read one language alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.campaign import Campaign
from polyglitch.errors import UsageError
from polyglitch.languages.record import guess_language
from polyglitch.run.plan import Plan, open_plan

GERMAN = "Der Bus ist nicht mit den Kindern in die Stadt gefahren, und das war ein Fehler.\n"
SPANISH = "La casa de los vecinos es una de las más viejas del pueblo.\n"
ENGLISH = "The bus was late, and the driver told all of us to wait in the rain.\n"


def plan_of(folder: Path, text: str, method: str, told: str | None = None) -> Plan:
    (folder / "text.txt").write_text(text * 3, encoding="utf-8")
    return open_plan(
        Campaign(
            system="cmd:cat",
            back="cmd:cat",
            corpus=str(folder / "text.txt"),
            methods=(method,),
            source_language=told,
        )
    )


def test_sentences_are_read_in_the_language_they_are_plainly_in(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, GERMAN, "rti")
    assert plan.languages[0] == plan.guessed == "de"
    assert "taken for German" in plan.remark
    assert {seed.input.language for seed in plan.corpus} == {"de"}
    assert plan_of(tmp_path, "Zurich 12\n", "rti").languages[0] is None


def test_what_is_told_is_not_guessed(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, GERMAN, "rti", told="fr")
    assert plan.languages[0] == "fr"
    assert not plan.guessed


@pytest.mark.parametrize("told", [None, "en", "es"])
def test_semmt_refuses_what_is_plainly_not_english(tmp_path: Path, told: str | None) -> None:
    with pytest.raises(UsageError, match="semmt reads English only"):
        plan = plan_of(tmp_path, SPANISH, "semmt", told)
        if plan.languages[0] == "es":  # told so: refused when the method's needs are looked for
            from polyglitch.tools import Toolbox

            Toolbox().check(plan.methods[0].needs[0], *plan.languages)
    assert plan_of(tmp_path, ENGLISH, "semmt").languages[0] == "en"


def test_a_list_of_names_is_in_no_language() -> None:
    assert guess_language(["Anna Berg, Tokyo", "Ivo Marini, Bern"]) == ""
    assert guess_language(["新的法律将于一月一日生效。"]) == "zh"
    assert guess_language(["Il sindaco non sa che cosa è successo nel porto."]) == "it"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("医者は月曜日に3人の患者を診ませんでした。", "ja"),
        ("新しい橋は来年開通します。IBMとGoogleが参加します。", "ja"),
        ("어머니는 토요일마다 시장에서 빵을 사십니다.", "ko"),
        ("Ο δρόμος προς το λιμάνι είναι κλειστός.", "el"),
        ("我们都使用Windows系统和办公软件。", "zh"),
        ("Мой брат не знает, где стоит эта машина.", "ru"),
    ],
)
def test_a_script_tells_its_language(text: str, language: str) -> None:
    assert guess_language([text]) == language
