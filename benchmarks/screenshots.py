"""Every page at the width of a desk and of a phone, light and dark, as pictures to look at.

Real runs of small systems fill a store; nothing is downloaded. The pictures go to out/screenshots, out of the wheel.
With --axe each page is asked about by axe-core instead, and what it finds goes to axe.jsonl there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.axe import Answers
from polyglitch.records import Label
from polyglitch.store.labels import now
from polyglitch.store.store import Store

ROOT = Path(__file__).parents[1]
SIZES = {1280: 900, 390: 844}
SCHEMES = ("light", "dark")
SYSTEMS = """
WORDS = {"the": "o", "dog": "cão", "cat": "gato", "boy": "menino", "is": "é", "has": "tem", "big": "grande",
         "small": "pequeno", "and": "e", "not": "não", "old": "velho", "books": "livros"}

def said(text, words):
    return " ".join(filter(None, (words.get(w, w) for w in text.lower().rstrip(".").split()))).capitalize() + "."

def good(text):
    return said(text, WORDS)

def old(text):
    return said(text, WORDS | {"12": "20"})

def new(text):
    return said(text, WORDS | {"not": ""})

def mood(text):  # trips over look-alike letters, double blanks and lost accents, as word lists do
    words = text.lower().replace(".", "").replace(",", "").split(" ")
    score = sum(word in ("good", "love", "lovely", "great", "gentle", "café", "warm") for word in words)
    score -= sum(word in ("rude", "cold", "awful", "boring", "worse", "hate", "") for word in words)
    return "positive" if score > 0 else "negative" if score < 0 else "neutral"

def whole(text):
    return text

def summary(text):
    first = text.split(".")[0] + "."
    return first.replace("1991", "1987") + (" Write to sales@example.org." if len(text) % 3 == 0 else "")
"""
SENTENCES = """The dog is not big.
The cat is small.
The boy has 12 books.
The cat is not old.
The boy is not small and has 3 books.
The old dog is big.
"""
REVIEWS = """text,label
The soup was good and the room was warm.,positive
I love this film.,positive
The staff were rude and the food was cold.,negative
This is an awful book.,negative
The music is lovely.,positive
The plot is boring and the end is worse.,negative
A great and gentle story.,positive
I hate the noise in this hotel.,negative
"""
NOTES = """Ana Lima founded the shop in 1991. It sells lamps.
The train to Porto leaves at 9:40. Tickets cost 12 euros.
The bridge over the river was closed for 3 weeks. Nobody was hurt.
Paulo Reis bought 14 lamps for the school. They arrived on 5 May 2020.
"""
STUDY = [
    {"text": "The film is good.", "label": "positive", "capability": "praise"},
    {"text": "The new film is good.", "label": "positive", "capability": "praise", "parent": "1",
     "inputs": ["The film is good.", "The new film is good."]},
    {"text": "The plot is not bad.", "label": "positive|neutral", "capability": "blame denied"},
]  # fmt: skip
ENGLISH = ("--source-language", "en")
TO_PORTUGUESE = (*ENGLISH, "--target-language", "pt")
RUNS = {  # the report of each, and the arguments that make it
    "translator": ("--system", "firefox:en-pt", "--back", "firefox:pt-en", "--corpus", "sample", "--method",
                   "sit,transrepair,rti", "--limit", "30"),
    "classifier": ("--system", "vader:", "--corpus", "reviews.csv", "--method", "alict,relations", *ENGLISH),
    "several": ("--system", "vader:", "--system", "textblob:", "--system", "python:systems.py:mood", "--corpus",
                "reviews.csv", "--method", "alict,relations", *ENGLISH, "--fail-under", "0.9"),
    "feature": ("--system", "python:systems.py:summary", "--corpus", "notes.txt", "--method", "llm", *ENGLISH),
    "features": ("--system", "python:systems.py:summary", "--system", "python:systems.py:whole", "--corpus",
                 "notes.txt", "--method", "llm", *ENGLISH, "--fail-under", "0.8"),
    "empty": ("--system", "python:systems.py:good", "--corpus", "sentences.txt", "--method", "facts",
              *TO_PORTUGUESE, "--fail-under", "0.95"),
    "old": ("--system", "python:systems.py:old", "--corpus", "sentences.txt", "--method", "facts",
            *TO_PORTUGUESE, "--fail-under", "0.8"),
    "new": ("--system", "python:systems.py:new", "--corpus", "sentences.txt", "--method", "facts",
            *TO_PORTUGUESE, "--fail-under", "0.8"),
}  # fmt: skip


def main() -> None:
    """Fill a store, or take the one that is there, and look at every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("out/screenshots"))
    parser.add_argument(
        "--site", type=Path, default=Path("out/site"), help="as `make docs` left it"
    )
    parser.add_argument("--only", default="", help="pages whose name holds this; docs- is the site")
    parser.add_argument(
        "--axe", action="store_true", help="ask axe-core instead of taking a picture"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="ask again about pages asked about before"
    )
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    answers = Answers(folder / "axe.jsonl", given.fresh) if given.axe else None

    def see(pages: Iterable[Page]) -> int:
        return look(folder, [page for page in pages if given.only in page[0]], answers)

    with site_served(given.site.resolve()) as address:
        count = see(site_pages(given.site.resolve(), address))
    if not given.only.startswith("docs-"):
        runs = fill(folder)
        with serving(folder, "--store", "runs.sqlite") as address:
            count += see([*files_of(folder), *pages_of(address, runs)])
        with serving(folder, "--study", "study.jsonl", "--readings", "readings.jsonl") as address:
            count += see([("study", address, "")])
    print(answers.told() if answers else f"{count} pictures in {folder}")
    sys.exit(bool(answers and any(answers.found.values())))


def fill(folder: Path) -> dict[str, str]:
    """The store with its runs and reports, made where it is not there; the id of each run by its name."""
    known = folder / "runs.json"
    if known.is_file():
        return dict(json.loads(known.read_text("utf-8")))
    texts = {
        "systems.py": SYSTEMS,
        "sentences.txt": SENTENCES,
        "reviews.csv": REVIEWS,
        "notes.txt": NOTES,
    }
    texts["study.jsonl"] = "".join(json.dumps(row) + "\n" for row in STUDY)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    runs: dict[str, str] = {}
    for name, arguments in RUNS.items():
        polyglitch(folder, "run", *arguments, "--store", "runs.sqlite", "-o", f"{name}.html")
        store = Store(str(folder / "runs.sqlite"))
        runs[name] = store.runs.rows()[0]["id"]
        store.close()
    named = (runs["translator"], "--system", RUNS["translator"][1])
    polyglitch(folder, "minimise", *named, "--store", "runs.sqlite")
    two = [f"runs.sqlite:{runs[name]}" for name in ("old", "new")]
    polyglitch(folder, "compare", *two, "-o", "compare.html")
    label_some(folder / "runs.sqlite", runs["translator"])
    leave_unfinished(folder / "runs.sqlite", runs)
    known.write_text(json.dumps(runs), "utf-8")
    return runs


def polyglitch(folder: Path, *arguments: str) -> None:
    """Run a command of ours; a gate that fails is what some of them are for."""
    command = [sys.executable, "-m", "polyglitch", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")


def environment() -> dict[str, str]:
    """The environment with this checkout first."""
    return os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}


def label_some(path: Path, run: str) -> None:
    """Labels of two people, so that the page about them has something to say."""
    store = Store(str(path))
    for place, issue in enumerate(store.verdicts.issues(run)):
        for who in ("Ann", "Ben"):  # they differ on the last
            verdict = "not a bug" if place % 3 == 2 or (place == 10 and who == "Ben") else "bug"
            store.labels.set(run, Label(issue.id, verdict, who, now(), issue.kind))  # type: ignore[arg-type]
    store.close()


def leave_unfinished(path: Path, runs: dict[str, str]) -> None:
    """A run that goes on: the same answers, judged so far, and no end yet."""
    store = Store(str(path))
    rows = {row["id"]: row for row in store.runs.rows()}
    live = rows[runs["new"]]
    runs["live"] = "11fe" + runs["new"][4:]
    store.runs.begin(runs["live"], live["definition"])
    pairs = []
    for issue in store.verdicts.issues(runs["new"]):
        pairs += store.verdicts.get(runs["new"], "facts", ids=issue.case_ids)
    seeds = store.cases.seeds(runs["new"], [case.seed_id for case, _ in pairs])
    store.cases.add_seeds(runs["live"], 0, list(seeds.values()))
    store.cases.add(runs["live"], "facts", 0, [case for case, _ in pairs])
    store.verdicts.add(runs["live"], "facts", pairs)
    store.close()


Page = tuple[str, str, str]  # a name, an address, and the key to press there or what to click


def files_of(folder: Path) -> Iterator[Page]:
    """Pages that are files: reports and a comparison."""
    for name in ("translator", "classifier", "several", "feature", "features", "empty", "new"):
        yield f"report-{name}", (folder / f"{name}.html").as_uri(), ""
    yield "compare-file", (folder / "compare.html").as_uri(), ""


def site_pages(site: Path, address: str) -> Iterator[Page]:
    """Pages of the site, where it was built."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        yield f"docs-{name.removesuffix('.html').replace('/', '-')}", f"{address}/{name}", ""


@contextmanager
def site_served(site: Path) -> Iterator[str]:
    """The address of the site on this machine: its page for what is not found needs one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def pages_of(address: str, runs: dict[str, str]) -> Iterator[Page]:
    """Pages that the review serves."""
    translator, classifier = (
        f"{address}/run/{runs[name]}" for name in ("translator", "classifier")
    )
    yield "name", f"{address}/name", ""
    yield "home", f"{address}/home", ""
    yield "live", f"{address}/live/{runs['live']}", ""
    yield "side-by-side", f"{address}/compare?old={runs['old']}&new={runs['new']}", ""
    yield "review", f"{translator}/", ""
    yield "review-keys", f"{translator}/", "press ?"
    yield "review-trees", f"{translator}/", "press t"
    yield "review-classifier", f"{classifier}/", ""
    yield "review-undecided", f"{classifier}/?shelf=undecided", ""
    yield "bugs", f"{translator}/bugs", ""
    yield "bug", f"{translator}/bugs", "click ol.counts a"
    yield "bug-facts", f"{address}/run/{runs['new']}/bugs", "click ol.counts a"
    yield "labels", f"{translator}/labels", ""
    yield "labels-calibrated", f"{translator}/labels", "click button.lead"
    yield "labels-none", f"{classifier}/labels", ""
    yield "reviewers", f"{translator}/reviewers", ""
    yield "problem", f"{address}/live/none", ""


def look(folder: Path, pages: list[Page], answers: Answers | None) -> int:
    """Each page in its four ways, as a picture or asked about by axe-core; how many."""
    from playwright.sync_api import sync_playwright

    seen = 0
    with sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=flags)
        for width, height in SIZES.items():
            for scheme in SCHEMES:
                size: Any = {"width": width, "height": height}
                context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
                for page in pages:
                    name = f"{page[0]}-{width}-{scheme}"
                    if answers is None:
                        with opened(context, page, name) as shown:
                            shown.screenshot(path=folder / f"{name}.png", full_page=True)
                    elif name not in answers.found:
                        with opened(context, page, name) as shown:
                            answers.ask(name, shown)
                    seen += 1
                context.close()
        browser.close()
    return seen


@contextmanager
def opened(context: Any, page: Page, name: str) -> Iterator[Any]:
    """A page as it is to be seen; one that is wider than the screen or logs an error is told."""
    _, address, act = page
    shown = context.new_page()
    shown.on("pageerror", lambda error: print(f"{name}: {error}"))
    shown.goto(address)
    if shown.url.partition("?")[0].endswith("/name") and not address.endswith("/name"):
        shown.fill("#name", "Ann")
        shown.click("button.lead")
        shown.goto(address)
    how, _, what = act.partition(" ")
    if how == "click":
        shown.click(what)
    elif how == "press":
        shown.wait_for_selector("body[data-ready]")
        shown.keyboard.press(what)
    if act == "press t":
        shown.wait_for_selector("#issue svg", timeout=60_000)
    shown.wait_for_timeout(400)
    wide = shown.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    if wide > 0:
        print(f"{name}: {wide} pixels wider than the screen")
    yield shown
    shown.close()


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """The address of `polyglitch review` with these arguments, as long as it is wanted."""
    command = [sys.executable, "-m", "polyglitch", "review", "--port", "0", *arguments]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield (
                next(word for word in line.split() if word.startswith("http"))
                .removesuffix("/home")
                .rstrip("/")
            )
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
