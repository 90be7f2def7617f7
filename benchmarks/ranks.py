"""Which score of words, and which way of spending a budget by it, finds most: the choices behind `gri` and `wali`.

    python -m benchmarks.ranks ../shared/data/mt/wmt17.en.txt --store ranks.sqlite

Makes every mutant of SIT and CAT (words proposed by vectors) of some sentences drawn from a file, has them translated
and judged, and looks into the model once. Then each variant chooses at most five mutants a sentence, and half of all
those, sentence by sentence or word by word; printed is the success rate over that of random words and sentences, with a
95% interval, and the AUC within sentences. Variants are compared here and measured elsewhere.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.rank_variants import Variant, variants
from benchmarks.sight import Sight, look
from polyglitch.campaign import make_campaign
from polyglitch.corpus.read import open_corpus
from polyglitch.evaluate.efficiency import Test, first_tests, half_of_the_shortest, ratio
from polyglitch.flow import run
from polyglitch.rank.scores import pieces_of, rankable
from polyglitch.results.history import History
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

PER_SEED = 5
DRAWS = 5
PARAMETERS: dict[str, dict[str, object]] = {  # judged as the papers judge
    "sit": {"proposer": "vectors", "top": 4, "oracle": "published"},
    "cat": {
        "proposer": "in-context:vectors",
        "top": 3,
        "per_seed": 1000,
        "oracle": "published",
    },
}


class Mutant(NamedTuple):
    """A test that was made and judged."""

    seed: str
    text: str
    start: int
    follow_up: str
    violated: bool


Scores = dict[str, dict[int, float]]  # sentence -> start of a word -> score
Words = dict[str, dict[int, list[int]]]  # sentence -> start of a word -> its pieces


def draw_sentences(file: str, count: int) -> str:
    """Sentences of usual length from a corpus, always the same ones, in a file of their own."""
    texts = [seed.input.text for seed in open_corpus(file, language="en")]
    usual = [text for text in texts if 8 <= len(text.split()) <= 40]
    random.Random(0).shuffle(usual)
    path = Path(tempfile.mkdtemp()) / "drawn.txt"
    path.write_text("\n".join(usual[:count]) + "\n", "utf-8")
    return str(path)


def judged(corpus: str, where: str) -> tuple[dict[str, list[Mutant]], dict[str, str]]:
    """Every mutant of each method with its verdict, and the translation of every sentence."""
    given = {"system": "firefox:en-pt", "corpus": corpus, "store": where}
    run_id, _ = run(make_campaign(given | {"methods": list(PARAMETERS), "parameters": PARAMETERS}))
    store = Store(where)
    history = History(store, run_id)
    found: dict[str, list[Mutant]] = {}
    outputs: dict[str, str] = {}
    for method in PARAMETERS:
        pairs = [p for p in store.verdicts.get(run_id, method) if p[1].outcome != "undecided"]
        for trial in history.trials([case for case, _ in pairs]):
            outputs[trial.case.inputs[0].text] = trial.outputs[0].text
        found[method] = [
            Mutant(
                c.seed_id, c.inputs[0].text, c.edit.start, c.inputs[1].text, v.outcome == "violated"
            )
            for c, v in pairs
            if c.edit
        ]
    store.close()
    return found, outputs


def words_of(sights: dict[str, Sight]) -> Words:
    """The words of each sentence that may rank, with the numbers of their pieces."""
    found: Words = {}
    for parse in Toolbox().parser("en").parse(list(sights)):
        spans = sights[parse.text].spans
        covered = {w.start: pieces_of(w, spans) for w in parse.tokens if rankable(w)}
        found[parse.text] = {start: pieces for start, pieces in covered.items() if pieces}
    return found


def word_scores(sights: dict[str, Sight], words: Words, variant: Variant) -> Scores:
    """A score for each word of each sentence."""
    _, of_tokens, merge = variant
    found: Scores = {}
    for text, sight in sights.items():
        values = of_tokens(sight)
        found[text] = {start: float(merge(values[own])) for start, own in words[text].items()}
    return found


def spent(mutants: list[Mutant], within: Scores, whole: dict[str, float] | None) -> list[Mutant]:
    """The tests in their order: sentences by `whole` and words within, or words whatever their sentence."""
    own = defaultdict(list)
    for mutant in mutants:
        own[mutant.text].append((within[mutant.text].get(mutant.start, 0.0), mutant))
    chosen = [
        (score, mutant)
        for some in own.values()
        for score, mutant in sorted(some, key=lambda pair: -pair[0])[:PER_SEED]
    ]
    if whole is not None:
        chosen.sort(key=lambda pair: (-whole[pair[1].text], pair[1].seed))
    else:
        chosen.sort(key=lambda pair: -pair[0])
    return [mutant for _, mutant in chosen]


def as_tests(mutants: list[Mutant], rank: str, draw: int = 0) -> list[Test]:
    """The same as `evaluate efficiency` counts them."""
    return [Test("", rank, draw, m.seed, m.start, "", "", 0, m.violated) for m in mutants]


def by_chance(mutants: list[Mutant]) -> list[Test]:
    """Random words of random sentences, some draws of them."""
    tests: list[Test] = []
    for draw in range(DRAWS):
        stream = random.Random(draw)
        words: Scores = {}
        for mutant in mutants:
            words.setdefault(mutant.text, {}).setdefault(mutant.start, stream.random())
        whole = {text: stream.random() for text in words}
        tests += as_tests(spent(mutants, words, whole), "random", draw)
    return tests


def within_auc(mutants: list[Mutant], scores: Scores) -> float:
    """How often, in one sentence, a mutant that was violated has the higher score; ties count half."""
    sides: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for mutant in mutants:
        sides[mutant.text][mutant.violated].append(scores[mutant.text].get(mutant.start, 0.0))
    won = total = 0.0
    for held, violated in sides.values():
        a, b = np.array(violated)[:, None], np.array(held)[None]
        won += float(((a > b) + 0.5 * (a == b)).sum())
        total += a.size * b.size
    return won / total if total else float("nan")


def ratio_at_half(tests: list[Test], chance: list[Test]) -> str:
    """The success rate of the first half over that of chance, with its interval."""
    budget = half_of_the_shortest([*tests, *chance])
    bought = first_tests([*tests, *chance], budget)
    own, theirs = ([t for t in bought if (t.rank == "random") is x] for x in (False, True))
    return "{:.2f} ({:.2f}-{:.2f})".format(*ratio(own, theirs))


def print_method(method: str, mutants: list[Mutant], sights: dict[str, Sight]) -> None:
    """The table of one method."""
    chance = by_chance(mutants)
    rate = sum(m.violated for m in mutants) / len(mutants)
    print(
        f"\n{method}: {len(mutants)} mutants of {len({m.text for m in mutants})} sentences, {rate:.1%} violated"
    )
    print(
        f"{'score of a word':<46}{'AUC within':>11}{'sentences by mean':>21}{'by sum':>19}{'words':>19}"
    )
    words = words_of(sights)
    for variant in variants():
        name, scores = variant[0], word_scores(sights, words, variant)
        pools = (
            {text: float(np.mean(list(words.values()))) for text, words in scores.items()},
            {text: float(np.sum(list(words.values()))) for text, words in scores.items()},
            None,
        )
        figures = [ratio_at_half(as_tests(spent(mutants, scores, p), name), chance) for p in pools]
        auc = within_auc(mutants, scores)
        print(f"{name:<46}{auc:>11.3f}{figures[0]:>21}{figures[1]:>19}{figures[2]:>19}", flush=True)


def main() -> None:
    """Make the mutants, look inside, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default="sample")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--store", default="")
    options = parser.parse_args()
    store = options.store or str(Path(tempfile.mkdtemp()) / "ranks.sqlite")
    found, outputs = judged(draw_sentences(options.file, options.count), store)
    sights = look(outputs)
    for method, mutants in found.items():
        print_method(method, mutants, sights)


if __name__ == "__main__":
    main()
