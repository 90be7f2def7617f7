"""Which cases to run first: ranks over the cases of question answering, each a number a case, larger first.

Shao: Towards Effectively Testing Sequence-to-Sequence Models from White-Box Perspectives, Waterloo 2024, chapter 5.
All of them look at the seed's question and context, the sentence that was inserted, and the system's answer to the
seed; none needs the follow-up to have been asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.protocols import Embedder, Floats, Inspection, Lens, Tools, WhiteBox, WordEmbedder
from polyglitch.records import Case, Input, Output, digest

Ask = Callable[[Sequence[Input]], Sequence[Output]]
KEPT = "inspection/3"
WEIGHED = "answer_weight/1"
TOP = 10  # words by their gradients that a rank looks for in an insertion, as in the thesis
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
    def source(self) -> str:
        """The seed's question and its context."""
        return f"{self.question}\n{self.case.inputs[0].context or ''}"

    @property
    def inserted(self) -> str:
        """The sentence or question that the follow-up adds."""
        return str(self.case.data.get("inserted", ""))


CaseRank = Callable[[Sequence[Scene], Embedder | None], list[float]]


def by_gradient(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """GRI: the largest gradient of a word in the insertion, if among the highest of question and context, else 0."""
    return [gradient_met(scene) for scene in scenes]


def gradient_met(scene: Scene, top: int = TOP) -> float:
    """The GRI score of one case (algorithm 3)."""
    if scene.seen is None:
        return 0.0
    highest: dict[str, float] = {}
    for word in source_words(scene):
        gradient = float(scene.seen.gradients[list(word.tokens)].max())
        highest[word.text] = max(gradient, highest.get(word.text, 0.0))
    chosen = sorted(highest, key=lambda word: -highest[word])[:top]
    there = {word.lower() for word in WORD.findall(scene.inserted)}
    return max((highest[word] for word in chosen if word in there), default=0.0)


class SourceWord(NamedTuple):
    """A content word of a question or its context, in small letters, and the system's tokens that cover it."""

    text: str
    start: int  # characters of `Scene.source`
    end: int
    tokens: tuple[int, ...]


def source_words(scene: Scene) -> list[SourceWord]:
    """The content words of question and context that the system's tokens cover."""
    if scene.seen is None:
        return []
    common = language_of(scene.case.inputs[0].language or DEFAULT).function_words
    found: list[SourceWord] = []
    context = scene.case.inputs[0].context or ""
    parts = (
        (scene.question, scene.seen.source_spans, 0),
        (context, scene.seen.context_spans, len(scene.question) + 1),
    )
    for text, spans, shift in parts:
        for word in WORD.finditer(text):
            left, right = word.span()
            tokens = tuple(
                n for n, (start, end) in enumerate(spans) if start < right and left < end
            )
            if tokens and word[0].lower() not in common:
                found.append(SourceWord(word[0].lower(), left + shift, right + shift, tokens))
    return found


def by_alignment(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """WALI: the size of C = B^T A, A the answer's attention to the words before it, B these against the insertion.

    The thesis takes B from BERT. Here it is the likeness of words as they stand in their texts, never below 0; of
    words alone, where an embedder knows no others.
    """
    if embedder is None:
        return [0.0 for _ in scenes]
    words = [source_words(scene) for scene in scenes]
    own = [[(word.start, word.end) for word in row] for row in words]
    new = [[found.span() for found in WORD.finditer(scene.inserted)] for scene in scenes]
    before = vectors_in([scene.source for scene in scenes], own, embedder)
    after = vectors_in([scene.inserted for scene in scenes], new, embedder)
    return [correlation(*row) for row in zip(scenes, words, before, after, strict=True)]


def vectors_in(
    texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], embedder: Embedder
) -> list[Floats]:
    """The vectors of the words of each text; of a text that comes again, once."""
    wanted = list(dict.fromkeys((text, tuple(row)) for text, row in zip(texts, spans, strict=True)))
    if isinstance(embedder, WordEmbedder):
        found = embedder.embed_words([text for text, _ in wanted], [row for _, row in wanted])
    else:
        found = [embedder.embed([text[a:b].lower() for a, b in row]) for text, row in wanted]
    known = dict(zip(wanted, found, strict=True))
    return [known[text, tuple(row)] for text, row in zip(texts, spans, strict=True)]


def correlation(scene: Scene, words: Sequence[SourceWord], before: Floats, after: Floats) -> float:
    """The WALI score of one case: the Frobenius norm of the correlation matrix."""
    if scene.seen is None or not len(words) or not len(after):
        return 0.0
    b = np.maximum(before @ after.T, 0.0)  # source x inserted
    a = np.stack([scene.seen.attention[:, list(word.tokens)].sum(1) for word in words])
    return float(np.linalg.norm(b.T @ a))  # a: source x answer


def by_noise(scenes: Sequence[Scene], embedder: Embedder | None = None) -> list[float]:
    """How much of the follow-up's question is new: it drowns in what is said around it, and not in its context."""
    lengths = [(len(s.question), len(s.case.inputs[-1].text)) for s in scenes]
    return [max(0.0, 1 - before / max(1, after)) for before, after in lengths]


def noise_ratio(scene: Scene) -> float:
    """How many times as long the insertion is as the question, wherever it stands: the thesis's figure, inverted."""
    return len(scene.inserted) / max(1, len(scene.question))


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
    """The mean place under doubt and noise: how easily an answer moves, and how hard it is pushed."""
    places = [as_places(rank(scenes, embedder)) for rank in (by_doubt, by_noise)]
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
INSPECTING = ("gri", "wali")  # ranks that look into the system
DOUBTING = ("doubt", "combined")  # ranks that ask how sure the system was
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
    if name in DOUBTING and isinstance(system, Lens):
        scenes = weighed(scenes, system, tools)
    if name in INSPECTING:
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


def weighed(scenes: Sequence[Scene], system: Lens, tools: Tools) -> list[Scene]:
    """The scenes with how likely the system finds its answers, where they do not tell: a pass each, nothing decoded."""
    todo: dict[str, tuple[Input, Output]] = {}
    for scene in scenes:
        for pair in zip(scene.case.inputs, scene.answers, strict=False):
            if untold(pair[1]):
                todo.setdefault(weight_key(*pair, system), pair)
    known = tools.remember(WEIGHED, list(todo))
    left = [(key, pair) for key, pair in todo.items() if key not in known]
    for start in range(0, len(left), INSPECTED_AT_ONCE):
        some = left[start : start + INSPECTED_AT_ONCE]
        scores = system.score([item for _, (item, _) in some], [out.text for _, (_, out) in some])
        fresh = {
            key: float(np.mean([piece.log_probability for piece in row])) if row else None
            for (key, _), row in zip(some, scores, strict=True)
        }
        tools.keep(WEIGHED, fresh)
        known |= fresh

    def told(item: Input, output: Output) -> Output:
        likely = known[weight_key(item, output, system)] if untold(output) else output.likelihood
        return msgspec.structs.replace(output, likelihood=likely)

    return [
        replace(s, answers=tuple(map(told, s.case.inputs[: len(s.answers)], s.answers)))
        for s in scenes
    ]


def untold(output: Output) -> bool:
    """Whether an answer does not say how sure the system was."""
    return bool(output.ok and output.text and not output.scores and output.likelihood is None)


def weight_key(item: Input, output: Output, system: Lens) -> str:
    """Where it is kept how likely an answer is."""
    return digest([system.signature, *item.identity, output.text], 32)


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
    for name in ("source_spans", "context_spans"):
        fields[name] = tuple((start, end) for start, end in value[name])
    for name, items in value.items():
        if name not in fields and items is not None:
            fields[name] = np.asarray(items, np.float32)
    return Inspection(**fields)
