"""What nobody foresaw: one line, a file with the details, exit code 70, never 1."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from polyglitch.cli import main as cli_main
from polyglitch.errors import Missing, PolyglitchError, UsageError
from polyglitch.store.store import Store


def exit_of(monkeypatch: pytest.MonkeyPatch, error: Exception) -> int | str | None:
    """The exit code of a command that ends in an error."""

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cli_main.polyglitch, "main", broken)
    with pytest.raises(SystemExit) as end:
        cli_main.main(["runs"])
    return end.value.code


def test_an_unexpected_error_is_one_line_and_exit_70(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    assert exit_of(monkeypatch, TypeError("odd \x1b[2J\nthing")) == 70
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "TypeError: odd ⟨U+001B⟩[2J thing" in said
    (details,) = (tmp_path / "polyglitch" / "errors").iterdir()
    assert str(details) in said
    assert "Traceback" in details.read_text("utf-8")
    assert details.stat().st_mode & 0o077 == 0


def test_the_details_that_cannot_be_written_change_no_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "polyglitch").write_text("a file where the folder would be")
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    assert exit_of(monkeypatch, ZeroDivisionError("division by zero")) == 70
    assert "could not be written" in capsys.readouterr().err


def test_a_package_that_is_missing_is_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = ModuleNotFoundError("No module named 'starlette.routing'", name="starlette.routing")
    assert exit_of(monkeypatch, lacking) == 2
    assert "starlette is not installed" in capsys.readouterr().err
    assert exit_of(monkeypatch, Missing("ray", "--engine ray", "pip install ray")) == 2


def test_no_error_of_ours_is_exit_1() -> None:
    kinds = [PolyglitchError]
    while kinds:
        kind = kinds.pop()
        assert kind.exit_code not in (0, 1), kind
        kinds += kind.__subclasses__()


@pytest.mark.parametrize(
    "version", ["", "two", "0", "-1", "2.0", "99", " 2", "²", "9" * 5000, None, b"\xff", 1e300]
)
def test_an_odd_schema_version_is_a_clear_error(tmp_path: Path, version: object) -> None:
    path = tmp_path / "runs.sqlite"
    Store(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("update about set value = ? where key = 'schema'", [version])
    with pytest.raises(UsageError, match=r"has schema .*this version reads 1 to"):
        Store(str(path))
