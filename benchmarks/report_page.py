"""What a report of many findings weighs, and what opening it costs Chromium: processor time, and the clock."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.report.samples import finding, many, summary

from benchmarks.results import record
from polyglitch.report import write_report
from polyglitch.results.findings import Finding

WORDS_A_SENTENCE = 18
REPEATS = 5


def of_random_words(count: int) -> Iterator[Finding]:
    """Findings of which no two share a sentence: the worst for a file that is compressed."""
    dice = random.Random(2026)
    letters = "abcdefghijklmnoprstuvz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 10))) for _ in range(3000)]
    for number in range(count):
        source, output = (dice.choices(words, k=WORDS_A_SENTENCE) for _ in range(2))
        other, said = list(source), list(output)
        other[5], said[4], said[9] = dice.choices(words, k=3)
        yield finding(
            (" ".join(source), " ".join(other)),
            (" ".join(output), " ".join(said)),
            name=str(number),
            reason=f"{said[4]!r} only in the second",
        )


def opened(path: Path) -> tuple[float, float]:
    """The median seconds of the page's processor time and of the clock until a report is loaded."""
    from playwright.sync_api import sync_playwright

    spent, waited = [], []
    with sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for _ in range(REPEATS):
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            devtools = page.context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            start = time.monotonic()
            page.goto(path.as_uri())
            waited.append(time.monotonic() - start)
            metrics = devtools.send("Performance.getMetrics")["metrics"]
            spent.append(next(m["value"] for m in metrics if m["name"] == "ProcessTime"))
            page.context.close()
        browser.close()
    return statistics.median(spent), statistics.median(waited)


def main() -> None:
    """Both kinds of findings, written and opened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--findings", type=int, default=10_000)
    count = parser.parse_args().findings
    figures: dict[str, float] = {"jobs_waiting_a_core": os.getloadavg()[0] / (os.cpu_count() or 1)}
    for name, made in (("alike", many(count)), ("random_words", of_random_words(count))):
        with tempfile.TemporaryDirectory() as folder:
            path = write_report(Path(folder) / "report.html", summary(issues=count), made)
            figures[f"megabytes_{name}"] = path.stat().st_size / 1e6
            spent, waited = opened(path)
            figures[f"open_cpu_seconds_{name}"] = spent
            figures[f"open_clock_seconds_{name}"] = waited
    record("report_page", figures)


if __name__ == "__main__":
    main()
