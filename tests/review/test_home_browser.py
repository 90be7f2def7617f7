"""Home, a live run, two runs, the report's filters and every page's accessibility, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.axe import faults
from msgspec.structs import replace

import polyglitch as pg
from polyglitch.evaluate.regression import compare_outcomes
from polyglitch.records import Issue, Label
from polyglitch.report import write_report
from polyglitch.report.comparison import write_comparison
from polyglitch.report.side_by_side import systems_page
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import History
from polyglitch.results.summary import summarise
from polyglitch.results.tables import SystemColumn, one_result
from polyglitch.review.queue_view import QueueView
from polyglitch.review.run_pages import bug_groups
from polyglitch.store.store import Store

from .samples import LATER, RUN, add_later_run, fill, served, wait_until

playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
]
PHONE = {"width": 390, "height": 844}
COLUMNS = [  # two systems on the same tests
    SystemColumn(
        name,
        "3f2a",
        (
            one_result("alict", "01", "Short praise", {"cases": 9, "violated": failed}),
            one_result("alict", "02", "Praise denied", {"cases": 8, "violated": 0}),
            one_result("alict", "03", "A letter missing", {"cases": 4, "violated": 1}),
        ),
        21,
        failed + 1,
        failed < 5,
        "reviews.csv",
    )
    for name, failed in (("vader:", 2), ("python:mood.py:mood", 6))
]


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two runs, one that goes on, and the report of the first."""
    place = tmp_path_factory.mktemp("home")
    store = fill(place / "runs.sqlite", 60)
    add_later_run(store, 8, done=False)
    history = History(store, RUN)
    write_report(place / "report.html", summarise(history), history.merged_findings())
    store.close()
    return place


def open_page(browser, address: str, **context):
    page = browser.new_context(**context).new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.goto(address)
    if "/name" in page.url:
        page.fill("#name", "Ann")
        page.click("button.lead")
        page.goto(address)
    page.problems = problems
    return page


def shown_cards(page) -> int:
    return page.evaluate("document.querySelectorAll('article.card:not([hidden])').length")


def test_the_report_filters_links_and_says_when_nothing_fits(browser, folder: Path) -> None:
    address = (folder / "report.html").as_uri()
    page = open_page(browser, address)
    assert shown_cards(page) == 60
    page.select_option("select[name=kind]", "negation")
    wait_until(page, "document.getElementById('filter-count').textContent.startsWith('12 of')")
    assert shown_cards(page) == 12
    assert "kind=negation" in page.url
    page.select_option("select[name=method]", "sit")
    wait_until(page, "document.getElementById('filter-count').textContent.startsWith('6 of')")
    sent = open_page(browser, page.url)
    wait_until(sent, "document.getElementById('filter-count').textContent.startsWith('6 of')")
    page.fill("#filter-text", "no such word anywhere")
    page.wait_for_selector("#no-match:not([hidden])")
    page.click("#no-match-clear")
    wait_until(page, "document.getElementById('filter-count').textContent === '60 findings'")
    page.select_option("select[name=sort]", "short")
    wait_until(
        page,
        "document.querySelector('#cards article').id !== 'issue-1' || "
        "document.getElementById('filter-count').textContent.startsWith('60 of')",
    )
    assert not page.problems and not sent.problems


def test_packed_findings_are_drawn_on_demand_and_found_by_link(browser, tmp_path: Path) -> None:
    from tests.report.samples import many, summary

    few = ReportLimits(cards=10)
    path = write_report(tmp_path / "many.html", summary(issues=250), many(250), few)
    page = open_page(browser, path.as_uri())
    assert shown_cards(page) == 10
    page.click("#more-button")
    wait_until(page, "document.querySelectorAll('article.card:not([hidden])').length === 210")
    page.goto(path.as_uri() + "#issue-240")
    page.reload()
    page.wait_for_selector("#issue-240")
    page.fill("#filter-text", "seed-249")
    page.wait_for_selector("#issue-250")
    assert not page.problems


def test_what_is_printed_of_many_is_drawn_once_the_page_is_open(browser, tmp_path: Path) -> None:
    from tests.report.samples import many, summary

    path = write_report(tmp_path / "many.html", summary(issues=700), many(700))
    page = open_page(browser, path.as_uri())
    wait_until(page, "document.querySelectorAll('article.card:not([hidden])').length === 300")
    ids = page.evaluate("[...document.querySelectorAll('#cards article')].map(c => c.id)")
    assert ids == [f"issue-{number}" for number in range(1, 301)]
    assert page.inner_text("#filter-count") == "700 findings, 300 drawn"
    page.click("#more-button")
    wait_until(page, "document.querySelectorAll('article.card:not([hidden])').length === 500")
    page.fill("#filter-text", "seed-699")
    page.wait_for_selector("#issue-700")
    assert shown_cards(page) == 1
    page.click("#filter-clear")
    wait_until(page, "document.querySelectorAll('article.card:not([hidden])').length === 300")
    assert not page.problems


def test_print_shows_every_card(browser, folder: Path) -> None:
    page = open_page(browser, (folder / "report.html").as_uri())
    page.emulate_media(media="print")
    heights = page.evaluate(
        "[...document.querySelectorAll('article.card .text')].map(t => t.getBoundingClientRect().height)"
    )
    assert len(heights) >= 240 and min(heights[:40]) > 0
    assert page.evaluate("getComputedStyle(document.getElementById('filter')).display") == "none"


def test_home_leads_to_a_run_that_goes_on_and_it_ends_before_our_eyes(
    browser, folder: Path
) -> None:
    with served(folder / "runs.sqlite") as address:
        page = open_page(browser, f"{address}/home")
        page.click("text=Watch")
        page.wait_for_selector("text=8 tests judged so far")
        store = Store(str(folder / "runs.sqlite"))
        figures = {"cases": 8, "undecided": 0, "violations": 1, "issues": 0, "seeds": 1}
        store.verdicts.set_issues(LATER, list[Issue]())
        store.runs.finish(LATER, figures)
        store.close()
        page.wait_for_selector("text=This run is done")
        page.goto(f"{address}/home")
        for box in page.query_selector_all("input[name=run]"):
            box.check()
        page.click("text=Compare the two ticked runs")
        page.wait_for_selector("text=1 fixed, 1 broken of 8 that both decided")
        assert not page.problems
        phone = open_page(browser, f"{address}/", viewport=PHONE)
        phone.wait_for_selector("body[data-ready]")
        assert not phone.is_visible("#search"), "folded on a phone"
        phone.click("#filter-fold > summary")
        assert phone.is_visible("#search")
        assert phone.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_on_a_phone_no_page_is_wider_than_the_screen_and_a_run_shows_its_state(
    browser, tmp_path: Path
) -> None:
    store = fill(tmp_path / "runs.sqlite", 4)
    add_later_run(store, 3)
    for who in ("Ann", "Ben with quite a long name"):
        store.labels.set(RUN, Label("issue-0", "bug", who, "2026-11-16T10:00:00+00:00"))
    store.close()
    with served(tmp_path / "runs.sqlite") as address:
        page = open_page(browser, f"{address}/", viewport=PHONE)
        for name in ("home", "bugs", "labels", "reviewers", f"live/{LATER}", "name"):
            page.goto(f"{address}/{name}")
            assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name
        page.goto(f"{address}/home")
        for state in page.query_selector_all(".runs .state"):
            box = state.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]


def test_a_lost_word_is_marked_in_the_source_and_the_bug_is_told_by_it(
    browser, tmp_path: Path
) -> None:
    words = ("cat", "dog", "boy")
    result = pg.run(
        lambda text: text.replace("The", "O").replace(" is not old", " é velho"),
        [f"The {word} is not old." for word in words],
        methods=["facts"],
        source_language="en",
        target_language="pt",
        store=str(tmp_path / "runs.sqlite"),
    )
    result.report(tmp_path / "report.html")
    page = open_page(browser, (tmp_path / "report.html").as_uri())
    lead = page.inner_text(".answer .lead")
    assert "'not' stands in the source" in lead and "(3 findings)" in lead
    assert page.inner_text("#issue-1 .cell:nth-child(1) mark.fault") == "not"
    assert page.query_selector("#issue-1 .cell:nth-child(2) mark.fault") is None


@pytest.mark.skipif(
    not find_spec("axe_playwright_python"), reason="pip install axe-playwright-python"
)
def test_axe_finds_no_serious_fault_on_any_page(browser, tmp_path: Path) -> None:
    store = fill(tmp_path / "runs.sqlite", 4)
    add_later_run(store, 3)
    history = History(store, RUN)
    write_report(tmp_path / "report.html", summarise(history), history.merged_findings())
    outcomes = (store.verdicts.case_outcomes(run) for run in (RUN, LATER))
    changed = compare_outcomes(*outcomes)
    write_comparison(tmp_path / "compare.html", changed, history, History(store, LATER), False)
    store.close()
    (tmp_path / "systems.html").write_text(systems_page(COLUMNS, ["a.html", ""]), "utf-8")
    with served(tmp_path / "runs.sqlite") as address:
        bug = bug_groups(QueueView(Store(str(tmp_path / "runs.sqlite")), RUN))[0].id
        first = ("home", "", "bugs", "labels", "reviewers", f"live/{LATER}", "name")
        pages = [f"{address}/{name}" for name in (*first, f"run/{RUN}/bug/{bug}")]
        pages.append(f"{address}/compare?old={RUN}&new={LATER}")
        pages += [
            (tmp_path / name).as_uri() for name in ("report.html", "compare.html", "systems.html")
        ]
        for scheme in ("light", "dark"):
            page = open_page(browser, f"{address}/", color_scheme=scheme)
            for where in pages:
                page.goto(where)
                assert faults(page) == [], (where, scheme)


def test_several_systems_lead_with_an_answer_and_fit_a_phone(browser, tmp_path: Path) -> None:
    path = tmp_path / "systems.html"
    path.write_text(systems_page(COLUMNS, ["vader.html", "mood.html"]), "utf-8")
    page = browser.new_page(viewport=PHONE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.inner_text("h1") == "2 systems on reviews.csv"
    assert page.inner_text(".lead").startswith(
        "VADER sentiment holds most: 85.7% of 21 tests; the function mood"
    )
    assert page.inner_text(".answer .held") == "Both fail in “Short praise”; “A letter missing”."
    assert page.inner_text(".answer .gate") == "1 of 2 passed"
    rows = page.locator("#fail-title ~ .scroll th[scope=row]").all_inner_texts()
    assert rows == ["Short praise", "A letter missing"], "the worst first; what holds is folded"
    assert not page.locator("text=Praise denied").is_visible()
    page.click("summary")
    assert page.locator("text=Praise denied").is_visible()
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert page.get_attribute(".sides-list a", "href") == "vader.html"
    assert asked == [path.as_uri()]
    page.close()


def test_a_system_that_says_the_same_to_everything_is_never_the_best() -> None:
    degenerate = replace(
        COLUMNS[0], system="python:x.py:constant", alarm="The system is degenerate."
    )
    page = systems_page([degenerate, COLUMNS[1]], ["a.html", "b.html"])
    assert "The function mood holds 66.7% of 21 tests; what the others hold says nothing." in page
    assert "The system is degenerate." in page
