"""Why a classifier said what it said: what each word contributes, and the least that keeps the answer.

Contributions come from a linear surrogate (LIME, LEMNA): words are left out at random, and a ridge regression of the
label's score on which were kept gives each word its weight. The template is ALiCT's algorithm 2: from all words masked,
unmask the one that contributes most until random fillings keep the prediction with the probability wanted. A white
box is looked into as well: what the gradient of its own prediction gives each word.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyglitch.errors import SystemFailed
from polyglitch.labels import read_label
from polyglitch.language.lexicon import open_lexicon
from polyglitch.protocols import Floats, System, WhiteBox
from polyglitch.records import Input

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
    language: str | None = "en",
) -> Explanation:
    """Explain what a system says of a text."""
    found = list(WORD.finditer(text))
    words = [match[0] for match in found]
    first = _ask(system, [text], language)[0]
    score = scorer(system, first[0], language)
    weights = contributions(words, score, samples, seed)
    template, kept = minimal_template(
        words, weights, score, fills, threshold, seed, language or "en"
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
    return re.sub(r"\s+([.,;:!?%)])", r"\1", " ".join(words))


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
