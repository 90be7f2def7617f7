"""Fit the models that say which words fit: logistic regression on the swaps that were read.

    python -m benchmarks.acceptance [--model gemma] [--soon] [--write]

`--soon` fits those for words that are scored with one token of what follows, or less, and only for being natural.
Reads `readings/swaps.tsv`; `natural` there is a swap of which nobody said whether it keeps the meaning. The models are
fitted on the tuning half; what they are worth is printed by leaving out one set of sentences after the other of that
half (each was written at another time, and read with other models), then on the test half. Gemma's are fitted on what
two readers said too (`readings/cases_two_readers.tsv`), whose sets count in the figures alone. `--write` puts the
weights where the program reads them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from benchmarks.results import record
from benchmarks.words import FOLDER
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR, SOON, STAGES, Logistic
from polyglitch.nlp.proposers.fitting_words import MODELS, FittingWords
from polyglitch.nlp.proposers.in_context import open_words_in_context, place_of
from polyglitch.protocols import Floats
from polyglitch.records import Parse, Slot
from polyglitch.tools import Toolbox

FOLDER_OF_MODELS = Path(__file__).parents[1] / "src" / "polyglitch" / "resources" / "models"
RIDGE = 5.0  # on standardised features: of 1 to 30, the area under the curve hardly changes
STEPS = 40
LEFT = (0,)  # nothing of what follows
# Two readers who were told to be strict, on sentences of the models' own choice: what each says counts more than one
# word of the reader who had made them. Of 1 to 5 the area on other sets hardly changes.
STRICTER = 3.0
ONE_STRICT = 2.0  # the same of one such reader
# Readers differ in how much they let pass. How much that is, is fitted too, and the model that ships says what a reader
# between the two would, so much towards the stricter ones.
STRICTNESS = 0.35
NOT_LEARNED_FROM = ("39", "45")  # sets on which what ships was read
STRICT = ("gemma",)  # language models whose words are judged by them too
ARTICLES = {"a ": "an ", "an ": "a ", "A ": "An ", "An ": "A "}
# What is told by what follows; fields say nothing about being natural that the others do not.
FOLLOWS = ("change", "worst", "state", "in context", "same field")


class Reading(NamedTuple):
    """A swap that was read: where it stands, what it was called, and what is known of it."""

    half: str
    set: str  # of sentences, which were written and read together
    label: str  # odd, other, alike, same, natural
    features: dict[str, float]
    share: float  # of the readers who took it
    weight: float = 1.0


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of readings."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Swap(NamedTuple):
    """A row of the readings: a swap, where it was read, and what was said of it."""

    sentence: str
    start: int
    new: str
    half: str
    set: str
    label: str
    share: float
    weight: float = 1.0


def one_reader() -> list[Swap]:
    """The swaps that the maker of the models called natural or odd, and alike or not."""
    sets = {row["sentence"]: row["set"] for row in rows("sentences.tsv")}
    return [
        Swap(
            *(row["sentence"], int(row["start"]), row["new"]),
            *(row["half"], sets[row["sentence"]], row["label"], float(row["label"] != "odd")),
        )
        for row in rows("swaps.tsv")
    ]


def two_readers() -> list[Swap]:
    """The cases that two others called natural or odd."""
    every = rows("cases_two_readers.tsv")
    some = [row for row in every if row["set"] not in NOT_LEARNED_FROM]
    parser = Toolbox(languages=("en", None)).parser("en")
    texts = sorted({row["sentence"] for row in some})
    parses = dict(zip(texts, parser.parse(texts), strict=True))
    found = []
    for row in some:
        said = [row[who] for who in ("first", "second") if row[who]]
        share = said.count("natural") / len(said)
        weight = STRICTER if len(said) > 1 else ONE_STRICT
        label = "natural" if share else "odd"
        place = swapped(parses[row["sentence"]], row["case"])
        if place:
            found.append(Swap(row["sentence"], *place, "tune", row["set"], label, share, weight))
    return found


def swapped(parse: Parse, case: str) -> tuple[int, str] | None:
    """Where the one word starts that a case has another for, whose article may have changed with it, and which."""
    for token in parse.tokens:
        before, after = parse.text[: token.start], parse.text[token.end :]
        others = [
            before.removesuffix(old) + new for old, new in ARTICLES.items() if before.endswith(old)
        ]
        for begin in (before, *others):
            new = case.removeprefix(begin).removesuffix(after)
            if begin + new + after == case and " " not in new:
                return token.start, new.lower()
    return None


def readings(
    known_as: str = "smollm", stages: Sequence[int] = STAGES, stricter: bool = False
) -> list[Reading]:
    """The swaps that were read, measured by a language model as far as the stages go."""
    swaps = one_reader() + (two_readers() if stricter else [])
    parser = Toolbox(languages=("en", None)).parser("en")
    texts = sorted({row.sentence for row in swaps})
    parses = dict(zip(texts, parser.parse(texts), strict=True))
    words: dict[tuple[str, int], set[str]] = {}
    for row in swaps:
        words.setdefault((row.sentence, row.start), set()).add(row.new)
    slots = [
        Slot(parses[text], next(i for i, t in enumerate(parses[text].tokens) if t.start == start))
        for text, start in words
    ]
    proposer = FittingWords(MODELS[known_as](), "en", floor=0.0, stages=stages)
    found = proposer.measured(slots, [frozenset(some) for some in words.values()])
    likeness = open_words_in_context("en") if stages == STAGES else None
    known: dict[tuple[str, int, str], dict[str, float]] = {}
    for (text, start), slot, some in zip(words, slots, found, strict=True):
        if likeness:
            pairs = [(place_of(slot), place_of(slot, one.word)) for _, one in some]
            for (_, one), cosine in zip(some, likeness.likeness(pairs), strict=True):
                one.in_context = cosine
        known |= {(text, start, one.word): one.features(slot) for _, one in some}
    return [
        Reading(
            row.half,
            row.set,
            row.label,
            known[row.sentence, row.start, row.new],
            row.share,
            row.weight,
        )
        for row in swaps
        # Words that are no longer proposed are not measured.
        if (row.sentence, row.start, row.new) in known
    ]


def fitted(
    some: Sequence[Reading], right: Callable[[Reading], float], names: list[str]
) -> Logistic:
    """The ridge regression of a label on some features, by Newton's method."""
    table = np.array([[one.features[name] for name in names] for one in some])
    mean, spread = table.mean(0), table.std(0) + 1e-6
    y = np.array([right(one) for one in some], float)
    count = np.array([one.weight for one in some])
    strict = (count > 1) - STRICTNESS  # nothing where a reader is as strict as the model that ships
    x = np.c_[np.ones(len(some)), strict, (table - mean) / spread]
    ridge = RIDGE * np.eye(x.shape[1])
    ridge[0, 0] = 0.0
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (x * (count * p * (1 - p) + 1e-9)[:, None]) + ridge
        weights -= np.linalg.solve(slope, x.T @ (count * (p - y)) + ridge @ weights)
    plain = weights[2:] / spread
    intercept = round(float(weights[0] - plain @ mean), 4)
    return Logistic(
        intercept, {name: round(float(w), 4) for name, w in zip(names, plain, strict=True)}
    )


def area(scores: Floats, right: Floats) -> float:
    """The area under the curve: how often a right one has more than a wrong one."""
    above = scores[right == 1][:, None] - scores[right == 0][None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def natural(one: Reading) -> float:
    """How many of its readers took the swap."""
    return one.share


def alike(one: Reading) -> bool:
    """Whether a reader took it and found the meaning kept."""
    return one.label in ("alike", "same")


def asked(title: str, some: Sequence[Reading]) -> list[Reading]:
    """Of whom somebody said whether they are natural, or whether they are alike."""
    return [
        one for one in some if title == "natural" or (one.label != "natural" and one.weight == 1.0)
    ]


def models(some: Sequence[Reading]) -> dict[str, Logistic]:
    """All models, for what may be installed."""
    names = list(some[0].features)
    lexical = {name for name in names if name.startswith("wordnet") or name == "same field"}
    found = {}
    for wordnet, left_out in (("", set[str]()), (" without wordnet", lexical)):
        left = [name for name in names if name not in left_out]
        plain = [name for name in left if name != "in context"]
        # Before the model has passed over a word, its state is not known, and never of a last word.
        first = [name for name in plain if not name.endswith("state")]
        for title, right in (("natural", natural), ("alike", alike)):
            told = asked(title, some)
            found[f"{title}{wordnet}"] = fitted(told, right, left)
            found[f"{title}{wordnet} without minilm"] = fitted(told, right, plain)
            found[f"{title} at first{wordnet}"] = fitted(told, right, first)
    return found


# What the models of words that are scored with one token or less do not look at.
NOT_HEARD = {"soon": ("in context", "same field"), "left": FOLLOWS}


def soon_model(title: str, some: Sequence[Reading], wordnet: bool = True) -> Logistic:
    """The model of words by one token of what follows, or by what is to the left alone."""
    names = [
        name
        for name in some[0].features
        if name.removeprefix("adjective ") not in NOT_HEARD[title]
        and (wordnet or not name.startswith("wordnet"))
    ]
    return fitted(some, natural, names)


def judged(model: Logistic, some: Sequence[Reading]) -> Floats:
    """What a model says of some readings."""
    return np.array([model(one.features) for one in some], np.float32)


def left_out_in_turn(some: Sequence[Reading], fit: Callable[[Collection[int]], Logistic]) -> Floats:
    """What each reading gets from the model that was fitted without its set."""
    scores = np.zeros(len(some), np.float32)
    for left_out in sorted({one.set for one in some}):
        here = [i for i, one in enumerate(some) if one.set == left_out]
        others = fit([i for i, one in enumerate(some) if one.set != left_out])
        scores[here] = judged(others, [some[i] for i in here])
    return scores


def worth(title: str, some: Sequence[Reading], scores: Floats, truth: Floats) -> dict[str, float]:
    """What scores are worth, also by what two readers said alone."""
    figures = shares(title, scores, truth)
    stricter = np.array([one.weight > 1.0 for one in some])
    if stricter.any():
        figures |= shares(f"{title}, two readers", scores[stricter], truth[stricter])
    return figures


def shares(title: str, scores: Floats, truth: Floats) -> dict[str, float]:
    """The area under the curve, and the share that is right from some probabilities on."""
    figures = {f"{title}: area, set left out": area(scores, truth)}
    for least in (0.6, 0.75, 0.9, ASKED_FOR, 0.95):
        if (scores >= least).any():
            figures[f"{title}: right from {least} on"] = float(truth[scores >= least].mean())
            figures[f"{title}: from {least} on"] = float((scores >= least).mean())
    return figures


def fit_all(known_as: str) -> tuple[dict[str, Logistic], dict[str, float]]:
    """The models of words that are scored in all stages, and what they are worth."""
    every = readings(known_as, stricter=known_as in STRICT)
    tune = [one for one in every if one.half == "tune"]
    test = [one for one in every if one.half == "test"]
    fits = models(tune)
    figures: dict[str, float] = {"read for tuning": len(tune), "read for testing": len(test)}
    for title, right in (("natural", natural), ("alike", alike)):
        told = asked(title, tune)
        scores = left_out_in_turn(
            told, lambda rest, told=told, title=title: models([told[i] for i in rest])[title]
        )
        figures |= worth(title, told, scores, np.array([right(one) for one in told], np.float32))
        if test:
            truth = np.array([right(one) for one in test], np.float32)
            figures[f"{title}: area, test half"] = area(judged(fits[title], test), truth)
    return fits, figures


def fit_soon(known_as: str) -> tuple[dict[str, Logistic], dict[str, float]]:
    """The models of words that are scored with one token or less, and what they are worth."""
    strict = known_as in STRICT
    left = readings(known_as, LEFT, strict)
    by_title = {"soon": readings(known_as, SOON, strict), "left": left}
    truth = np.array([natural(one) for one in left], np.float32)
    figures: dict[str, float] = {"read for tuning": len(left)}
    fits = {}
    for title, some in by_title.items():
        scores = left_out_in_turn(
            some, lambda rest, title=title, some=some: soon_model(title, [some[i] for i in rest])
        )
        figures |= worth(f"natural {title}", some, scores, truth)
        fits[f"natural {title}"] = soon_model(title, some)
        fits[f"natural {title} without wordnet"] = soon_model(title, some, wordnet=False)
    return fits, figures


def main() -> None:
    """Fit, print what it is worth, and write the weights if told to."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", choices=tuple(MODELS), default="smollm")
    options.add_argument("--soon", action="store_true")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    fits, figures = (fit_soon if chosen.soon else fit_all)(chosen.model)
    record("acceptance", figures)
    if chosen.write:
        path = FOLDER_OF_MODELS / f"words_{chosen.model}.json"
        known = msgspec.json.decode(path.read_bytes(), type=dict[str, Logistic]) | fits
        path.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n")


if __name__ == "__main__":
    main()
