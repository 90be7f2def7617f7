"""CheckList's part of `benchmarks.peers`, run in an environment of its own: TASK.json in, figures as JSON out."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from checklist.editor import Editor
from checklist.expect import Expect
from checklist.test_types import MFT


def templates(task: dict) -> dict:
    """So many strings of one template, filled from the same word lists."""
    np.random.seed(0)
    editor = Editor()
    start = time.process_time()
    made = editor.template(task["checklist_template"], nsamples=task["strings"], **task["lists"])
    seconds = time.process_time() - start
    return {"strings": len(made.data), "distinct": len(set(made.data)), "seconds": seconds}


def running(task: dict, texts: list[str]) -> dict:
    """The same cases against the same classifier."""
    words = set(task["negative"])

    def classify(inputs: list[str]) -> tuple[list[int], np.ndarray]:
        labels = [int(not words & set(text.lower().split())) for text in inputs]
        return labels, np.array([[1.0 - label, float(label)] for label in labels])

    test = MFT(texts[: task["cases"]], labels=1, expect=Expect.eq(1))
    start, processor = time.perf_counter(), time.process_time()
    test.run(classify)
    seconds, spent = time.perf_counter() - start, time.process_time() - processor
    return {"cases": len(test.results.preds), "seconds": seconds, "processor": spent}


def main() -> None:
    """Read the task, print the figures."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    made = templates(task)
    print(json.dumps({"templates": made, "running": running(task, task["texts"])}))


if __name__ == "__main__":
    main()
