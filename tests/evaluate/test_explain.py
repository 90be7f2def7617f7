"""Explanations: the word that decides is found, and the template keeps the prediction without the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyglitch.evaluate.diversity import Bounds, coverage, measure_bounds, widened
from polyglitch.evaluate.explanation import MASK, explain
from polyglitch.records import Input, Output


class Keyword:
    """Says positive where it reads `superb`, unless it also reads `not`."""

    signature, languages, batch_size, parallel = "keyword", ("en", None), 64, 1

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        outputs = []
        for item in inputs:
            words = item.text.lower().split()
            positive = 0.1 + 0.8 * ("superb" in words) - 0.7 * ("not" in words)
            label = "positive" if positive > 0.5 else "negative"
            outputs.append(Output(label=label, scores={"positive": positive, "neutral": 0.0}))
        return outputs

    def close(self) -> None:
        """Nothing to close."""


def test_the_word_that_decides() -> None:
    found = explain(Keyword(), "the whole cast is superb in this film", samples=300, fills=100)
    by_word = dict(zip(found.words, found.contributions, strict=True))
    assert found.label == "positive"
    assert max(by_word, key=lambda word: by_word[word]) == "superb"
    assert by_word["superb"] > 0.5 > 10 * max(abs(v) for w, v in by_word.items() if w != "superb")
    assert found.template == (MASK,) * 4 + ("superb",) + (MASK,) * 3
    assert found.kept == 1.0


def test_a_word_against_the_prediction_has_a_negative_weight() -> None:
    class Hedged(Keyword):
        def ask(self, inputs: Sequence[Input]) -> list[Output]:
            scores = [0.9 - 0.3 * ("but" in item.text.split()) for item in inputs]
            return [
                Output(label="positive", scores={"positive": s, "neutral": 1 - s}) for s in scores
            ]

    found = explain(Hedged(), "fine but slow", samples=200, fills=20)
    assert found.contributions[1] == pytest.approx(-0.3, abs=0.02)
    assert found.template == (MASK,) * 3


@pytest.mark.needs("torch")
def test_neuron_coverage_counts_what_leaves_the_bounds() -> None:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False))
    with torch.no_grad():
        model[0].weight.copy_(torch.eye(2))
    known = measure_bounds(model, ["0"], lambda: model(torch.tensor([[0.0, 0.0], [1.0, 1.0]])))
    seen = measure_bounds(model, ["0"], lambda: model(torch.tensor([[2.0, 0.5], [-1.0, 0.5]])))
    found = coverage(known, seen)
    assert (found.neurons, found.boundary, found.strong) == (2, 0.5, 0.5)
    assert coverage(known, widened(Bounds({}, {}), seen)) == found
    assert coverage(known, widened(seen, known)) == found, "what is known adds nothing"
    assert np.allclose(known.high["0"], 1.0)
    assert not model[0]._forward_hooks
