"""DeepEval's part of `benchmarks.peers`: cases with a metric of one comparison, no language model asked."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time

from deepeval import evaluate
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Same(BaseMetric):
    """Whether the output is the expected one."""

    threshold = 1.0
    async_mode = False
    include_reason = False
    evaluation_model = None

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        self.score = float(test_case.actual_output == test_case.expected_output)
        self.success, self.reason = bool(self.score), None
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "same"


def main() -> None:
    """Two sizes, so that the growth shows."""
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    words, found = set(task["negative"]), {}
    for size in (task["cases"] // 4, task["cases"]):
        start = time.perf_counter()
        cases = []
        for text in task["texts"][:size]:
            label = "negative" if words & set(text.lower().split()) else "positive"
            cases.append(LLMTestCase(input=text, actual_output=label, expected_output="positive"))
        with contextlib.redirect_stdout(io.StringIO()):
            evaluate(cases, [Same()])
        found[str(size)] = time.perf_counter() - start
    print(json.dumps({"running": {"cases": size, "seconds": found[str(size)], "by size": found}}))


if __name__ == "__main__":
    main()
