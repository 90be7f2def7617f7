"""What axe-core says of a page, and a file of it that a stopped look goes on from."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

SECONDS_A_PAGE = 60  # the longest page takes 8 on a busy machine
GRAVE = ("serious", "critical")
ASK = """seconds => Promise.race([
  axe.run(document, {resultTypes: ["violations"]}),
  new Promise((_, refuse) => setTimeout(() => refuse(new Error(`no answer in ${seconds} s`)), seconds * 1000)),
])"""


def faults(page: Any) -> list[str]:
    """The serious and critical faults of an opened page: the rule, how often, and the first place."""
    import axe_playwright_python

    # Not as a script of the page: its policy would refuse that.
    source = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")
    page.evaluate(source)
    found = page.evaluate(ASK, SECONDS_A_PAGE)["violations"]
    return [
        f"{fault['id']} ({len(fault['nodes'])}): {' '.join(fault['nodes'][0]['html'].split())[:120]}"
        for fault in found
        if fault["impact"] in GRAVE
    ]


class Answers:
    """What was found of each page in each way, one line a picture, in a file."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self.path = path
        if fresh:
            path.unlink(missing_ok=True)
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        self.found: dict[str, list[str]] = {}
        for line in lines:
            row = json.loads(line)
            self.found[row["page"]] = row["faults"]

    def ask(self, name: str, page: Any) -> None:
        """Ask about a page; one that gives no answer has that for a fault."""
        start = time.monotonic()
        try:
            found = faults(page)
        except Exception as error:
            found = [f"not asked: {error}"]
        self.found[name] = found
        row = {"page": name, "seconds": round(time.monotonic() - start, 1), "faults": found}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def told(self) -> str:
        """The sum, and each page that has a fault."""
        bad = {name: found for name, found in sorted(self.found.items()) if found}
        lines = [f"{name}: {fault}" for name, found in bad.items() for fault in found]
        return "\n".join(
            [*lines, f"{len(self.found)} pages asked about, {len(bad)} with grave faults"]
        )
