"""The study page: tests of capabilities read one by one, blind, by any number of readers.

What is said goes to a file of JSON lines that is only ever added to, so that two servers, or a server and a person with
an editor, cannot lose each other's words.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from polyglitch.evaluate.study import MOST_MARKS, StudyReading, StudyTest, read_readings
from polyglitch.review.access import Hosts, Sessions
from polyglitch.review.app import guarded, named, reviewer
from polyglitch.review.pages import Form, place_of, render, session_of, write

MARKS = [str(mark) for mark in range(1, MOST_MARKS + 1)]


class Study:
    """The tests, and where readings are kept."""

    def __init__(self, tests: Sequence[StudyTest], path: Path, suite: str = "") -> None:
        self.tests, self.path, self.suite = list(tests), path, suite
        self.labels = sorted({label for test in tests for label in test.label.split("|")})

    def read_by(self, who: str) -> set[str]:
        """The ids of the tests that a reader has read."""
        if not self.path.exists():
            return set()
        return {one.id for one in read_readings(self.path) if one.reader == who}

    def page(self, request: Request) -> Response:
        """The next test that the reader has not read, or the one that is asked for."""
        who = reviewer(request)
        if not who:
            return RedirectResponse("/name", 303)
        done = self.read_by(who)
        at = place_of(request.query_params, "at")
        if at is None:
            left = (place for place, test in enumerate(self.tests) if test.id not in done)
            at = next(left, len(self.tests))
        test = self.tests[at] if at < len(self.tests) else None
        values: dict[str, Any] = {"who": who, "test": test, "at": at, "labels": self.labels}
        values |= {"done": len(done & {one.id for one in self.tests}), "total": len(self.tests)}
        token = session_of(request).token
        return HTMLResponse(render("study", token=token, marks=MARKS, path=self.path, **values))

    def keep(self, request: Request, form: Form) -> Response:
        """Add what the reader says to the file."""
        who = named(request)
        test = next((one for one in self.tests if one.id == form.get("test")), None)
        if test is None or form.get("label") not in self.labels:
            raise HTTPException(400, "no such test, or no such label")
        reading = StudyReading(
            text=test.text,
            expected=test.label,
            capability=test.capability,
            reader=who,
            label=form["label"],
            relevance=mark_of(form, "relevance"),
            validity=mark_of(form, "validity") if test.seed else None,
            natural=form.get("natural") == "yes" if test.seed else None,
            seed=test.seed,
            suite=self.suite,
        )
        self.add(reading)
        return RedirectResponse("/", 303)

    def add(self, reading: StudyReading) -> None:
        """One line more, in one write and on the disk before the next test is shown."""
        with self.path.open("ab") as out:
            out.write(msgspec.json.encode(reading) + b"\n")
            out.flush()
            os.fsync(out.fileno())


def mark_of(form: Form, name: str) -> int:
    """A mark of a form."""
    if form.get(name) not in MARKS:
        raise HTTPException(400, f"{name} is a mark from {MARKS[0]} to {MARKS[-1]}")
    return int(form[name])


def make_study(study: Study, hosts: Hosts, sessions: Sessions) -> Starlette:
    """The application: the tests, and where readings go."""
    pages = [Route("/", study.page), Route("/keep", write(study.keep), methods=["POST"])]
    return guarded(pages, hosts, sessions)
