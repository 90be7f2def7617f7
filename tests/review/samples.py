"""A store with a finished run to review: as many issues as wanted, in a shape that a real run leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.records import Edit, Input, Issue, Output, Seed, Verdict, new_case
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store
from tests.conftest import ROOT

RUN = "0123456789abcdef"
SYSTEM = "sample-translator|v:1"
NOUNS = ("bridge", "harbour", "library", "museum", "market", "theatre", "station", "school")
OTHERS = ("mill", "tower", "castle", "garden", "office", "hotel", "temple", "farm")
PONTE = (
    "A ponte",
    "O porto",
    "A biblioteca",
    "O museu",
    "O mercado",
    "O teatro",
    "A estação",
    "A escola",
)
MOINHO = (
    "o moinho",
    "a torre",
    "o castelo",
    "o jardim",
    "o escritório",
    "o hotel",
    "o templo",
    "a quinta",
)
HOSTILE = "<script>window.hacked = 1</script>"
HOSTILE_IMAGE = '"><img src=x onerror="window.hacked = 2"> user\u202egnp.exe zero\u200bwidth'
METHODS = ("sit", "transrepair")


def definition() -> dict[str, Any]:
    return {
        "version": "0.1.0",
        "methods": [{"name": name, "signature": name, "route": "direct"} for name in METHODS],
        "systems": [SYSTEM],
        "languages": ["en", "pt"],
        "corpus": {"name": "sample", "digest": "0"},
        "limit": None,
        "budget": None,
        "rank": "none",
        "seed": 0,
    }


def fill(path: Path, count: int, undecided: int = 3) -> Store:
    """A store with `count` issues of two cases each; the second one's answers are hostile."""
    store = Store(str(path))
    store.runs.begin(RUN, definition())
    issues = []
    for first in range(0, count, 500):
        issues += add_some(store, range(first, min(first + 500, count)))
    add_undecided(store, undecided)
    store.verdicts.set_issues(RUN, issues)
    store.runs.finish(RUN, {"issues": count})
    return store


def add_some(store: Store, numbers: range) -> list[Issue]:
    seeds, issues = [], []
    cases: dict[str, list] = {name: [] for name in METHODS}
    verdicts: dict[str, list] = {name: [] for name in METHODS}
    outputs = {}
    for n in numbers:
        method = METHODS[n % 2]
        noun, other = NOUNS[n % 8], OTHERS[n % 8]
        source = f"The {noun} on line {n} was not closed to visitors after the storm."
        seed = Seed(f"seed-{n}", Input(source, language="en"), origin="sample.txt")
        ids = []
        for turn, word in enumerate((other, "old " + other)):
            follow = Input(source.replace(noun, word), language="en")
            edit = Edit("swap", 4, 4 + len(noun), noun, word)
            data = evidence() if n == 2 else {}
            case = new_case(seed, "same structure", (seed.input, follow), edit, data=data)
            case = msgspec.structs.replace(case, method=method)
            answers = (
                f"{PONTE[n % 8]} da linha {n} não foi fechada aos visitantes após a tempestade.",
                f"Depois da tempestade, {MOINHO[n % 8]} da linha {n} foi fechado aos visitantes.",
            )
            if n == 1:
                answers = (HOSTILE, HOSTILE_IMAGE)
            for item, text in zip(case.inputs, answers, strict=True):
                outputs[output_key(SYSTEM, item)] = Output(text)
            score = 9.0 - (n % 7) - turn
            verdict = Verdict(
                case.id, "violated", score=score, threshold=1.0, details={"edits": 4.0},
                reasons=("the structure of the translation changed",),
            )  # fmt: skip
            cases[method].append(case)
            verdicts[method].append((case, verdict))
            ids.append(case.id)
        kind = "negation" if n % 5 == 0 else ""
        issues.append(Issue(f"issue-{n}", seed.id, method, tuple(ids), 8.0 - n % 7, kind))
        seeds.append(seed)
    store.cases.add_seeds(RUN, numbers.start, seeds)
    for name in METHODS:
        store.cases.add(RUN, name, 2 * numbers.start, cases[name])
        store.verdicts.add(RUN, name, verdicts[name])
    store.outputs.add(outputs)
    return issues


def evidence() -> dict[str, Any]:
    """What a white box and a reader of descriptions may leave with a case."""
    return {
        "heat": {"tokens": ["The", "library", "on", "<b>"], "weights": [0.1, 2.0, 0.4, 0.9]},
        "regexes": ["[a-z]+<i>", "(ab)*"],
        "automata": [{"states": 2, "accepting": [0], "edges": [[0, 1, "a"], [1, 0, "b"]]}],
    }


def add_undecided(store: Store, count: int) -> None:
    seed = Seed("seed-u", Input("Nobody answered this.", language="en"))
    store.cases.add_seeds(RUN, 10**6, [seed])
    made = [
        new_case(seed, "same structure", (seed.input, Input(f"Nobody answered that {n}.")))
        for n in range(count)
    ]
    made = [msgspec.structs.replace(case, method="sit") for case in made]
    store.cases.add(RUN, "sit", 10**6, made)
    store.verdicts.add(
        RUN, "sit", [(c, Verdict(c.id, "undecided", reason="timeout after 60 s")) for c in made]
    )


LATER = "fedcba9876543210"  # a second run on some of the same cases


def add_later_run(store: Store, count: int, done: bool = True) -> None:
    """A later run of another system: the first of `count` cases of each kind is broken, the others hold."""
    other = definition() | {"systems": ["sample-translator|v:2"]}
    store.runs.begin(LATER, other)
    seed = Seed("seed-x", Input("The gate is open.", language="en"))
    cases = [
        msgspec.structs.replace(
            new_case(seed, "similar", (seed.input, Input(f"The gate {n} is open.", language="en"))),
            method="sit",
        )
        for n in range(count)
    ]
    for run, system, failing in ((RUN, SYSTEM, {1}), (LATER, "sample-translator|v:2", {0})):
        store.cases.add_seeds(run, 10**6 + 1, [seed])
        store.cases.add(run, "sit", 10**6 + 10, cases)
        store.outputs.add(
            {
                output_key(system, item): Output(f"O portão está aberto em {system[-1]}.")
                for case in cases
                for item in case.inputs
            }
        )
        store.verdicts.add(
            run,
            "sit",
            [
                (case, Verdict(case.id, "violated" if n in failing else "holds", score=float(n in failing),
                               threshold=0.5, reasons=("the gate differs",) if n in failing else ()))
                for n, case in enumerate(cases)
            ],
        )  # fmt: skip
    figures = {"cases": count, "undecided": 0, "violations": 1, "issues": 0, "seeds": 1}
    share = {"holds": count - 1, "violated": 1, "undecided": 0, "share": (count - 1) / count}
    figures |= {"by_method": {"sit": share}, "by_relation": {"similar": share}}
    store.runs.finish(LATER, figures, "done" if done else "running")


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The address of `polyglitch review` on a store, as a user would start it."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "polyglitch",
            "review",
            "--store",
            str(path),
            "--port",
            "0",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("review: http://"), line
        yield line.split()[1].removesuffix("/home").rstrip("/")
    finally:
        process.terminate()
        process.wait(20)


def wait_until(page: Any, true: str) -> None:
    """Wait until a text of JavaScript comes true, asked from outside.

    `wait_for_function` goes on inside the page by eval after a first try, and the policy of our pages refuses that."""
    for _ in range(300):
        if page.evaluate(true):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never came true: {true}")
