"""Reading the labelled pairs for the aligned oracle: pairs, labels, words at fault, and groups of near-copies."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import NamedTuple

from polyglitch.compare.oracles.aligned.links import Sentence
from polyglitch.compare.oracles.aligned.oracle import Quad, ReadPairs, read_pairs
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.tools import Toolbox

METHODS = ("SIT", "CAT", "CIT", "PatInv", "Purity")
DIRECTIONS = ("en2zh", "zh2en")
CONTAINED = ("CIT", "Purity")
WORDS_SHARED, CHARACTERS_SHARED = (
    6,
    10,
)  # sentences with so long a stretch in common are near-copies


class Labelled(NamedTuple):
    """A pair with what people said of it."""

    method: str
    direction: str
    quad: Quad
    violated: bool
    at_fault: tuple[str, str]
    weight: float = 1.0


def load(folder: Path, direction: str) -> list[Labelled]:
    """All pairs of a direction."""
    found = []
    for method in METHODS:
        relation = "contained" if method in CONTAINED else "similar"
        with gzip.open(folder / f"{method}-{direction}.csv.gz", "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                quad = Quad(row["S_s"], row["S_f"], row["T_s"], row["T_f"], relation)
                fault = (
                    row["Fine-grained Violations in T_s"],
                    row["Fine-grained Violations in T_f"],
                )
                found.append(Labelled(method, direction, quad, row["Violation"] == "1", fault))
    return found


def load_readings(folder: Path, part: str, weight: float) -> list[Labelled]:
    """Our own labelled pairs of one half (benchmarks/readings), as if of a direction each."""
    found = []
    for path in sorted(folder.glob("pairs_*.jsonl")):
        direction = f"en2{path.stem.removeprefix('pairs_')}"
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["part"] == part:
                quad = Quad(*row["source"], *row["output"], row["relation"])
                one, _, other = row["words"].partition(" / ")
                fault = (
                    ((one, ""), ("", one))[row["where"]]
                    if row["where"] is not None
                    else (one, other)
                )
                found.append(Labelled("read", direction, quad, row["bug"], fault, weight))
    return found


def read(pairs: list[Labelled], direction: str) -> list[ReadPairs]:
    """The pairs of a direction with links and features."""
    source, target = direction.split("2")
    return list(read_pairs([pair.quad for pair in pairs], Resources(Toolbox(), source, target)))


def groups(pairs: list[Labelled]) -> list[int]:
    """A number for each pair, the same for all whose sources share a long stretch of words."""
    parent = list(range(len(pairs)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    seen: dict[str, int] = {}
    for index, pair in enumerate(pairs):
        for text in (pair.quad.source, pair.quad.followup):
            for stretch in stretches(text, pair.direction):
                parent[root(index)] = root(seen.setdefault(stretch, index))
    return [root(index) for index in range(len(pairs))]


def stretches(text: str, direction: str) -> list[str]:
    """All stretches of a text that make another with one of them its near-copy."""
    if direction.startswith("zh"):
        units, size, glue = list(re.sub(r"\W", "", text)), CHARACTERS_SHARED, ""
    else:
        units, size, glue = re.findall(r"\w+", text.lower()), WORDS_SHARED, " "
    places = range(max(1, len(units) - size + 1))
    return [direction + glue.join(units[at : at + size]) for at in places]


def fault_places(sentence: Sentence, fault: str) -> set[int]:
    """The words that people marked, found again by their letters."""
    places = [index for index, character in enumerate(sentence.text) if not character.isspace()]
    bare = "".join(sentence.text[index] for index in places).lower()
    found: set[int] = set()
    for part in fault.replace("；", ";").split(";"):
        wanted = re.sub(r"\s", "", part).lower()
        at = bare.find(wanted) if wanted else -1
        while at >= 0:
            start, end = places[at], places[at + len(wanted) - 1] + 1
            found |= {i for i, w in enumerate(sentence.words) if w.start < end and w.end > start}
            at = bare.find(wanted, at + 1)
    return found
