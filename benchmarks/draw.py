"""Cases to be read by a person: drawn evenly over capabilities, half of them expansions.

    python -m benchmarks.draw CASES.jsonl [MORE.jsonl ...] [--count 200] [--seed 1]

CASES are what `benchmarks.capabilities ... --keep` wrote. Capabilities take turns, each time with another sentence of
the corpus; one that has no expansion left is passed over. Prints number, capability, seed or expansion, labels, text.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

from benchmarks.capabilities import kept_cases
from polyglitch.records import Case


def in_turns(cases: list[Case], count: int, seed: int) -> list[Case]:
    """So many cases, the capabilities taking turns, no sentence twice while a capability has others."""
    dice = random.Random(seed)
    rows: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        rows[case.data["capability"]].append(case)
    for name in sorted(rows):
        dice.shuffle(rows[name])
        used: dict[str, int] = defaultdict(int)
        order: list[tuple[int, int, Case]] = []
        for case in rows[name]:
            order.append((used[case.seed_id], len(order), case))
            used[case.seed_id] += 1
        rows[name] = [case for _, _, case in sorted(order, key=lambda row: row[:2])]
    chosen: list[Case] = []
    while len(chosen) < count and any(rows.values()):
        for name in sorted(rows):
            if rows[name] and len(chosen) < count:
                chosen.append(rows[name].pop(0))
    return chosen


def main(paths: list[str], count: int, seed: int) -> None:
    """Half seeds, half expansions, in the order of the capabilities."""
    cases: list[Case] = []
    for path in paths:
        # The same capability number stands in both suites.
        suite = "hate" if "hate" in path else "sentiment"
        for case in kept_cases(path):
            case.data["capability"] = f"{suite} {case.data['capability']}"
            cases.append(case)
    grown = [case for case in cases if "parent" in case.data]
    own = [case for case in cases if "parent" not in case.data]
    chosen = in_turns(own, count - count // 2, seed) + in_turns(grown, count // 2, seed)
    chosen.sort(key=lambda case: (case.data["capability"], "parent" in case.data))
    for number, case in enumerate(chosen, 1):
        kind = f"+{'+'.join(case.data['words'])}" if "parent" in case.data else "seed"
        texts = [item.text for item in case.inputs]
        text = texts[-1] if case.expected else f"{texts[0]} => {texts[-1]}"
        print(f"{number} | {case.data['capability']} | {kind} | {'/'.join(case.expected)} | {text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    main(options.cases, options.count, options.seed)
