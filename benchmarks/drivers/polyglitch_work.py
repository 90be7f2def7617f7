"""Polyglitch's part of `benchmarks.peers`: TASK.json in, figures as JSON out."""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

SYSTEM = """\
WORDS = set({words!r})

def answer(texts):
    return ["negative" if WORDS & set(text.lower().split()) else "positive" for text in texts]

answer.batch, answer.batch_size = True, 256
"""
VADER = """\
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

analyzer = SentimentIntensityAnalyzer()

def answer(text):
    score = analyzer.polarity_scores(text)["compound"]
    return "positive" if score >= 0.05 else "negative" if score <= -0.05 else "neutral"
"""
SLIPS = ("swap-letters", "drop-letter", "double-letter", "keyboard-slip")


def templates(task: dict[str, Any]) -> dict[str, Any]:
    """So many strings of one template."""
    from polyglitch.mutate.capabilities.rules import fill_template
    from polyglitch.nlp.lexicons.terms import open_lexicon

    lexicon = open_lexicon("en", ("bundled",))
    start = time.process_time()
    texts = list(islice(fill_template(task["template"], lexicon, "en"), task["strings"]))
    seconds = time.process_time() - start
    return {"strings": len(texts), "distinct": len(set(texts)), "seconds": seconds}


def letters(task: dict[str, Any]) -> dict[str, Any]:
    """Slips of the pen in the same sentences; parsing them, by which names are left alone, is counted."""
    from polyglitch.mutate.capabilities.cases import capability_cases
    from polyglitch.records import Input, Seed
    from polyglitch.tools import Toolbox

    tools, each = Toolbox(), task["each"] // len(SLIPS)
    tools.parser("en").parse(["Warm up."])
    mutate = capability_cases("general", SLIPS, expansions=0, per_capability=each)
    seeds = [Seed(str(n), Input(text)) for n, text in enumerate(task["sentences"])]
    start = time.process_time()
    made = [case.inputs[1].text for case in mutate(seeds, tools)]
    seconds = time.process_time() - start
    return {"strings": len(made), "distinct": len(set(made)), "seconds": seconds}


def running(task: dict[str, Any]) -> dict[str, Any]:
    """The cases against the classifier, everything kept in a store as always."""
    from polyglitch.campaign import make_campaign
    from polyglitch.flow import run

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "system.py").write_text(SYSTEM.format(words=task["negative"]), "utf-8")
        with (folder / "cases.csv").open("w", encoding="utf-8", newline="") as file:
            rows = [(text, "positive") for text in task["texts"][: task["cases"]]]
            csv.writer(file).writerows([("text", "label"), *rows])
        options = {
            "system": f"python:{folder / 'system.py'}:answer",
            "corpus": str(folder / "cases.csv"),
            "methods": ["suite"],
            "store": str(folder / "store.sqlite"),
        }
        start, processor = time.perf_counter(), time.process_time()
        _, figures = run(make_campaign(options))
        seconds, spent = time.perf_counter() - start, time.process_time() - processor
    return {"cases": figures["cases"], "seconds": seconds, "processor": spent}


def found(task: dict[str, Any], methods: dict[str, dict[str, Any]], system: str) -> dict[str, Any]:
    """What a campaign finds in VADER with so many queries: every violation that a person is shown."""
    from polyglitch.campaign import make_campaign
    from polyglitch.flow import finished

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "words.py").write_text(VADER, "utf-8")
        with (folder / "opinions.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *task["opinions"]])
        options = {
            "system": system.format(folder=folder),
            "corpus": str(folder / "opinions.csv"),
            "methods": list(methods),
            "parameters": methods,
            "source_language": "en",
            "budget": task["budget"],
            "store": str(folder / "store.sqlite"),
        }
        with finished(make_campaign(options)) as (history, figures):
            findings = [
                shown(trial, finding.seed.input.text)
                for finding in history.findings()
                for trial, _ in finding.violations
            ]
    return {"findings": findings, "queries": figures["queries"]}


def shown(trial: Any, seed: str) -> dict[str, str]:
    """A violation as the peers' are told."""
    said = [chain[0].label or chain[0].text for chain in trial.chains]
    before = trial.case.inputs[0].text if len(said) > 1 else seed
    after, how = trial.case.inputs[-1].text, f"{trial.case.method}: {trial.case.relation}"
    return {"before": before, "after": after, "was": said[0], "now": said[-1], "how": how}


def found_by_polyglitch(task: dict[str, Any]) -> dict[str, Any]:
    """By the two methods for labelled texts."""
    return found(task, {"relations": {}, "alict": {}}, "vader:")


def found_by_llmorph(task: dict[str, Any]) -> dict[str, Any]:
    """By LLMorph's relations alone, as Polyglitch has them: there is no package. Two need a model and are left out."""
    from polyglitch.mutate.llm.relations import bundled

    names = [each.name for each in bundled() if each.llmorph]
    names = [name for name in names if name not in ("paraphrase-by-model", "back-translation")]
    return found(task, {"llm": {"relations": names}}, "python:{folder}/words.py:answer")


def metrics(task: dict[str, Any]) -> dict[str, Any]:
    """Text metrics on the pairs: values and seconds."""
    from rapidfuzz.distance import LCSseq, Levenshtein

    from polyglitch.compare.metrics.bleu import unit_cosines
    from polyglitch.compare.metrics.catalogue import bleu_char, levenshtein
    from polyglitch.evaluate.diversity import each_self_bleu

    def each(measure: Callable[..., float]) -> Callable[[Sequence[Any]], list[float]]:
        return lambda pairs: [measure(a, b) for a, b in pairs]

    work: dict[str, tuple[Callable[[Any], list[float]], str]] = {
        "levenshtein": (levenshtein.score, "pairs"),
        "word edits": (each(Levenshtein.distance), "units"),
        "common words": (each(LCSseq.similarity), "units"),
        "tf-idf": (unit_cosines, "units"),
        "bleu-char": (bleu_char.score, "pairs"),
        "self-BLEU": (each_self_bleu, "self_bleu"),
    }
    found = {}
    for name, (compute, given) in work.items():
        start = time.process_time()
        values = compute(task[given])
        seconds = time.process_time() - start
        found[name] = {"values": [float(value) for value in values], "seconds": seconds}
    return found


def main() -> None:
    """Read the task, print the figures."""
    task = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    works = (templates, letters, running, metrics, found_by_polyglitch, found_by_llmorph)
    print(json.dumps({work.__name__: work(task) for work in works}))


if __name__ == "__main__":
    main()
