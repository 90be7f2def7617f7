"""Small parsers of our own: packed with a hash, taken from a folder of releases, refused when they are others."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from polyglitch.cli.main import main
from polyglitch.errors import UsageError
from polyglitch.nlp.models import own_parsers
from polyglitch.nlp.models.own_parsers import OwnParser, fetched, offer, pack, unpack
from polyglitch.nlp.parsers.choose import choose
from polyglitch.nlp.parsers.udpipe import sentences, tokens_of
from tests.conftest import ROOT


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of releases with a parser of Swedish that is small indeed."""
    made = tmp_path / "trained"
    (made / "vocab").mkdir(parents=True)
    (made / "config.cfg").write_text("[nlp]\nlang = 'sv'\n")
    (made / "vocab" / "strings.json").write_text("[]")
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path / "cache"))
    file, digest = pack("sv", made, tmp_path / "release")
    assert pack("sv", made, tmp_path / "again")[1] == digest  # the same files, the same hash
    known = {"sv": OwnParser(digest, 3.1, "CC BY-SA 4.0", "a test set", 90.0, 80.0, 70.0)}
    monkeypatch.setattr(own_parsers, "known_parsers", lambda: known)
    return file.parent


def ended(arguments: list[str]) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return int(left.value.code or 0)


def test_a_release_is_fetched_found_and_not_fetched_again(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose("sv") is None and fetched("sv") is None
    assert offer("sv")[0] == "" and "recipes.train_parser sv" in offer("sv")[1]
    monkeypatch.setenv("POLYGLITCH_RELEASES", release.as_uri())
    assert offer("sv")[0] == "polyglitch get parser-sv (3.1 MB, CC BY-SA 4.0)"
    assert ended(["get", "parser-sv"]) == 0
    choice = choose("sv")
    assert choice is not None and (choice.origin, choice.tags_only) == ("fetched", False)
    assert ended(["get", "parser-sv"]) == 0 and "there already" in capsys.readouterr().out


def test_without_a_release_the_recipe_is_named(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(["get", "parser-sv"]) == 2
    said = capsys.readouterr().err
    assert "--from FOLDER" in said and "recipes.train_parser sv" in said
    assert ended(["get", "parser-sv", "--from", "https://example.org/releases"]) == 2
    assert "file: address" in capsys.readouterr().err


def test_another_file_of_that_name_is_refused(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(release / own_parsers.file_name("sv"), "a") as archive:
        archive.writestr("more.txt", "not what was released")
    assert ended(["get", "parser-sv", "--from", str(release)]) == 2
    assert "not the file that was released" in capsys.readouterr().err
    assert fetched("sv") is None


def test_nothing_is_unpacked_outside_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "bad.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("../outside.txt", "here")
    with pytest.raises(UsageError, match="leads out"):
        unpack(file.read_bytes(), tmp_path / "kept" / "parser-sv")
    assert not (tmp_path / "kept" / "outside.txt").exists()


WRITTEN = """# text = Vi bor vid sjön.
1-2\tVibor\t_\t_\t_\t_\t_\t_\t_\t_
1\tVi\tvi\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tbor\tbo\tVERB\t_\t_\t0\troot\t_\t_
3\tsjön\tsjö\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def test_what_udpipe_writes_is_read_with_its_places() -> None:
    """CoNLL-U as UDPipe writes it: a token of two words is one of ours, and stands where the text has it."""
    (words,) = sentences(WRITTEN)
    found = tokens_of(words, "Vibor  sjön.", 0, 0)
    assert [(token.text, token.start, token.end) for token in found] == [
        ("Vibor", 0, 5),
        ("sjön", 7, 11),
        (".", 11, 12),
    ]
    assert [token.head for token in found] == [0, 0, 0] and found[0].relation == "root"


TREE = (
    "1\tHon\thon\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tsov\tsova\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)


@pytest.mark.needs("spacy")
def test_the_recipe_parts_a_treebank_before_it_looks(tmp_path: Path) -> None:
    from recipes.train_parser import lemma_table, notice, treebanks

    (tmp_path / "sv_talbanken-ud-test.conllu").write_text(TREE * 3, "utf-8")
    (tmp_path / "ud_sv_talbanken_dev.conllu").write_text(TREE * 20, "utf-8")
    (tmp_path / "sv_pud-ud-test.conllu").write_text(TREE * 10, "utf-8")
    banks = treebanks("sv", tmp_path)
    assert (len(banks.train), len(banks.choose), len(banks.test)) == (27, 3, 3)
    assert banks.sources == ("talbanken", "pud") and banks.measured == "TALBANKEN test"
    assert lemma_table(banks.train) == {"sov": "sova"}
    said = notice([{"name": "UD Swedish-PUD", "license": "CC BY-SA 3.0", "url": "u"}])
    assert "UD Swedish-PUD, CC BY-SA 3.0" in said and "CC BY-SA 4.0" in said
    with pytest.raises(SystemExit, match="no treebank of 'xx'"):
        treebanks("xx", tmp_path)


def test_every_released_parser_has_its_figures_in_the_docs() -> None:
    page = (ROOT / "docs/how-to/resources.md").read_text("utf-8")
    for code, one in own_parsers.known_parsers().items():
        assert one.megabytes <= 4 and len(one.sha256) == 64
        assert f"| `parser-{code}` " in page and f"| {one.upos} | {one.uas} | {one.las} |" in page
