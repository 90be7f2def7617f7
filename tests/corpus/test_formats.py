"""The same sentences come back from every format, in order, exactly."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.corpus import open_corpus
from polyglitch.errors import UsageError
from polyglitch.records import Input, Seed

NAMES = [f"corpus.{kind}{gz}" for kind in ("txt", "csv", "tsv", "jsonl") for gz in ("", ".gz")]


def written(sentences: list[str], name: str, end: str = "\n") -> bytes:
    """The sentences as a file of that name would hold them."""
    kind = name.removesuffix(".gz").rpartition(".")[2]
    out = io.StringIO()
    if kind == "txt":
        out.write("".join(sentence + end for sentence in sentences))
    elif kind == "jsonl":
        out.write("".join(json.dumps({"text": each}) + end for each in sentences))
    else:
        delimiter = "," if kind == "csv" else "\t"
        table = csv.writer(out, delimiter=delimiter, lineterminator=end)
        table.writerows([["n", "text"], *([i, each] for i, each in enumerate(sentences))])
    raw = out.getvalue().encode()
    return gzip.compress(raw) if name.endswith(".gz") else raw


printable = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60).filter(
    lambda text: any(character.isalpha() for character in text)
)


@pytest.mark.parametrize("name", NAMES)
@given(sentences=st.lists(printable, unique=True, max_size=20), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(
    name: str, sentences: list[str], end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    # A first sentence that starts with U+FEFF cannot be told from a byte order mark.
    sentences = [each.removeprefix("\ufeff") or "x" for each in sentences[:1]] + sentences[1:]
    sentences = list(dict.fromkeys(sentences))
    path.write_bytes(written(sentences, name, end))
    corpus = open_corpus(str(path))
    assert [seed.input.text for seed in corpus] == sentences
    assert corpus.skipped == ()


def test_unicode_line_separators_and_tabs_stay_inside_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text("one\u2028line\u2029only\nwith a\ttab\n", "utf-8")
    assert [seed.input.text for seed in open_corpus(str(path))] == [
        "one\u2028line\u2029only",
        "with a\ttab",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_byte_order_mark_is_no_part_of_the_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    raw = b"\xef\xbb\xbf" + written(["First one.", "Second one."], name.removesuffix(".gz"))
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert [seed.input.text for seed in open_corpus(str(path))] == ["First one.", "Second one."]


def test_json_objects_bring_all_they_know(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    rows = [
        {"id": 7, "question": "Who won?", "passage": "Ada won.\nBo lost.", "label": "Ada"},
        {"id": "b", "text": "Is it on?", "context": "It is.", "label": True, "title": "It", "x": 1},
        "Just a sentence.",
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    first, second, third = open_corpus(str(path), language="en")
    assert first == Seed(
        "7", Input("Who won?", "Ada won.\nBo lost.", None, "en"), "Ada", f"{path}:1"
    )
    assert second == Seed(
        "b", Input("Is it on?", "It is.", "It", "en"), "true", f"{path}:2", {"x": 1}
    )
    assert third.input == Input("Just a sentence.", language="en")
    assert third.origin == f"{path}:3"


def test_columns_are_taken_by_name_or_by_what_people_call_them(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text('Sentence,Class,stars,note\n"Good, cheap.",pos,5,mine\nBad.,neg,1,\n')
    good, bad = open_corpus(str(path))
    assert (good.input.text, good.label, good.data) == (
        "Good, cheap.",
        "pos",
        {"stars": "5", "note": "mine"},
    )
    assert (bad.input.text, bad.label) == ("Bad.", "neg")
    (named,) = open_corpus(str(path), text="note", label="stars")
    assert (named.input.text, named.label, named.data["Sentence"]) == ("mine", "5", "Good, cheap.")


def test_of_columns_that_differ_in_case_the_first_or_the_exact_one_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("Text,TEXT\nOne.,Two.\n")
    assert [seed.input.text for seed in open_corpus(str(path))] == ["One."]
    assert [seed.input.text for seed in open_corpus(str(path), text="TEXT")] == ["Two."]
    assert [seed.input.text for seed in open_corpus(str(path), text="text")] == ["One."]


def test_a_quoted_cell_may_hold_line_breaks_and_lines_are_still_counted(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(b'text,context\r\nWho?,"Ann.\r\nBob."\r\nWhen?,Today.\r\n')
    who, when = open_corpus(str(path))
    assert who.input.context == "Ann.\nBob."
    assert (who.origin, when.origin) == (f"{path}:2", f"{path}:4")


def test_a_tsv_takes_quotes_of_speech_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "plain.tsv"
    path.write_text('id\ttext\n1\t"No," she said.\n2\t"Open\n3\t"Said ""no"" twice"\n')
    assert [seed.input.text for seed in open_corpus(str(path))] == [
        '"No," she said.',
        '"Open',
        'Said "no" twice',
    ]


def test_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    class Piped:
        buffer = io.BytesIO(b'{"text": "One by one."}\n"And two."\n')

    monkeypatch.setattr("sys.stdin", Piped)
    corpus = open_corpus("-", format="jsonl")
    texts = [(seed.input.text, seed.origin) for seed in corpus]
    assert texts == [("One by one.", "<stdin>:1"), ("And two.", "<stdin>:2")]
    assert [(seed.input.text, seed.origin) for seed in corpus] == texts


def test_a_pipe_is_kept_and_its_copy_removed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"Through a pipe.\n",))
    writer.start()
    corpus = open_corpus(str(pipe))
    writer.join()
    assert [seed.input.text for seed in corpus] == ["Through a pipe."]
    assert len(list(corpus)) == 1
    assert len(list(spool.iterdir())) == 1
    del corpus
    assert list(spool.iterdir()) == []


def test_the_format_can_be_told_where_the_name_does_not(tmp_path: Path) -> None:
    path = tmp_path / "news.en"
    path.write_text("A line.\n")
    with pytest.raises(UsageError, match=r"'\.en'.*\.jsonl.*give the format"):
        open_corpus(str(path))
    assert [seed.input.text for seed in open_corpus(str(path), format="txt")] == ["A line."]
    zipped = tmp_path / "news.gz"
    zipped.write_bytes(gzip.compress(b"A line.\n"))
    assert [seed.input.text for seed in open_corpus(str(zipped), format="txt")] == ["A line."]


@pytest.mark.parametrize(
    "table",
    [
        'id;text;note\n1;"3,5 kg, he said; no more.";a\n2;The cat sleeps.;\n',
        'sep=;\nid;text\n1;"3,5 kg, he said; no more."\n2;The cat sleeps.\n',
        "id\ttext\n1\t3,5 kg, he said; no more.\n2\tThe cat sleeps.\n",
    ],
)
def test_a_spreadsheet_may_part_its_cells_by_semicolons_or_tabs(tmp_path: Path, table: str) -> None:
    path = tmp_path / "export.csv"
    path.write_text(table, "utf-8")
    texts = [seed.input.text for seed in open_corpus(str(path))]
    assert texts == ["3,5 kg, he said; no more.", "The cat sleeps."]
