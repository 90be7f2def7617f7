"""The same work with peers, each installed from PyPI (or npm) into an environment of its own.

    python -m benchmarks.peers [FOLDER] [--only NAME,NAME]

FOLDER (out/peers) keeps the environments, some 6 GB: deleting it makes the next run install them again. What each tool
finds in the same classifier, from the same texts, goes to NAME_found.jsonl there. Seconds of work
are processor time where both give it; ratios are peer over Polyglitch, so above 1 we are faster.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.environments import Environment, Peer, run_script
from benchmarks.results import record
from benchmarks.selfbleu import made_sentences
from polyglitch.compare.metrics.units import units
from polyglitch.corpus.read import open_corpus
from polyglitch.languages import language
from polyglitch.mutate.capabilities.rules import fill_template
from polyglitch.nlp.lexicons.terms import open_lexicon, terms

ROOT = Path(__file__).parents[1]
TORCH = "torch==2.13.0"  # any newer one brings gigabytes of CUDA along
STRINGS, CASES, EACH = 10_000, 1_000, 12
SELF_BLEU, PAIRS, FEW = 500, 1_000, 100
BUDGET = 2_000  # queries that a tool may spend on finding bugs
OPINIONS = Path(__file__).with_name("readings") / "opinions.tsv"
TEMPLATE = "{name female} is not {a:positive adjective} {neutral noun}."
PEERS = {
    "polyglitch": Peer((str(ROOT),), ("polyglitch", "--help")),
    "checklist": Peer(
        (
            "setuptools<81 wheel notebook<7 jupyter ipython<9 numpy<2",
            "--no-build-isolation checklist==0.0.11 setuptools<81 ipython<9 numpy<2 transformers<5 "
            + TORCH,
        ),
        ("python", "-c", "import checklist.editor, checklist.test_types"),
        "checklist_work",
        why="its set-up calls pip, and its modules need an old notebook, IPython and setuptools",
    ),
    "textattack": Peer(
        (
            f"{TORCH} transformers<5 numpy<2 pyarrow<21 datasets<4 flair<0.16 nltk bert-score editdistance lemminflect "
            "language-tool-python<2.9 lru-dict terminaltables word2number num2words pinyin OpenHowNet jieba",
            "--no-deps textattack==0.3.10",
        ),
        ("textattack", "--help"),
        "textattack_work",
        why="by its own word pip looks through old versions for half an hour",
    ),
    "sacrebleu": Peer(("sacrebleu==2.6.0",), ("sacrebleu", "--help")),
    "giskard": Peer(
        ("giskard==2.19.2 pandas<3",),
        ("python", "-c", "import giskard"),
        "giskard_work",
        why="with pandas 3, which it allows, three of its detectors fail",
    ),
    "deepeval": Peer(("deepeval==4.3.1",), ("deepeval", "--help"), "deepeval_work"),
    "inspect": Peer(("inspect-ai==0.3.285",), ("inspect", "--help"), "inspect_work"),
    "promptfoo": Peer(
        ("node@22.23.3 promptfoo@0.123.1",),
        ("promptfoo", "--help"),
        "promptfoo_work",
        npm=True,
        why="it wants Node 22.22 or later, which npm has as a package",
    ),
    "metrics": Peer(
        ("nltk==3.10.4 Levenshtein==0.27.5 textdistance==4.6.3 scikit-learn==1.9.1",),
        ("python", "-c", "import nltk, Levenshtein, textdistance"),
        "metrics_work",
    ),
}


def opinions() -> list[tuple[str, str]]:
    """The texts, with what they say, that all tools start from when they look for bugs."""
    with OPINIONS.open(encoding="utf-8", newline="") as file:
        return [(row["text"], row["label"]) for row in csv.DictReader(file, delimiter="\t")]


def vader_folder(folder: Path) -> Path:
    """A folder with VADER alone, which every environment can be pointed to."""
    there = folder / "vader"
    if not there.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(there)]
        subprocess.run([*pip, "vaderSentiment==3.3.2"], check=True)
    return there


def make_task(folder: Path) -> Path:
    """What all of them are to do, as a file."""
    lexicon = open_lexicon("en", ("bundled",))
    lists = {
        "first": terms("name female", "en"),
        "adj": lexicon.words("positive", "adjective"),
        "noun": lexicon.words("neutral", "noun"),
    }
    texts = list(islice(fill_template(TEMPLATE, lexicon, "en"), CASES))
    sentences = [seed.input.text for seed in open_corpus("sample", language="en")]
    pairs = [(a, b) for a in sentences for b in sentences if a != b][:: 11 * 11 - 2][:PAIRS]
    pairs += [(text, text.replace("not ", "")) for text in texts[: PAIRS - len(pairs)]]
    task = {
        "template": TEMPLATE,
        "checklist_template": "{first} is not {a:adj} {noun}.",
        "lists": lists,
        "strings": STRINGS,
        "texts": texts,
        "negative": [f"{noun}." for noun in lists["noun"][::10]],
        "cases": CASES,
        "sentences": sentences,
        "stopwords": sorted(language("en").stop_words),
        "each": EACH,
        "pairs": pairs,
        "units": [[units(text) for text in pair] for pair in pairs],
        "few": FEW,
        "self_bleu": made_sentences(SELF_BLEU),
        "opinions": opinions(),
        "vader": str(vader_folder(folder)),
        "budget": BUDGET,
    }
    path = folder / "task.json"
    path.write_text(json.dumps(task), "utf-8")
    return path


def finds(name: str, found: dict[str, Any] | None, folder: Path) -> dict[str, int]:
    """How much a tool found with how many queries; all of it goes to a file, in an order like chance, to be read."""
    if found is None:
        return {}
    findings = found["findings"]
    Random(0).shuffle(findings)
    with (folder / f"{name}_found.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(each) + "\n" for each in findings)
    return {"findings": len(findings), "queries": found["queries"]}


def beside(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """What a peer took for the same work, in multiples of what Polyglitch took for as much of it."""
    found: dict[str, Any] = {}
    for work in ("templates", "letters", "running"):
        if work in theirs:
            size = "cases" if work == "running" else "distinct"
            clock = "processor" if "processor" in theirs[work] and work == "running" else "seconds"
            mine, other = (each[work][clock] / each[work][size] for each in (ours, theirs))
            found[work] = theirs[work] | {"over_polyglitch": other / mine}
    return found


def compared(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """For each metric of a peer: how much longer it takes, and how far its values are from ours."""
    found = {}
    for name, other in theirs.items():
        mine = ours.get(name.split(":")[0])
        if mine is None:
            continue
        both = list(zip(mine["values"], other["values"], strict=False))
        slower = (other["seconds"] / len(both)) / (mine["seconds"] / len(mine["values"]))
        found[name] = {
            "over_polyglitch": slower,
            "largest_difference": max(abs(a - b) for a, b in both),
            "equal_share": sum(abs(a - b) < 1e-9 for a, b in both) / len(both),
        }
    return found


def main() -> None:
    """Install and measure one peer after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("out/peers"))
    parser.add_argument("--only", default=",".join(PEERS))
    given = parser.parse_args()
    folder: Path = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    task = make_task(folder)
    script = ROOT / "benchmarks" / "drivers" / "polyglitch_work.py"
    here = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ours = run_script([sys.executable, str(script), str(task)], here)
    if "failed" in ours:
        raise SystemExit(ours["failed"])
    figures: dict[str, Any] = {
        "polyglitch work": {name: ours[name] for name in ("templates", "letters", "running")}
    }
    for name in ("polyglitch", "llmorph"):
        figures[f"{name} finds"] = finds(name, ours[f"found_by_{name}"], folder)
    for name in given.only.split(","):
        environment = Environment(name, PEERS[name], folder)
        found = environment.install()
        print(f"{name}: {found}", flush=True)
        if "skipped" not in found:
            found |= environment.starting()
            done = environment.work(task) if PEERS[name].work else {}
            if name == "metrics":
                found["metrics"] = compared(ours["metrics"], done)
            else:
                found |= beside(ours, done)
            found |= {key: done[key] for key in ("failed", "process_seconds") if key in done}
            found |= finds(name, done.get("found"), folder)
        figures[name] = found
    record("peers", figures)


if __name__ == "__main__":
    main()
