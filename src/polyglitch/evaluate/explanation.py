"""Why a classifier said what it said: what each word contributes, and the least that keeps the answer.

Contributions come from a linear surrogate (LIME, LEMNA): words are left out at random, and a ridge regression of the
label's score on which were kept gives each word its weight. The template is ALiCT's algorithm 2: from all words masked,
unmask the one that contributes most until random fillings keep the prediction with the probability wanted. A white
box is looked into as well: what the gradient of its own prediction gives each word.

`explain --run`: the issues of a run on a classifier, each with what made the system say what it said.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from polyglitch.compare.oracles.labels import read_label
from polyglitch.errors import SystemFailed
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import DEFAULT
from polyglitch.nlp.lexicons.terms import open_lexicon
from polyglitch.protocols import Floats, System, WhiteBox
from polyglitch.records import Input, Issue, Trial
from polyglitch.results.history import History
from polyglitch.results.reopened import Reopened, issue_by_issue

WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
KEEP = 0.8  # the share of words that stay in a sample, as in the published code
RIDGE = 1.0  # enough to keep two words that always go together from cancelling out
MASK = "[MASK]"


@dataclass(frozen=True)
class Explanation:
    """A prediction with the contribution of each word and the template that keeps it."""

    label: str
    words: tuple[str, ...]
    contributions: tuple[float, ...]
    template: tuple[str, ...]
    kept: float  # how often random fillings of the template had the same prediction
    gradients: tuple[
        float, ...
    ] = ()  # gradient times input of each word, where the system shows it

    @property
    def template_text(self) -> str:
        """The template as a line."""
        return " ".join(self.template)


Score = Callable[[Sequence[str]], tuple[list[bool], Floats]]


def explain(
    system: System,
    text: str,
    samples: int = 500,
    fills: int = 1000,
    threshold: float = 0.9,
    seed: int = 0,
    language: str | None = None,
) -> Explanation:
    """Explain what a system says of a text."""
    found = list(WORD.finditer(text))
    words = [match[0] for match in found]
    first = _ask(system, [text], language)[0]
    score = scorer(system, first[0], language)
    weights = contributions(words, score, samples, seed)
    template, kept = minimal_template(
        words, weights, score, fills, threshold, seed, language or DEFAULT
    )
    slopes = word_gradients(system, text, [match.span() for match in found], language)
    return Explanation(first[0], tuple(words), tuple(weights), tuple(template), kept, slopes)


def word_gradients(
    system: System, text: str, spans: Sequence[tuple[int, int]], language: str | None
) -> tuple[float, ...]:
    """What the gradient of the predicted class gives each word, its pieces added; nothing for a black box."""
    if not isinstance(system, WhiteBox):
        return ()
    seen = system.inspect([Input(text, language=language)])[0]
    worth = seen.gradients if seen.salience is None else seen.salience
    pieces = [
        (start, end, float(value))
        for (start, end), value in zip(seen.source_spans, worth, strict=True)
        if start < end
    ]
    return tuple(
        round(sum(value for start, end, value in pieces if start < right and end > left), 4)
        for left, right in spans
    )


def scorer(system: System, label: str, language: str | None) -> Score:
    """For texts, whether each keeps the label, and the label's score."""

    def score(texts: Sequence[str]) -> tuple[list[bool], Floats]:
        read = _ask(system, texts, language)
        same = [found == label for found, _ in read]
        values = [scores.get(label, float(found == label)) for found, scores in read]
        return same, np.asarray(values, np.float32)

    return score


def contributions(words: Sequence[str], score: Score, samples: int, seed: int) -> list[float]:
    """The weight of each word in a linear surrogate."""
    dice = np.random.default_rng(seed)
    kept = dice.random((samples, len(words))) < KEEP
    kept[0] = True
    texts = [join([w for w, k in zip(words, row, strict=True) if k]) or "." for row in kept]
    _, values = score(texts)
    centred = kept - kept.mean(0)
    gram = centred.T @ centred + RIDGE * np.eye(len(words))
    weights = np.linalg.solve(gram, centred.T @ (values - values.mean()))
    return [round(float(weight), 4) for weight in weights]


def minimal_template(
    words: Sequence[str],
    weights: Sequence[float],
    score: Score,
    fills: int,
    threshold: float,
    seed: int,
    language: str,
) -> tuple[list[str], float]:
    """Unmask the words that contribute most until random fillings keep the prediction."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    vocabulary = random_words(language)
    order = sorted(range(len(words)), key=lambda place: (-weights[place], place))
    shown: set[int] = set()
    while True:
        texts = [
            join([w if i in shown else dice.choice(vocabulary) for i, w in enumerate(words)])
            for _ in range(fills if len(shown) < len(words) else 1)
        ]
        same, _ = score(texts)
        share = sum(same) / len(same)
        if share >= threshold or len(shown) == len(words):
            template = [w if i in shown else MASK for i, w in enumerate(words)]
            return template, round(share, 4)
        shown.add(order[len(shown)])


def random_words(language: str) -> tuple[str, ...]:
    """What masks are filled with: words without sentiment, as most words of a vocabulary are."""
    lexicon = open_lexicon(language, ("bundled",))
    kinds = ("adjective", "noun", "verb", "adverb")
    return tuple(word for kind in kinds for word in lexicon.words("neutral", kind))


def join(words: Sequence[str]) -> str:
    """Words as a text, marks close to the word before."""
    return re.sub(r"(?<!\s)\s+([.,;:!?%)])", r"\1", " ".join(words))


def _ask(
    system: System, texts: Sequence[str], language: str | None
) -> list[tuple[str, dict[str, float]]]:
    inputs = [Input(text, language=language) for text in texts]
    read = []
    for start in range(0, len(inputs), system.batch_size):
        for output in system.ask(inputs[start : start + system.batch_size]):
            if not output.ok:
                raise SystemFailed(f"{system.signature}: {output.status}: {output.error}")
            read.append(read_label(output))
    return read


class Effort(msgspec.Struct, frozen=True):
    """How much is asked for one explanation, and when a template is good enough."""

    samples: int = 500
    fills: int = 1000
    threshold: float = 0.9
    seed: int = 0


class Explained(msgspec.Struct, frozen=True):
    """What became of one issue; a reason where it was left without."""

    issue_id: str
    label: str = ""
    template: str = ""
    kept: float = 0.0
    reason: str = ""


def explain_run(
    history: History,
    opened: Reopened,
    limit: int | None,
    effort: Effort,
    watch: Callable[[Explained], None] = lambda _: None,
) -> list[Explained]:
    """Explain the worst violation of each issue; reports and reviews of the run draw it from then on."""
    return issue_by_issue(
        history, limit, lambda issue: explain_issue(history, opened, issue, effort), watch
    )


def explain_issue(history: History, opened: Reopened, issue: Issue, effort: Effort) -> Explained:
    """Explain the input at fault of an issue's worst violation, and leave it with the verdict."""
    trial, verdict = history.finding(issue).violations[0]
    reason = unfit(trial, opened.methods[issue.method].task)
    if reason:
        return Explained(issue.id, reason=reason)
    item = trial.case.inputs[at_fault(trial)]
    found = explain(
        opened.system,
        item.text,
        effort.samples,
        effort.fills,
        effort.threshold,
        effort.seed,
        item.language or history.definition["languages"][0],
    )
    history.store.verdicts.draw(history.run_id, issue.method, verdict, drawable(found))
    return Explained(issue.id, found.label, found.template_text, found.kept)


def unfit(trial: Trial, task: str) -> str:
    """Why a violation cannot be explained word by word, or nothing; what a classifier says as text is its label."""
    if task != "classification":
        return f"{task} is no classification"
    if any(item.context is not None for item in trial.case.inputs):
        return "a question with its context"
    return ""


def at_fault(trial: Trial) -> int:
    """Which input to explain: the one that must have another label, or the first that differs where all must agree."""
    labels = [read_label(output)[0] for output in trial.outputs]
    if trial.case.expected:
        return len(labels) - 1  # an expansion stands after its seed
    return next((n for n, label in enumerate(labels) if label != labels[0]), len(labels) - 1)


def drawable(found: Explanation) -> dict[str, Any]:
    """An explanation as a verdict keeps it for pages."""
    words = list(found.words)
    title = f"What each word contributes to {found.label!r}"
    heat = [{"title": title, "tokens": words, "weights": list(found.contributions)}]
    if found.gradients:
        title = f"The gradient of {found.label!r} by word"
        heat.append({"title": title, "tokens": words, "weights": list(found.gradients)})
    least = [None if word == MASK else word for word in found.template]
    return {
        "heat": heat,
        "template": {"label": found.label, "words": least, "kept": found.kept},
    }
