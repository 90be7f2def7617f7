"""The 25 capabilities on a corpus: seeds, expansions, failures by system, fail rate, pass to fail (ALiCT, tables 8, 9).

    python -m benchmarks.capabilities [hate CORPUS --system profanity [--labels davidson] [--grow 500] [--each 8]]

`--grow` bounds how many sentences are expanded, save those of capabilities that `--fully` names; `--each` bounds
how many seeds and expansions of a capability are asked, drawn evenly. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmarks.results import record, shared_data
from polyglitch.compare.oracles.labels import label_relations
from polyglitch.corpus.read import open_corpus
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.records import Case, Input, Output, Trial, decode, encode
from polyglitch.tools import Toolbox, open_system

CHUNK = 32


def made_cases(options: argparse.Namespace, tools: Toolbox) -> Iterator[Case]:
    """All cases, the first sentences with expansions, of the rest only those of some capabilities."""
    seeds = list(open_corpus(options.corpus, language="en"))
    random.Random(options.seed).shuffle(seeds)
    names = tuple(each.name for each in load_suite(options.suite, tuple(options.only)))
    fully = tuple(name for name in names if name in options.fully)
    rest = tuple(name for name in names if name not in options.fully)
    made = [
        (chosen, capability_cases(options.suite, chosen, options.labels, most))
        for chosen, most in ((names, options.expansions), (rest, 0), (fully, options.expansions))
    ]
    for start in range(0, len(seeds[: options.limit]), CHUNK):
        for chosen, mutate in made[:1] if start < options.grow else made[1:]:
            if chosen:
                yield from mutate(seeds[start : start + CHUNK], tools)


def kept_cases(path: str) -> Iterator[Case]:
    """The cases that an earlier call kept."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield decode(line, Case)


class Asked:
    """A system that is asked each text once."""

    def __init__(self, uri: str) -> None:
        self.name, self.system = uri, open_system(uri)
        self._known: dict[str, Output] = {}

    def ask(self, texts: Sequence[Input]) -> list[Output]:
        """The outputs, from memory where there are some."""
        new = list({item.text: item for item in texts if item.text not in self._known}.values())
        size = self.system.batch_size
        for start in range(0, len(new), size):
            some = new[start : start + size]
            for item, output in zip(some, self.system.ask(some), strict=True):
                self._known[item.text] = output
        return [self._known[item.text] for item in texts]


def count(cases: Iterator[Case], systems: list[Asked], tools: Toolbox, keep: str | None) -> Rows:
    """Figures by capability and system, a few cases at a time."""
    rows: Rows = defaultdict(lambda: defaultdict(int))
    judge = label_relations()
    out = open(keep, "w", encoding="utf-8") if keep else None  # noqa: SIM115 - closed below
    while some := list(islice(cases, 2000)):
        for case in some:
            name = case.data["capability"]
            rows[name]["expansions" if "parent" in case.data else "seeds"] += 1
            if out:
                out.write(encode(case) + "\n")
        for asked in systems:
            inputs = [item for case in some for item in case.inputs]
            outputs = iter(asked.ask(inputs))
            trials = [Trial(c, tuple((next(outputs),) for _ in c.inputs)) for c in some]
            for case, verdict in zip(some, judge(trials, tools), strict=True):
                row = rows[case.data["capability"]]
                row[f"{asked.name} fail"] += verdict.outcome == "violated"
                row[f"{asked.name} undecided"] += verdict.outcome == "undecided"
                row[f"{asked.name} p2f"] += int(verdict.details.get("pass_to_fail", 0))
    if out:
        out.close()
    return rows


Rows = dict[str, dict[str, int]]


def evenly(cases: Iterator[Case], each: int) -> Iterator[Case]:
    """At most so many seeds and as many expansions of each capability, one a sentence where there are enough."""
    by: dict[tuple[str, bool], list[Case]] = defaultdict(list)
    for case in cases:
        by[case.data["capability"], "parent" in case.data].append(case)
    for key in sorted(by):
        dice = random.Random(str(key))
        row = by[key]
        dice.shuffle(row)
        first: dict[str, Case] = {}
        for case in row:
            first.setdefault(case.seed_id, case)
        chosen = list(first.values())
        chosen += [case for case in row if case.id not in {c.id for c in chosen}]
        yield from chosen[:each]


def show(rows: Rows, systems: list[Asked]) -> None:
    """A Markdown table."""
    names = [asked.name for asked in systems]
    print(
        "| capability | seeds | expansions | "
        + " | ".join(f"{n}: failed (rate), p→f" for n in names)
        + " |"
    )
    print("|---|---:|---:|" + "---|" * len(names))
    for name in sorted(rows):
        row = rows[name]
        total = row["seeds"] + row["expansions"]
        cells = [
            f"{row[f'{n} fail']:,} ({row[f'{n} fail'] / total:.1%}), {row[f'{n} p2f']:,}"
            for n in names
        ]
        print(f"| {name} | {row['seeds']:,} | {row['expansions']:,} | " + " | ".join(cells) + " |")


def small(options: argparse.Namespace) -> bool:
    """Set a short run on the reference data's sentences, where they are."""
    data = shared_data()
    if data is None:
        return False
    options.suite, options.corpus = "sentiment", str(data / "sentiment" / "sst5_dev.txt.gz")
    options.labels, options.limit, options.grow, options.system = "sst5", 300, 60, ["vader"]
    return True


def main() -> None:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", nargs="?")
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--labels", default="words")
    parser.add_argument("--system", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--grow", type=int, default=500)
    parser.add_argument("--fully", action="append", default=[], metavar="CAPABILITY")
    parser.add_argument("--expansions", type=int, default=3)
    parser.add_argument("--each", type=int)
    parser.add_argument("--keep")
    parser.add_argument("--kept", action="store_true", help="CORPUS holds cases that --keep wrote")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.corpus is None and not small(options):
        print("skipped: no reference data; set POLYGLITCH_SHARED, or name a suite and a corpus")
        return
    tools, systems = Toolbox(), [Asked(uri) for uri in options.system]
    cases = kept_cases(options.corpus) if options.kept else made_cases(options, tools)
    if options.each:
        cases = evenly(cases, options.each)
    rows = count(cases, systems, tools, options.keep)
    show(rows, systems)
    record("capabilities", {name: dict(row) for name, row in rows.items()})


if __name__ == "__main__":
    main()
