"""The page in a real browser: worked by keyboard, by two at once, with hostile answers, and timed."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyglitch.store.store import Store

from .samples import HOSTILE, RUN, fill, served, wait_until

playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt-get install chromium"),
]
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "runs.sqlite"
    fill(path, 80).close()
    return path


class Reviewer:
    """A person at a browser of their own, with the keyboard only."""

    def __init__(self, browser, address: str, name: str, **context) -> None:
        self.page = browser.new_context(viewport=DESK, **context).new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on(
            "console", lambda m: self.problems.append(m.text) if m.type == "error" else None
        )
        self.address = address
        self.page.goto(address)
        wait_until(self.page, "document.activeElement.id === 'name'")
        self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_selector("body[data-ready]")

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, position: int) -> None:
        self.page.wait_for_selector(f"article[data-position='{position}']")

    def done(self, count: int) -> None:
        wait_until(self.page, f"document.getElementById('done-count').textContent === '{count}'")

    def verdicts(self) -> dict[str, str]:
        return self.page.evaluate(
            "Object.fromEntries([...document.querySelectorAll('#rows li')]"
            ".filter(row => row.dataset.verdict).map(row => [row.dataset.position, row.dataset.verdict]))"
        )


def test_ten_issues_by_keyboard_then_reload_undo_and_filter(browser, store: Path) -> None:
    with served(store) as address:
        ann = Reviewer(browser, address, "Ann")
        ann.press("bnub3nnubb")
        ann.done(10)
        ann.at(11)
        assert ann.page.evaluate("document.activeElement.id") == "issue-title"
        assert "Issue 10: bug" in ann.page.text_content("#said")
        ann.page.reload()
        ann.ready()
        ann.at(11)
        ann.done(10)
        ann.press("kkk")
        ann.at(8)
        expected = dict(zip("bnu", ("bug", "not a bug", "unsure"), strict=True)) | {"3": "bug"}
        said = {str(n): expected[key] for n, key in enumerate("bnub3nnubb", 1)}
        assert ann.verdicts() == {n: v for n, v in said.items() if int(n) >= 3}, "8 rows behind"
        assert ann.page.get_attribute("button.v-u", "aria-pressed") == "true"
        ann.press("zz")
        ann.done(8)
        ann.at(9)
        assert ann.page.get_attribute("article", "data-verdict") == ""
        ann.page.select_option("select[name=label]", "bug")
        ann.ready()
        ann.page.wait_for_url("**label=bug**")
        assert ann.page.text_content("#count") == "3 match"
        assert ann.verdicts() == {"1": "bug", "4": "bug", "5": "bug"}
        ann.press("/")
        ann.page.keyboard.type("LINHA 3 ")
        ann.page.keyboard.press("Enter")
        ann.page.wait_for_url("**search=LINHA**")
        ann.ready()
        assert ann.page.text_content("#count") == "1 match"
        assert not ann.problems
    kept = {one.issue_id: (one.verdict, one.kind) for one in Store(str(store)).labels.of_run(RUN)}
    assert len(kept) == 8
    assert kept["issue-4"] == ("bug", "word or phrase")


def test_fast_fingers_lose_nothing_across_pages(browser, store: Path) -> None:
    with served(store) as address:
        ann = Reviewer(browser, address, "Ann")
        ann.page.select_option("select[name=label]", "unlabelled")
        ann.page.wait_for_url("**label=unlabelled**")
        ann.ready()
        ann.press("b" * 60)  # past the 50 rows of the first page, while what is done drops out
        ann.done(60)
        ann.at(61)
        ann.press("n" * 25)
        ann.page.wait_for_url("**/labels")  # after the last one: what the labels say
        assert not ann.problems
    labels = Store(str(store)).labels.of_run(RUN)
    assert [one.verdict for one in labels] == ["bug"] * 60 + ["not a bug"] * 20


def test_two_reviewers_at_once(browser, store: Path) -> None:
    with served(store) as address:
        ann, bo = (Reviewer(browser, address, name) for name in ("Ann", "Bo"))
        for ours, theirs in zip("bbnnub", "bbnnbn", strict=True):
            ann.press(ours)
            bo.press(theirs)
        for one in (ann, bo):
            one.done(6)
        bo.press("z")
        bo.done(5)
        ann.press("r")
        ann.page.wait_for_selector("#reviewers[open]")
        panel = ann.page.text_content("#reviewers-body")
        assert "Ann, Bo" in panel
        # 4 of 5 agree; chance is (2*3 + 2*2 + 1*0) / 25 = .4, so kappa is .4 / .6.
        assert "0.667" in panel
        ann.page.keyboard.press("Escape")
        bo.page.select_option("select[name=label]", "disagreement")
        bo.page.wait_for_url("**disagreement**")
        bo.ready()
        assert bo.verdicts() == {"5": "bug"}
        assert "What others say" in bo.page.text_content("article")
        assert not ann.problems and not bo.problems


def test_hostile_answers_show_as_text(browser, store: Path) -> None:
    with served(store) as address:
        ann = Reviewer(browser, address, "<img src=x onerror='window.hacked=3'>")
        ann.press("j")
        ann.at(2)
        assert HOSTILE in ann.page.inner_text(".sides")
        assert 'img src=x onerror="window.hacked = 2"' in ann.page.inner_text(".sides")
        assert "⟨U+202E⟩" in ann.page.inner_text(".sides")
        assert ann.page.locator("img").count() == 0
        ann.page.reload()
        ann.ready()
        assert ann.page.evaluate("window.hacked") is None
        assert not ann.problems, "the policy had nothing to stop"
        blocked = ann.page.evaluate(
            "() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 4';"
            " document.body.append(s); return window.hacked }"
        )
        assert blocked is None, "even a script in the page would not run"


def test_a_name_and_a_label_without_script(browser, store: Path) -> None:
    with served(store) as address:
        page = browser.new_context(viewport=DESK, java_script_enabled=False).new_page()
        page.goto(address)
        page.fill("#name", "Plain")
        page.keyboard.press("Enter")
        page.click("button.v-n")
        assert page.get_attribute("article", "data-position") == "2"
        page.click("#undo")
        assert page.get_attribute("article", "data-position") == "1"
    assert Store(str(store)).labels.of_run(RUN) == []


def test_pictures_for_a_person_to_look_at(browser, store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    with served(store) as address:
        for name, more in {
            "light": {},
            "dark": {"color_scheme": "dark"},
            "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
        }.items():
            ann = Reviewer(browser, address, f"Ann {name}")
            if more:
                context = browser.new_context(**{"viewport": DESK, **more})
                context.add_cookies(ann.page.context.cookies())
                ann.page = context.new_page()
                ann.page.goto(address)
                ann.ready()
            ann.press("bn")
            ann.at(3)
            ann.page.screenshot(path=folder / f"{name}.png")
            wide = ann.page.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not wide, "nothing sticks out"
            ann.press("t")
            ann.page.wait_for_selector(".drawn > *", timeout=90_000)
            ann.page.screenshot(path=folder / f"{name}-trees.png")
    print(f"\npictures: {folder}")


def test_a_key_says_which_case_shows_the_bug(browser, tmp_path: Path) -> None:
    path = tmp_path / "cases.sqlite"
    fill(path, 3).close()
    with served(path) as address:
        ann = Reviewer(browser, address, "Ann")
        ann.ready()
        ann.page.keyboard.press("c")
        assert ann.page.eval_on_selector("details.further", "e => e.open")
        ann.page.keyboard.press("1")
        ann.page.wait_for_selector("article[data-position='2']")
        assert ann.page.eval_on_selector("#case", "e => e.selectedIndex") == 0, "each starts anew"
    store = Store(str(path))
    label, issue = store.labels.of_run(RUN)[0], next(iter(store.verdicts.issues(RUN)))
    assert (label.verdict, label.case) == ("bug", issue.case_ids[1])
    store.close()


TIMED = """async ([key, wanted]) => {
  const start = performance.now();
  const changed = new Promise(resolve => {
    const look = () => {
      if (document.querySelector('article')?.dataset.position === wanted) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  return await changed - start;
}"""
LOADED = """() => { const n = performance.getEntriesByType('navigation')[0];
  return n.domContentLoadedEventEnd - n.startTime }"""


def test_times_at_ten_thousand_issues(browser, tmp_path: Path) -> None:
    path = tmp_path / "large.sqlite"
    fill(path, 10_000).close()
    times: dict[str, list[float]] = {}
    with served(path) as address:
        ann = Reviewer(browser, address, "Ann")
        for start in ("", "?at=9900"):
            ann.page.goto(f"{address}/{start}")
            ann.ready()
            at = int(ann.page.get_attribute("article", "data-position"))
            for action, key in {"next": "j", "label bug": "b", "label a kind": "4"}.items():
                for _ in range(6):
                    at += 1
                    ann.page.wait_for_load_state("networkidle")
                    times.setdefault(action, []).append(ann.page.evaluate(TIMED, [key, str(at)]))
            for _ in range(3):
                at -= 1
                times.setdefault("undo", []).append(ann.page.evaluate(TIMED, ["z", str(at)]))
        pages = {
            "open": "", "unlabelled": "?label=unlabelled", "near the end": "?at=9900",
            "method": "?method=sit&at=9000", "score": "?least=8", "kind": "?kind=negation",
            "search, one hit": "?search=linha+9876+", "search, no hit": "?search=nowhere",
            "disagreement": "?label=disagreement", "undecided": "?shelf=undecided",
            "reviewers": "reviewers",
        }  # fmt: skip
        for action, query in pages.items():
            for _ in range(3):
                ann.page.goto(f"{address}/{query}")
                times.setdefault(action, []).append(ann.page.evaluate(LOADED))
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"\nat 10,000 issues, milliseconds: median, worst (bar: 200); {load:.1f} jobs a core")
    for action, taken in times.items():
        print(f"  {action:<16} {statistics.median(taken):6.0f} {max(taken):6.0f}")
    assert len(Store(str(path)).labels.of_run(RUN)) == 18, "2 x (12 labels, 3 undone)"
