"""How resources/oracle/witnesses.json was made: one logistic model over what the witnesses say of labelled pairs.

    python recipes/train_witnesses.py -o src/polyglitch/resources/oracle/witnesses.json

Learned from the `tune` half of benchmarks/readings; the firefox model is the lens of the Portuguese ones. Given a
folder, from CAT's and TransRepair's records too, which brought no gain. With `--scores` of `recipes/train_oracle.py`
(what the pair witness says of Google's pairs, by models that did not see them) those are learned from as well; they
have hardly another witness, so that they move the place of the pair witness on the scale and no order. Every pair is
taken several times, each time without some of the witnesses, so that the model makes sense of few. What a foreign lens
said comes from a file (`--lens`), as a language model reads for hours.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.oracle import read_cat, read_transrepair
from benchmarks.witnesses import Reading, at_a_third, lens_tools, read_readings

from oracle_data import DIRECTIONS, load
from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.witnesses.agreement import AgreementWitness
from polyglitch.compare.oracles.witnesses.changed_words import Statement
from polyglitch.compare.oracles.witnesses.grammar import GrammarWitness
from polyglitch.compare.oracles.witnesses.oracle import (
    ASKED,
    LEAST,
    MOST,
    OTHERS,
    UNLED,
    JoinModel,
    PairWitness,
    load_join,
)
from polyglitch.protocols import Tools
from polyglitch.tools import Toolbox

COPIES, DROPPED = (
    6,
    0.2,
)  # how often a pair is taken, and the share of statements it is taken without
OWN = 6.0  # the weight of a pair that we read: few, but of several languages and registers
PICKED = 4  # the set of pairs that the oracle had suspected most
STRENGTH = 1.0  # inverse strength of the L2 penalty
# The precision that sets a threshold, on our own pairs, cross-validated, as if one in three were a bug; by
# the models that are asked.
PRECISE = {"": 0.86, "confidence": 0.925, "lens": 0.90, "back": 0.88, "confidence+back": 0.90}
# Rules that were mended in view of these very pairs, on which they are never wrong and find what they miss in other
# text: no threshold leans on them.
MENDED = frozenset({AgreementWitness.name, GrammarWitness.name})
LIMITS = {  # between which a statement counts, in the witness's own measure
    "pair": (-5.0, 1.0),
    "facts": (0.0, 1.0),
    "untranslated": (0.0, 2.0),
    "agreement": (0.0, 1.0),
    "grammar": (0.0, 1.0),
    "rarity": (4.5, 7.0),
    "unknown": (0.0, 1.0),
    "fluency": (-5.0, 3.0),
    "confidence": (0.0, 5.0),
    "lens": (0.0, 12.0),
    "back": (0.0, 12.0),
    "lost": (0.0, 1.0),
    "quality": (0.0, 4.0),
    "judge": (0.0, 1.0),
    "places": (1.0, 3.0),
}


class Heard(NamedTuple):
    """A labelled pair with the suspicion of every witness that spoke."""

    group: str
    bug: bool
    weight: float
    said: dict[str, float]
    drawn: bool = True  # by chance or by hand; what an oracle had picked sets no threshold
    was_test: bool = False  # measured on before it was learned from


def hear_all(
    rows: list[Reading], tools: Tools, pair: dict[tuple[str, ...], float]
) -> list[dict[str, float]]:
    """What the witnesses say; the pair's own from scores of models that did not see it, where there are."""
    trials = [
        trial_of(Saved(str(at), *row.source, *row.output, *tools.languages, row.relation))
        for at, row in enumerate(rows)
    ]
    fresh = [row for row in rows if (*row.source, *row.output) not in pair]
    if fresh:
        found = [one.suspicion if one else None for one in PairWitness().hear(trials, tools)]
    else:
        found = [log_odds(pair[(*row.source, *row.output)]) for row in rows]
    said = [{"pair": one} if one is not None else {} for one in found]
    for witness in OTHERS:
        for known, one in zip(said, witness.hear(trials, tools), strict=True):
            known |= {witness.name: one.suspicion} if one else {}
    return said


def log_odds(score: float) -> float | None:
    """A chance as the pair witness tells it; nothing changed, nothing said."""
    chance = min(MOST, max(LEAST, score))
    return math.log(chance / (1 - chance)) if score else None


def features(said: dict[str, float], others: bool = False) -> list[float]:
    """For every witness whether it spoke, and how suspicious it is; before them whether the pair is another's record.

    Those are of one translator that errs less, and of languages for which fewer witnesses speak: without a weight of
    its own for that, a witness who is silent would count as a good sign.
    """
    row = [float(others)]
    for name, (least, most) in LIMITS.items():
        row += [1.0, min(most, max(least, said[name]))] if name in said else [0.0, 0.0]
    return row


def fit(heard: list[Heard], seed: int = 0) -> LogisticRegression:
    """The model on copies of all pairs, each without some of the witnesses."""
    chance = np.random.default_rng(seed)
    rows, labels, weights = [], [], []
    for one in heard:
        for copy in range(COPIES):
            said = {n: v for n, v in one.said.items() if not copy or chance.random() > DROPPED}
            if said:
                rows.append(features(said, one.weight != OWN))
                labels.append(one.bug)
                weights.append(one.weight / COPIES)
    return LogisticRegression(C=STRENGTH, max_iter=2000).fit(rows, labels, weights)


def scores_of(
    model: LogisticRegression, heard: list[Heard], without: frozenset[str] = frozenset()
) -> np.ndarray:
    """The chances of pairs as the oracle tells them; one that nobody spoke of has none."""
    joined = msgspec.convert(as_json(model, {"": 0.5}, set(LIMITS)), JoinModel)
    kept = [
        {n: Statement(n, v, "") for n, v in one.said.items() if n not in without} for one in heard
    ]
    return np.array([joined.chance(said) for said in kept])


def crossed(heard: list[Heard], without: frozenset[str] = frozenset()) -> np.ndarray:
    """Scores of our own pairs by models that did not see their sentences."""
    own = np.flatnonzero([one.weight == OWN for one in heard])
    rest = [one for one in heard if one.weight != OWN]
    found = np.zeros(len(own))
    groups = [heard[at].group for at in own]
    for train, test in GroupKFold(5).split(own, groups=groups):
        model = fit([*rest, *(heard[own[at]] for at in train)])
        found[test] = scores_of(model, [heard[own[at]] for at in test], without)
    return found


def threshold_at(labels: np.ndarray, scores: np.ndarray, precise: float) -> float:
    """The lowest threshold from which on the flagged pairs are as precise as asked for."""
    best = 1.0
    for limit in sorted(set(scores.tolist()), reverse=True):
        flagged = scores >= limit
        right, wrong = int(labels[flagged].sum()), int((~labels[flagged]).sum())
        if at_a_third(right, wrong, labels) >= precise:
            best = limit
    return round(best - 0.005, 3)


def thresholds_of(heard: list[Heard]) -> dict[str, float]:
    """A threshold for each set of models that may be asked, by our own pairs for which they were.

    Where there are none, the shipped one stays.
    """
    own = [one for one in heard if one.weight == OWN]
    labels = np.array([one.bug for one in own])
    found = {}
    for asked, precise in PRECISE.items():
        names = set(asked.split("+")) - {""}
        fit_for = np.array([one.drawn and names <= one.said.keys() for one in own])
        if not fit_for.any():
            found[asked] = load_join().thresholds[asked]
            continue
        others = frozenset(ASKED) - names
        some = labels[fit_for]
        limit = threshold_at(some, crossed(heard, others | MENDED)[fit_for], precise)
        # Where the system was its own lens, a pair that no witness leads ends below every threshold.
        found[asked] = round(max(limit, UNLED + 0.005), 3) if "confidence" in names else limit
        scores = crossed(heard, others)[fit_for]
        print(
            f"own pairs, asked: {asked or 'no model'}: {len(some)}, {some.sum()} bugs, AUC "
            f"{roc_auc_score(some, scores):.3f}, precision {precise} at a third from {found[asked]} without "
            f"{', '.join(MENDED)}"
        )
        show_flagged("  with them", some, scores, found[asked])
        before = np.array([one.was_test for one in own])[fit_for]
        show_flagged("  those that were test", some[before], scores[before], found[asked])
    return found


def show_flagged(title: str, labels: np.ndarray, scores: np.ndarray, limit: float) -> None:
    """Print what a threshold flags of pairs as they are, not as if one in three were a bug."""
    right, flagged = int(labels[scores > limit].sum()), int((scores > limit).sum())
    print(
        f"{title}: AUC {roc_auc_score(labels, scores):.3f}, precision {right} of {flagged} "
        f"({right / max(1, flagged):.3f}), recall {right} of {labels.sum()} ({right / labels.sum():.3f})"
    )


def main() -> None:
    """Hear, cross-validate, fit on everything, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", help="with other people's records")
    options.add_argument("--scores", type=Path, help="what the pair witness says of Google's pairs")
    options.add_argument(
        "--lens", type=Path, help="lines of JSON: the number of a Spanish pair, what a lens said"
    )
    options.add_argument("-o", "--output", type=Path)
    options.add_argument(
        "--heard", type=Path, help="keep what the witnesses said here, and read it from there again"
    )
    chosen = options.parse_args()
    if chosen.heard and chosen.heard.is_file():
        heard = [Heard(*row) for row in json.loads(chosen.heard.read_text("utf-8"))]
    else:
        scored = json.loads(chosen.scores.read_text("utf-8")) if chosen.scores else []
        heard = gather(chosen.folder, scored, foreign_lens(chosen.lens))
        if chosen.heard:
            chosen.heard.write_text(json.dumps(heard), "utf-8")
    limits = thresholds_of(heard)
    made = as_json(fit(heard), limits, {name for one in heard for name in one.said})
    print(json.dumps(made, indent=1))
    if chosen.output:
        chosen.output.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


def foreign_lens(place: Path | None) -> dict[int, float]:
    """How surprised a language model was by Spanish pairs, by their number in the file of readings."""
    lines = place.read_text("utf-8").splitlines() if place else []
    rows = [json.loads(line) for line in lines]
    return {row["i"]: row["said"][0] for row in rows if row["said"]}


def gather(folder: Path | None, scored: list[list[Any]], lens: dict[int, float]) -> list[Heard]:
    """All labelled pairs with what the witnesses say."""
    pair = {tuple(row[2:6]): row[7] for row in scored}
    heard: list[Heard] = [] if folder is None else of_others(folder, scored, pair)
    for target in ("pt", "es"):
        numbered = [(at, r) for at, r in enumerate(read_readings(target)) if r.part == "tune"]
        rows = [row for _, row in numbered]
        said = hear_all(rows, lens_tools(target), pair)
        for (at, _), known in zip(numbered, said, strict=True):
            known |= {"lens": lens[at]} if target == "es" and at in lens else {}
        heard += [
            Heard(r.source[0], r.bug, OWN, s, r.set != PICKED, r.was == "test")
            for r, s in zip(rows, said, strict=True)
        ]
    return heard


def of_others(
    folder: Path, scored: list[list[Any]], pair: dict[tuple[str, ...], float]
) -> list[Heard]:
    """The records of CAT and TransRepair, and Google's pairs where their scores are given."""
    heard: list[Heard] = []
    for direction in DIRECTIONS if scored else ():
        pairs = load(folder / "pairs_google", direction)
        rows = [
            Reading("", "", p.method, p.quad.relation, p.quad[:2], p.quad[2:4], p.violated)
            for p in pairs
        ]
        said = hear_all(rows, Toolbox(languages=tuple(direction.split("2"))), pair)
        heard += [Heard(r.source[0], r.bug, 1.0, s) for r, s in zip(rows, said, strict=True)]
    for records in (
        read_cat(folder / "labelled_cat.txt"),
        read_transrepair(folder / "transrepair" / "threshold_learning_google.txt"),
        read_transrepair(folder / "transrepair" / "test_google.txt"),
    ):
        rows = [Reading("", "", "", "similar", r.quad[:2], r.quad[2:4], r.bug) for r in records]
        said = hear_all(rows, Toolbox(languages=("en", "zh")), {})
        heard += [Heard(r.source[0], r.bug, 1.0, s) for r, s in zip(rows, said, strict=True)]
    return heard


def as_json(model: LogisticRegression, limits: dict[str, float], spoke: set[str]) -> dict[str, Any]:
    """The model as the oracle reads it; a witness that was not heard keeps the weight that it has."""
    weights = model.coef_[0][1:].reshape(-1, 2)
    witnesses = {
        name: {
            "speaks": round(float(a), 4),
            "step": round(float(b), 4),
            "least": least,
            "most": most,
        }
        if name in spoke
        else msgspec.to_builtins(load_join().witnesses[name])
        for (name, (least, most)), (a, b) in zip(LIMITS.items(), weights, strict=True)
    }
    return {
        "name": "witnesses-14",
        "threshold": limits[""],
        "thresholds": {asked: limit for asked, limit in limits.items() if asked},
        "intercept": round(float(model.intercept_[0]), 4),
        "witnesses": witnesses,
    }


if __name__ == "__main__":
    main()
