"""The model of the aligned oracle: sums of tabled weights for words, a weighted sum of their chances for the pair.

A word's log-odds of being at fault are a sum with one weight a feature, looked up by the feature's value; a feature
that is not at hand adds nothing. The pair's log-odds are a weighted sum of logarithms of what its words say. All
numbers are in `resources/oracle/weights.json`; `recipes/train_oracle.py` makes that file. Where a dictionary of the two
languages is at hand, `weights_dictionary.json` takes its place, in which small trees stand beside the tables.

What speaks for and against each changed word: features that know neither language nor system.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias

import msgspec

from polyglitch.compare.oracles.aligned.lexicon import Lexicon, Numbers, Places
from polyglitch.compare.oracles.aligned.links import (
    NONE,
    WEIGHTY,
    Likeness,
    Linked,
    Pairing,
    Side,
    Word,
)
from polyglitch.files.lazy_numpy import np, npt
from polyglitch.languages import language as language_of
from polyglitch.protocols import Floats

Row = dict[str, float]

OFFSET = 0.02  # added before a logarithm: chances below it are all the same to the pair


class Table(msgspec.Struct, frozen=True):
    """The weights of one feature: one for each stretch between edges, and one for unknown values."""

    edges: tuple[float, ...]
    weights: tuple[float, ...]
    unknown: float

    def weight(self, value: float) -> float:
        """What a value adds."""
        if math.isnan(value):
            return self.unknown
        return self.weights[bisect_right(self.edges, value)]


class Fork(msgspec.Struct, frozen=True, array_like=True):
    """A question of a tree: up to the cut go left, above it right, and where the value is unknown as it says."""

    feature: str
    cut: float
    unknown_left: bool
    left: Fork | float
    right: Fork | float

    def weight(self, row: Row) -> float:
        """What the leaf adds that a word comes to."""
        here: Fork | float = self
        while isinstance(here, Fork):
            value = row.get(here.feature, MISSING)
            left = here.unknown_left if math.isnan(value) else value <= here.cut
            here = here.left if left else here.right
        return here


class WordModel(msgspec.Struct, frozen=True):
    """Says of a changed word how likely it is at fault: by tables, and by trees in their company where there are."""

    intercept: float
    features: dict[str, Table]
    trees: tuple[Fork, ...] = ()
    trees_intercept: float = 0.0
    trees_share: float = 0.0  # of the log-odds; the rest is the tables'

    def chance(self, row: Row) -> float:
        """From 0 to 1."""
        total = self.intercept
        for name, value in row.items():
            table = self.features.get(name)
            if table is not None:
                total += table.weight(value)
        if self.trees:
            grown = self.trees_intercept + sum(tree.weight(row) for tree in self.trees)
            total += self.trees_share * (grown - total)
        return logistic(total)


class PairModel(msgspec.Struct, frozen=True):
    """Says of a pair how likely a person would call it a violation."""

    intercept: float
    features: dict[str, float]

    def chance(self, row: Row) -> float:
        """From 0 to 1."""
        return logistic(
            self.intercept
            + sum(weight * math.log(row[name] + OFFSET) for name, weight in self.features.items())
        )


class Model(msgspec.Struct, frozen=True):
    """The whole of weights.json."""

    name: str
    threshold: float
    location: float
    weighty: WordModel
    light: WordModel
    pair: PairModel

    def word_chance(self, row: Row) -> float:
        """How likely a changed word is at fault; words that carry meaning have weights of their own."""
        return (self.light if is_light(row) else self.weighty).chance(row)


def is_light(row: Row) -> bool:
    """Whether the row is of a function word or a mark."""
    return bool(row["is_function"] or row["is_mark"])


@cache
def load_model(dictionary: bool = False) -> Model:
    """The shipped model, or the one that was learned where a dictionary of the two languages is at hand."""
    name = "weights_dictionary.json" if dictionary else "weights.json"
    place = files("polyglitch").joinpath("resources", "oracle", name)
    return msgspec.json.decode(place.read_bytes(), type=Model)


def pair_row(sides: Sequence[Sequence[tuple[float, bool]]]) -> Row:
    """The features of a pair: for both outputs each changed word's chance and whether it is light."""
    every = [item for side in sides for item in side]
    chances = sorted((chance for chance, _ in every), reverse=True)
    padded = [*chances, 0.0, 0.0, 0.0]
    heavy = [chance for chance, light in every if not light]
    return {
        "worst": padded[0],
        "second": padded[1],
        "third": padded[2],
        "sum": sum(chances),
        "any": 1 - math.prod(1 - chance for chance in chances),
        "mean": sum(chances) / max(1, len(chances)),
        "heavy_sum": sum(heavy),
        "heavy": float(len(heavy)),
        "light": float(len(every) - len(heavy)),
    }


def logistic(value: float) -> float:
    """Log-odds as a chance."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


Flags: TypeAlias = "npt.NDArray[np.bool_]"
MISSING = math.nan
UNIT_FEATURES = (
    "covered",
    "said_elsewhere",
    "rival",
    "anchor_kept",
    "anchor_weighty",
    "anchor_away",
    "covered_alone",
    "cover_changed",
    "more_words",
)
CLOSE = 0.2  # a link at least so strong counts as a translation


class Context(NamedTuple):
    """What is the same for all pairs of a batch."""

    lexicon: Lexicon
    likeness: Likeness | None
    counts: dict[str, int] | None  # sentences of the batch that hold a word; none for a pair alone
    sentences: int
    target_language: str
    frequency: Callable[[str], float] | None = None  # of a word in its language


def word_rows(
    linked: Linked,
    pairing: Pairing,
    context: Context,
    vectors: tuple[Floats, Floats] | None = None,
) -> list[list[tuple[int, Row]]]:
    """For both outputs each changed word's place and features; vectors are those of words in context."""
    near = vectors[0] @ vectors[1].T if vectors else None
    return [
        side_rows(linked.first, linked.second, pairing, context, near),
        side_rows(
            linked.second, linked.first, pairing.turned(), context, None if near is None else near.T
        ),
    ]


def side_rows(
    side: Side, other: Side, pairing: Pairing, context: Context, near: Floats | None
) -> list[tuple[int, Row]]:
    """The changed words of one output."""
    changed = side.changed
    if not changed:
        return []
    kept = np.array([partner != NONE for partner in side.source_match], bool)
    common, edited = side_row(side, other, kept), edit_places(side, kept)
    keys, rivals = side.source.keys, [(at, other.output.words[at].key) for at in other.changed]
    found = []
    for index, at in enumerate(changed):
        word, behind = side.output.words[at], side.behind[at]
        row = kind_row(word, context) | common
        row |= edit_row(keys, behind, kept, word, context.lexicon)
        row |= unit_row(side, other, behind, kept, rivals, context)
        row |= likeness_row(word, at, index, other, pairing, context, near)
        row |= place_row(side, other, at, edited)
        # Where the edit's own translation was not found, a word with no other source may well be it.
        row["could_be_edit"] = max(row["to_edit"], (1 - row["edit_found"]) * (1 - row["to_kept"]))
        found.append((at, row))
    return found


def side_row(side: Side, other: Side, kept: Flags) -> Row:
    """What all changed words of an output share.

    Counts of changed words are left out on purpose: they tell methods apart better than bugs.
    """
    edited = [
        index
        for index, word in enumerate(side.source.words)
        if not kept[index] and word.kind not in ("mark", "function")
    ]
    reach = side.behind[:, edited].max(0) if edited and len(side.behind) else np.ones(1)
    lacking = NONE in other.source_match
    return {
        # 1: this source is the one contained in the other; -1: it contains the other; 0: neither.
        "contained": float(kept.all() and lacking) - float(not kept.all() and not lacking),
        "edit_found": float(reach.mean()),
    }


def kind_row(word: Word, context: Context) -> Row:
    """What kind of word it is and how rare."""
    language, form = context.target_language, word.text.lower()
    row = {
        f"is_{kind}": float(word.kind == kind)
        for kind in ("content", "function", "mark", "number", "name", "negation")
    }
    for pos in ("NOUN", "VERB", "ADJ", "ADV"):
        row[f"is_{pos.lower()}"] = float(word.pos == pos and word.kind == "content")
    row["is_quantity"] = float(form in language_of(language).quantity)
    row["is_comparison"] = float(form in language_of(language).comparison)
    if context.frequency is not None:
        row["frequency"] = context.frequency(word.text)
    row["rarity"] = MISSING
    if context.counts is not None:
        row["rarity"] = math.log((1 + context.sentences) / (1 + context.counts.get(word.key, 0)))
    return row


def edit_row(keys: list[str], behind: Numbers, kept: Flags, word: Word, lexicon: Lexicon) -> Row:
    """Whether the edit accounts for it."""
    edited = np.flatnonzero(~kept)
    to_edit, shared = float(behind[edited].sum()), behind[kept]
    return {
        "to_edit": to_edit,
        "to_kept": float(shared.max()) if len(shared) else 0.0,
        "edit_share": to_edit / (to_edit + float(shared.sum()) + 0.05),
        "edit_strength": max((lexicon.strength(keys[i], word.key) for i in edited), default=0.0),
    }


def unit_row(
    side: Side,
    other: Side,
    behind: Numbers,
    kept: Flags,
    rivals: Sequence[tuple[int, str]],
    context: Context,
) -> Row:
    """How the source word behind it fares on the other side: lost, or said in another way."""
    if not kept.any() or not len(other.behind):
        return dict.fromkeys(UNIT_FEATURES, MISSING)
    anchor = int(np.argmax(np.where(kept, behind, -1.0)))
    edited = np.flatnonzero(~kept)
    partner = side.source_match[anchor]
    column = other.behind[:, partner]
    best = int(np.argmax(column))
    key = side.source.words[anchor].key
    here = side.behind[:, anchor]
    same = [j for j in np.flatnonzero(column >= CLOSE) if other.output_match[j] != NONE]
    return {
        "covered": float(column.max()),
        "said_elsewhere": max((float(column[at]) for at, _ in rivals), default=0.0),
        "rival": max((context.lexicon.strength(key, one) for _, one in rivals), default=0.0),
        # The same source word is also behind a word that both outputs share: this one only adds to it.
        "anchor_kept": float(any(here[other.output_match[j]] >= CLOSE for j in same)),
        "anchor_weighty": float(side.source.words[anchor].kind in WEIGHTY),
        "anchor_away": float(np.abs(edited - anchor).min()) if len(edited) else MISSING,
        # What tells the source word there: whether it tells no other word more, and whether it changed too.
        "covered_alone": float(column[best] * (np.argmax(other.behind[best]) == partner)),
        "cover_changed": float(other.output_match[best] == NONE),
        "more_words": float((here >= CLOSE).sum() - (column >= CLOSE).sum()),
    }


def likeness_row(
    word: Word,
    at: int,
    index: int,
    other: Side,
    pairing: Pairing,
    context: Context,
    near: Floats | None,
) -> Row:
    """How near the nearest words of the other output come in meaning and in form."""
    row = {"partner": pairing.partner[at][1] if at in pairing.partner else 0.0}
    row |= dict.fromkeys(("form_changed", "turns"), 0.0)
    if pairing.columns:
        row["form_changed"] = float(pairing.form[index].max())
        row["turns"] = float(pairing.turns[index].max())
    if not language_of(context.target_language).spaced:  # a letter is half a word there
        letters = set(other.output.text)
        row["held_letters"] = sum(one in letters for one in word.text) / len(word.text)
    if context.likeness is not None:
        known = context.likeness(word.key, word.key) is not None
        changed = float(pairing.alike[index].max()) if pairing.columns else 0.0
        keys = (one.key for one in other.output.words)
        row["near_changed"] = changed if known else MISSING
        row["near_any"] = context.likeness.nearest(word.key, keys) if known else MISSING
    if near is not None and near.shape[1]:
        row["in_context"] = float(near[at].max())
        row["in_context_changed"] = (
            float(near[at, pairing.columns].max()) if pairing.columns else 0.0
        )
    return row


def edit_places(side: Side, kept: Flags) -> Places:
    """Where the output words stand that the edit itself is behind."""
    own = side.behind[:, ~kept].sum(1) if (~kept).any() else np.zeros(len(side.behind))
    return np.flatnonzero(own >= CLOSE)


def place_row(side: Side, other: Side, at: int, edited: Places) -> Row:
    """Where it stands: how near the edit's own translation, and how its block weighs beside what faces it."""
    block = side.block[at]
    here = weight_of(side, block.start, block.end)
    there = weight_of(other, block.facing_start, block.facing_end)
    return {
        "away": float(np.abs(edited - at).min()) if len(edited) else MISSING,
        "block_excess": float(block.end - block.start - (block.facing_end - block.facing_start)),
        "block": float(block.end - block.start),
        "facing": float(block.facing_end - block.facing_start),
        "weighty_here": float(here),
        "weighty_there": float(there),
        "weighty_excess": float(here - there),
    }


def weight_of(side: Side, start: int, end: int) -> int:
    """How many words of a stretch carry meaning."""
    return sum(word.kind in WEIGHTY for word in side.output.words[start:end])
