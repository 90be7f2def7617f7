"""Requests a second that a campaign sustains against a server that answers at once, 32 at a time.

All of a campaign is in the figure: cases made, answers read and kept, verdicts. The server is a process of its own.
Beside it stands the processor time a request, which other load on the machine does not change much.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.copies import write_copies
from benchmarks.fault_server import fault_server
from benchmarks.results import record

CASES = 10_000
RUN = """
import json, sys, time
from polyglitch.campaign import make_campaign
from polyglitch.flow import Flow
options = {"corpus": "seeds.txt", "methods": ["copies"], "jobs": 32, "store": sys.argv[2]}
flow = Flow(make_campaign(options | {"system": sys.argv[1]}), lambda _: None)
wall, processor = time.perf_counter(), time.process_time()
figures = flow.run()
wall, processor = time.perf_counter() - wall, time.process_time() - processor
peak = flow.plan.systems[0].peak
print(json.dumps({**figures, "wall": wall, "processor": processor, "peak": peak}))
flow.close()
"""


def main() -> None:
    """Three campaigns, each in a store of its own; the best, as other load only slows down."""
    import json

    runs = []
    with tempfile.TemporaryDirectory() as name, fault_server() as base:
        folder = Path(name)
        write_copies(folder, CASES)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([name, *filter(None, sys.path)])}
        for number in range(3):
            done = subprocess.run(
                [sys.executable, "-c", RUN, f"openai:echo@{base}", f"{number}.sqlite"],
                cwd=folder,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
            )
            runs.append(json.loads(done.stdout))
    best = min(runs, key=lambda run: run["wall"])
    record(
        "http",
        {
            "requests": best["requests"],
            "errors": best["errors"],
            "at_once": best["peak"],
            "requests_per_second": best["requests"] / best["wall"],
            "each_run": [round(run["requests"] / run["wall"]) for run in runs],
            "requests_per_processor_second": best["requests"] / best["processor"],
        },
    )


if __name__ == "__main__":
    main()
