"""A model that learns from verdicts as they come: logistic regression with a prior, fitted anew from all of them.

Deterministic: the same verdicts in the same order give the same weights, on any machine to the last digits of a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from polyglitch.files.lazy_numpy import np, npt

Doubles: TypeAlias = "npt.NDArray[np.float64]"
STEPS = 12  # of Newton's method: it converges in five or six from the prior


class OnlineModel:
    """Weights that start at a prior and move as far as the verdicts warrant; the first is the intercept."""

    def __init__(self, prior: Sequence[float], precision: Sequence[float]) -> None:
        self._prior = np.asarray(prior, np.float64)
        self._precision = np.asarray(precision, np.float64)
        self.weights = self._prior.copy()

    def fit(self, rows: Doubles, outcomes: Doubles) -> None:
        """The weights that fit prior and outcomes best."""
        if not len(rows):
            self.weights = self._prior.copy()
            return
        weights = self.weights.copy()
        for _ in range(STEPS):
            chances = sigmoid(rows @ weights)
            slope = rows.T @ (chances - outcomes) + self._precision * (weights - self._prior)
            bend = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.diag(self._precision)
            step = np.linalg.solve(bend, slope)
            weights = weights - step
            if float(np.abs(step).max()) < 1e-9:
                break
        self.weights = weights

    def chances(self, rows: Doubles) -> Doubles:
        """How likely each row is violated."""
        return sigmoid(rows @ self.weights)


def sigmoid(values: Doubles) -> Doubles:
    """From log-odds to probabilities, without overflow."""
    found: Doubles = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return found


def percentiles(values: Sequence[float]) -> Doubles:
    """Where each value stands among all, from -0.5 to 0.5; ties share their mean place."""
    array = np.asarray(values, np.float64)
    if len(array) < 2:
        return np.zeros(len(array))
    distinct, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    middle = first + (counts - 1) / 2.0
    found: Doubles = middle[inverse.reshape(-1)] / (len(array) - 1) - 0.5
    return found if len(distinct) > 1 else np.zeros(len(array))
