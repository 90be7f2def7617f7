"""QAQA: a related but redundant sentence or question must not change the answer.

Shen, Chen, Zhou, Liu: Natural Test Generation for Precise Testing of Question Answering Software, ASE 2022. The
published code drops the title from the follow-up, negates half of the yes/no questions while it expects the same
answer, and inserts three sentences where the paper says one; the default is the paper's, `faithful` takes the code's
sentences, order, prefixes and dropped title.
"""

from __future__ import annotations

from polyglitch.compare.oracles.answers import THRESHOLD, same_answer
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.qa.relations import Each, Expectation, insert_sentences
from polyglitch.registry import Method


def qaqa(
    relations: tuple[str, ...] = ("EQ", "EC", "EQC", "TI", "ETI"),
    each: Each = "one",
    expectation: Expectation = "own",
    embedder: str = "minilm",
    threshold: float = THRESHOLD,
    report: int = 3,
    faithful: bool = False,
) -> Method:
    """Insert sentences and questions of other rows; report the answers that change."""
    return Method(
        name="qaqa",
        task="question answering",
        mutate=insert_sentences(relations, each, expectation, embedder, faithful=faithful),
        compare=same_answer(embedder, threshold),
        issues=worst_first(report),
        needs=("parser", "data:qaqa:qa/templates.toml", f"embedder:{embedder}"),
    )
