"""Other people's text: one type for it, and nothing of it reaches a sink that was not cleaned for that sink."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.cli.main import say, say_json
from polyglitch.errors import SystemFailed
from polyglitch.files.foreign import Foreign, cell, one_line, plain, spelled_out
from polyglitch.records import Input
from polyglitch.report.ci_formats import sarif_report
from polyglitch.results.findings import ReportLimits
from polyglitch.tools import open_system
from tests.conftest import ROOT

from .samples import finding, summary

HOSTILE = (
    "see [here](javascript:alert(1)) http://evil.example www.evil.example \x1b[2J \u202efdp \x9b31m"
)
MISUSES = """
from polyglitch.files.foreign import Foreign
from polyglitch.report.ci_formats import message
from polyglitch.report.text_formats import csv_line
from polyglitch.errors import UsageError
from polyglitch.cli.main import say

text = Foreign("x")
csv_line(["x"])
csv_line([text])
message("x")
message(text)
say(text)
"cause: " + text
csv_line([text.cell(), 1.0, None])
message(text.plain())
say(text.line())
"""


@pytest.mark.slow
def test_mypy_keeps_foreign_text_from_every_sink(tmp_path: Path) -> None:
    source = tmp_path / "misuses.py"
    source.write_text(MISUSES)
    done = subprocess.run(  # in the project's folder, where `make lint` left what it knows of every module
        [sys.executable, "-m", "mypy", "--no-error-summary", str(source)],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {9, 10, 11, 12, 13, 14}, done.stdout + done.stderr


@given(st.text())
def test_a_line_is_one_line_and_printable(text: str) -> None:
    shown = one_line(text, 80)
    assert len(shown) <= 80
    assert len(shown.splitlines()) <= 1
    assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(shown)
    assert str(Foreign(text)) == f"{Foreign(text)}" == one_line(text)


def test_sarif_has_no_link_and_hides_nothing() -> None:
    found = finding(outputs=(HOSTILE, HOSTILE), reason=HOSTILE)
    more = msgspec.structs.replace(summary(), undecided_reasons={HOSTILE: 2})
    text = "".join(sarif_report(more, [found], ReportLimits()))
    (run,) = json.loads(text)["runs"]
    messages = [run["results"][0]["message"]["text"]]
    messages += [
        note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]
    ]
    assert len(messages) == 2
    for told in messages:
        assert "evil.example" in told
        assert not re.search(r"(?<!\\)\]\(|://|www\.", told)
        assert not {"\x1b", "\x9b", "\u202e"} & set(told)
    assert not re.search(r"\\u(001b|202e|009b)", text)


def test_a_links_brackets_are_escaped() -> None:
    assert plain("[a](b) http://c") == r"\[a\](b) http(:)//c"
    assert cell("foo;=cmd") == "foo;'=cmd"


def test_the_last_words_of_a_program_cannot_drive_the_terminal(tmp_path: Path) -> None:
    program = tmp_path / "dies"
    program.write_text("#!/bin/sh\nprintf '\\033[2J\\033]0;owned\\007 sorry' >&2\nexit 3\n")
    program.chmod(0o755)
    system = open_system(f"cmd:{program}")
    try:
        (output,) = system.ask([Input("one")])
        assert "sorry" in output.error and "\x1b" not in output.error
        with pytest.raises(SystemFailed) as error:
            system.ask([Input(str(number)) for number in range(9)])
        assert "sorry" in str(error.value) and "\x1b" not in str(error.value)
    finally:
        system.close()


def test_what_is_printed_can_be_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"text": HOSTILE + " é 猫"})
    out = capsys.readouterr().out
    assert json.loads(out)["text"] == HOSTILE + " é 猫"
    assert "é 猫" in out and not {"\x1b", "\x9b", "\u202e"} & set(out)
    say(HOSTILE)
    assert not {"\x1b", "\x9b", "\u202e"} & set(capsys.readouterr().out)


def test_a_letter_of_another_script_in_a_word_is_shown() -> None:
    assert spelled_out("The fi\u0430lm w\u0430s good.") == "The fi⟨U+0430⟩lm w⟨U+0430⟩s good."
    for honest in ("Москва и Киев", "Αθήνα", "a café, 3 μm", "vitamin А"):
        assert spelled_out(honest) == honest
