"""Which cases to run first: ranks over the cases of question answering, each a number a case, larger first.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024, chapter 5.
All of them look at the seed's question, the sentence that was inserted, and the system's answer to the seed; none
needs the follow-up to have been asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyglitch.protocols import Embedder, Floats, Inspection
from polyglitch.records import Case, Output

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Scene:
    """A case before its follow-up is asked: what the system said to the inputs before it, and how."""

    case: Case
    answers: tuple[Output, ...]
    seen: Inspection | None = None

    @property
    def question(self) -> str:
        """The seed's question."""
        return self.case.inputs[0].text

    @property
    def inserted(self) -> str:
        """The sentence or question that the follow-up adds."""
        return str(self.case.data.get("inserted", ""))


CaseRank = Callable[[Sequence[Scene], Embedder | None], list[float]]


def by_gradient(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """GRI: the largest gradient among the question's tokens that occur in the inserted sentence, else 0."""
    return [gradient_met(scene) for scene in scenes]


def gradient_met(scene: Scene) -> float:
    """The GRI score of one case."""
    if scene.seen is None:
        return 0.0
    there = {word.lower() for word in WORD.findall(scene.inserted)}
    best = 0.0
    for (start, end), gradient in zip(scene.seen.source_spans, scene.seen.gradients, strict=True):
        if end > start and word_around(scene.question, start, end) in there:
            best = max(best, float(gradient))
    return best


def word_around(text: str, start: int, end: int) -> str:
    """The whole word that a piece of a text belongs to, in small letters."""
    for found in WORD.finditer(text):
        if found.start() < end and start < found.end():
            return found[0].lower()
    return ""


def by_alignment(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """WALI: the size of C = B^T A, A the answer's attention to the question, B question against insertion.

    The thesis takes B from BERT; here it is the likeness of words by the embedder, never below 0.
    """
    if embedder is None:
        return [0.0 for _ in scenes]
    texts = [text for s in scenes for text in (*question_words(s), *WORD.findall(s.inserted))]
    vocabulary = {word: row for row, word in enumerate(dict.fromkeys(t.lower() for t in texts))}
    vectors = embedder.embed(list(vocabulary))
    return [correlation(scene, vectors, vocabulary) for scene in scenes]


def question_words(scene: Scene) -> list[str]:
    """The word of each source token."""
    spans = scene.seen.source_spans if scene.seen else ()
    return [word_around(scene.question, start, end) for start, end in spans]


def correlation(scene: Scene, vectors: Floats, vocabulary: dict[str, int]) -> float:
    """The WALI score of one case: the Frobenius norm of the correlation matrix."""
    inserted = [vocabulary[word.lower()] for word in WORD.findall(scene.inserted)]
    if scene.seen is None or not inserted or not scene.seen.source_spans:
        return 0.0
    rows = [vocabulary[word] for word in question_words(scene)]
    b = np.maximum(vectors[rows] @ vectors[inserted].T, 0.0)  # question x inserted
    a = scene.seen.attention.T  # question x answer
    return float(np.linalg.norm(b.T @ a))


def by_noise(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """How much longer the insertion is than the question: short questions drown in it."""
    return [len(scene.inserted) / max(1, len(scene.question)) for scene in scenes]


def by_similarity(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """How near the inserted sentence is to the question, as found when it was chosen."""
    return [float(scene.case.data.get("likeness", 0.0)) for scene in scenes]


def by_doubt(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """How unsure the system is of its answers so far: what it nearly did not say is easily changed."""
    return [max(map(doubt, scene.answers), default=0.0) for scene in scenes]


def doubt(output: Output) -> float:
    """One minus the probability of the chosen label; 0 where a system gives no scores."""
    return 1.0 - max(output.scores.values()) if output.scores else 0.0


def by_all(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """The mean place under gradient, doubt and noise: each sees another reason for an answer to move."""
    places = [as_places(rank(scenes, embedder)) for rank in (by_gradient, by_doubt, by_noise)]
    return [float(value) for value in np.mean(places, axis=0)]


def as_places(scores: Sequence[float]) -> Floats:
    """Scores as shares of the cases that score lower, ties alike."""
    values = np.asarray(scores, np.float64)
    lower = (values[:, None] > values[None, :]).sum(1)
    alike = (values[:, None] == values[None, :]).sum(1)
    return np.asarray((lower + (alike - 1) / 2) / max(1, len(values) - 1), np.float32)


CASE_RANKS: dict[str, CaseRank] = {
    "gri": by_gradient,
    "wali": by_alignment,
    "noise": by_noise,
    "similarity": by_similarity,
    "doubt": by_doubt,
    "combined": by_all,
}
INSPECTING = ("gri", "wali", "combined")  # ranks that look into the system
EMBEDDING = ("wali",)
