"""CheckList's part of `benchmarks.peers`, run in an environment of its own: TASK.json in, figures as JSON out.

Its module of changes cannot be imported without a WordNet that one of its packages downloads. Typos and short forms do
not need it; offline a stand-in takes its place.
"""

from __future__ import annotations

import json
import sys
import time
import types

import numpy as np
from checklist.editor import Editor
from checklist.expect import Expect
from checklist.test_types import INV, MFT
from opinions import LABELS, Vader, finding

for name in ("pattern", "pattern.en"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["pattern.en"].tenses = None

from checklist.perturb import Perturb  # noqa: E402


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


def found(task: dict) -> dict:
    """Labels that its own changes flip: typos, and short and long forms. Those that need a parse are left out."""
    np.random.seed(0)
    vader, texts = Vader(task), [text for text, _ in task["opinions"]]
    typos = task["budget"] // len(texts) - 3

    def classify(inputs: list[str]) -> tuple[list[int], np.ndarray]:
        shares = np.array(vader.shares(inputs))
        return list(shares.argmax(axis=1)), shares

    findings = []
    for change, how in ((Perturb.add_typos, "typo"), (Perturb.contractions, "contraction")):
        many = typos if change is Perturb.add_typos else None
        data = [[text, *{change(text) for _ in range(many)}] for text in texts] if many else []
        data = data or Perturb.perturb(texts, change).data
        test = INV(data)
        test.run(classify)
        for group, labels in zip(data, test.results.preds, strict=True):
            for text, label in zip(group[1:], labels[1:], strict=True):
                if label != labels[0]:
                    names = LABELS[labels[0]], LABELS[label]
                    findings.append(finding(group[0], text, *names, how))
    return {"findings": findings, "queries": len(vader.asked)}


def main() -> None:
    """Read the task, print the figures."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    made = templates(task)
    ran = running(task, task["texts"])
    print(json.dumps({"templates": made, "running": ran, "found": found(task)}))


if __name__ == "__main__":
    main()
