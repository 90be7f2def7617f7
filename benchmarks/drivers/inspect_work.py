"""Inspect's part of `benchmarks.peers`: the cases as samples of a task, its log kept on disk."""

from __future__ import annotations

import json
import sys
import tempfile
import time

from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import exact
from inspect_ai.solver import Generate, TaskState, solver


def main() -> None:
    """Read the task, print the figures as the last line."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    words = set(task["negative"])

    @solver
    def classify():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            bad = words & set(state.input_text.lower().split())
            state.output.completion = "negative" if bad else "positive"
            return state

        return solve

    samples = [Sample(input=text, target="positive") for text in task["texts"][: task["cases"]]]
    with tempfile.TemporaryDirectory() as folder:
        start, processor = time.perf_counter(), time.process_time()
        work = Task(dataset=MemoryDataset(samples), solver=classify(), scorer=exact())
        (log,) = run_task(work, model="mockllm/model", display="none", log_dir=folder)
        seconds, spent = time.perf_counter() - start, time.process_time() - processor
    done = log.results.completed_samples if log.results else 0
    print(json.dumps({"running": {"cases": done, "seconds": seconds, "processor": spent}}))


if __name__ == "__main__":
    main()
