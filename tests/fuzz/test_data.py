"""Corpora, suites, replay files, saved outputs from strangers: rows are counted out, files refused, nothing breaks."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyglitch.corpus.read import open_corpus
from polyglitch.corpus.suites import read_suite
from polyglitch.errors import UsageError
from polyglitch.systems.replay import open_replay
from tests.fuzz.hostile import fuzz, mutated, refused, values, write

FORMATS = ("txt", "csv", "tsv", "jsonl", "json")
SQUAD = {
    "data": [{"title": "A_b", "paragraphs": [
        {"context": "It rained.", "qas": [{"question": "Why?", "id": "1", "answers": [{"text": "x"}]}]}
    ]}]
}  # fmt: skip
CHECKLIST = {"tests": {"negation": {"data": ["Not bad.", ["Bad.", "Worse."]], "labels": [1, 0]}}}
GOOD = {
    "txt": b"The cat sat.\n__label__pos A good day.\n",
    "csv": b'id,text,label,context\n1,"The cat, sat.",pos,"a\nb"\n2,It rained.,neg,\n',
    "tsv": b"text\tlabel\nThe cat sat.\tpos\nwho came? \\n (Cats) A cat came.\tyes\n",
    "jsonl": b'{"text": "The cat sat.", "label": 1, "context": null}\n"It rained."\n',
    "json": json.dumps(SQUAD).encode(),
}
SUITES = {
    "csv": b"functionality,test_case,label_gold\nnegation,Not bad.,positive\n",
    "tsv": b"text\tlabel\nNot bad.\tpositive\n",
    "json": json.dumps(CHECKLIST).encode(),
    "txt": b"# negation\npositive\tNot bad.\nBad.\n",
}
REPLAY = (
    b'{"input": {"text": "a", "context": null}, "output": "b"}\n'
    b'{"text": "c", "label": "x", "scores": {"x": 1.0}}\n'
)
DEEP = b"[" * 100_000
QUOTE = b'text,label\n"' + b"a" * 200_000 + b'",x\n'


def lines_of(rows: list[object]) -> bytes:
    """Values as lines of JSON; what JSON has not is written as Python would."""
    return b"".join(json.dumps(row).encode("utf-8", "surrogatepass") + b"\n" for row in rows)


def hostile(good: bytes) -> st.SearchStrategy[bytes]:
    """Random bytes, damaged good ones, JSON of any shape; some gzipped, some of these damaged again."""
    raw = st.binary(max_size=300) | mutated(good) | st.lists(values, max_size=4).map(lines_of)
    raw |= values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass"))
    zipped = raw.map(gzip.compress)
    return raw | zipped | zipped.flatmap(mutated)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_any_bytes_as_a_corpus(tmp_path: Path, kind: str) -> None:
    @fuzz
    @given(hostile(GOOD[kind]), st.booleans())
    @example(GOOD[kind], False)
    @example(b"", False)
    @example(b"", True)
    @example(DEEP, False)
    @example(QUOTE, False)
    @example(b"\xff\xfet\0e\0x\0t\0", False)
    @example(b"a\0b,text\n\0,\0\n", False)
    def check(raw: bytes, named: bool) -> None:
        path = write(tmp_path / f"c.{kind}{'.gz' if named else ''}", raw)
        try:
            corpus = open_corpus(str(path))
            seeds = list(corpus)
        except UsageError as error:
            assert str(error).startswith((str(path), "corpus ")), error
            return
        for seed in seeds:
            assert seed.input.text.strip() and seed.origin.startswith(str(path))
        assert len({seed.id for seed in seeds}) == len(seeds)
        assert all(row.count and row.reason for row in corpus.skipped)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("kind", SUITES)
def test_any_bytes_as_a_suite(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @fuzz
    @given(hostile(SUITES[kind]), st.booleans())
    @example(SUITES[kind], False)
    @example(DEEP, False)
    @example(QUOTE, False)
    @example(b"text,label\na,b,c,d\na\n", False)
    @example(b'{"tests": [1]}', False)
    @example(b'{"t": {"data": [[], null, {"a": 1}], "labels": [[1], null]}}', False)
    @example(b"[1, {}, null]", False)
    def check(raw: bytes, named: bool) -> None:
        path = write(tmp_path / f"s.{kind}{'.gz' if named else ''}", raw)
        skipped: Counter[str] = Counter()
        try:
            rows = list(read_suite(path, skipped))
        except UsageError as error:
            assert str(path) in str(error)
            return
        assert all(row.text.strip() and row.label for row in rows)

    check()
    path = write(tmp_path / f"s.{kind}", b"\xff")
    code, told = refused(["generate", "--import", str(path)], capsys)
    assert code == 2 and f"{path}:1:" in told


@pytest.mark.slow
@fuzz
@given(hostile(REPLAY))
@example(DEEP + b"\n")
@example(b'{"input": "a", "output": "\\ud800"}\n')
@example(b'{"input": "\\ud800", "output": "a"}\n')
@example(b'{"input": "a", "label": 1e400}\n')
@example(b'{"input": "a", "scores": {"x": "1e999"}}\n')
@example(b'{"input": "a", "scores": {"x": 1' + b"0" * 400 + b"}}\n")
def test_any_bytes_as_a_replay_file(tmp_path: Path, raw: bytes) -> None:
    path = write(tmp_path / "r.jsonl", raw)
    try:
        open_replay(str(path), 1.0).close()
    except UsageError as error:
        assert f"{path}, line " in str(error)


JUDGED = {"id": "1", "source": "a", "followup": "b", "source_output": "c", "followup_output": "d"}


@pytest.mark.slow
@fuzz
@given(hostile(lines_of([JUDGED])), st.sampled_from(["jsonl", "csv"]))
@example(DEEP, "jsonl")
@example(QUOTE, "csv")
@example(b"\xff", "csv")
def test_any_bytes_to_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], raw: bytes, kind: str
) -> None:
    path = write(tmp_path / f"pairs.{kind}", raw)
    refused(
        ["judge", "-i", str(path), "--oracle", "raw-distance", "-o", str(tmp_path / "o.jsonl")],
        capsys,
    )


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Thirteen times ten million brackets in as few bytes as gzip can."""
    state = zlib.compressobj(9, wbits=31)
    return b"".join([state.compress(b"[" * 10_000_000) for _ in range(13)]) + state.flush()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c.txt.gz", "c.csv.gz", "c.json.gz"])
def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path, name: str, bomb: bytes) -> None:
    path = write(tmp_path / name, bomb)
    assert len(bomb) < 200_000
    tracemalloc.start()
    try:
        for read in (lambda: list(open_corpus(str(path))), lambda: open_replay(str(path), 1.0)):
            with pytest.raises(UsageError, match=r"expands more than|longer than"):
                read()
        if name != "c.txt.gz":  # one line without a label is a row like any other
            with pytest.raises(UsageError, match="expands more than"):
                list(read_suite(path, Counter()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 400_000_000
