"""TextAttack's part of `benchmarks.peers`, run in an environment of its own: TASK.json in, figures as JSON out."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from textattack import Attack, AttackArgs, Attacker
from textattack.augmentation import CharSwapAugmenter
from textattack.datasets import Dataset
from textattack.goal_functions import UntargetedClassification
from textattack.models.wrappers import ModelWrapper
from textattack.search_methods import GreedySearch
from textattack.transformations import WordSwapNeighboringCharacterSwap


class Classifier(ModelWrapper):
    """The trivial classifier; it counts what it is asked."""

    def __init__(self, words: set) -> None:
        self.words, self.model, self.asked = words, None, 0

    def __call__(self, texts: list) -> np.ndarray:
        self.asked += len(texts)
        labels = [float(not self.words & set(text.lower().split())) for text in texts]
        return np.array([[1 - label, label] for label in labels])


def letters(task: dict) -> dict:
    """Slips of the pen in the same sentences: letters swapped, dropped, put in, changed."""
    augmenter = CharSwapAugmenter(pct_words_to_swap=0.01, transformations_per_example=task["each"])
    start = time.process_time()
    made = [text for sentence in task["sentences"] for text in augmenter.augment(sentence)]
    seconds = time.process_time() - start
    return {"strings": len(made), "distinct": len(set(made)), "seconds": seconds}


def running(task: dict) -> dict:
    """The same texts attacked until so many queries are asked of the same classifier."""
    model = Classifier(set(task["negative"]))
    attack = Attack(
        UntargetedClassification(model, query_budget=2),
        [],
        WordSwapNeighboringCharacterSwap(),
        GreedySearch(),
    )
    rows = Dataset([(text, 1) for text in task["texts"][: task["cases"]]])
    arguments = AttackArgs(num_examples=len(rows), silent=True, disable_stdout=True)
    start, processor = time.perf_counter(), time.process_time()
    results = Attacker(attack, rows, arguments).attack_dataset()
    seconds, spent = time.perf_counter() - start, time.process_time() - processor
    return {
        "cases": len(results),
        "queries": model.asked,
        "seconds": seconds,
        "processor": spent,
    }


def main() -> None:
    """Read the task, print the figures as the last line."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    print(json.dumps({"letters": letters(task), "running": running(task)}))


if __name__ == "__main__":
    main()
