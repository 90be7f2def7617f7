"""Small parsers of our own: two come with the package, others are trained on treebanks that the user has."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.cli.main import main
from polyglitch.errors import UsageError
from polyglitch.nlp.models import downloads
from polyglitch.nlp.models.downloads import bundled, fetched, folder_digest, offer_parser, packed
from polyglitch.nlp.parsers.choose import choose, open_parser
from polyglitch.nlp.parsers.udpipe import sentences, tokens_of
from tests.conftest import ROOT


def ended(arguments: list[str]) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return int(left.value.code or 0)


def test_without_a_treebank_the_command_with_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    assert ended(["get", "parser-sv"]) == 2
    said = capsys.readouterr().err
    assert "--treebank" in said and offer_parser("sv") in said
    assert offer_parser("sv").startswith("git clone --depth 1 https://") and offer_parser(
        "sv"
    ).endswith("get parser-sv --treebank UD_Swedish-PUD")
    assert ended(["get", "parser-sv", "--treebank", str(tmp_path / "gone")]) == 2
    assert "no such file or folder" in capsys.readouterr().err
    assert ended(["get", "smollm2", "--treebank", str(tmp_path)]) == 2
    (tmp_path / "mine.conllu").write_text(TREE, "utf-8")
    assert ended(["get", "parser-sv", "--treebank", str(tmp_path / "mine.conllu")]) == 2
    assert "sv_gsd-ud-train.conllu" in capsys.readouterr().err
    assert fetched("sv") is None


@pytest.mark.slow
@pytest.mark.needs("spacy")
def test_a_parser_is_trained_found_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path / "cache"))
    trees = tmp_path / "UD_Swedish-Talbanken"
    trees.mkdir()
    (trees / "README.md").write_text("not a treebank", "utf-8")
    (trees / "sv_talbanken-ud-train.conllu").write_text(TREE * 40, "utf-8")
    (trees / "sv_talbanken-ud-test.conllu").write_text(TREE * 2, "utf-8")
    assert choose("sv") is None
    command = ["get", "parser-sv", "--treebank", str(trees), "--steps", "20"]
    assert ended(command) == 0
    assert "measured on TALBANKEN test" in capsys.readouterr().out
    folder = fetched("sv")
    choice = choose("sv")
    assert folder and choice and (choice.origin, choice.tags_only) == ("fetched", False)
    assert "UD Swedish-TALBANKEN" in (folder / "NOTICE.md").read_text("utf-8")
    assert str(tmp_path) not in (folder / "config.cfg").read_text("utf-8")
    (parse,) = open_parser("sv", f"spacy:{folder}").parse(["Hon sov."])
    assert [token.pos for token in parse.tokens] == ["PRON", "VERB", "PUNCT"]
    first = folder_digest(folder)
    assert (
        ended(command) == 0 and folder_digest(folder) == first
    )  # the same sentences, the same weights
    assert ended(["get", "parser-sv"]) == 0 and "there already" in capsys.readouterr().out


@pytest.mark.slow
def test_what_ships_is_what_the_recipe_made() -> None:
    for code, one in downloads.known_parsers().items():
        folder = bundled(code)
        assert bool(one.sha256) == bool(folder)
        if folder is not None:
            assert folder_digest(folder) == one.sha256 and len(packed(folder)) <= 4_000_000
            assert "CC BY-SA 4.0" in (folder / "NOTICE.md").read_text("utf-8")


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
    from polyglitch.nlp.models.train_parser import notice
    from polyglitch.nlp.parsers.treebanks import lemma_table, treebanks

    (tmp_path / "sv_talbanken-ud-test.conllu").write_text(TREE * 3, "utf-8")
    (tmp_path / "ud_sv_talbanken_dev.conllu").write_text(TREE * 20, "utf-8")
    (tmp_path / "sv_pud-ud-test.conllu").write_text(TREE * 10, "utf-8")
    banks = treebanks("sv", tmp_path.iterdir())
    assert (len(banks.train), len(banks.choose), len(banks.test)) == (27, 3, 3)
    assert banks.sources == ("talbanken", "pud") and banks.measured == "TALBANKEN test"
    assert lemma_table(banks.train) == {"sov": "sova"}
    said = notice([{"name": "UD Swedish-PUD", "license": "CC BY-SA 3.0", "url": "u"}])
    assert "UD Swedish-PUD, CC BY-SA 3.0" in said and "CC BY-SA 4.0" in said
    with pytest.raises(UsageError, match="no treebank of 'xx'"):
        treebanks("xx", tmp_path.iterdir())
    with pytest.raises(UsageError, match="nothing to train on"):
        treebanks("sv", [tmp_path / "sv_talbanken-ud-test.conllu"])


def test_every_released_parser_has_its_figures_in_the_docs() -> None:
    page = (ROOT / "docs/how-to/resources.md").read_text("utf-8")
    for code, one in downloads.known_parsers().items():
        assert one.megabytes <= 4
        assert f"| `parser-{code}` " in page and f"| {one.upos} | {one.uas} | {one.las} |" in page
