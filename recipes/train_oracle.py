"""How resources/oracle/weights.json was made, and the figures of docs/explanation/oracle.md.

    python recipes/train_oracle.py ../shared/data/mt/pairs_google -o src/polyglitch/resources/oracle/weights.json

With `--trees`, for resources/oracle/weights_dictionary.json: of Google's pairs alone, for which a dictionary is at
hand, and with small trees beside the tables.

Needs scikit-learn and the extras nlp, vectors, torch, chinese. Words are learned from the marks that people set in the
outputs, pairs from their verdicts; the pair model is fitted on chances of words that the word model did not see.
Folds never split sentences that share six words (ten characters) in a row.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import StandardScaler

from oracle_data import (
    DIRECTIONS,
    METHODS,
    Labelled,
    fault_places,
    groups,
    load,
    load_readings,
    read,
)
from oracle_tokens import location_f, places_at_fault, token_figures
from polyglitch.compare.oracles.aligned.model import OFFSET, Table, WordModel, is_light, pair_row
from polyglitch.compare.oracles.aligned.oracle import FACT, ReadPairs

BINS = 10  # stretches a feature is cut into, with about as many words in each
WORD_C, PAIR_C = 0.05, 0.3  # inverse strength of the L2 penalty
TREES, LEAVES, FEWEST, PENALTY = 60, 8, 40, 5.0  # small: some 1,350 words are marked
SHARE = 0.7  # of the trees in the log-odds of a word; tables alone are smoother where words are few
INNER, OUTER = 4, 5
# What is reported unless told otherwise: below the best F of these pairs, whose translator paraphrases much; on the
# other records and the campaigns that were read, what lies between is worth it (docs/explanation/oracle.md).
THRESHOLD = 0.2
# Our own readings are few, and the only ones of languages with little at hand.
READINGS, OWN = Path(__file__).parents[1] / "benchmarks" / "readings", 3.0
LOCATION = 0.4  # of the worst word's chance: the F of marked words is flat from .4 to .5, on methods but CAT
PAIR_FEATURES = ("worst", "second", "third", "sum", "any", "mean", "heavy", "light", "heavy_sum")


class Words:
    """All changed words of all pairs: features, whether people marked them, whose they are."""

    def __init__(
        self, pairs: Sequence[Labelled], reads: Sequence[ReadPairs], trees: bool = False
    ) -> None:
        self.trees = trees
        self.rows: list[dict[str, float]] = []
        at_fault, owner, side_of, self.places, self.at = [], [], [], [], []
        for index, (pair, item) in enumerate(zip(pairs, reads, strict=True)):
            for number, side in enumerate((item.linked.first, item.linked.second)):
                places = fault_places(side.output, pair.at_fault[number])
                for at, row in item.words[number]:
                    self.rows.append(row)
                    at_fault.append(at in places)
                    owner.append(index)
                    side_of.append(number)
                    self.at.append(at)
                    self.places.append((side.output.words[at].start, side.output.words[at].end))
        self.weight = np.array([pairs[index].weight for index in owner])
        self.broken = np.array([bool(item.broken) for item in reads])
        self.marked, self.owner = np.array(at_fault), np.array(owner)
        self.side, self.light = np.array(side_of), np.array([is_light(row) for row in self.rows])
        self.names = sorted({name for row in self.rows for name in row})
        absent = float("inf")  # a feature that was not at hand: coded as no stretch at all
        self.values = np.array([[row.get(n, absent) for n in self.names] for row in self.rows])


def edges_of(column: np.ndarray) -> list[float]:
    """Where to cut a feature."""
    known = np.unique(column[np.isfinite(column)])
    if len(known) <= BINS:
        return [round(float(x), 6) for x in (known[1:] + known[:-1]) / 2]
    cuts = np.quantile(column[np.isfinite(column)], np.linspace(0, 1, BINS + 1)[1:-1])
    return sorted({round(float(x), 6) for x in cuts})


def code(values: np.ndarray, edges: list[list[float]]) -> Any:
    """One column a stretch and one for unknown; a feature not at hand has none set."""
    blocks = []
    for column, cuts in zip(values.T, edges, strict=True):
        place = np.where(np.isnan(column), len(cuts) + 1, np.searchsorted(cuts, column, "right"))
        here = np.flatnonzero(~np.isposinf(column))
        shape = (len(column), len(cuts) + 2)
        blocks.append(sparse.csr_matrix((np.ones(len(here)), (here, place[here])), shape=shape))
    return sparse.hstack(blocks).tocsr()


def fit_words(
    values: np.ndarray, marked: np.ndarray, weight: np.ndarray, names: list[str]
) -> tuple[Any, Any, WordModel]:
    """A logistic model on cut features, and the same as tables centred on what is usual."""
    edges = [edges_of(column) for column in values.T]
    coded = code(values, edges)
    model = LogisticRegression(C=WORD_C, max_iter=300).fit(coded, marked, weight)
    weights, at, tables = model.coef_[0], 0, {}
    intercept = float(model.intercept_[0])
    for name, cuts, column in zip(names, edges, values.T, strict=True):
        block = weights[at : at + len(cuts) + 2]
        used = np.asarray(coded[:, at : at + len(cuts) + 2].sum(0)).ravel()
        usual = float(block @ used / max(1.0, used.sum()))
        whole = not np.isposinf(column).any()
        if whole:  # moving the mean to the intercept changes nothing where the feature is at hand
            intercept += usual
            block = block - usual
        known = tuple(round(float(x), 4) for x in block[:-1])
        tables[name] = Table(tuple(cuts), known, round(float(block[-1]), 4))
        at += len(cuts) + 2
    return model, edges, WordModel(round(intercept, 4), tables)


def word_chances(words: Words, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Chances of the test words from models of the train words."""
    found = np.zeros(len(words.owner))
    for light in (False, True):
        a, b = train & (words.light == light), test & (words.light == light)
        model, edges, _ = fit_words(words.values[a], words.marked[a], words.weight[a], words.names)
        odds = model.decision_function(code(words.values[b], edges))
        if words.trees:
            grown = grow(words.values[a], words.marked[a], words.weight[a])
            odds += SHARE * (grown.decision_function(bare(words.values[b])) - odds)
        found[b] = 1 / (1 + np.exp(-odds))
    return found


def grow(values: np.ndarray, marked: np.ndarray, weight: np.ndarray) -> Any:
    """Boosted trees over the same features."""
    model = HistGradientBoostingClassifier(
        max_iter=TREES,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=FEWEST,
        l2_regularization=PENALTY,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(bare(values), marked, weight)


def bare(values: np.ndarray) -> np.ndarray:
    """Features as trees take them: what is not at hand is unknown, and a feature that nobody has says nothing."""
    found = np.where(np.isfinite(values), values, np.nan)
    found[:, np.isnan(found).all(0)] = 0.0
    return found


def forks(model: Any, names: list[str]) -> list[Any]:
    """The trees as weights_dictionary.json has them."""

    def fork(nodes: Any, at: int) -> Any:
        node = nodes[at]
        if node["is_leaf"]:
            return round(float(node["value"]), 5)
        sides = [fork(nodes, int(node[side])) for side in ("left", "right")]
        cut = round(float(node["num_threshold"]), 6)
        return [names[node["feature_idx"]], cut, bool(node["missing_go_to_left"]), *sides]

    grown = [fork(tree.nodes, 0) for (tree,) in model._predictors]
    return [tree for tree in grown if isinstance(tree, list)]


def pair_rows(words: Words, chances: np.ndarray, count: int) -> np.ndarray:
    """The features of each pair, as the oracle computes them."""
    sides: list[list[list[tuple[float, bool]]]] = [[[], []] for _ in range(count)]
    for owner, side, chance, light in zip(
        words.owner, words.side, chances, words.light, strict=True
    ):
        sides[owner][side].append((float(chance), bool(light)))
    rows = [pair_row(item) for item in sides]
    return np.log(np.array([[row[name] for name in PAIR_FEATURES] for row in rows]) + OFFSET)


class Fitted:
    """Both models, fitted on some pairs."""

    def __init__(
        self,
        words: Words,
        labels: np.ndarray,
        group: np.ndarray,
        weight: np.ndarray,
        train: np.ndarray,
    ) -> None:
        self.words, self.train = words, train
        inside = np.isin(words.owner, train)
        chances = np.zeros(len(words.owner))
        for a, b in GroupKFold(INNER).split(train, labels[train], group[train]):
            old, new = np.isin(words.owner, train[a]), np.isin(words.owner, train[b])
            chances += word_chances(words, old, new)
        rows = pair_rows(words, chances, len(labels))[train]
        busy = np.isin(train, words.owner[inside])  # pairs without a changed word teach nothing
        self.scale = StandardScaler().fit(rows[busy])
        self.model = LogisticRegression(C=PAIR_C, max_iter=500).fit(
            self.scale.transform(rows[busy]), labels[train][busy], weight[train][busy]
        )

    def score(self, test: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Scores of the test pairs and chances of all words."""
        inside, outside = np.isin(self.words.owner, self.train), np.isin(self.words.owner, test)
        chances = word_chances(self.words, inside, outside)
        rows = pair_rows(self.words, chances, count)[test]
        scores = self.model.predict_proba(self.scale.transform(rows))[:, 1]
        scores[~np.isin(test, self.words.owner)] = 0.0
        broken = self.words.broken[test]
        scores[broken] = 1 - (1 - scores[broken]) * (1 - FACT)
        return scores, chances


def best_f(labels: np.ndarray, scores: np.ndarray) -> tuple[float, float, float, float]:
    """The best F, with precision, recall and threshold there."""
    precision, recall, limits = precision_recall_curve(labels, scores)
    f = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    k = int(np.argmax(f[:-1]))
    return float(f[k]), float(precision[k]), float(recall[k]), float(limits[k])


def line(name: str, labels: np.ndarray, scores: np.ndarray) -> str:
    """One row of figures."""
    f, precision, recall, limit = best_f(labels, scores)
    auc = roc_auc_score(labels, scores)
    return f"{name:<24} n={len(labels):<5} AUC {auc:.3f}  F {f:.3f}  P {precision:.2f}  R {recall:.2f}  at {limit:.3f}"


def evaluate(
    pairs: list[Labelled],
    words: Words,
    labels: np.ndarray,
    group: np.ndarray,
    weight: np.ndarray,
) -> tuple[Any, Any]:
    """Print the cross-validated figures; the scores and the chances of words."""
    direction, method = (
        np.array([getattr(p, name) for p in pairs]) for name in ("direction", "method")
    )
    scores, chances = np.zeros(len(labels)), np.zeros(len(words.owner))
    for train, test in GroupKFold(OUTER).split(labels, labels, group):
        scores[test], found = Fitted(words, labels, group, weight, train).score(test, len(labels))
        chances += found
    for name in sorted(set(direction.tolist())):
        here = direction == name
        print(line(f"cross-validated {name}", labels[here], scores[here]), flush=True)
        for kind in METHODS:
            both = here & (method == kind)
            if both.any():
                print(line(f"  {kind}", labels[both], scores[both]))
    for kind in METHODS:  # neither the method nor a near-copy of the sentence was seen in training
        found = np.zeros(len(labels))
        for rest, fold in GroupKFold(OUTER).split(labels, labels, group):
            train, test = rest[method[rest] != kind], fold[method[fold] == kind]
            found[test], _ = Fitted(words, labels, group, weight, train).score(test, len(labels))
        here = method == kind
        print(line(f"without {kind}", labels[here], found[here]), flush=True)
    for name in DIRECTIONS:
        train, test = np.flatnonzero(direction != name), np.flatnonzero(direction == name)
        found, _ = Fitted(words, labels, group, weight, train).score(test, len(labels))
        print(line(f"other direction to {name}", labels[test], found), flush=True)
    return scores, chances


def final(
    words: Words, labels: np.ndarray, group: np.ndarray, weight: np.ndarray
) -> dict[str, Any]:
    """Both models on all pairs, as weights.json has them."""
    import msgspec

    fitted = Fitted(words, labels, group, weight, np.arange(len(labels)))
    models = {}
    for name, chosen in (("weighty", ~words.light), ("light", words.light)):
        _, _, model = fit_words(
            words.values[chosen], words.marked[chosen], words.weight[chosen], words.names
        )
        models[name] = msgspec.to_builtins(model)
        if words.trees:
            grown = grow(words.values[chosen], words.marked[chosen], words.weight[chosen])
            models[name] |= {
                "trees": forks(grown, words.names),
                "trees_intercept": round(float(np.ravel(grown._baseline_prediction)[0]), 5),
                "trees_share": SHARE,
            }
        else:
            models[name] = {k: v for k, v in models[name].items() if not k.startswith("trees")}
    weights = fitted.model.coef_[0] / fitted.scale.scale_
    intercept = float(fitted.model.intercept_[0] - (weights * fitted.scale.mean_).sum())
    features = {name: round(float(w), 4) for name, w in zip(PAIR_FEATURES, weights, strict=True)}
    return models | {"pair": {"intercept": round(intercept, 4), "features": features}}


def main() -> None:
    """Read, cross-validate, fit on everything, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("-o", "--output", type=Path)
    options.add_argument("--scores", type=Path, help="write the cross-validated scores here")
    options.add_argument("--trees", action="store_true", help="for languages with a dictionary")
    chosen = options.parse_args()
    pairs, reads = [], []
    for direction in DIRECTIONS:
        some = load(chosen.folder, direction)
        pairs += some
        reads += read(some, direction)
    own = [] if chosen.trees else load_readings(READINGS, "tune", OWN)
    for direction in sorted({pair.direction for pair in own}):
        some = [pair for pair in own if pair.direction == direction]
        pairs += some
        reads += read(some, direction)
    words = Words(pairs, reads, chosen.trees)
    weight = np.array([pair.weight for pair in pairs])
    labels, group = np.array([pair.violated for pair in pairs]), np.array(groups(pairs))
    print(
        f"{len(pairs)} pairs, {labels.sum()} violated, {len(set(group.tolist()))} groups, "
        f"{len(words.rows)} changed words"
    )
    scores, chances = evaluate(pairs, words, labels, group, weight)
    marks = places_at_fault(words, reads, chances, LOCATION)
    f = location_f(words, marks, labels & np.array([pair.method != "CAT" for pair in pairs]))
    best = best_f(labels, scores)[3]
    print(
        f"words at fault in violated pairs but CAT's: F {f:.3f} at {LOCATION} of the worst; best F at {best:.3f}"
    )
    spans = [[[words.places[number] for number in side] for side in pair] for pair in marks]
    for name, (precision, recall, found) in token_figures(chosen.folder, pairs, spans).items():
        print(f"marked tokens, CAT {name}: P {precision:.3f}  R {recall:.3f}  F {found:.3f}")
    if chosen.scores:
        rows = [
            [p.method, p.direction, *p.quad[:4], bool(v), round(float(s), 5)]
            for p, v, s in zip(pairs, labels, scores, strict=True)
        ]
        chosen.scores.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    if chosen.output:
        name = "aligned-dictionary-1" if chosen.trees else "aligned-2"
        model = {"name": name, "threshold": THRESHOLD, "location": LOCATION}
        model |= final(words, labels, group, weight)
        indent = None if chosen.trees else 1  # trees are not read line by line
        chosen.output.write_text(json.dumps(model, indent=indent) + "\n", "utf-8")


if __name__ == "__main__":
    main()
