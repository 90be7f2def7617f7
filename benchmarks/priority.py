"""Which signal puts the faulty cases of question answering first: chosen on half of the contexts, tried on the others.

    polyglitch run --system smollm2:yes-no --corpus questions.tsv --method qaqa --param qaqa.each=all --store qa.sqlite
    python -m benchmarks.priority qa.sqlite --system smollm2:yes-no

Every rank of cases, and the mean places of two or three of them, orders the finished cases of each half. Printed is the
area under the curve of faults in percent (chance: 50) with a 95% interval from resampled seeds; the best of the first
half is marked, and its area on the second is the one that was not chosen on.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from polyglitch.evaluate.priority import area_interval, decided, make_scenes, opened, tied_area
from polyglitch.protocols import Embedder, Lens
from polyglitch.rank.cases import (
    CASE_RANKS,
    EMBEDDING,
    INSPECTING,
    Scene,
    as_places,
    inspected,
    weighed,
)
from polyglitch.records import Case, Verdict, digest
from polyglitch.results.history import History
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox, open_system

Judged = tuple[Case, Verdict]


def half_of(case: Case) -> int:
    """Which half a case belongs to: that of its context, drawn by its letters."""
    return int(digest([case.inputs[0].context or ""]), 16) % 2


def signals(
    scenes: Sequence[Scene], names: Sequence[str], embedder: Embedder | None
) -> dict[str, list[float]]:
    """The scores of each rank, and the mean places of each two and three of them."""
    single = {name: CASE_RANKS[name](scenes, embedder) for name in names}
    places = {name: as_places(scores) for name, scores in single.items()}
    base = [name for name in names if name != "combined"]
    joined = {
        "+".join(some): np.mean([places[name] for name in some], axis=0).tolist()
        for size in (2, 3)
        for some in combinations(base, size)
    }
    return single | joined


def areas(
    scores: dict[str, list[float]], judged: Sequence[Judged]
) -> dict[str, tuple[float, float, float]]:
    """The area of each signal with its interval."""
    failed = [verdict.outcome == "violated" for _, verdict in judged]
    return {
        name: (
            tied_area(np.asarray(values), np.asarray(failed)),
            *area_interval(values, failed, judged, 0),
        )
        for name, values in scores.items()
    }


def main() -> None:
    """Choose on one half, try on the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("--run", default="")
    parser.add_argument("--system", help="to look into; without it only ranks that need no look")
    parser.add_argument("--most", type=int, default=20, help="signals that are shown")
    given = parser.parse_args()
    started = time.monotonic()
    store = Store(given.store)
    history, tools = History(store, given.run), Toolbox(store)
    judged = decided(history, "qaqa")
    scenes = make_scenes(history, [case for case, _ in judged])
    names, embedder = [name for name in CASE_RANKS if name not in INSPECTING], None
    if given.system:
        names = list(CASE_RANKS)
        system = opened(open_system(given.system), history)
        scenes = inspected(scenes, system, tools)
        scenes = weighed(scenes, system, tools) if isinstance(system, Lens) else scenes
        embedder = tools.embedder("minilm", "en") if set(names) & set(EMBEDDING) else None
    kinds = Counter(case.data["relation"] for case, _ in judged)
    bad = Counter(case.data["relation"] for case, v in judged if v.outcome == "violated")
    print(f"{len(judged)} cases, {bad.total()} faulty:", {k: (bad[k], kinds[k]) for k in kinds})
    found = []
    for half in (0, 1):
        own = [number for number, (case, _) in enumerate(judged) if half_of(case) == half]
        scores = signals([scenes[number] for number in own], names, embedder)
        found.append(areas(scores, [judged[number] for number in own]))
        faults = sum(judged[number][1].outcome == "violated" for number in own)
        print(f"half {half + 1}: {len(own)} cases, {faults} faulty")
    order = sorted(found[0], key=lambda name: -found[0][name][0])
    print(f"{'signal':<28}{'chosen on':>20}{'held out':>22}")
    for name in [
        *order[: given.most],
        *(name for name in names if name not in order[: given.most]),
    ]:
        one, other = (("{:.1f} ({:.1f}-{:.1f})".format(*half[name])) for half in found)
        print(
            f"{name:<28}{one:>20}{other:>22}{'  <- best of the first half' if name == order[0] else ''}"
        )
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
