"""Findings for the tests: an honest one, a hostile one, and as many as wanted."""

from __future__ import annotations

from collections.abc import Iterator

from polyglitch.records import Case, Edit, Input, Issue, Output, Seed, Span, Trial, Verdict
from polyglitch.report import Finding, MethodCount, Summary

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></title></article><svg onload=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "<!-- ]]> &lt;script&gt; javascript:alert(1)",
    "user\u202egnp.exe zero\u200bwidth \x07 bell",
)


def finding(
    sources: tuple[str, str] = ("The bridge is closed.", "The mill is closed."),
    outputs: tuple[str, str] = ("A ponte está fechada.", "O moinho está fechado."),
    name: str = "1",
    method: str = "sit",
    reason: str = "the structure changed",
    further: int = 0,
) -> Finding:
    """A finding of one pair, or of `further` more that are alike."""
    inputs = tuple(Input(text) for text in sources)
    pairs = []
    for place in range(1 + further):
        case = Case(f"case-{name}-{place}", f"seed-{name}", "same structure", inputs, method)
        verdict = Verdict(case.id, "violated", score=7.0 - place, threshold=2.0, reasons=(reason,))
        pairs.append((Trial(case, tuple((Output(text),) for text in outputs)), verdict))
    ids = tuple(trial.case.id for trial, _ in pairs)
    issue = Issue(f"issue-{name}", f"seed-{name}", method, ids, 5.0)
    return Finding(issue, Seed(f"seed-{name}", inputs[0], origin="mine.txt"), tuple(pairs))


def hostile_finding(text: str) -> Finding:
    """A finding where every string that comes from outside is the same hostile text."""
    given = Input(text, context=text, title=text, language=text)
    other = Input(text + " more", context="other", title=text, language=text)
    edit = Edit(text, 0, 3, text, text)
    case = Case(text, text, text, (given, other), text, edit, expected=(text,))
    labelled = Output(label=text, scores={text: 0.5})
    routes = (
        ((Output(text),), (Output("x " + text),)),
        ((Output(text), Output(text)), (Output(text), Output(status="error", error=text))),
        ((labelled,), (Output(label="other", scores={text: float("nan")}),)),
    )
    verdict = Verdict(
        text,
        "violated",
        reason=text,
        score=3.0,
        details={text: 1.0},
        reasons=(text,),
        spans=(Span(0, 0, 4, text), Span(1, 2, 99999, text)),
    )
    pairs = tuple((Trial(case, route), verdict) for route in routes)
    issue = Issue(text, text, text, (text,), 3.0, kind=text)
    return Finding(issue, Seed(text, given, origin=text), pairs, also_found_by=(text,))


def summary(text: str = "English to Portuguese", issues: int = 1) -> Summary:
    """Totals with `text` wherever a string may come from outside."""
    return Summary(
        title=text,
        signature=text,
        command=text,
        created=text,
        system=text,
        languages=("en", "pt"),
        seeds=10,
        cases=100,
        queries=110,
        cache_hits=20,
        violations=12,
        undecided=3,
        errors=1,
        issues=issues,
        seconds=75.0,
        methods=(MethodCount(text, 100, 12, 85, 3, issues),),
        undecided_reasons={text: 3},
        skipped={text: 2},
    )


def many(count: int) -> Iterator[Finding]:
    """That many findings, each made when it is asked for."""
    return (finding(name=str(number)) for number in range(count))
