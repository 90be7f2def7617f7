"""Ranks over cases: each rewards what it is said to reward, and nothing else."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from polyglitch.protocols import Inspection, TokenScore
from polyglitch.rank.cases import (
    WORD,
    Scene,
    as_places,
    by_alignment,
    by_doubt,
    by_gradient,
    by_noise,
    by_similarity,
    gradient_met,
    noise_ratio,
    weighed,
)
from polyglitch.records import Case, Input, Output
from polyglitch.tools import Toolbox

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


class InText(Letters):
    """The same, and a word after `no` is like none."""

    def embed_words(self, texts, spans):  # type: ignore[no-untyped-def]
        return [
            self.embed([text[a:b].lower() for a, b in row])  # type: ignore[no-untyped-call]
            * np.array([[text[max(0, a - 3) : a] != "no "] for a, _ in row]).reshape(-1, 1)
            for text, row in zip(texts, spans, strict=True)
        ]


def test_alignment_weighs_likeness_by_attention() -> None:
    scenes = [scene(text, LOOK) for text in ("brook", "tree", "lake", "zebra")]
    # C = B^T A: `brook` meets both pieces of `bridge` (0.5 each), `lake` meets `long`; `the` is no content word.
    assert by_alignment(scenes, Letters()) == pytest.approx([1.0, 0.0, 0.2, 0.0], abs=1e-6)
    longer = by_alignment([scene("brook brook", LOOK)], Letters())
    assert longer == pytest.approx([2**0.5])  # the Frobenius norm over both words


def test_words_are_compared_as_they_stand_in_their_sentence() -> None:
    scenes = [scene("brook", LOOK), scene("no brook", LOOK)]
    assert by_alignment(scenes, InText()) == pytest.approx([1.0, 0.0], abs=1e-6)


def test_words_of_the_context_count_and_only_the_highest() -> None:
    context = "The river rose and the ferry sank."
    spans = tuple(found.span() for found in WORD.finditer(context))
    case = Case("1", "s", "same answer", (Input(QUESTION, context), Input("changed", context)))
    look = Inspection(
        source_tokens=tuple(context.split()),
        source_spans=((0, 0),) * len(spans),
        gradients=np.array([9, 4, 1, 9, 9, 3, 2], np.float32),
        target_tokens=("yes",),
        probabilities=np.array([0.6], np.float32),
        attention=np.ones((1, len(spans)), np.float32),
        context_spans=spans,
    )

    def met(inserted: str, top: int) -> float:
        said = msgspec.structs.replace(case, data={"inserted": inserted})
        return gradient_met(Scene(said, (Output("yes"),), look), top)

    assert met("The river.", 10) == 4.0  # the article has a larger gradient, and is no content word
    assert (met("A ferry.", 2), met("It sank.", 2), met("It sank.", 3)) == (3.0, 0.0, 2.0)


def test_cheap_ranks_see_lengths_likeness_and_confidence() -> None:
    short, long = (
        scene("Aha."),
        scene("A sentence that is far longer than the question.", likeness=0.7),
    )
    assert noise_ratio(long) > noise_ratio(short)
    said = [
        "Aha.",
        QUESTION,
        f"Someone said so, {QUESTION}",
        f"I do not care whether it is, {QUESTION}",
    ]
    grown = [
        msgspec.structs.replace(short.case, inputs=(short.case.inputs[0], Input(t))) for t in said
    ]
    found = by_noise([Scene(case, short.answers) for case in grown])
    assert found[:2] == [0, 0] and 0 < found[2] < found[3] < 1
    assert by_similarity([short, long]) == [0.0, 0.7]
    assert by_doubt([short]) == [pytest.approx(0.4)]
    assert by_doubt([Scene(short.case, (Output("text"),))]) == [0.0]


def test_places_are_shares_with_ties_alike() -> None:
    assert as_places([3.0, 1.0, 1.0, 9.0]).tolist() == pytest.approx([2 / 3, 1 / 6, 1 / 6, 1.0])


class Unsure:
    """A system that writes, and finds long answers unlikely."""

    signature = "unsure"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def score(self, inputs, outputs, language=None):  # type: ignore[no-untyped-def]
        self.asked += outputs
        return [[TokenScore(0, len(text), -float(len(text)))] for text in outputs]


def test_answers_that_do_not_tell_are_weighed_once() -> None:
    first = Input(QUESTION, "c")
    case = Case("1", "s", "both", (first, Input("why?", "c"), Input("changed", "c")))
    scenes = [
        Scene(case, (Output("yes"), Output("no"))),
        Scene(case, (Output("yes"), Output("n", likelihood=-0.5))),
        Scene(
            case,
            (
                Output(label="yes", scores={"yes": 0.7, "no": 0.3}),
                Output(error="late", status="error"),
            ),
        ),
    ]
    system = Unsure()
    found = weighed(scenes, system, Toolbox())
    assert system.asked == ["yes", "no"]
    likely = [[answer.likelihood for answer in scene.answers] for scene in found]
    assert likely == [[-3.0, -2.0], [-3.0, -0.5], [None, None]]
    assert by_doubt(found) == pytest.approx([1 - np.exp(-3), 1 - np.exp(-3), 0.3])
