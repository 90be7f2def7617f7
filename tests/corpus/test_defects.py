"""Rows that cannot be used are counted and named; unreadable files are refused with a remedy."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polyglitch.corpus import Corpus, ReadLimits, Skipped, open_corpus
from polyglitch.corpus.source import Line
from polyglitch.corpus.tables import TableRecord, csv_records
from polyglitch.errors import UsageError


def counts(corpus: Corpus) -> dict[str, int]:
    """Reasons and how often, once all is read."""
    list(corpus)
    return {skipped.reason: skipped.count for skipped in corpus.skipped}


def lines_in(raw: bytes) -> int:
    return raw.count(b"\n") + (not raw.endswith(b"\n") and raw != b"")


def test_every_bad_line_of_a_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(
        b"A good one.\n\n   \ncaf\xe9 au lait\nnul\x00 byte\nbell\x07\n12:30 !?\n"
        + b"x" * 10_001
        + b"\n"
        + b"y" * 100_000
        + b"\nA good one.\nThe last, without a line end"
    )
    corpus = open_corpus(str(path))
    assert [seed.origin for seed in corpus] == [f"{path}:1", f"{path}:11"]
    assert set(corpus.skipped) == {
        Skipped("empty", 2, (f"{path}:2: empty", f"{path}:3: empty")),
        Skipped(
            "not UTF-8",
            1,
            (f"{path}:4: byte 4 is 0xe9; with --encoding cp1252 it would read 'café au lait'",),
        ),
        Skipped(
            "control character",
            2,
            (f"{path}:5: U+0000 in the text", f"{path}:6: U+0007 in the text"),
        ),
        Skipped("no letters", 1, (f"{path}:7: '12:30 !?'",)),
        Skipped(
            "longer than 10,000 characters",
            2,
            (f"{path}:8: 10,001 characters", f"{path}:9: longer than 10,000 characters"),
        ),
        Skipped("duplicate", 1, (f"{path}:10: duplicate of line 1",)),
    }
    list(corpus)
    assert sum(skipped.count for skipped in corpus.skipped) == 9, "a second reading counts anew"


def test_only_the_first_few_examples_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n" * 1000)
    corpus = open_corpus(str(path))
    assert list(corpus) == []
    (skipped,) = corpus.skipped
    assert (skipped.count, len(skipped.examples)) == (1000, 3)


def test_every_bad_line_of_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    lines = [
        '{"text": "Good."}',
        "{'text': 'Bad.'}",
        '"half',
        "[1, 2]",
        "null",
        "[" * 5000,
        '{"label": "x"}',
        '{"text": 5}',
        '{"text": null}',
        '{"text": "Ok.", "context": {"a": 1}}',
        '{"text": "Ok.", "label": 1.5}',
        '{"text": "Two\\nlines."}',
        '{"text": "Nul \\u0000."}',
        '{"text": "\\ud800 alone."}',
        '{"text": "Fine.", "context": "One.\\n\\nTwo."}',
        '{"text": "Fine.", "context": "Bell \\u0007."}',
        "",
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    corpus = open_corpus(str(path))
    assert [seed.input.text for seed in corpus] == ["Good.", "Two\nlines.", "Fine."]
    assert counts(corpus) == {
        "bad JSON": 4,
        "neither an object nor a string": 2,
        "no text": 1,
        "text is not a string": 2,
        "context is not a string": 1,
        "label is not a string": 1,
        "control character": 2,
        "empty": 1,
    }


def test_a_field_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"q": "With.", "p": "P."}\n{"q": "Without."}\n"Plain."\n{"text": "Other."}\n')
    corpus = open_corpus(str(path), text="q", context="p")
    assert [(seed.input.text, seed.input.context) for seed in corpus] == [("With.", "P.")]
    assert counts(corpus) == {"no such field": 3}


def test_a_broken_csv_row_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(
        b"id,text\n1,Fine.\n2,Cut, here.\n3\n"
        b'4,"So" it goes\n5,Good.\n6,"never closed\n7,caf\xe9\n\n8,Fine again.\n'
    )
    corpus = open_corpus(str(path))
    assert [seed.id for seed in corpus] == ["1", "5", "8"]
    assert counts(corpus) == {
        "more cells than columns": 1,
        "no text": 1,
        "quote not closed": 1,
        "bad CSV": 1,
        "not UTF-8": 1,
        "empty": 1,
    }


def test_an_open_quote_swallows_neither_the_file_nor_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    sentences = [f"Sentence {i}." for i in range(5000)]
    # The last quote would close the first, and all between would be one cell.
    path.write_text("\n".join(["text", '"open', *sentences, 'The end"', ""]))
    corpus = open_corpus(str(path))
    assert [seed.input.text for seed in corpus] == [*sentences, 'The end"']
    assert counts(corpus) == {"quote not closed": 1}


def test_ids_are_given_ones_while_they_are_unique(tmp_path: Path) -> None:
    path = tmp_path / "ids.jsonl"
    path.write_text(
        '{"id": "a", "text": "One."}\n{"id": "a", "text": "Two."}\n{"text": "Three."}\n'
        '{"text": "Three.", "context": "Elsewhere."}\n{"id": "z", "text": "Three."}\n'
    )
    corpus = open_corpus(str(path))
    one, two, three, elsewhere = corpus
    assert one.id == "a"
    assert two.data == {"id": "a"}
    assert len({one.id, two.id, three.id, elsewhere.id}) == 4
    assert corpus.skipped[0].examples == (f"{path}:5: duplicate of line 3",)
    alone = tmp_path / "alone.txt"
    alone.write_text("\nThree.\n")
    (seed,) = open_corpus(str(alone))
    assert seed.id == three.id, "the id depends on what it says, not on where it stands"


def test_no_two_seeds_share_an_id_even_if_one_borrows_the_digest_of_another(tmp_path: Path) -> None:
    path = tmp_path / "borrowed.jsonl"
    path.write_text('"Three."\n')
    (three,) = open_corpus(str(path))
    borrowed = f'{{"id": "{three.id}", "text": "Not three."}}\n'
    for content in (borrowed + '"Three."\n', '"Three."\n' + borrowed):
        path.write_text(content)
        assert len({seed.id for seed in open_corpus(str(path))}) == 2


def test_a_long_row_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes((b"z" * 20_000_000 + b"\n") * 2 + b"Short.\n")
    tracemalloc.start()
    corpus = open_corpus(str(path))
    assert counts(corpus) == {"longer than 10,000 characters": 2}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("folder.txt", None, "is a folder with nothing; give one of the files"),
        ("data.xml", b"<a/>", r"'\.xml'.*rename it to one of \.txt, \.csv, \.tsv, \.jsonl"),
        ("data", b"Text.", "no extension"),
        ("plain.txt.gz", b"Text.\n", r"plain\.txt\.gz:1: this is no valid gzip data.*gzip -t"),
        (
            "cut.txt.gz",
            gzip.compress(b"Some text.\n" * 9, mtime=0)[:-12],
            r"cut\.txt\.gz:\d+:.*too early",
        ),
        (
            "foreign.csv",
            b"id,name\n1,Ann\n",
            r"foreign\.csv:1: which column .*there are 'id', 'name'; .*--field text=",
        ),
        ("twice.csv", b"text,text\na,b\n", "two columns are called 'text'"),
        ("latin.csv", b"caf\xe9,text\na,b\n", r"latin\.csv:1: the header cannot be read: not UTF"),
        ("open.csv", b'"text\na\n', r"open\.csv:1: the header .* quote not closed"),
    ],
)
def test_what_cannot_be_read_is_refused_at_once(
    name: str, content: bytes | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(UsageError, match=message) as refused:
        open_corpus(str(path))
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": "nowhere.txt"}, "'nowhere.txt' cannot be read: No such file.*`sample`"),
        ({"source": "a\0b.txt"}, "cannot be read: .*null"),
        ({"source": os.devnull, "format": "txt"}, "neither a file nor a pipe"),
        ({"source": __file__, "format": "jsonlines"}, "'jsonlines'; did you mean 'jsonl'"),
        ({"source": __file__, "format": "txt", "text": "a"}, "text column 'a': .*without columns"),
        ({"source": __file__, "format": "csv", "text": "a"}, "no column is called 'a'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_corpus(**options)


def test_a_file_that_may_not_be_read_or_has_gone_is_an_error_of_usage(tmp_path: Path) -> None:
    path = tmp_path / "gone.txt"
    path.write_text("Here.\n")
    corpus = open_corpus(str(path))
    path.unlink()
    with pytest.raises(UsageError, match="cannot be opened: No such file"):
        list(corpus)
    with pytest.raises(UsageError, match="cannot be opened: No such file"):
        corpus.digest()


def test_a_gzip_cut_late_gives_its_seeds_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "late.txt.gz"
    raw = "".join(f"Sentence {i * 7919 % 100003}.\n" for i in range(50_000)).encode()
    packed = gzip.compress(raw)
    path.write_bytes(packed[: len(packed) * 3 // 4])
    read = 0
    with pytest.raises(UsageError, match=r"late\.txt\.gz:\d+: the gzip data ends too early"):
        for _ in open_corpus(str(path)):
            read += 1
    assert read > 20_000


@pytest.mark.slow
def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    with gzip.open(path, "wb") as bomb:
        for _ in range(150):
            bomb.write(b"a" * 1_000_000)
    tracemalloc.start()
    with pytest.raises(UsageError, match=r"expands more than 1,000 times.*decompress it yourself"):
        list(open_corpus(str(path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000
    assert counts(open_corpus(str(path), limits=ReadLimits(expanded=200_000_000))) == {
        "longer than 10,000 characters": 1
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.tsv", "a.csv"])
@given(raw=st.lists(st.binary(max_size=40) | st.just(b"Fine.\n"), max_size=12).map(b"\n".join))
@example(raw=b"\xff\xfeA\x00\n\x00B\x00")
@example(raw=b'"\r\n"\r\r\n\xe2\x80')
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_accounted_for(
    name: str, raw: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = name.endswith("sv")
    if name == "a.csv":
        raw = raw.replace(b'"', b"'")  # without quotes a record is a line, and lines can be counted
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(b"text\n" * table + raw)
    corpus = open_corpus(str(path))
    seeds = len(list(corpus))
    assert seeds + sum(skipped.count for skipped in corpus.skipped) == lines_in(raw)


@pytest.mark.slow
@given(st.lists(st.sampled_from(['"', ",", "\n", "word", "\r", "\0"])), st.sets(st.integers(0, 9)))
@settings(max_examples=300, deadline=None)
def test_whatever_the_quotes_every_line_is_in_one_record(pieces: list[str], bad: set[int]) -> None:
    texts = "".join(pieces).split("\n")
    lines = [
        Line(number, "", "not UTF-8") if number in bad else Line(number, text)
        for number, text in enumerate(texts)
    ]
    expected = 0
    for record in csv_records(lines):
        assert record.line == expected
        breaks = "".join(record.cells).count("\n") if isinstance(record, TableRecord) else 0
        expected += 1 + breaks
    assert expected == len(lines)
