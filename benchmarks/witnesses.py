"""The oracle of witnesses on pairs that were read and that nothing was learned from.

    python -m benchmarks.witnesses [../shared/data/mt] [--lens gguf:FILE?prompt=translate --limit 60]

Prints for the `test` pairs of benchmarks/readings, English to Portuguese (firefox) and to Spanish (Apertium), the area
under the curve of every witness alone and of the joined oracle, with a lens and without, and precision and recall as
shipped. Bing's and Youdao's pairs are taken where the data folder has them (pairs_bing, pairs_youdao). With `--lens`
only the Spanish pairs are read, so many of them, drawn by chance: a language model is slow.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.oracle import auc
from benchmarks.results import record, shared_data
from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.witnesses.oracle import PairWitness, Said, hear, load_join
from polyglitch.compare.oracles.witnesses.way_back import WayBack
from polyglitch.protocols import Tools
from polyglitch.tools import Toolbox, open_lens

READINGS = Path(__file__).parent / "readings"
LENSES = {"pt": "firefox:en-pt"}  # the translator itself, where it can be looked into
BACK = {"pt": "firefox:pt-en"}
WITHOUT = {  # which witnesses are not heard
    "all at hand": frozenset[str](),
    "a lens, no way back": frozenset({"back"}),
    "the way back, no lens": frozenset({"confidence"}),
    "neither": frozenset({"confidence", "back"}),
}
EVERY_BACK = "back, every pair"  # what the way back says of pairs that it is not asked about where the lens is sure
DRAWS = 1000  # of sentences, for the intervals
FOREIGN_LENS = {"all at hand": frozenset[str](), "without the lens": frozenset({"lens"})}


class Reading(msgspec.Struct, frozen=True):
    """A labelled pair; other keys of the file are passed over."""

    part: str
    register: str
    method: str
    relation: Literal["similar", "contained", "different"]
    source: tuple[str, str]
    output: tuple[str, str]
    bug: bool
    set: int = 1
    was: str = ""  # "test" where it was measured on so often that it is learned from now


def read_readings(target: str) -> list[Reading]:
    """The pairs of a target language that were read."""
    lines = (READINGS / f"pairs_{target}.jsonl").read_text("utf-8").splitlines()
    return [msgspec.json.decode(line, type=Reading) for line in lines]


def lens_tools(target: str, uri: str | None = None) -> Tools:
    """The tools for a target language, with a lens where there is one or one is named."""
    lenses = LENSES if uri is None else {target: uri}
    lens, back = (
        partial(open_lens, table[target]) if target in table else None for table in (lenses, BACK)
    )
    return Toolbox(languages=("en", target), lens=lens, back=back)


def statements(rows: Sequence[Reading], tools: Tools) -> list[Said]:
    """What every witness says of every pair that it is asked about, and the way back of the others too."""
    source, target = tools.languages
    trials = [
        trial_of(Saved(at, *row.source, *row.output, source, target, row.relation))
        for at, row in enumerate(rows)
    ]
    said = hear(trials, PairWitness(), tools, load_join())[1]
    every = WayBack().hear(trials, tools)
    return [
        one | ({EVERY_BACK: told} if told else {}) for one, told in zip(said, every, strict=True)
    ]


def as_heard(said: Said, without: frozenset[str]) -> Said:
    """A pair without some witnesses; where the system is no lens the way back is asked about every pair."""
    if "confidence" in without and EVERY_BACK in said:
        said = said | {"back": said[EVERY_BACK]}
    return {name: one for name, one in said.items() if name not in {*without, EVERY_BACK}}


def line(
    name: str, labels: list[bool], scores: list[float], past: Sequence[float] | None = None
) -> str:
    """One row of figures; `past` is how far each score is past its threshold."""
    text = f"  {name:<24} AUC {auc(labels, scores):.3f}"
    if past is None:
        return text
    flagged = [bug for bug, beyond in zip(labels, past, strict=True) if beyond > 0]
    right, wrong = sum(flagged), len(flagged) - sum(flagged)
    return (
        f"{text}  flagged {len(flagged)}, bugs among them {right} of {sum(labels)}: "
        f"precision {right / max(1, len(flagged)):.2f}, recall {right / sum(labels):.2f}; "
        f"if a third were bugs precision {at_a_third(right, wrong, labels):.2f}"
    )


def intervals(rows: Sequence[Reading], scores: list[float], past: list[float]) -> str:
    """Between what the figures lie in 95 of 100 draws of as many sentences, each with all of its pairs."""
    places: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        places.setdefault(row.source[0], []).append(at)
    sentences, chance = list(places.values()), random.Random(0)
    drawn: list[tuple[float, ...]] = []
    for _ in range(DRAWS):
        some = [at for one in chance.choices(sentences, k=len(sentences)) for at in one]
        labels = [rows[at].bug for at in some]
        flagged = [rows[at].bug for at in some if past[at] > 0]
        if not flagged or not 0 < sum(labels) < len(labels):
            continue
        right, wrong = sum(flagged), len(flagged) - sum(flagged)
        area = auc(labels, [scores[at] for at in some])
        third = at_a_third(right, wrong, labels)
        drawn.append((area, right / len(flagged), right / sum(labels), third))
    names = ("AUC", "precision", "recall", "precision at a third")
    low, high = int(0.025 * len(drawn)), int(0.975 * len(drawn))
    return ", ".join(
        f"{name} {column[low]:.2f} to {column[high]:.2f}"
        for name, column in zip(
            names, (sorted(one) for one in zip(*drawn, strict=True)), strict=True
        )
    )


def at_a_third(right: int, wrong: int, labels: Sequence[bool]) -> float:
    """What the precision would be where one pair in three is a bug: it rises with their share, recall does not."""
    found, false = right / sum(labels), wrong / (len(labels) - sum(labels))
    return found / max(1e-9, found + 2 * false)


def show(title: str, rows: Sequence[Reading], said: list[Said]) -> dict[str, float]:
    """The table of one set of pairs."""
    model, labels = load_join(), [row.bug for row in rows]
    print(f"{title}: {len(rows)} pairs, {sum(labels)} bugs")
    every = [one | as_heard(one, frozenset({"confidence"})) for one in said]
    for name, weight in model.witnesses.items():
        if any(name in one for one in every):
            alone = [one[name].suspicion if name in one else weight.least - 1 for one in every]
            print(line(f"{name} alone", labels, alone))
    figures = {}
    spoke = {name for one in said for name in one}
    for shown, without in (FOREIGN_LENS if "lens" in spoke else WITHOUT).items():
        if without <= spoke:
            heard = [as_heard(one, without) for one in said]
            scores = [model.chance(one) for one in heard]
            # Each set of models that were asked has a threshold of its own: flagged is what is past it.
            past = [score - model.limit(one) for score, one in zip(scores, heard, strict=True)]
            print(line(shown, labels, scores, past))
            print(f"  {'':<24} 95%: {intervals(rows, scores, past)}")
            figures[f"{title}, {shown}: AUC"] = auc(labels, scores)
    return figures


def main() -> None:
    """The table of the issue."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path, nargs="?", default=(shared_data() or Path()) / "mt")
    options.add_argument("--lens", help="a language model that reads the Spanish pairs")
    options.add_argument("--limit", type=int, default=60)
    chosen = options.parse_args()
    if chosen.lens:
        rows = [row for row in read_readings("es") if row.part == "test"]
        some = random.Random(0).sample(rows, min(chosen.limit, len(rows)))
        show(
            f"en-es, {len(some)} of the test half",
            some,
            statements(some, lens_tools("es", chosen.lens)),
        )
        return
    figures: dict[str, float] = {}
    for target in ("pt", "es"):
        figures |= all_sets(target)
    for name in ("pairs_bing", "pairs_youdao"):
        if (chosen.data / name).is_dir():
            figures |= foreign(chosen.data / name)
        else:
            print(f"{name}: not there ({chosen.data / name})")
    record("witnesses", figures)


def all_sets(target: str) -> dict[str, float]:
    """The pairs of each set that nothing was learned from, and all together where they are of several sets."""
    rows = [row for row in read_readings(target) if row.part == "test"]
    said = statements(rows, lens_tools(target))
    figures: dict[str, float] = {}
    numbers = sorted({row.set for row in rows})
    titles = {f"set {number}": {number} for number in numbers}
    if numbers[1:]:
        titles["all"] = set(numbers)
    for title, sets in titles.items():
        some = [at for at, row in enumerate(rows) if row.set in sets]
        figures |= show(
            f"en-{target}, test, {title}",
            [rows[at] for at in some],
            [said[at] for at in some],
        )
    return figures


def foreign(folder: Path) -> dict[str, float]:
    """The labelled pairs of another translator, in the format of pairs_google."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "recipes"))
    from oracle_data import DIRECTIONS, load  # type: ignore[import-not-found]

    rows: list[Reading] = []
    said: list[Said] = []
    for direction in DIRECTIONS:
        pairs = load(folder, direction)
        some = [
            Reading("", "", p.method, p.quad.relation, p.quad[:2], p.quad[2:4], p.violated)
            for p in pairs
        ]
        rows += some
        source, target = direction.split("2")
        said += statements(some, Toolbox(languages=(source, target)))
    return show(folder.name, rows, said)


if __name__ == "__main__":
    main()
