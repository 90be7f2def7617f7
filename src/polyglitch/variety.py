"""`diversity`: how varied a file of tests is, and what it wakes in a model that known inputs do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyglitch.corpus.read import open_corpus
from polyglitch.errors import SystemFailed, UsageError
from polyglitch.evaluate.diversity import lexical_diversity, syntactic_diversity
from polyglitch.evaluate.neurons import Coverage, coverage, linear_layers, measure_bounds
from polyglitch.language.spacy_parser import open_spacy
from polyglitch.protocols import System
from polyglitch.records import Input
from polyglitch.systems.uri import open_system


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
    system = open_system(uri)
    try:
        model = getattr(system, "model", None)
        if model is None:
            raise UsageError(
                f"--system {uri!r} is no torch model that can be looked into; use hf:..."
            )
        layers = linear_layers(model)

        def ask(texts: Sequence[str]) -> Callable[[], None]:
            return lambda: answer_all(system, texts)

        return coverage(
            measure_bounds(model, layers, ask(known)), measure_bounds(model, layers, ask(tests))
        )
    finally:
        system.close()


def answer_all(system: System, texts: Sequence[str]) -> None:
    """Ask for every text, in batches, and let the answers go."""
    inputs = [Input(text) for text in texts]
    for start in range(0, len(inputs), system.batch_size):
        for output in system.ask(inputs[start : start + system.batch_size]):
            if not output.ok:
                raise SystemFailed(f"{system.signature}: {output.status}: {output.error}")
