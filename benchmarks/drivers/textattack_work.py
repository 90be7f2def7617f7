"""TextAttack's part of `benchmarks.peers`, run in an environment of its own: TASK.json in, figures as JSON out.

It cannot be imported without NLTK's list of stop words, which it downloads; offline it is given ours.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import nltk
import numpy as np
from opinions import LABELS, Vader, finding

TASK = json.loads(Path(sys.argv[1]).read_text("utf-8"))
DATA = Path(tempfile.mkdtemp())
(DATA / "corpora" / "stopwords").mkdir(parents=True)
(DATA / "corpora" / "stopwords" / "english").write_text("\n".join(TASK["stopwords"]), "utf-8")
nltk.data.path.insert(0, str(DATA))

from textattack import Attack, AttackArgs, Attacker  # noqa: E402
from textattack.attack_results import SuccessfulAttackResult  # noqa: E402
from textattack.augmentation import CharSwapAugmenter  # noqa: E402
from textattack.constraints.pre_transformation import (  # noqa: E402
    RepeatModification,
    StopwordModification,
)
from textattack.datasets import Dataset  # noqa: E402
from textattack.goal_functions import UntargetedClassification  # noqa: E402
from textattack.models.wrappers import ModelWrapper  # noqa: E402
from textattack.search_methods import GreedySearch, GreedyWordSwapWIR  # noqa: E402
from textattack.transformations import (  # noqa: E402
    CompositeTransformation,
    WordSwapNeighboringCharacterSwap,
    WordSwapQWERTY,
    WordSwapRandomCharacterDeletion,
)


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


class Opinions(ModelWrapper):
    """VADER as it is attacked."""

    def __init__(self, vader: Vader) -> None:
        self.vader, self.model = vader, None

    def __call__(self, texts: list) -> np.ndarray:
        return np.array(self.vader.shares(texts))


def found(task: dict) -> dict:
    """Labels that flip under slips of the pen, as its recipes without a model make them, most important word first.

    It attacks what is classified right; every text gets as many queries as all of them may cost."""
    vader = Vader(task)
    attack = Attack(
        UntargetedClassification(
            Opinions(vader), query_budget=task["budget"] // len(task["opinions"])
        ),
        [RepeatModification(), StopwordModification()],
        CompositeTransformation(
            [
                WordSwapNeighboringCharacterSwap(),
                WordSwapRandomCharacterDeletion(),
                WordSwapQWERTY(),
            ]
        ),
        GreedyWordSwapWIR(wir_method="delete"),
    )
    rows = Dataset([(text, LABELS.index(label)) for text, label in task["opinions"]])
    arguments = AttackArgs(num_examples=len(rows), silent=True, disable_stdout=True, random_seed=0)
    findings = []
    for result in Attacker(attack, rows, arguments).attack_dataset():
        if isinstance(result, SuccessfulAttackResult):
            before, after = result.original_text(), result.perturbed_text()
            was, now = vader.labels([before, after])
            findings.append(finding(before, after, was, now, "slips of the pen"))
    return {"findings": findings, "queries": len(vader.asked)}


def main() -> None:
    """Read the task, print the figures as the last line."""
    works = (letters, running, found)
    print(json.dumps({work.__name__: work(TASK) for work in works}))


if __name__ == "__main__":
    main()
