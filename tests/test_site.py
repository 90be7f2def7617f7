"""The site builds offline without a broken link, holds a page for every command, and its Python runs as printed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.axe import faults
from benchmarks.screenshots import site_served
from recipes.site_reference import named_cells

from tests.conftest import ROOT

CHROMIUM = shutil.which("chromium")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


def table_of(titles: str, cells: list[str]) -> str:
    """A table of one row, as Markdown makes it."""
    head = "".join(f"<th>{title}</th>" for title in titles.split())
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{row}</tr></tbody></table>"


def test_rows_of_long_texts_can_be_stacked_and_those_of_numbers_stay() -> None:
    numbers = table_of("method AUC F", ["sit", ".81", ".60"])
    assert named_cells(numbers, wanted=False) == numbers
    texts = table_of(
        "tool version best", ["a", "1", "prompts &amp; models side by side, many of them"]
    )
    stacked = named_cells(texts, wanted=False)
    assert stacked.startswith("<table data-stack>")
    assert re.findall(r'data-label="(\w+)"', stacked) == ["tool", "version", "best"]
    assert re.sub(r' data-(label="\w*"|stack)', "", stacked) == texts, "nothing else changed"
    options = table_of("option does", ["--join", "[majority|unanimous|any]"])
    assert named_cells(options, wanted=False).count('data-label=""') == 2, "a name is not needed"


@pytest.mark.slow
@pytest.mark.needs("mkdocs")
@pytest.mark.needs("material")
def test_the_site_builds_without_a_broken_link(site: Path) -> None:
    commands = (site / "reference/commands.html").read_text("utf-8")
    for name in ("run", "judge", "review", "store verify"):
        assert f"polyglitch {name}" in commands
    assert "Begin at home</a>" in (site / "404.html").read_text("utf-8")
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        fetched = re.findall(
            r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?://[^"]*)', text
        )
        assert not fetched, (page.name, fetched)
        assert not re.search(r"<p>[^<]*(?:<(?!/p>)[^<]*)*\n(?:- |\|)", text), (
            f"{page.name}: a list or table after a line without a blank one is no list here"
        )


@pytest.mark.slow
@pytest.mark.needs("mkdocs")
@pytest.mark.needs("material")
@pytest.mark.needs("playwright")
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
def test_the_site_is_searched_from_a_folder_without_a_network(site: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "how-to/gate-a-release.html").as_uri())
        page.fill(".md-search__input", "calibrate labels")
        page.wait_for_selector(".md-search-result__link")
        first = page.get_attribute(".md-search-result__link", "href") or ""
        assert "how-to/calibrate.html" in first
        assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
        page.set_viewport_size({"width": 390, "height": 844})
        for name in ("index", "reference/commands", "figures", "methods/alict"):
            page.goto((site / f"{name}.html").as_uri())
            wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            assert not page.evaluate(wide), name
        browser.close()


# One page of each kind: words, tables, wide tables, code, made from code, and what is not found.
SAMPLE = (
    "index",
    "404",
    "figures",
    "how-to/add-a-method",
    "reference/records",
    "tutorial/translator",
)


@pytest.mark.slow
@pytest.mark.needs("mkdocs")
@pytest.mark.needs("material")
@pytest.mark.needs("playwright")
@pytest.mark.needs("axe_playwright_python")
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_grave_fault_on_pages_of_each_kind(
    site: Path, width: int, scheme: str
) -> None:
    from playwright.sync_api import sync_playwright

    with site_served(site) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
        for name in SAMPLE:
            page.goto(f"{address}/{name}.html")
            assert faults(page) == [], name
        browser.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "tutorial/classifier",
        "tutorial/llm",
        "how-to/use-from-python",
        "how-to/use-in-a-notebook",
    ],
)
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    blocks = PYTHON.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", f"{block}\nprint(result.summary)"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "cases hold" in done.stdout


@pytest.mark.slow
def test_who_follows_the_tutorial_meets_the_bug_and_then_passes_the_gate(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "tutorial" / "translator.md").read_text("utf-8")
    program = PYTHON.findall(page)[0]
    sentences = page.split("```text\n")[1].split("```")[0]
    (tmp_path / "sentences.txt").write_text(sentences, "utf-8")
    commands = [line for line in page.splitlines() if line.startswith("polyglitch run")]
    looked, gate = (shlex.split(line)[1:] for line in commands[:2])

    def follow(words: list[str], program: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "translate").write_text(program, "utf-8")
        (tmp_path / "translate").chmod(0o755)
        return subprocess.run(
            [sys.executable, "-m", "polyglitch", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    first = follow(looked, program)
    assert first.returncode == 0, first.stderr
    told = "'not' stands in the source, and the translation has no negation"
    assert f"1 suspected bug; behind several issues:\n  2 issues: {told}" in first.stdout
    assert first.stdout.count(told) == 3, "as the bug, and in the two sentences that show it"
    assert (tmp_path / "report.html").exists()
    failed = follow(gate, program)
    assert failed.returncode == 1
    assert "66.7% of 6 decided cases hold (limit 95%): failed." in failed.stderr
    mended = follow(gate, program.replace('"not": ""', '"not": "não"'))
    assert mended.returncode == 0, mended.stderr
    assert "100.0% of 6 decided cases hold" in mended.stdout + mended.stderr
