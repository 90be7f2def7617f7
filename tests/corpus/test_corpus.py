"""A corpus is lazy, can be read again, and its digest tells whether it has changed."""

from __future__ import annotations

import itertools
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyglitch.corpus import ReadLimits, open_corpus
from polyglitch.errors import UsageError

OPTIONS: list[dict[str, object]] = [
    {},
    {"text": "b"},
    {"label": "b"},
    {"context": "b"},
    {"language": "en"},
    {"format": "tsv", "text": "text,b"},
    {"limits": ReadLimits(text=50)},
]


def test_the_digest_tells_content_and_reading_apart(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.csv", tmp_path / "copy.csv"
    path.write_text("text,b\nOne.,Two.\n")
    copy.write_bytes(path.read_bytes())
    digests = [open_corpus(str(path), **options).digest() for options in OPTIONS]  # type: ignore[arg-type]
    assert len(set(digests)) == len(OPTIONS)
    assert open_corpus(str(copy)).digest() == digests[0], "where a file lies changes nothing"
    copy.write_text("text,b\nOne.,Two!\n")
    assert open_corpus(str(copy)).digest() != digests[0]


def test_two_readings_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One.\nTwo.\nThree.\n")
    corpus = open_corpus(str(path))
    pairs = itertools.zip_longest(corpus, corpus)
    assert all(first == second for first, second in pairs)


@pytest.mark.slow
def test_reading_holds_digests_and_never_the_seeds(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    row = '{"text": "Sentence number %d of many.", "context": "%s"}\n'
    path.write_text("".join(row % (i, "passage " * 250) for i in range(5_000)))
    corpus = open_corpus(str(path))
    tracemalloc.start()
    count = sum(1 for _ in corpus)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 5_000
    assert peak < count * 400, "the rows themselves take 2,000 bytes each"


def test_the_sample_is_fit_to_show() -> None:
    corpus = open_corpus("sample")
    seeds = list(corpus)
    assert corpus.skipped == ()
    assert len(seeds) >= 80
    assert seeds[0].origin == "sample:1"
    for seed in seeds:
        text = seed.input.text
        assert seed.input.language == "en"
        assert 6 <= len(text.split()) <= 32
        assert text[0].isupper() or text[0] == '"', text
        assert text[-1] in '.?"', text
        assert text.isascii() and text == " ".join(text.split()), text
        assert not any(space in text for space in (" .", " ,", " ;", " ?", " '")), text


@pytest.mark.parametrize(
    "phrase", ["in the ", " no", "percent", "at least", "?", '"', "whose", "If "]
)
def test_the_sample_varies(phrase: str) -> None:
    assert sum(phrase in seed.input.text for seed in open_corpus("sample")) >= 2


def test_a_limited_run_of_a_large_file_is_known_by_its_head_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyglitch.corpus.read.HEAD", 1 << 16)
    large = tmp_path / "large.txt"
    large.write_text("".join(f"Sentence number {n} is here.\n" for n in range(20_000)))
    before = open_corpus(str(large))
    known = before.digest(limited=True), before.digest()
    assert known == (before.digest(limited=True), before.digest())
    text = large.read_text()
    large.write_text(text.replace("number 19999", "number 19998"))  # same length, far behind
    os.utime(large, ns=(1, 1))
    after = open_corpus(str(large))
    assert after.digest(limited=True) != known[0] and after.digest() != known[1]
    small = tmp_path / "small.txt"
    small.write_text("A sentence is here.\n")
    one = open_corpus(str(small)).digest(limited=True)
    os.utime(small, ns=(1, 1))
    assert open_corpus(str(small)).digest(limited=True) == one  # all of it was read


def test_a_large_file_is_counted_by_its_lines(tmp_path: Path) -> None:
    def rows(count: int) -> Iterator[str]:
        yield "text,label"
        for number in range(count):
            more = "\nand more" if number % 2 else ""
            yield f'"Sentence {number // 2 if number % 10 == 0 else number} stands here.{more}",a'

    path = tmp_path / "many.csv"
    path.write_text("\n".join(rows(12_000)) + "\n")
    corpus = open_corpus(str(path))
    exact = sum(1 for _ in corpus)
    assert abs(corpus.count() - exact) < 0.02 * exact
    assert corpus.count(5_000) == 5_000
    assert corpus.count(700) == 700
    path.write_text("\n".join(rows(900)) + "\n")
    assert corpus.count() == sum(1 for _ in corpus)


def test_a_language_names_its_bundled_sentences() -> None:
    seeds = [list(open_corpus(name)) for name in ("sample:de", "sample:news-de")]
    assert seeds[0] == seeds[1] and seeds[0][0].input.language == "de"
    assert list(open_corpus("sample:pt")) != list(open_corpus("sample:news-pt"))  # its own reviews
    with pytest.raises(UsageError, match="sample:news-fr"):
        open_corpus("sample:xx")
