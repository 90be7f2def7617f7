"""Ranks over cases: each rewards what it is said to reward, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from polyglitch.protocols import Inspection
from polyglitch.rank.cases import (
    Scene,
    as_places,
    by_alignment,
    by_doubt,
    by_gradient,
    by_noise,
    by_similarity,
)
from polyglitch.records import Case, Input, Output

QUESTION = "is the bridge long?"


def seen(gradients: list[float], attention: list[float]) -> Inspection:
    """What a white box shows of the question: `is`, `the`, `bri`, `dge`, `long`, `?`."""
    spans = ((0, 2), (3, 6), (7, 10), (10, 13), (14, 18), (18, 19))
    return Inspection(
        source_tokens=tuple(QUESTION[start:end] for start, end in spans),
        source_spans=spans,
        gradients=np.array(gradients, np.float32),
        target_tokens=("yes",),
        probabilities=np.array([0.6], np.float32),
        attention=np.array([attention], np.float32),
    )


def scene(inserted: str, look: Inspection | None = None, likeness: float = 0.0) -> Scene:
    """A case that inserts a sentence, after the answer yes."""
    inputs = (Input(QUESTION, "c"), Input("changed", "c"))
    data = {"inserted": inserted, "likeness": likeness}
    case = Case("1", "s", "same answer", inputs, data=data)
    return Scene(case, (Output(label="yes", scores={"yes": 0.6, "no": 0.4}),), look)


LOOK = seen([9.0, 1.0, 2.0, 5.0, 3.0, 8.0], [0.1, 0.1, 0.5, 0.5, 0.2, 0.1])


def test_gradient_of_the_best_token_that_the_insertion_repeats() -> None:
    sentences = ["Bridges are high.", "The Bridge fell.", "A long road.", "Nothing."]
    # `dge` is a piece of a word that is there; `?` and `is` have larger gradients but are not.
    assert by_gradient([scene(text, LOOK) for text in sentences]) == [0.0, 5.0, 3.0, 0.0]
    assert by_gradient([scene("The bridge.", None)]) == [0.0]


class Letters:
    """Words are alike if they start alike."""

    signature = "letters"

    def embed(self, texts):  # type: ignore[no-untyped-def]
        rows = np.zeros((len(texts), 256), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[ord(text[0]) % 256 if text else 0] = 1
        return rows


def test_alignment_weighs_likeness_by_attention() -> None:
    found = by_alignment(
        [scene("brook", LOOK), scene("tree", LOOK), scene("zebra", LOOK)], Letters()
    )
    # C = B^T A: `brook` meets both pieces of `bridge` (0.5 each), `tree` meets `the` (0.1).
    assert found == pytest.approx([1.0, 0.1, 0.0], abs=1e-6)
    longer = by_alignment([scene("brook brook", LOOK)], Letters())
    assert longer == pytest.approx([2**0.5])  # the Frobenius norm over both words


def test_cheap_ranks_see_lengths_likeness_and_confidence() -> None:
    short, long = (
        scene("Aha."),
        scene("A sentence that is far longer than the question.", likeness=0.7),
    )
    assert by_noise([long])[0] > by_noise([short])[0]
    assert by_similarity([short, long]) == [0.0, 0.7]
    assert by_doubt([short]) == [pytest.approx(0.4)]
    assert by_doubt([Scene(short.case, (Output("text"),))]) == [0.0]


def test_places_are_shares_with_ties_alike() -> None:
    assert as_places([3.0, 1.0, 1.0, 9.0]).tolist() == pytest.approx([2 / 3, 1 / 6, 1 / 6, 1.0])
