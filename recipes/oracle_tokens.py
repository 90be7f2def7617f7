"""Words at fault against the tokens that people marked: 13 lines a record, the last two hold the marks."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from oracle_data import DIRECTIONS, Labelled
from polyglitch.compare.oracles.aligned.explain import marked
from polyglitch.compare.oracles.aligned.oracle import ReadPairs

Span = tuple[int, int]


def records(path: Path) -> Iterator[tuple[tuple[str, str], list[list[Span]], list[set[int]]]]:
    """For each record its sources, the places of both outputs' tokens, and the marked ones."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            lines = block.split("\n")
            tokens = [
                [item.split("_", 1)[1] for item in line.split(" ") if "_" in item]
                for line in lines[5:7]
            ]
            places = [spread(text, cut) for text, cut in zip(lines[3:5], tokens, strict=True)]
            marks = [
                set() if line.strip() in ("none", "") else set(map(int, line.split()))
                for line in lines[11:13]
            ]
            yield (lines[1], lines[2]), places, marks


def spread(text: str, tokens: Sequence[str]) -> list[Span]:
    """Where each token stands; one that cannot be found (a changed quote) takes the next place."""
    found, at = [], 0
    for token in tokens:
        place = text.find(token, at)
        start = place if 0 <= place <= at + 5 else at
        found.append((start, start + len(token)))
        at = start + len(token)
    return found


def token_figures(
    folder: Path, pairs: Sequence[Labelled], spans: Sequence[Sequence[Sequence[Span]]]
) -> dict[str, tuple[float, float, float]]:
    """Precision, recall and F over all tokens of both outputs, for each direction and pooled."""
    figures: dict[str, tuple[float, float, float]] = {}
    total = np.zeros(3)
    for direction in DIRECTIONS:
        known = {
            (pair.quad.source, pair.quad.followup): places
            for pair, places in zip(pairs, spans, strict=True)
            if (pair.method, pair.direction) == ("CAT", direction)
        }
        hits = said = wanted = 0
        for key, places, marks in records(folder / f"CAT-{direction}-tokens-LABEL.txt.gz"):
            for side in (0, 1):
                chosen = {
                    index
                    for index, (start, end) in enumerate(places[side])
                    if any(a < end and b > start for a, b in known[key][side])
                }
                hits += len(chosen & marks[side])
                said += len(chosen)
                wanted += len(marks[side])
        total += (hits, said, wanted)
        figures[direction] = precision_recall_f(hits, said, wanted)
    return figures | {"pooled": precision_recall_f(*total.tolist())}


def precision_recall_f(hits: float, said: float, wanted: float) -> tuple[float, float, float]:
    """From counts of what was said rightly, said, and wanted."""
    return hits / max(1, said), hits / max(1, wanted), 2 * hits / max(1, said + wanted)


def places_at_fault(
    words: Any, reads: Sequence[ReadPairs], chances: np.ndarray, share: float
) -> list[list[Any]]:
    """For each pair the words of both outputs that the oracle would mark, as the numbers of `words`."""
    numbers: list[list[dict[int, int]]] = [[{}, {}] for _ in reads]
    for number, (owner, side, at) in enumerate(zip(words.owner, words.side, words.at, strict=True)):
        numbers[owner][side][at] = number
    found = []
    for item, sides in zip(reads, numbers, strict=True):
        by_place = [{at: float(chances[k]) for at, k in side.items()} for side in sides]
        chosen = marked(item.linked, item.pairing, by_place, share)
        found.append(
            [[side[at] for at in places] for side, places in zip(sides, chosen, strict=True)]
        )
    return found


def location_f(words: Any, marks: list[list[Any]], violated: np.ndarray) -> float:
    """F of the marked words, in violated pairs, against people's marks."""
    said = np.zeros(len(words.owner), bool)
    said[[number for pair in marks for side in pair for number in side]] = True
    inside = violated[words.owner]
    hits = (said & inside & words.marked).sum()
    return float(2 * hits / ((said & inside).sum() + (inside & words.marked).sum()))
