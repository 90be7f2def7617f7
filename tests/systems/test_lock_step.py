"""A program that stays up is asked line by line; whatever it does wrong stays where it was done."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.protocols import System
from polyglitch.records import Input, Output
from polyglitch.tools import open_system

from .programs import MISBEHAVING, command, honest, write_program

pytestmark = pytest.mark.slow

psutil = pytest.importorskip("psutil", reason="psutil is lacking: pip install -e '.[check]'")


@contextlib.contextmanager
def running(path: Path, *options: str, timeout: float = 10.0) -> Iterator[System]:
    system = open_system("cmd:" + command(path, *options), timeout)
    try:
        yield system
    finally:
        system.close()


def ask(system: System, *texts: str) -> list[Output]:
    return list(system.ask([Input(text) for text in texts]))


def test_each_input_gets_its_own_answer_batch_after_batch(tmp_path: Path) -> None:
    with running(write_program(tmp_path)) as system:
        for start in range(0, 90, 30):
            texts = [f"line {number}" for number in range(start, start + 30)]
            assert [output.text for output in ask(system, *texts)] == [honest(t) for t in texts]


def test_one_process_serves_all_batches(tmp_path: Path) -> None:
    source = "import os\nwhile True:\n  input()\n  print(os.getpid(), flush=True)\n"
    with running(write_program(tmp_path, source)) as system:
        seen = {output.text for _ in range(5) for output in ask(system, "a", "b")}
    assert len(seen) == 1
    assert not psutil.pid_exists(int(seen.pop()))


@pytest.mark.parametrize("bad", ["drop", "double", "hang", "die", "abort", "bytes", "empty"])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_fault_is_recorded_where_it_belongs(tmp_path: Path, bad: str, place: int) -> None:
    texts = ["one", "two", "three"]
    texts.insert(place, f"{bad} it")
    with running(write_program(tmp_path), timeout=2.0) as system:
        outputs = ask(system, *texts)
        after = ask(system, "afterwards")
    wanted = [honest(text) if bad not in text else "" for text in texts]
    assert [output.text for output in outputs] == wanted
    assert [output.ok for output in outputs] == [bad not in text for text in texts]
    assert after[0].text == honest("afterwards")


@pytest.mark.parametrize(
    ("bad", "status", "message"),
    [
        ("die", "error", "exited with code 3: cannot bear die now"),
        ("abort", "error", "killed by SIGABRT"),
        ("bytes", "error", "the answer is not valid UTF-8: byte 0xff at 1"),
        ("empty", "error", "empty answer"),
        ("double", "error", "more than one line for one input"),
        ("late", "error", "more than one line for one input"),
        ("hang", "timeout", "no answer in 1.5 s"),
        ("drop", "timeout", "no answer in 1.5 s"),
    ],
)
def test_the_record_says_what_went_wrong(
    tmp_path: Path, bad: str, status: str, message: str
) -> None:
    with running(write_program(tmp_path), timeout=1.5) as system:
        output = ask(system, "good", f"{bad} now", "good again")[1]
    assert (output.status, output.error) == (status, message)


THINKING = """
import sys, time
for line in sys.stdin:
    time.sleep(0.3)
    print(f"<{line.strip().upper()}>", flush=True)
    if "late" in line:
        time.sleep(0.2)
        print("<AND MORE>", flush=True)
"""

READING_AHEAD = """
import queue, sys, threading, time
lines = queue.Queue()
threading.Thread(target=lambda: [lines.put(line) for line in sys.stdin] + [lines.put("")]).start()
while line := lines.get():
    print(f"<{line.strip().upper()}>", flush=True)
    if "late" in line:
        time.sleep(0.3)
        print("<AND MORE>", flush=True)
"""


@pytest.mark.parametrize(
    ("source", "place"),
    [
        *((source, place) for source in (MISBEHAVING, THINKING) for place in (0, 2)),
        (READING_AHEAD, 0),  # found out by count alone, so enough has to follow
    ],
)
def test_a_line_that_comes_late_is_no_answer_to_the_next_input(
    tmp_path: Path, source: str, place: int
) -> None:
    texts = ["one", "two", "three", "four"]
    texts.insert(place, "late it")
    with running(write_program(tmp_path, source)) as system:
        outputs = ask(system, *texts)
        after = ask(system, "afterwards")
    wanted = [honest(text) if "late" not in text else "" for text in texts]
    assert [output.text for output in outputs] == wanted
    assert outputs[place].error == "more than one line for one input"
    assert after[0].text == honest("afterwards")


@pytest.mark.parametrize("next_text", ["die", "hang", "drop", "late", "double", "empty"])
def test_a_late_line_makes_up_for_no_other_fault(tmp_path: Path, next_text: str) -> None:
    texts = ["one", "late it", f"{next_text} too", "two"]
    with running(write_program(tmp_path), timeout=2.0) as system:
        outputs = ask(system, *texts)
    assert [output.text for output in outputs] == [honest("one"), "", "", honest("two")]


def test_a_line_later_than_its_batch_is_no_answer_in_the_next(tmp_path: Path) -> None:
    with running(write_program(tmp_path, THINKING)) as system:
        for _ in range(2):
            ask(system, "one", "late it")
            outputs = ask(system, "two", "three")
            assert [output.text for output in outputs] == [honest("two"), honest("three")]


def test_a_program_that_stalls_after_its_answer_costs_only_time(tmp_path: Path) -> None:
    texts = ["one", "stall", "two", "three"]
    with running(write_program(tmp_path), timeout=1.5) as system:
        assert [output.text for output in ask(system, *texts)] == [honest(t) for t in texts]


def test_a_program_that_takes_pieces_for_lines_gets_whole_lines(tmp_path: Path) -> None:
    source = (
        "import os\nwhile piece := os.read(0, 65536):\n"
        "  print(f'{os.getpid()}:<{piece.decode().strip().upper()}>', flush=True)\n"
    )
    texts = [f"line {number}" for number in range(8)]
    with running(write_program(tmp_path, source)) as system:
        batches = [[output.text.split(":") for output in ask(system, *texts)] for _ in range(4)]
    assert [[text for _, text in batch] for batch in batches] == [[honest(t) for t in texts]] * 4
    assert len({process for process, _ in batches[-1]}) == 1  # no more restarts


def test_a_flood_of_complaints_blocks_nobody(tmp_path: Path) -> None:
    with running(write_program(tmp_path)) as system:
        outputs = ask(system, *["flood"] * 5, "calm")
    assert [output.text for output in outputs] == [*["<FLOOD>"] * 5, "<CALM>"]


def test_an_input_larger_than_a_pipe_comes_back_whole(tmp_path: Path) -> None:
    long = "word " * 100_000
    with running(write_program(tmp_path)) as system:
        assert ask(system, long, "short")[0].text == honest(long)


def test_a_program_that_leaves_after_its_answer_is_started_again(tmp_path: Path) -> None:
    texts = ["leave 1", "leave 2", "stay", "leave 3", *(f"leave {n}" for n in range(4, 12))]
    with running(write_program(tmp_path)) as system:
        assert [output.text for output in ask(system, *texts)] == [honest(t) for t in texts]


def test_a_program_that_always_dies_stops_the_run(tmp_path: Path) -> None:
    with (
        running(write_program(tmp_path)) as system,
        pytest.raises(SystemFailed, match=r"died on 5 inputs in a row.*exited with code 3"),
    ):
        ask(system, *(f"die {number}" for number in range(9)))


def test_four_deaths_in_a_row_do_not(tmp_path: Path) -> None:
    with running(write_program(tmp_path)) as system:
        for _ in range(2):
            outputs = ask(system, *(f"die {number}" for number in range(4)), "alive")
            assert [output.ok for output in outputs] == [False] * 4 + [True]


def test_newlines_are_folded_and_a_context_follows_a_tab(tmp_path: Path) -> None:
    with running(write_program(tmp_path)) as system:
        plain, asked = system.ask(
            [Input("two\r\nlines\rmore\nend"), Input("who\tis it?", context="it\nis me")]
        )
    assert plain.text == "<TWO LINES MORE END>"
    assert asked.text == "<WHO IS IT?\tIT IS ME>"


def test_text_that_cannot_be_encoded_is_an_error_of_that_input_alone(tmp_path: Path) -> None:
    with running(write_program(tmp_path)) as system:
        outputs = ask(system, "before", "\ud800", "after")
    assert [output.text for output in outputs] == ["<BEFORE>", "", "<AFTER>"]
    assert "not valid Unicode" in outputs[1].error


@pytest.mark.parametrize("bad", ["", "drop", "double", "die", "empty"])
def test_a_program_that_buffers_is_found_out_and_run_once_a_batch(tmp_path: Path, bad: str) -> None:
    texts = ["one", "two", f"{bad} three", "four"] if bad else ["one", "two"]
    with running(write_program(tmp_path), "--buffer", timeout=4.0) as system:
        first = ask(system, *texts)
        start = time.monotonic()
        second = ask(system, *texts)
        assert time.monotonic() - start < 3  # no silence is waited for again
    wanted = [honest(text) if not bad or bad not in text else "" for text in texts]
    assert [output.text for output in first] == wanted
    assert [output.text for output in second] == wanted


def test_a_plain_unix_filter_works() -> None:
    system = open_system("cmd:tr a-z A-Z", timeout=4.0)
    assert [output.text for output in ask(system, "one", "two")] == ["ONE", "TWO"]
    system.close()


def test_a_program_slow_to_load_is_not_taken_for_a_buffering_one(tmp_path: Path) -> None:
    source = (
        "import os, time\ntime.sleep(1.5)\n"
        "while True:\n  input()\n  print(os.getpid(), flush=True)\n"
    )
    with running(write_program(tmp_path, source), timeout=4.0) as system:
        answers = {ask(system, "a")[0].text for _ in range(3)}
    assert len(answers) == 1


def test_closing_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    source = (
        "import subprocess, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "input(); print(child.pid, flush=True)\nsignal.pause()\n"
    )
    with running(write_program(tmp_path, source)) as system:
        grandchild = int(ask(system, "who?")[0].text)
        assert psutil.pid_exists(grandchild)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(grandchild).wait(5)
    zombies = [p for p in psutil.Process().children() if p.status() == psutil.STATUS_ZOMBIE]
    assert not zombies


def test_a_program_that_cannot_start_says_so_at_once(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("no program")
    with pytest.raises(SystemFailed, match=r"no such program.*give the path"):
        open_system("cmd:./nowhere --fast")
    with pytest.raises(SystemFailed, match="no execute permission"):
        open_system(f"cmd:{silent}")
    silent.chmod(0o755)
    with pytest.raises(SystemFailed, match=r"cannot be started .*interpreter"):
        open_system(f"cmd:{silent}").ask([Input("a line")])
    with pytest.raises(UsageError, match="No closing quotation"):
        open_system("cmd:echo 'open")


def test_an_edited_script_is_another_system(tmp_path: Path) -> None:
    path = write_program(tmp_path)
    with running(path) as system:
        before = system.signature
    with running(path) as system:
        assert system.signature == before
    path.write_text(path.read_text() + "# edited\n")
    with running(path) as system:
        assert system.signature != before


WORDS = st.sampled_from(["good", "fine", "double", "die", "bytes", "empty", "leave", "flood"])


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(WORDS, min_size=1, max_size=12))
def test_whatever_the_mix_every_good_input_gets_its_own_answer(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    texts: list[str] = []
    for number, word in enumerate(words):
        # Five deaths in a row rightly stop a run, so a good input stands between.
        texts += (
            [f"{word} {number}", f"good {number} more"] if word == "die" else [f"{word} {number}"]
        )
    faulty = ("double", "die", "bytes", "empty")
    path = write_program(tmp_path_factory.mktemp("mix"))
    with running(path) as system:
        outputs = ask(system, *texts)
    assert len(outputs) == len(texts)
    for text, output in zip(texts, outputs, strict=True):
        assert output.ok == (not text.startswith(faulty)), (text, output)
        assert output.text == (honest(text) if output.ok else "")


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    words=st.lists(
        st.sampled_from(["good", "double", "late", "die", "hang"]), min_size=2, max_size=5
    )
)
def test_hangs_among_other_faults_cost_nobody_else_an_answer(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    texts = [text for n, word in enumerate(words) for text in (f"{word} {n}", f"good {n} more")]
    with running(write_program(tmp_path_factory.mktemp("hang")), timeout=1.5) as system:
        outputs = ask(system, *texts)
    wanted = [honest(text) if text.startswith("good") else "" for text in texts]
    assert [output.text for output in outputs] == wanted
    statuses = {text.split()[0]: output.status for text, output in zip(texts, outputs, strict=True)}
    assert statuses.get("hang", "timeout") == "timeout"
