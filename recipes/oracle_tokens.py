"""Words at fault against the tokens that people marked: 13 lines a record, the last two hold the marks."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

from oracle_data import DIRECTIONS, Labelled

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
    """Precision, recall and F over all tokens of both outputs, for each direction."""
    figures = {}
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
        precision, recall = hits / max(1, said), hits / max(1, wanted)
        f = 2 * precision * recall / max(1e-9, precision + recall)
        figures[direction] = (precision, recall, f)
    return figures
