"""From Python: whatever people have as system and corpus, and a result that speaks for itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polyglitch as pg
from polyglitch.api.run import in_notebook
from polyglitch.errors import UsageError

TEXTS = ["The film was good.", "The food was bad.", "A <b>good</b> day\u202e."]
ROWS = [{"text": text, "label": "x", "n": n} for n, text in enumerate(TEXTS)]
RELATIONS = {"relations": {"relations": ["lower-case", "upper-case"]}}
GLAD = {"The", "THE"}


def moods(text: str) -> str:
    """Answers by the case of the first letter: fails on lower case, holds on upper."""
    return "glad" if text[0].isupper() else "sad <script>\x1b[31m"


async def moods_later(text: str) -> str:
    return moods(text)


def many_moods(texts: list[str]) -> list[str]:
    return [moods(text) for text in texts]


class Model:
    def predict(self, X: Any) -> Any:
        return [moods(text) for text in X]


class Dataset:
    """As far as a dataset of Hugging Face is looked at."""

    class ClassLabel:
        names = ("zero", "one", "two")

    column_names = ("text", "n")
    features = {"text": object(), "n": ClassLabel()}  # noqa: RUF012

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter({"text": row["text"], "n": row["n"]} for row in ROWS)


def run(system: Any = moods, corpus: Any = TEXTS, **options: Any) -> pg.Result:
    options = {"source_language": "en", "parameters": RELATIONS, **options}
    return pg.run(system, corpus, "relations", **options)


@pytest.fixture(scope="module")
def result() -> pg.Result:
    return run()


@pytest.mark.needs("spacy")
@pytest.mark.parametrize(
    "system", [moods_later, many_moods, Model(), Model().predict, lambda text: [moods(text)]]
)
def test_any_system(system: Any, result: pg.Result) -> None:
    assert run(system).figures["violations"] == result.figures["violations"] > 0


@pytest.mark.needs("spacy")
@pytest.mark.parametrize("corpus", [ROWS, tuple(TEXTS), (t for t in TEXTS), Dataset()])
def test_any_corpus(corpus: Any, result: pg.Result) -> None:
    assert run(corpus=corpus).figures["cases"] == result.figures["cases"]


@pytest.mark.needs("spacy", "pandas")
def test_tables(tmp_path: Path, result: pg.Result) -> None:
    import pandas as pd

    frame = pd.DataFrame({"review": TEXTS, "when": pd.Timestamp("2026-01-01"), "x": [1, None, 3]})
    renamed = run(corpus=frame, fields={"text": "review"})
    assert renamed.figures["cases"] == result.figures["cases"]
    assert run(corpus=frame["review"]).figures["cases"] == result.figures["cases"]
    frame.to_csv(tmp_path / "a.csv")
    assert run(corpus=tmp_path / "a.csv").figures["cases"] == result.figures["cases"]


def test_the_names_of_classes_are_the_labels() -> None:
    from polyglitch.api.run import rows_of

    assert [row["n"] for row in rows_of(Dataset())] == ["zero", "one", "two"]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "the list is empty"),
        (3, "of type int; give texts, mappings with `text`, a DataFrame"),
        ([1], "row 1 is of type int; give texts"),
        (
            {"train": Dataset(), "test": Dataset()},
            r"splits train, test; give one.*corpus\['train'\]",
        ),
        ({"text": TEXTS}, "a mapping with 'text'; give texts"),
        ([{"opinion": "A text."}], r"which column holds the text\? there are 'opinion'"),
        ("nowhere.csv", "'nowhere.csv' cannot be read"),
    ],
)
def test_what_is_no_corpus_says_what_would_be(corpus: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(corpus=corpus)


def test_what_is_no_system_says_what_would_be() -> None:
    with pytest.raises(UsageError, match=r"system is of type int; give a URI .*`predict`"):
        run(3)


@pytest.mark.needs("spacy")
def test_the_summary_prints_and_draws_itself(result: pg.Result) -> None:
    told = str(result.summary)
    assert told.splitlines()[0] == "moods on texts in memory"
    assert "50.0% of 6 decided cases hold; 3 violated, 3 issues, 0 undecided" in told
    assert repr(result).startswith("<Result ") and "50.0% of 6 cases hold" in repr(result)
    drawn = result._repr_html_()
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn
    assert "<b>good" not in drawn and "\x1b" not in drawn and "\u202e" not in drawn


@pytest.mark.needs("spacy")
def test_cases_and_findings_are_objects_that_read_well(result: pg.Result) -> None:
    assert {found.outcome for found in result.cases} == {"holds", "violated"}
    case, _, verdict = result.cases[0]
    assert case.method == "relations" and verdict.case_id == case.id
    (found, *_) = [each for each in result.findings if each.seed.input.text == TEXTS[0]]
    assert found.cases[0].inputs == (TEXTS[0], TEXTS[0].lower())
    assert repr(found).splitlines() == [
        "issue of relations",
        "  must     No capitals: both must get the same answer",
        "  input    [The] film was good.",
        "  output   [glad]",
        "  changed  [the] film was good.",
        "  output   [sad <script>⟨U+001B⟩[31m]",
        "  why      'glad' became 'sad <script>\\x1b[31m'",
    ]
    assert "<script>" not in found._repr_html_()


@pytest.mark.needs("spacy")
def test_results_by_a_property(result: pg.Result) -> None:
    by = result.by("relation")
    assert list(by) == ["same:lower-case", "same:upper-case"], "the worst first"
    assert (by["same:lower-case"].rate, by["same:upper-case"].rate) == (0.0, 1.0)
    assert repr(by).splitlines()[1].split() == ["same:lower-case", "3", "0", "3", "0", "0.0%"]
    assert set(result.by("method")) == {"relations"}
    with pytest.raises(UsageError, match=r"by\('relaton'\).*did you mean 'relation'"):
        result.by("relaton")


@pytest.mark.slow
@pytest.mark.needs("spacy", "pandas")
def test_a_frame_has_a_row_a_case(result: pg.Result) -> None:
    frame = result.to_pandas()
    assert len(frame) == 6 and list(frame.columns[:3]) == ["method", "relation", "outcome"]
    assert result.by("relation").to_pandas()["violated"].tolist() == [3, 0]


@pytest.mark.needs("spacy")
def test_two_results_compare(result: pg.Result) -> None:
    better = run(lambda text: moods(text.upper()))
    found = result.compare(better)
    assert (found.fixed, found.broken, better.compare(result).broken) == (3, 0, 3)
    assert "of 6 cases decided in both, 3 are fixed and 0 broken" in repr(found)
    assert "none is fixed and none broken" in repr(result.compare(result))
    with pytest.raises(UsageError, match="give the result of another run"):
        result.compare("x")  # type: ignore[arg-type]


@pytest.mark.needs("spacy")
def test_a_report_and_a_temporary_store(tmp_path: Path) -> None:
    found = run()
    assert found.report(tmp_path / "x.html").read_text().count("moods on texts in memory")
    assert len((found.report(tmp_path / "x.jsonl")).read_text().splitlines()) >= 3
    store = Path(found.store)
    assert store.is_file()
    del found
    assert not store.exists(), "the temporary store goes with the result"


@pytest.mark.needs("spacy")
def test_the_same_call_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    assert run(store=store).figures["queries"] == 9
    assert run(store=store).figures["queries"] == 0
    assert run(lambda text: text, store=store).figures["queries"] == 9, (
        "another function, another system"
    )


@pytest.mark.needs("spacy")
def test_progress_is_silent_in_a_pipe_and_told_to_a_watcher(
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps: list[int] = []
    run(progress=True, watch=lambda step: steps.append(step.cases))
    assert steps and steps[-1] == 6
    assert capsys.readouterr() == ("", "") and not in_notebook()


def test_a_mapping_of_json_is_kept_as_it_is() -> None:
    from polyglitch.api.run import rows_of

    assert json.dumps(next(rows_of([{"text": "A.", "deep": {"a": [1, float("nan")]}}])))
