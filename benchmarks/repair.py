"""Repairs against people's word: TransRepair's published repairs, each judged better, worse or unchanged.

    python -m benchmarks.repair [FILE...]    # repairs_google_crossref.txt, repairs_transformer_prob.txt

A record has the original and one mutant, each with its translation before and after, and what people said. The
question put to our choice is the one it has to answer in a run: is the repaired translation to be taken, or left?
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import record, shared_data
from polyglitch.nlp.parsers.jieba import open_dictionary
from polyglitch.repair.mend import consistency, plain_faults, transfer

LINES = 13  # a record, with the blank line after it


class Record(NamedTuple):
    """An original and a mutant with their translations before and after the repair, and what people said."""

    original: str  # Improved, Unchanged, Decreased
    mutant: str
    consistency: str
    texts: tuple[str, str]
    before: tuple[str, str]
    after: tuple[str, str]


def read(path: Path) -> Iterator[Record]:
    """The records of a file."""
    lines = path.read_text("utf-8").splitlines()
    for start in range(0, len(lines) - LINES + 2, LINES):
        said = [line.split(": ")[1] for line in lines[start : start + 3]]
        own, text, new, _, _, other, changed, newer, _ = lines[start + 3 : start + 12]
        yield Record(said[0], said[1], said[2], (text, changed), (own, other), (new, newer))


def bare(text: str) -> str:
    """A translation without its blanks, which tokenizers set."""
    return text.replace(" ", "")


def measure(path: Path) -> dict[str, int]:
    """Print and return what our parts make of the published repairs."""
    counts: Counter[tuple[str, str]] = Counter()
    faults, known = plain_faults(("en", "zh")), open_dictionary()
    for row in read(path):
        for side, said in enumerate((row.original, row.mutant)):
            before, after = row.before[side], row.after[side]
            counts[said, "repairs"] += 1
            if bare(before) == bare(after):
                counts[said, "left as it was"] += 1
                continue
            old, new = (
                consistency([before, row.before[1 - side]]),
                consistency([after, row.after[1 - side]]),
            )
            counts[said, "more consistent"] += new[0] > old[0]
            source = row.texts[side]
            counts[said, "refused: a new plain fault"] += faults(source, after) > faults(
                source, before
            )
            glosses = glosses_in(row, known)
            ours = transfer(row.after[1 - side], before, glosses)
            counts[said, "our transfer from the other gives the same"] += bare(ours) == bare(after)
    print(path.name)
    for (said, what), count in sorted(counts.items()):
        print(f"  {said:<10}{what:<46}{count:>4}")
    return {f"{said}: {what}": count for (said, what), count in sorted(counts.items())}


def glosses_in(record: Record, known: object) -> set[str]:
    """The words of both translations that a dictionary gives for the swapped words."""
    one, other = (set(text.split()) for text in record.texts)
    swapped = one ^ other
    words = {word for text in (*record.before, *record.after) for word in text.split()}
    return {w for w in words for s in swapped if w == s or known(s.lower(), w) > 0}  # type: ignore[operator]


def main() -> None:
    """Measure each file named, or those of the reference data."""
    paths, data = [Path(name) for name in sys.argv[1:]], shared_data()
    if not paths and data:
        paths = sorted((data / "mt" / "transrepair").glob("repairs_*.txt"))
    if not paths:
        print("skipped: no reference data; set POLYGLITCH_SHARED")
        return
    record("repair", {path.name: measure(path) for path in paths})


if __name__ == "__main__":
    main()
