"""The page: one file, nothing from outside, and no text of others ever becomes markup."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.records import Case, Edit, Input, Output, Span, Trial, Verdict
from polyglitch.report import Finding, write_report
from polyglitch.report.html import command, html_report
from polyglitch.results.findings import Chart, Gate, ReportLimits
from polyglitch.results.tables import one_result

from .samples import HOSTILE, finding, hostile_finding, many, summary


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, and the text within each kind."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.all_text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in ("meta", "input", "br", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag, "the page is well nested"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)
        if self.open and self.open[-1] not in ("script", "style"):
            self.all_text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def page_of(findings: Iterable[Finding], title: str = "T", **limits: int) -> tuple[str, Page]:
    findings = list(findings)
    found = summary(title, issues=len(findings))
    text = "".join(html_report(found, findings, ReportLimits(**limits)))
    return text, Page(text)


KNOWN_ATTRIBUTES = (
    "lang charset http-equiv content name class href id aria-labelledby aria-label tabindex role "
    "scope aria-hidden focusable width height hidden type autocomplete spellcheck placeholder "
    "value aria-live dir title data-index data-fill"
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    _, honest = page_of([hostile_finding("Harmless words here.")], "Harmless")
    raw, page = page_of([hostile_finding(text)], text)
    assert not page.open, "every element is closed"
    foreign = {tag for tag, _ in page.elements} - {tag for tag, _ in honest.elements}
    assert not foreign
    for tag in ("script", "style", "article", "title", "svg", "a", "form", "details"):
        assert page.count(tag) == honest.count(tag), tag
    for tag, attributes in page.elements:
        assert attributes.keys() <= set(KNOWN_ATTRIBUTES.split()), (tag, attributes)
        assert attributes.get("href", "#").startswith("#")
        assert re.fullmatch(r"[A-Za-z-]*", attributes.get("lang", ""))
    if text.isprintable():
        assert text in page.all_text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08]", raw)


def test_hidden_characters_become_chips() -> None:
    _, page = page_of([finding(outputs=("a\u202eb", "a\u200bb"))])
    assert "a⟨U+202E⟩b" in page.all_text
    assert "a⟨U+200B⟩b" in page.all_text
    chips = [attrs for _, attrs in page.elements if attrs.get("class") == "chip"]
    assert "right-to-left override" in {chip.get("title") for chip in chips}


@pytest.mark.slow
@given(st.text(st.characters(), max_size=40))
def test_any_text_can_be_shown(text: str) -> None:
    _, page = page_of([hostile_finding(text)], text)
    assert not page.open
    assert page.count("script") == page.count("style") == page.count("article") == 1


def test_policy_admits_our_style_and_script_and_nothing_else() -> None:
    raw, page = page_of([finding()])
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a)
    for tag in ("script", "style"):
        inside = re.findall(f"<{tag}>(.*?)</{tag}>", raw, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "style" not in {name for _, attributes in page.elements for name in attributes}
    assert not re.search(r"https?://|url\(|@import|\bsrc=", raw), "nothing comes from elsewhere"


def test_the_bug_is_marked_on_both_sides() -> None:
    _, page = page_of([finding()])
    twice = 2  # at the head of the page as the worst one, and as a card
    assert [t for t in page.texts["mark"] if t != "word"] == ["bridge", "mill"] * twice
    assert [t for t in page.texts["del"] if t != "word"] == ["A ponte", "fechada"] * twice
    assert [t for t in page.texts["ins"] if t != "word"] == ["O moinho", "fechado"] * twice
    assert "at most 2 passes" in page.all_text
    assert "the structure changed" in page.all_text


def test_places_at_fault_are_emphasised_with_their_reason() -> None:
    honest = finding()
    trial, verdict = honest.violations[0]
    blamed = msgspec.structs.replace(verdict, spans=(Span(1, 14, 21, "wrong gender"),))
    _, page = page_of([msgspec.structs.replace(honest, violations=((trial, blamed),))])
    faults = [a for tag, a in page.elements if tag == "mark" and a["class"] == "fault"]
    assert {"class": "fault", "title": "wrong gender"} in faults


def test_round_trips_labels_and_failures_have_their_own_look() -> None:
    source = "The bats come out at dusk."
    trip = (Output("Os morcegos saem ao anoitecer."), Output("The bats go out at dusk."))
    labels = (
        (Output(label="positive", scores={"positive": 0.9, "negative": 0.1}),),
        (Output(label="negative", scores={"negative": 0.6, "positive": 0.4}),),
    )
    failed = ((Output("fine"),), (Output(status="timeout", error="after 30 s"),))
    base = finding()
    verdict = base.violations[0][1]
    pair = (Input("Q?", context="Long ago."), Input("Q, then?", context="Long ago, it rained."))
    edit = Edit("swap", 0, 1, "Q", "Q, then")

    def page(inputs: tuple[Input, ...], chains: tuple[tuple[Output, ...], ...]) -> Page:
        case = Case("c", "s", "r", inputs, "m", edit)
        return page_of(
            [msgspec.structs.replace(base, violations=((Trial(case, chains), verdict),))]
        )[1]

    there_and_back = page((Input(source),), (trip,))
    assert "Round trip" in there_and_back.all_text
    assert "come" in there_and_back.texts["del"] and "go" in there_and_back.texts["ins"]
    languages = [a["lang"] for tag, a in there_and_back.elements if "lang" in a and tag == "div"]
    assert languages == ["en", "pt", "en"] * 2, "the worst one leads, and is a card"
    labelled = page((Input("a"), Input("b")), labels)
    widths = [a["width"] for tag, a in labelled.elements if tag == "rect"]
    assert {"90.0%", "10.0%", "60.0%", "40.0%"} <= set(widths)
    unanswered = page(pair, failed)
    assert "timeout" in unanswered.texts["strong"] and "after 30 s" in unanswered.all_text
    assert "Context (differs)" in unanswered.all_text
    details = [a for tag, a in unanswered.elements if tag == "details"]
    folded = [a["class"] for a in details]
    assert folded == ["context"] * 4 + ["figures", "signature"]
    assert not any("open" in a for a in details)


def test_further_violations_are_folded_away() -> None:
    _, page = page_of([finding(further=2)])
    assert "2 more failed tests of the same sentence" in page.all_text
    folded = [a["class"] for tag, a in page.elements if tag == "details"]
    assert page.count("article") == 1 and folded[:-1] == [
        "figures",
        "further",
        "figures",
        "figures",
    ]


def test_long_texts_are_cut_and_say_so() -> None:
    raw, page = page_of([finding(outputs=("w" * 5000, "v" * 10))], characters=4000)
    assert "1,000 more characters" in page.all_text
    assert "w" * 4000 in raw and "w" * 4001 not in raw


def test_cards_beyond_those_drawn_lie_packed_in_the_page() -> None:
    raw, page = page_of(many(250), cards=40)
    assert page.count("article") == 40
    assert "210 more findings are in this file" in page.all_text
    found = [a for tag, a in page.elements if tag == "script" and a.get("class") == "pack"]
    assert [a["data-count"] for a in found] == ["100", "100", "10"]

    def unpacked(text: str) -> list:
        return json.loads(gzip.decompress(base64.b64decode(text)))

    index = [entry for a in found for entry in unpacked(a["data-index"])]
    cards = [
        text
        for pack in re.findall(r'<script type="application/gzip"[^>]*>(.*?)</script>', raw)
        for text in unpacked(pack)
    ]
    assert len(index) == len(cards) == 210
    assert 'id="issue-41"' in cards[0] and 'id="issue-250"' in cards[-1]
    assert "the mill is closed" in index[0]["words"] and index[0]["methods"] == ["sit"]


def test_the_page_leads_with_the_answer() -> None:
    told = msgspec.structs.replace(
        summary(issues=3),
        created="2026-11-16T17:05:00+00:00",
        answer="3 in 10 sentences are affected.",
        gate=Gate(0.88, 97, False, "88.0% of 97 decided cases hold (limit 95%): failed."),
        chart=Chart("What the findings are about", {"negation": 2, "number": 1}),
    )
    page = Page("".join(html_report(told, [finding(name=n) for n in "abc"], ReportLimits())))
    places = [
        page.all_text.index(text)
        for text in (
            "16 November 2026, 17:05 UTC",
            "Failed",
            "3 in 10 sentences are affected.",
            "88.0% of 97 tests that could be judged hold",
            "What the findings are about",
            "The worst one",
            "Findings, worst first",
            "inputs with something to look at",
            "Run this again",
            "an input taken from the corpus",
        )
    ]
    assert places == sorted(places)


def test_what_only_differs_to_a_machine_is_named() -> None:
    for other, name in (
        ("The mill is сlosed.", "cyrillic small letter es"),
        ("The  mill is closed.", "blank"),
        ("The mill\u00a0is closed.", "no-break space"),
    ):
        _, page = page_of([finding(sources=("The mill is closed.", other))])
        assert name in page.all_text


def test_of_a_phrase_and_its_sentence_only_the_fault_is_marked() -> None:
    sentence, phrase = "Coffee growers in the hills fear frost.", "Coffee growers in the hills"
    outputs = ("Os produtores temem a geada.", "Produtores não nas colinas")
    base = finding(sources=(sentence, phrase), outputs=outputs, method="rti")
    trial, verdict = base.violations[0]
    case = msgspec.structs.replace(
        trial.case, relation="contained", edit=Edit("phrase", 0, len(phrase), phrase, phrase)
    )
    at_fault = msgspec.structs.replace(
        verdict, reasons=("negation added",), spans=(Span(1, 11, 14, "negation added", "source"),)
    )
    pair = (msgspec.structs.replace(trial, case=case), at_fault)
    _, page = page_of([msgspec.structs.replace(base, violations=(pair,))])
    marked = [text for text in page.texts["mark"] if text != "word"]
    assert marked == [phrase, "não"] * 2
    assert not [text for tag in ("del", "ins") for text in page.texts[tag] if text != "word"]
    assert "against its own source" in page.all_text


def test_no_more_cards_than_asked_for_and_the_rest_is_counted(tmp_path: Path) -> None:
    taken = Counter[str]()

    def counted() -> Iterable[Finding]:
        for item in many(5000):
            taken["findings"] += 1
            yield item

    target = write_report(
        tmp_path / "r.html", summary(issues=5000), counted(), ReportLimits(cards=40, packed=0)
    )
    page = Page(target.read_text("utf-8"))
    assert page.count("article") == 40
    assert "those after the worst 40 only in the .jsonl report" in page.all_text
    assert taken["findings"] == 40, "what is not shown is not even asked for"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r.html", "r.jsonl", "r.csv"])
def test_memory_does_not_grow_with_the_findings(tmp_path: Path, name: str) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        write_report(tmp_path / name, summary(issues=count), many(count), ReportLimits(cards=count))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(20)  # templates and caches are loaded once
    small, large = peak(50), peak(1500)
    assert (tmp_path / name).stat().st_size > 100_000
    assert large < small + 300_000


def test_each_card_is_written_before_the_next_finding_is_read() -> None:
    read: list[int] = []

    def watched() -> Iterable[Finding]:
        for number, item in enumerate(many(5000)):
            read.append(number)
            yield item

    pieces = html_report(summary(issues=5000), watched(), ReportLimits(cards=5000))
    for piece in pieces:
        if 'id="issue-' in piece or "issue-0" in piece:
            break
    assert len(read) <= 2


def test_an_empty_campaign_is_said_to_be_empty() -> None:
    _, page = page_of([])
    assert "Nothing was found" in page.all_text


def test_a_wrong_label_is_marked_where_it_stands() -> None:
    base = finding(("I love it.", "I really love it."))
    case = Case(
        "c",
        "s",
        "label:01",
        (Input("I love it."), Input("I really love it.")),
        "alict",
        expected=("positive",),
    )
    chains = ((Output(label="positive"),), (Output(label="neutral"),))

    def page(held: float) -> Page:
        verdict = Verdict(
            "c", "violated", "expected positive", 1.0, 0.0, details={"seed_holds": held}
        )
        return page_of(
            [msgspec.structs.replace(base, violations=((Trial(case, chains), verdict),))]
        )[1]

    wrong = [a for _, a in page(1.0).elements if a.get("class") == "wrong"]
    assert len(wrong) == 2, "the second label, where it leads and on its card"
    assert len([a for _, a in page(0.0).elements if a.get("class") == "wrong"]) == 4
    assert "expected positive" in page(1.0).all_text


def test_a_lone_sentence_names_its_finding() -> None:
    base = finding()
    case = Case("c", "s", "facts kept", (Input("The cat is not old."),), "facts")
    trial = Trial(case, ((Output("O gato é velho."),),))
    found = msgspec.structs.replace(base, violations=((trial, base.violations[0][1]),))
    assert re.search(r"<h3[^>]*>\s*<bdi>The cat is not old\.", page_of([found])[0])


def test_tables_begin_with_what_fails_and_fold_what_holds() -> None:
    made = [
        one_result("alict", name, name, {"cases": 9, "violated": n})
        for name, n in (("held", 0), ("some", 2), ("most", 7))
    ]
    told = msgspec.structs.replace(summary(), capabilities=tuple(made))
    page = "".join(html_report(told, [finding()], ReportLimits()))
    assert (
        page.index(">most<")
        < page.index(">some<")
        < page.index("1 other of which every test held")
        < page.index(">held<")
    )


def test_no_line_of_a_command_ends_inside_an_option_and_it_is_copied_as_it_is() -> None:
    text = 'polyglitch run --source-language en -o "a<b>.html" --limit 5'
    shown = str(command(text))
    assert shown.count('<span class="option">') == 3
    assert unescape(re.sub(r"</?span[^>]*>", "", shown)) == text
