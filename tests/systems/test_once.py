"""A program run once a batch: a run that goes wrong is taken apart to find the guilty input."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyglitch.errors import SystemFailed
from polyglitch.protocols import System
from polyglitch.records import Input, Output
from polyglitch.tools import open_system

from .programs import command, honest, write_program


def open_once(folder: Path, timeout: float = 10.0) -> System:
    return open_system("cmd-once:" + command(write_program(folder), "--buffer"), timeout)


def ask(system: System, *texts: str) -> list[Output]:
    return list(system.ask([Input(text) for text in texts]))


def test_a_good_batch_takes_one_run(tmp_path: Path) -> None:
    source = "import os, sys\nfor line in sys.stdin: print(os.getpid())\n"
    system = open_system("cmd-once:" + command(write_program(tmp_path, source)))
    first, second = ask(system, *"abcdef"), ask(system, *"abc")
    assert len({output.text for output in first}) == 1
    assert {output.text for output in first} != {output.text for output in second}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "status", "message"),
    [
        ("drop", "error", "0 lines instead of 1"),
        ("double", "error", "2 lines instead of 1"),
        ("die", "error", "exited with code 3: cannot bear die 2"),
        ("abort", "error", "killed by SIGABRT"),
        ("hang", "timeout", "no answer in 1.5 s"),
        ("bytes", "error", "the answer is not valid UTF-8: byte 0xff at 1"),
        ("empty", "error", "empty answer"),
    ],
)
def test_the_error_sticks_to_its_input(tmp_path: Path, bad: str, status: str, message: str) -> None:
    outputs = ask(open_once(tmp_path, 1.5), "one", f"{bad} 2", "three", "four")
    assert (outputs[1].status, outputs[1].error) == (status, message)
    del outputs[1]
    assert [output.text for output in outputs] == ["<ONE>", "<THREE>", "<FOUR>"]


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    source = "import sys\nprint(*(line.strip() for line in sys.stdin), sep='\\n', end='')\n"
    system = open_system("cmd-once:" + command(write_program(tmp_path, source)))
    assert [output.text for output in ask(system, "a", "b")] == ["a", "b"]


def test_a_program_that_never_works_stops_the_run(tmp_path: Path) -> None:
    system = open_system("cmd-once:" + command(tmp_path / "nowhere.py"))
    with pytest.raises(SystemFailed, match=r"5 inputs in a row.*No such file"):
        ask(system, *"abcdefgh")


# Not mixed with doubles: a batch that loses a line and doubles another has the right count.
FAULTS = ("drop", "die", "empty", "bytes")


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(st.sampled_from(["good", "flood", *FAULTS]), min_size=1, max_size=8))
def test_whatever_the_mix_every_good_input_gets_its_own_answer(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    texts = [text for n, word in enumerate(words) for text in (f"{word} {n}", f"good {n} more")]
    outputs = ask(open_once(tmp_path_factory.mktemp("mix")), *texts)
    wanted = ["" if text.startswith(FAULTS) else honest(text) for text in texts]
    assert [output.text for output in outputs] == wanted
