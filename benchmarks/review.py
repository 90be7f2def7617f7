"""What a page of the review costs the server, in CPU time, at 100 and at 10,000 issues."""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.testclient import TestClient
from tests.review.samples import fill

from benchmarks.results import record
from polyglitch.review.access import Hosts, Sessions
from polyglitch.review.app import make_app
from polyglitch.review.evidence import Trees
from polyglitch.review.queue_view import QueueView
from polyglitch.tools import Toolbox

BASE = "http://127.0.0.1:8765"
PAGES = {
    "page": "/",
    "page near the end": "/?at={end}",
    "unlabelled": "/?label=unlabelled",
    "by method": "/?method=sit",
    "by kind": "/?kind=negation",
    "disagreement": "/?label=disagreement",
    "search, no hit": "/?search=nowhere",
    "search, one hit": "/?search=linha+{end}+",
    "undecided": "/?shelf=undecided",
    "an issue": "/issue/issue-{end}",
    "reviewers": "/reviewers",
}
REPEATS = 9


def cost(action: Callable[[], object]) -> float:
    """The median CPU time of an action, in milliseconds: what else runs on the machine does not count."""
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        action()
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken)


def measure(count: int) -> dict[str, float]:
    """Every page and a label, on a store of that many issues."""
    with tempfile.TemporaryDirectory() as folder:
        store = fill(Path(folder) / "runs.sqlite", count)
        desk = QueueView(store)
        start = time.process_time()
        for _ in desk.make_searchable():
            pass
        found = {"made searchable, once": (time.process_time() - start) * 1000}
        app = make_app(desk, Trees(Toolbox().parser), Hosts("127.0.0.1", 8765), Sessions(8765))
        client = TestClient(app, base_url=BASE, cookies={"polyglitch_reviewer": "ann"})
        token = re.findall(r'name="token" content="([^"]+)"', client.get("/").text)[0]
        headers = {"origin": BASE, "x-polyglitch-token": token, "accept": "application/json"}
        for name, address in PAGES.items():
            found[name] = cost(partial(client.get, address.format(end=count - 10)))
        fields = {"issue": "issue-7", "verdict": "bug"}
        found["label"] = cost(lambda: client.post("/label", data=fields, headers=headers))
        found["undo"] = cost(lambda: client.post("/undo", headers=headers))
        store.close()
    return found


def main() -> None:
    """Measure a small store and a large one."""
    figures = {
        f"{name}, {count:,} issues (CPU ms)": value
        for count in (100, 10_000)
        for name, value in measure(count).items()
    }
    record("review", figures)


if __name__ == "__main__":
    main()
