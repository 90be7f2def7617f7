"""Peak memory by number of cases: a campaign holds none of them longer than a batch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.results import record

SYSTEM = "def shout(texts):\n    return [text.upper() for text in texts]\n"
RUN = """
import resource, sys
from polyglitch.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
"""
CASES_A_SEED = 10


def peak(cases: int) -> tuple[float, float]:
    """Peak megabytes and seconds of a campaign with so many cases."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shout.py").write_text(SYSTEM)
        (folder / "copies.py").write_text(COPIES)
        about = folder / "copies-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: copies\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("[polyglitch.methods]\ncopies = copies:copies\n")
        lines = (
            f"Sentence number {n} speaks of the weather in town {n}."
            for n in range(cases // CASES_A_SEED)
        )
        (folder / "seeds.txt").write_text("\n".join(lines) + "\n")
        arguments = [
            "run",
            "--system",
            "python:shout:shout",
            "--corpus",
            "seeds.txt",
            "--method",
            "copies",
        ]
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", RUN, *arguments, "--store", "s.sqlite", "-q"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        return float(done.stderr.split()[-1]), time.perf_counter() - started


# A method that costs nothing, so that the engine is what is measured; found through an entry point, as any
# other package's method would be.
COPIES = f"""
from polyglitch.compare.structure import raw_distance
from polyglitch.issues.worst_first import worst_first
from polyglitch.method import Method
from polyglitch.part import part
from polyglitch.records import Input, new_case

@part
def add_numbers():
    def mutate(seeds, tools):
        for seed in seeds:
            for n in range({CASES_A_SEED}):
                yield new_case(seed, "similar", (seed.input, Input(seed.input.text + f" Part {{n}}.")))
    return mutate

def copies():
    return Method("copies", "translation", add_numbers(), raw_distance(above=9), worst_first(3))
"""


def main() -> None:
    """1,000, 10,000 and 100,000 cases."""
    figures: dict[str, float] = {}
    for cases in (1_000, 10_000, 100_000):
        megabytes, seconds = peak(cases)
        figures[f"peak_mb_{cases}"] = megabytes
        figures[f"cases_per_second_{cases}"] = cases / seconds
    figures["growth_mb"] = figures["peak_mb_100000"] - figures["peak_mb_1000"]
    record("memory", figures)


if __name__ == "__main__":
    main()
