"""Boosted trees for the words of the aligned oracle: fitted by scikit-learn, written as plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from polyglitch.compare.aligned.model import Split, Trees

TREES, RATE, LEAVES, LEAST, PENALTY = 60, 0.1, 8, 40, 5.0
# Pieces that may not be installed. Where a row has them it is learned from a second time without, so that the trees
# do not take their lack for a sign of the language.
OPTIONAL = ("in_context", "in_context_changed")


def known(values: np.ndarray) -> np.ndarray:
    """Features not at hand as unknown."""
    return np.where(np.isposinf(values), np.nan, values)


def fit_trees(values: np.ndarray, marked: np.ndarray, names: list[str]) -> Any:
    """A model of whether a word is at fault."""
    rows, optional = known(values), [names.index(name) for name in OPTIONAL if name in names]
    has = ~np.isnan(rows[:, optional]).all(1)
    bare = rows[has].copy()
    bare[:, optional] = np.nan
    both = np.vstack([rows, bare])
    both[:, np.isnan(both).all(0)] = 0.0  # known of no word here: nothing to split by
    weights = np.concatenate([np.where(has, 0.5, 1.0), np.full(len(bare), 0.5)])
    model = HistGradientBoostingClassifier(
        max_iter=TREES,
        learning_rate=RATE,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=LEAST,
        l2_regularization=PENALTY,
        max_bins=63,
        early_stopping=False,
    )
    return model.fit(both, np.append(marked, marked[has]), weights)


def tree_odds(model: Any, values: np.ndarray) -> np.ndarray:
    """The log-odds of words."""
    return np.asarray(model.decision_function(known(values)))


def written(model: Any, names: list[str]) -> Trees:
    """The model as the oracle reads it."""
    trees = [branch(predictor[0].nodes, 0) for predictor in model._predictors]
    start = float(np.ravel(model._baseline_prediction)[0])
    return Trees(tuple(names), round(start, 4), tuple(trees))


def branch(nodes: Any, at: int) -> Split | float:
    """A node with all below it."""
    node = nodes[at]
    if node["is_leaf"]:
        return round(float(node["value"]), 4)
    return Split(
        int(node["feature_idx"]),
        float(f"{node['num_threshold']:.6g}"),
        bool(node["missing_go_to_left"]),
        branch(nodes, int(node["left"])),
        branch(nodes, int(node["right"])),
    )
