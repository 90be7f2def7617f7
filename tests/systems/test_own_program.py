"""A program of one's own, in the folder one stands in: it is run, and no namesake of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.errors import SystemFailed
from polyglitch.records import Input
from polyglitch.tools import open_system


def program(path: Path, says: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nwhile read -r line; do echo "{says} $line"; done\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, while another of that name is on the search path."""
    program(tmp_path / "bin" / "translate", "theirs")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    folder = tmp_path / "project"
    program(folder / "translate", "ours")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("scheme", ["cmd", "cmd-once"])
@pytest.mark.parametrize(
    ("command", "who"),
    [("./translate", "ours"), ("../project/translate", "ours"), ("translate", "theirs")],
)
def test_the_program_that_was_named_is_run(scheme: str, command: str, who: str, here: Path) -> None:
    system = open_system(f"{scheme}:{command}", 10)
    assert [output.text for output in system.ask([Input("a b")])] == [f"{who} a b"]
    system.close()


def test_a_program_in_a_home_folder_is_found(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here))
    system = open_system("cmd:~/translate", 10)
    assert system.ask([Input("a")])[0].text == "ours a"
    system.close()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("alone", r"the one in this folder is cmd:\./alone"),
        ("./notes", "'./notes' cannot be started .no execute permission"),
        ("./nowhere", "'./nowhere' cannot be started .no such program"),
        ("./folder", "'./folder' cannot be started .a folder"),
    ],
)
def test_what_cannot_be_run_says_why(command: str, message: str, here: Path) -> None:
    program(here / "alone", "alone")
    program(here / "notes", "notes").chmod(0o644)
    (here / "folder").mkdir()
    with pytest.raises(SystemFailed, match=message):
        open_system(f"cmd:{command}", 10)
