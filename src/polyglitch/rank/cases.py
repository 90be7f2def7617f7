"""Which cases to run first: ranks over the cases of question answering, each a number a case, larger first.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024, chapter 5.
All of them look at the seed's question, the sentence that was inserted, and the system's answer to the seed; none
needs the follow-up to have been asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import UsageError
from polyglitch.languages import DEFAULT
from polyglitch.protocols import Embedder, Floats, Inspection, Tools, WhiteBox
from polyglitch.records import Case, Input, Output, digest

Ask = Callable[[Sequence[Input]], Sequence[Output]]
KEPT = "inspection/2"
INSPECTED_AT_ONCE = 16  # what was seen of so many seeds is kept before the next are looked into
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
    return [max([*map(doubt, scene.answers), doubt_inside(scene)]) for scene in scenes]


def doubt(output: Output) -> float:
    """One minus the probability of the chosen label, or the mean one of its words; 0 where a system tells neither."""
    if output.scores:
        return 1.0 - max(output.scores.values())
    return 0.0 if output.likelihood is None else 1.0 - float(np.exp(min(0.0, output.likelihood)))


def doubt_inside(scene: Scene) -> float:
    """One minus the mean probability of the words of the first answer, where a model shows them."""
    if scene.seen is None or not scene.seen.probabilities.size or scene.answers[0].scores:
        return 0.0
    return 1.0 - float(np.exp(np.log(np.maximum(scene.seen.probabilities, 1e-9)).mean()))


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


def is_question(case: Case) -> bool:
    """Whether a case asks a question with something inserted, which these ranks can order."""
    return "inserted" in case.data


def question_order(name: str, cases: Sequence[Case], tools: Tools, ask: Ask) -> list[Case]:
    """Cases of question answering in the order of a rank, before any follow-up is asked."""
    asked = list(dict.fromkeys(item for case in cases for item in case.inputs[:-1]))
    answers = dict(zip(asked, ask(asked), strict=True))
    scenes = [Scene(case, tuple(answers[item] for item in case.inputs[:-1])) for case in cases]
    system = tools.white_box
    told = all(answer.scores or answer.likelihood is not None for answer in answers.values())
    if name in INSPECTING or (name == "doubt" and not told and system is not None):
        if system is None:
            raise UsageError(
                f"--rank {name} looks inside the model, and this system does not show it; use --rank doubt, noise or "
                "similarity"
            )
        scenes = inspected(scenes, system, tools)
    language = cases[0].inputs[0].language or tools.languages[0] or DEFAULT
    embedder = tools.embedder("minilm", language) if name in EMBEDDING else None
    scores = CASE_RANKS[name](scenes, embedder)
    return [cases[n] for n in sorted(range(len(cases)), key=lambda n: (-scores[n], n))]


def inspected(scenes: Sequence[Scene], system: WhiteBox, tools: Tools) -> list[Scene]:
    """The scenes with a look at each seed that has an answer; what was seen is kept, since it is dear."""
    todo: dict[str, Scene] = {}
    for scene in scenes:
        if scene.answers[0].ok:
            todo.setdefault(inspection_key(scene, system), scene)
    seen = tools.remember(KEPT, list(todo))
    left = [(key, scene) for key, scene in todo.items() if key not in seen]
    for start in range(0, len(left), INSPECTED_AT_ONCE):
        some = left[start : start + INSPECTED_AT_ONCE]
        firsts = [scene.answers[0] for _, scene in some]
        shown = system.inspect(
            [scene.case.inputs[0] for _, scene in some],
            [first.label or first.text for first in firsts],
        )
        fresh = {key: to_json(one) for (key, _), one in zip(some, shown, strict=True)}
        tools.keep(KEPT, fresh)
        seen |= fresh
    return [
        Scene(scene.case, scene.answers, from_json(seen[inspection_key(scene, system)]))
        if scene.answers[0].ok
        else scene
        for scene in scenes
    ]


def inspection_key(scene: Scene, system: WhiteBox) -> str:
    """Where a look at a seed is kept: the system, the input, and the answer that was looked at."""
    first = scene.answers[0]
    return digest([system.signature, *scene.case.inputs[0].identity, first.label or first.text], 32)


def to_json(seen: Inspection) -> dict[str, Any]:
    """An inspection as plain lists."""
    fields = msgspec.structs.asdict(seen)
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }


def from_json(value: dict[str, Any]) -> Inspection:
    """An inspection from plain lists."""
    tokens = ("source_tokens", "target_tokens")
    fields: dict[str, Any] = {name: tuple(value[name]) for name in tokens}
    fields["source_spans"] = tuple((start, end) for start, end in value["source_spans"])
    for name, items in value.items():
        if name not in fields and items is not None:
            fields[name] = np.asarray(items, np.float32)
    return Inspection(**fields)
