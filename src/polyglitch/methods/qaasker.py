"""QAAskeR: question and answer make a statement, and whoever gave the answer must stand by it.

Chen, Jin, Xie, Shen, Wang: Testing Your Question Answering Software via Asking Recursively, ASE 2021. The published
relations ask the new question from the system's answer; why and how this one differs is in `mutate/qa/ask_back.py`.
"""

from __future__ import annotations

from polyglitch.compare.oracles.answers import THRESHOLD, same_answer
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.qa.ask_back import ask_back
from polyglitch.registry import Method


def qaasker(embedder: str = "minilm", threshold: float = THRESHOLD, report: int = 3) -> Method:
    """Ask whether the statement of question and answer is true; report who does not stand by it."""
    return Method(
        name="qaasker",
        task="question answering",
        mutate=ask_back(),
        compare=same_answer(embedder, threshold),
        issues=worst_first(report),
        needs=(
            "parser",
            "data:qaasker:qa/templates.toml",
        ),
    )
