"""Pairs are scored in order, a chunk at a time, and a bad line is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from polyglitch.compare.metrics.catalogue import lcs, levenshtein
from polyglitch.compare.metrics.measure import measure, read_pairs
from polyglitch.errors import UsageError


def test_each_line_gets_its_scores_in_order() -> None:
    lines = [
        (1, '{"id": "x", "a": "o gato", "b": "o rato"}\n'),
        (2, "\n"),
        (3, '{"id": 7, "a": "", "b": "", "note": "ignored"}\n'),
        (4, '{"id": "z", "a": "um", "b": "dois"}\n'),
    ]
    found = list(measure(read_pairs(lines), [lcs, levenshtein], chunk=2))
    assert found == [
        {"id": "x", "lcs": 0.5, "levenshtein": 1},
        {"id": 7, "lcs": 1.0, "levenshtein": 0},
        {"id": "z", "lcs": 0.0, "levenshtein": 4},
    ]


def test_pairs_are_streamed() -> None:
    taken = 0

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield {"id": taken, "a": "a", "b": "b"}

    scores = measure(endless(), [levenshtein], chunk=10)
    assert [next(scores)["id"] for _ in range(15)] == list(range(1, 16))
    assert taken == 20


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("{", "truncated"),
        ("[]", "Expected `object`"),
        ('{"id": "x", "a": "text"}', "missing required field `b`"),
        ('{"id": "x", "a": "text", "b": 3}', r"Expected `str`, got `int` - at `\$.b`"),
    ],
)
def test_a_bad_line_is_named_with_its_cause(line: str, cause: str) -> None:
    with pytest.raises(UsageError, match=rf"pairs.jsonl, line 12: .*{cause}"):
        list(read_pairs([(12, line)], "pairs.jsonl"))


def test_wrong_arguments_are_named_at_once() -> None:
    with pytest.raises(UsageError, match="no metric is given"):
        measure([], [])
    with pytest.raises(UsageError, match="chunk=0"):
        measure([], [lcs], chunk=0)
