"""The classifier that all tools of `benchmarks.peers` look for bugs in: VADER, and what was asked of it.

Each tool runs in an environment of its own, which is given VADER's folder; nothing else of this project is there.
"""

from __future__ import annotations

import sys

LABELS = ("negative", "neutral", "positive")
SIDE = 0.05  # of VADER's compound score, as its authors have it


class Vader:
    """Shares of three labels for each text; it counts what it is asked."""

    def __init__(self, task: dict) -> None:
        sys.path.append(task["vader"])
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        self.analyzer, self.asked = SentimentIntensityAnalyzer(), set()

    def shares(self, texts: list) -> list:
        """A row for each text, the largest share at its label."""
        self.asked.update(texts)
        rows = []
        for text in texts:
            score = self.analyzer.polarity_scores(text)["compound"]
            place = 2 if score >= SIDE else 0 if score <= -SIDE else 1
            rows.append([0.5 + abs(score) / 2 if n == place else 0.1 for n in range(3)])
        return [[share / sum(row) for share in row] for row in rows]

    def labels(self, texts: list) -> list:
        """The label of each text."""
        return [LABELS[max(range(3), key=row.__getitem__)] for row in self.shares(texts)]


def finding(before: str, after: str, was: str, now: str, how: str) -> dict:
    """What a tool shows a person."""
    return {"before": before, "after": after, "was": was, "now": now, "how": how}
