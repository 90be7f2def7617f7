"""`diversity`: how varied a file of tests is, and what it wakes in a model that known inputs do not.

How varied a set of tests is: Self-BLEU over words, and distinct productions over trees.

Self-BLEU: how much a set of sentences repeats itself, the mean BLEU of each against all the others.

The reference of every sentence is the rest of the set, so its clipped counts follow from the two highest counts of each
n-gram over the set: one pass gives them all, where the plain way compares every sentence with every other.

Neuron coverage of a torch model by hooks: which activations leave the bounds seen on known inputs.

Boundary coverage counts neurons that some test drives below the lowest or above the highest known value, two corners a
neuron; strong activation coverage counts those driven above the highest (DeepGauge's NBC and SNAC).
"""

from __future__ import annotations

import math
import random
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from polyglitch.corpus.read import open_corpus
from polyglitch.errors import SystemFailed, UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.parsers.constituents import distinct_productions, tree_of
from polyglitch.protocols import Floats, Parser, System
from polyglitch.records import Input
from polyglitch.tools import open_system


@dataclass
class Bounds:
    """Lowest and highest activation of every neuron, by layer."""

    low: dict[str, Floats]
    high: dict[str, Floats]


@dataclass(frozen=True)
class Coverage:
    """How many neurons there are and which shares left their bounds."""

    neurons: int
    boundary: float
    strong: float


@contextmanager
def watching(model: Any, layers: Iterable[str], see: Callable[[str, Any], None]) -> Iterator[None]:
    """Call `see(layer, output)` whenever a named layer has run; hooks go when the block ends."""
    named = dict(model.named_modules())
    hooks = [
        named[name].register_forward_hook(
            lambda _module, _inputs, output, name=name: see(name, output)
        )
        for name in layers
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def measure_bounds(model: Any, layers: Iterable[str], run: Callable[[], None]) -> Bounds:
    """The bounds of all neurons (last dimension of a layer's output) while `run` runs the model."""
    bounds = Bounds({}, {})

    def see(name: str, output: Any) -> None:
        low, high = _extremes(output)
        if name in bounds.low:
            low, high = np.minimum(low, bounds.low[name]), np.maximum(high, bounds.high[name])
        bounds.low[name], bounds.high[name] = low, high

    with watching(model, layers, see):
        run()
    return bounds


def widened(one: Bounds, other: Bounds) -> Bounds:
    """The bounds of both together."""
    if not one.low:
        return other
    low = {name: np.minimum(row, other.low[name]) for name, row in one.low.items()}
    high = {name: np.maximum(row, other.high[name]) for name, row in one.high.items()}
    return Bounds(low, high)


def coverage(known: Bounds, seen: Bounds) -> Coverage:
    """What tests add to known inputs."""
    below = sum(int((seen.low[name] < known.low[name]).sum()) for name in known.low)
    above = sum(int((seen.high[name] > known.high[name]).sum()) for name in known.high)
    neurons = sum(len(row) for row in known.low.values())
    if not neurons:
        return Coverage(0, 0.0, 0.0)
    return Coverage(neurons, (below + above) / (2 * neurons), above / neurons)


def _extremes(output: Any) -> tuple[Floats, Floats]:
    tensor = output[0] if isinstance(output, tuple) else output
    flat = tensor.detach().reshape(-1, tensor.shape[-1])
    low = np.asarray(flat.amin(0).float().cpu().numpy(), np.float32)
    high = np.asarray(flat.amax(0).float().cpu().numpy(), np.float32)
    return low, high


def linear_layers(model: Any) -> list[str]:
    """The names of all linear layers."""
    import torch

    return [name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)]


def by_capability(tests: str, language: str) -> dict[str, list[str]]:
    """The distinct texts of a file of tests or of a corpus, by capability where the rows name one."""
    found: dict[str, dict[str, None]] = {}
    for seed in open_corpus(tests, language=language):
        name = str(seed.data.get("capability") or "all")
        found.setdefault(name, {})[seed.input.text] = None
    return {name: list(found[name]) for name in sorted(found)}


def measured(texts: Sequence[str], language: str, size: int) -> dict[str, float]:
    """Both measures of a sample."""
    return {
        "texts": len(texts),
        "sample": min(size, len(texts)),
        "self_bleu": round(lexical_diversity(texts, size), 4),
        "productions": syntactic_diversity(texts, open_spacy(language), size),
    }


def system_coverage(uri: str, known: Sequence[str], tests: Sequence[str]) -> Coverage:
    """What tests wake in the linear layers of a torch model that known inputs do not."""
    return coverage_curve(uri, known, tests, max(1, len(tests)))[-1][1]


def coverage_curve(
    uri: str, known: Sequence[str], tests: Sequence[str], step: int
) -> list[tuple[int, Coverage]]:
    """Coverage after every so many tests (ALiCT's figure 6), in an order that chance decides once."""
    system = open_system(uri)
    try:
        model = getattr(system, "model", None)
        if model is None:
            raise UsageError(
                f"--system {uri!r} is no torch model that can be looked into; use hf:..."
            )
        layers = linear_layers(model)

        def bounds(texts: Sequence[str]) -> Bounds:
            return measure_bounds(model, layers, lambda: answer_all(system, texts))

        order = random.Random(0).sample(list(tests), len(tests))  # noqa: S311 - no secret
        seen, rows, usual = Bounds({}, {}), [], bounds(known)
        for start in range(0, max(1, len(order)), step):
            seen = widened(seen, bounds(order[start : start + step]))
            rows.append((min(start + step, len(order)), coverage(usual, seen)))
        return rows
    finally:
        system.close()


def answer_all(system: System, texts: Sequence[str]) -> None:
    """Ask for every text, in batches, and let the answers go."""
    inputs = [Input(text) for text in texts]
    for start in range(0, len(inputs), system.batch_size):
        for output in system.ask(inputs[start : start + system.batch_size]):
            if not output.ok:
                raise SystemFailed(f"{system.signature}: {output.status}: {output.error}")


WORD = re.compile(r"\w+|n't|'\w+|[^\w\s]")


def lexical_diversity(texts: Sequence[str], size: int, trials: int = 5) -> float:
    """The median Self-BLEU (3-gram) of samples; lower is more varied."""
    scores = []
    for trial in range(trials):
        sample = random.Random(trial).sample(list(texts), min(size, len(texts)))  # noqa: S311
        scores.append(self_bleu([WORD.findall(text) for text in sample]))
    return sorted(scores)[len(scores) // 2]


def syntactic_diversity(texts: Sequence[str], parser: Parser, size: int, trial: int = 0) -> int:
    """Distinct productions of a sample, each text parsed; higher is more varied."""
    sample = random.Random(trial).sample(list(texts), min(size, len(texts)))  # noqa: S311
    trees = [tree_of(parse) for parse in parser.parse(sample)]
    return distinct_productions([tree for tree in trees if tree is not None])


EPSILON = 0.1  # what an empty precision counts as: NLTK's smoothing method 1


def self_bleu(sentences: Sequence[Sequence[Hashable]], order: int = 3) -> float:
    """The mean over sentences of tokens, as NLTK's sentence_bleu with uniform weights and method 1."""
    scores = each_self_bleu(sentences, order)
    return sum(scores) / len(scores) if scores else 0.0


def each_self_bleu(sentences: Sequence[Sequence[Hashable]], order: int = 3) -> list[float]:
    """The BLEU of every sentence against all others."""
    if len(sentences) < 2:
        return [0.0] * len(sentences)
    counts = [[_grams(tokens, n) for tokens in sentences] for n in range(1, order + 1)]
    highest = [_two_highest(rows) for rows in counts]
    lengths = sorted(map(len, sentences))
    return [
        _bleu(
            len(tokens),
            _closest(lengths, len(tokens)),
            [_matches(counts[n][number], highest[n]) for n in range(order)],
        )
        for number, tokens in enumerate(sentences)
    ]


def _grams(tokens: Sequence[Hashable], n: int) -> Counter[Hashable]:
    if n == 1:
        return Counter(tokens)
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def _two_highest(rows: Iterable[Counter[Hashable]]) -> dict[Hashable, tuple[int, int]]:
    """For each n-gram its two highest counts in different sentences."""
    highest: dict[Hashable, tuple[int, int]] = {}
    for row in rows:
        for gram, count in row.items():
            first, second = highest.get(gram, (0, 0))
            if count > first:
                highest[gram] = (count, first)
            elif count > second:
                highest[gram] = (first, count)
    return highest


def _matches(row: Counter[Hashable], highest: dict[Hashable, tuple[int, int]]) -> tuple[int, int]:
    """How many n-grams of a sentence the others have too, and how many it has."""
    matched = 0
    for gram, count in row.items():
        first, second = highest[gram]
        # Where this sentence holds the record, what the others reach is the second highest.
        matched += min(count, second if count == first else first)
    return matched, row.total()


def _closest(lengths: list[int], length: int) -> int:
    """The length nearest to a sentence's own among the others, the shorter of two equally near."""
    place = bisect_left(lengths, length)
    others = lengths[max(place - 1, 0) : place] + lengths[place + 1 : place + 2]
    return min(others, key=lambda other: (abs(other - length), other))


def _bleu(length: int, reference: int, matches: Sequence[tuple[int, int]]) -> float:
    if not matches[0][0]:
        return 0.0
    penalty = 1.0 if length > reference else math.exp(1 - reference / length)
    weight = 1 / len(matches)
    logs = (weight * math.log((matched or EPSILON) / max(total, 1)) for matched, total in matches)
    return penalty * math.exp(math.fsum(logs))
