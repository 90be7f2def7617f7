"""Figures of docs/research/2026-11-16-repair.md on firefox:en-pt, from one state of the code, by its commands.

    python -m benchmarks.mending [FOLDER]

First the demo's campaign, then one on 150 sentences of news drawn from WMT's, where the reference data is there
(POLYGLITCH_SHARED, or ../shared). FOLDER (out/mending) keeps the stores and what `minimise` and `repair` wrote.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.results import record, shared_data
from polyglitch.results.history import open_history
from polyglitch.results.summary import groups_of

SYSTEM = "firefox:en-pt"
CAMPAIGN = "--method sit,transrepair,rti --param sit.per_seed=8 --param transrepair.per_seed=4"
# Figures of earlier states are by the papers' own oracles, which report more.
PUBLISHED = " ".join(f"--param {name}.oracle=published" for name in ("sit", "transrepair", "rti"))
VECTORS = "--param sit.proposer=vectors --param transrepair.proposer=vectors"
NEWS, SHORTEST, LONGEST = 150, 12, 40  # sentences, and their words


def polyglitch(folder: Path, *arguments: str) -> str:
    """What a command prints; violations (exit 1) are what is looked for."""
    done = subprocess.run(
        [sys.executable, "-m", "polyglitch", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode > 1:
        raise SystemExit(f"polyglitch {' '.join(arguments)} ended with {done.returncode}")
    return done.stdout


def campaign(folder: Path, store: str, corpus: str, more: str, system: str = SYSTEM) -> str:
    """Run it; the run's id."""
    chosen = ["--system", system, "--corpus", corpus, "--store", store, "--json"]
    told = polyglitch(folder, "run", *chosen, *CAMPAIGN.split(), *PUBLISHED.split(), *more.split())
    return str(json.loads(told)["run"])


def groups(folder: Path, store: str, run: str) -> dict[str, int]:
    """How many suspected bugs the issues come down to."""
    sizes = [len(bug.issue_ids) for bug in groups_of(open_history(f"{folder / store}:{run}"))]
    return {"issues": sum(sizes), "groups": len(sizes), "largest": max(sizes)}


def minimised(folder: Path, store: str, run: str, limit: int | None) -> dict[str, Any]:
    """The share of the words that is left; the pairs go to a file, to be read."""
    told = json.loads(
        polyglitch(
            folder,
            *("minimise", run, "--store", store, "--json"),
            *(("--limit", str(limit)) if limit else ()),
        )
    )
    with (folder / f"minimised-{Path(store).stem}.txt").open("w") as out:
        for finding in open_history(f"{folder / store}:{run}").findings():
            if finding.minimised and finding.seed:
                trial = finding.minimised[0]
                texts = [item.text for item in trial.case.inputs]
                outputs = [output.text for output in trial.outputs]
                out.write("\n".join([finding.seed.input.text, *texts, *outputs]) + "\n\n")
    return {
        "issues": len(told["issues"]),
        "median share": told["median_share"],
        "left as they were": sum(bool(issue["reason"]) for issue in told["issues"]),
    }


def repaired(folder: Path, store: str, run: str, choose: str) -> dict[str, Any]:
    """How many issues of swaps end; the corrected outputs go to files."""
    name = f"{Path(store).stem}-{choose}"
    files = [f"{name}.jsonl", f"{name}.tmx"]
    told = json.loads(
        polyglitch(
            folder,
            *("repair", run, "--store", store, "--choose", choose, "--json"),
            *(part for file in files for part in ("-o", file)),
        )
    )
    issues = [each for each in told["issues"] if each["method"] != "rti"]
    return {
        "issues of swaps": len(issues),
        "all violations end": sum(
            bool(each["fixes"]) and each["gone"] == each["violations"] for each in issues
        ),
        "some end": sum(
            bool(each["fixes"]) and each["gone"] < each["violations"] for each in issues
        ),
        "corrected outputs": len((folder / files[0]).read_text("utf-8").splitlines()),
    }


def again(
    folder: Path, store: str, run: str, corpus: str, more: str, system: str
) -> dict[str, int]:
    """The same campaign on a system with repairs, and what `compare` says of the two."""
    after = campaign(folder, store, corpus, more, system)
    told = json.loads(polyglitch(folder, "compare", run, after, "--store", store, "--json"))
    names = ("fixed", "broken", "still_broken", "still_fine", "only_old", "only_new")
    return {name: told[name] for name in names} | {"p": round(told["p_value"], 3)}


def measure(folder: Path, name: str, corpus: str, more: str, systems: bool) -> dict[str, Any]:
    """Everything on one corpus: groups, smaller pairs, repairs, systems with them, data to train on."""
    store = f"{name}.sqlite"
    run = campaign(folder, store, corpus, more)
    figures: dict[str, Any] = {"groups": groups(folder, store, run)}
    figures["minimised"] = minimised(folder, store, run, None if name == "demo" else 50)
    figures["groups after"] = groups(folder, store, run)
    for choose in ("similarity", "probability"):
        figures[f"repair by {choose}"] = repaired(folder, store, run, choose)
        print(json.dumps(figures), flush=True)
    if systems:
        table = f"hotfix:{name}-similarity.jsonl,{SYSTEM}"
        figures["hotfix"] = again(folder, store, run, corpus, more, table)
        figures["repaired"] = again(folder, store, run, corpus, more, f"repaired:{SYSTEM}")
    polyglitch(folder, "repair", run, "--store", store, "--limit", "0", "--augment", f"{name}.tsv")
    agreed = (folder / f"{name}.tsv").read_text("utf-8").splitlines()
    figures["agreed outputs"] = len(agreed)
    return figures


def draw_news(data: Path, folder: Path) -> str:
    """A file of sentences of news, drawn at random among those of middling length."""
    lines = (data / "mt" / "wmt17.en.txt").read_text("utf-8").splitlines()
    fit = [line for line in lines if SHORTEST <= len(line.split()) <= LONGEST]
    (folder / "news.txt").write_text("\n".join(random.Random(0).sample(fit, NEWS)) + "\n", "utf-8")
    return "news.txt"


def main() -> None:
    """The demo, then the news."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/mending")
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"demo": measure(folder, "demo", "sample", "", True)}
    data = shared_data()
    if data is None:
        print("news: skipped, the sentences are not there (POLYGLITCH_SHARED)")
    else:
        figures["news"] = measure(folder, "news", draw_news(data, folder), VECTORS, False)
    record("mending", figures)


if __name__ == "__main__":
    main()
