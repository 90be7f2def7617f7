"""Giskard's part of `benchmarks.peers`: a thousand rows under one of its changes, and its scan of a real classifier."""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings

import giskard
import numpy as np
import pandas as pd
from giskard.functions.transformation import text_uppercase
from giskard.testing.tests.metamorphic import test_metamorphic_invariance
from opinions import LABELS, Vader, finding

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def running(task: dict) -> dict:
    """The same cases against the same classifier, each as it is and changed; it keeps nothing on disk."""
    words = set(task["negative"])

    def classify(rows: pd.DataFrame) -> np.ndarray:
        kept = [float(not words & set(text.lower().split())) for text in rows["text"]]
        return np.array([[1 - share, share] for share in kept])

    rows = pd.DataFrame({"text": task["texts"][: task["cases"]], "label": "positive"})
    model = giskard.Model(
        classify,
        "classification",
        classification_labels=["negative", "positive"],
        feature_names=["text"],
    )
    data = giskard.Dataset(rows, target="label", column_types={"text": "text"})
    start, processor = time.perf_counter(), time.process_time()
    result = test_metamorphic_invariance(model, data, text_uppercase(column="text")).execute()
    seconds, spent = time.perf_counter() - start, time.process_time() - processor
    changed = result.messages[0].text if result.messages else ""
    return {"cases": len(rows), "seconds": seconds, "processor": spent, "said": changed}


def found(task: dict) -> dict:
    """What its scan finds by itself, with no number of queries that could be set."""
    vader = Vader(task)
    rows = pd.DataFrame(task["opinions"], columns=["text", "label"])
    model = giskard.Model(
        lambda some: np.array(vader.shares(list(some["text"]))),
        "classification",
        classification_labels=list(LABELS),
        feature_names=["text"],
    )
    data = giskard.Dataset(rows, target="label", column_types={"text": "text"})
    report = giskard.scan(model, data, verbose=False)
    findings, issues = [], []
    for issue in report.issues:
        issues.append(f"{issue.group.name}: {issue.description[:160]}")
        for _, row in issue.examples(n=10_000).iterrows():
            texts = [str(value) for name, value in row.items() if "text" in str(name).lower()]
            if issue.transformation_fn is not None and len(texts) > 1:
                was, now = vader.labels(texts[:2])
                findings.append(finding(texts[0], texts[1], was, now, str(issue.transformation_fn)))
    return {"findings": findings, "issues": issues, "queries": len(vader.asked)}


def main() -> None:
    """Read the task, print the figures as the last line."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    print(json.dumps({"running": running(task), "found": found(task)}))


if __name__ == "__main__":
    main()
