"""Blocks of difference rebuild both texts, and leave a longest common subsequence between them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.metrics.gnu_diff import changed_units
from polyglitch.compare.metrics.units import DiffBlock, blocks, differences, published_blocks

Lists = st.lists(st.sampled_from("abcd"), max_size=14)


def backwards(a: list[str], b: list[str]) -> list[DiffBlock]:
    return published_blocks(a, b, reverse=True)


def longest_common(a: list[str], b: list[str]) -> int:
    """The textbook table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            longer = max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else longer
    return table[-1][-1]


@pytest.mark.slow
@pytest.mark.parametrize("align", [blocks, published_blocks, backwards])
@given(a=Lists, b=Lists)
def test_blocks_rebuild_both_sides(
    align: Callable[[list[str], list[str]], list[DiffBlock]], a: list[str], b: list[str]
) -> None:
    rebuilt_a: list[str] = []
    rebuilt_b: list[str] = []
    at_a = at_b = common = 0
    for block in [*align(a, b), DiffBlock(len(a), len(a), len(b), len(b))]:
        same = a[at_a : block.a_start]
        assert same == b[at_b : block.b_start]
        common += len(same)
        rebuilt_a += same + a[block.a_start : block.a_end]
        rebuilt_b += same + b[block.b_start : block.b_end]
        at_a, at_b = block.a_end, block.b_end
    assert (rebuilt_a, rebuilt_b) == (a, b)
    assert common == longest_common(a, b)


def gnu_diff(a: list[str], b: list[str], folder: Path) -> tuple[list[bool], list[bool]]:
    """What the program says, read from its `<` and `>` line formats."""
    for name, side in (("a", a), ("b", b)):
        (folder / name).write_text("".join(f"{unit}\n" for unit in side))
    flags = []
    for mine, other in (("old", "new"), ("new", "old")):
        formats = [
            f"--{mine}-line-format=1",
            f"--{other}-line-format=",
            "--unchanged-line-format=0",
        ]
        command = ["diff", *formats, str(folder / "a"), str(folder / "b")]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        flags.append([mark == "1" for mark in found.stdout])
    return flags[0], flags[1]


@pytest.mark.skipif(shutil.which("diff") is None, reason="GNU diff is not installed")
@pytest.mark.parametrize("letters", ["ab", "abc", "abcdef"])
def test_the_published_alignment_is_that_of_the_program(tmp_path: Path, letters: str) -> None:
    """Few letters make many ties: each step of the alignment decides some of these pairs."""
    random = Random(letters)
    for _ in range(40):
        a = random.choices(letters, k=random.randrange(20))
        b = random.choices([*letters, "x"], k=random.randrange(20))
        assert changed_units(a, b) == gnu_diff(a, b, tmp_path), (a, b)


def test_differences_are_told_in_words_and_point_at_the_text() -> None:
    a, b = "O gato preto dorme no sofá.", "O gato dorme não sofá hoje."
    spans, reasons = differences(a, b)
    assert reasons == ("'preto' is missing", "'no' became 'não'", "'hoje' was added")
    texts = [(a, b)[span.output][span.start : span.end] for span in spans]
    assert texts == ["preto", "no", "não", "hoje"]
