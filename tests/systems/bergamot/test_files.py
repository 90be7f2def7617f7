"""Model and shortlist files: written here byte by byte, read back, and refused when they are damaged."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from polyglitch.errors import UsageError
from polyglitch.systems.bergamot.model_file import read_model
from polyglitch.systems.bergamot.network import MAGIC, read_shortlist

OPTIONS = b'dim-emb: 2\ntype: transformer\ndim-vocabs:\n  - 3\ntransformer-preprocess: ""\n\0'


def model_bytes() -> bytes:
    """A float32 row, an int8 matrix of 2 x 3 filed as 3 x 2, int8 embeddings, and the options."""
    matrix = struct.pack("<6bf", 1, 4, 2, 5, 3, 6, 2.0)
    items = [
        ("bias", 0x404, (1, 2), struct.pack("<2f", 0.5, -1)),
        ("layer_W", 0x4101, (2, 3), matrix),
        ("layer_W_QuantMultA", 0x404, (1, 1), struct.pack("<f", 9)),
        ("Wemb", 0x4101, (3, 2), matrix),
        ("special:model.yml", 0x101, (len(OPTIONS),), OPTIONS),
    ]
    heads = b"".join(
        struct.pack("<4Q", len(n) + 1, kind, len(shape), len(d)) for n, kind, shape, d in items
    )
    names = b"".join(name.encode() + b"\0" for name, *_ in items)
    shapes = b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    padding = struct.pack("<Q", 3) + b"\0\0\0"
    start = struct.pack("<QQ", 1, len(items))
    return start + heads + names + shapes + padding + b"".join(data for *_, data in items)


def test_a_model_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "model.enpt.bin"
    path.write_bytes(model_bytes())
    model = read_model(path)
    assert set(model.arrays) == {"bias", "layer_W", "Wemb"}
    assert model.arrays["bias"].tolist() == [[0.5, -1]]
    assert model.arrays["layer_W"].tolist() == [[0.5, 1, 1.5], [2, 2.5, 3]]
    assert model.arrays["Wemb"].tolist() == [[0.5, 2], [1, 2.5], [1.5, 3]]
    assert model.number("dim-emb") == 2
    assert model.options["transformer-preprocess"] == ""


@pytest.mark.parametrize("left", [0, 10, 60, 200, 230])
def test_a_file_cut_short_is_refused_by_name(tmp_path: Path, left: int) -> None:
    path = tmp_path / "model.enpt.bin"
    path.write_bytes(model_bytes()[:left])
    with pytest.raises(
        UsageError, match=r"model.enpt.bin is no Bergamot model, or it is cut short"
    ):
        read_model(path)


def test_an_array_of_another_type_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(model_bytes().replace(struct.pack("<Q", 0x404), struct.pack("<Q", 0x408), 1))
    with pytest.raises(UsageError, match="bias is of type 0x408"):
        read_model(path)


def shortlist_bytes() -> bytes:
    """Three words: the first has none, the second 40 and 70, the third 90."""
    header = struct.pack("<6Q", MAGIC, 0, 2, 2, 4, 3)
    return header + struct.pack("<4Q", 0, 0, 2, 3) + struct.pack("<3I", 40, 70, 90)


def test_a_shortlist_offers_the_frequent_the_own_and_the_listed_words(tmp_path: Path) -> None:
    path = tmp_path / "lex.bin"
    path.write_bytes(shortlist_bytes())
    found = read_shortlist(path)
    # 0 and 1 are always there, 40 and 70 belong to word 1, and 2 to 5 fill up to a multiple of 8.
    assert found.candidates([1]).tolist() == [0, 1, 2, 3, 4, 5, 40, 70]
    both = found.candidates([2, 1, 1]).tolist()
    assert {40, 70, 90} <= set(both) and len(both) % 8 == 0
    assert (
        found.candidates([500]).dtype == np.int64
    )  # a word the list does not know stands for itself
    assert 500 in found.candidates([500])


@pytest.mark.parametrize("data", [b"", b"0" * 100, shortlist_bytes()[:-1]])
def test_a_damaged_shortlist_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "lex.bin"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"lex.bin is (no binary shortlist|cut short)"):
        read_shortlist(path)
