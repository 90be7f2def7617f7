"""How often the suggested kind of bug is right, on confirmed bugs of Google Translate (SIT, RTI).

The lists give each bug's kinds, the sentence, its translation and what the translation means; sentence and meaning
are compared as a round trip is. A bug may have several kinds: a suggestion is right if it names one of them.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.results import record
from polyglitch.issues.groups import differing_words, shape, suggest_kind
from polyglitch.records import Input, Output, Seed, Trial, Verdict, new_case

GOLD = ("under", "over", "word/phrase", "modification", "logic")
# What people call a bug whose words are as suggested.
MEANT = {
    "words missing": ("under",),
    "words added": ("over",),
    "words changed": ("word/phrase",),
    "words moved": ("modification", "logic"),
    "logic": ("logic", "modification"),
}


def confirmed(path: Path) -> Iterator[tuple[set[str], str, str, str]]:
    """Kinds, sentence, translation and meaning of each bug in a list."""
    for block in path.read_text("utf-8").split("\n\n"):
        rows = [
            line.strip().strip("|").strip() for line in block.splitlines() if line.startswith("|")
        ]
        if len(rows) >= 5 and rows[1].startswith(":"):
            kinds = {kind.strip() for kind in rows[0].replace("\\", "").split("|")}
            if kinds & set(GOLD):
                yield kinds & set(GOLD), rows[2], rows[3], rows[4]


def suggested(source: str, translation: str, meaning: str) -> tuple[str, str]:
    """The suggested kind, and the shape of the difference behind it."""
    seed = Seed("s", Input(source, language="en"))
    chain = (Output(translation), Output(meaning))
    trial = Trial(new_case(seed, "same meaning", (seed.input,)), (chain,))
    return suggest_kind(trial, Verdict(trial.case.id, "violated")), shape(
        *differing_words(source, meaning)
    )


def main() -> None:
    """Print a confusion table a list."""
    folder = Path(os.environ.get("POLYGLITCH_SHARED", "../shared")) / "data" / "mt"
    if not folder.is_dir():
        print(f"no reference data at {folder}; set POLYGLITCH_SHARED", file=sys.stderr)
        return
    figures: dict[str, float] = {}
    for name in ("sit", "rti"):
        table: dict[str, Counter[str]] = {}
        right = total = 0
        for kinds, source, translation, meaning in confirmed(folder / f"errors_google_{name}.md"):
            kind, form = suggested(source, translation, meaning)
            row = table.setdefault(kind or "nothing", Counter())
            row.update(kinds)
            total += 1
            if kinds & set(MEANT[form]) and kind:
                right += 1
                row["right"] += 1
            row["all"] += 1
        print(
            f"\n{name}: {total} bugs\n{'suggested':<14}"
            + "".join(f"{k:>13}" for k in (*GOLD, "all", "right"))
        )
        for kind, row in sorted(table.items(), key=lambda item: -item[1]["all"]):
            print(f"{kind:<14}" + "".join(f"{row[k]:>13}" for k in (*GOLD, "all", "right")))
        figures[f"{name}: right of {total} (share)"] = right / total
    record("kinds", figures)


if __name__ == "__main__":
    main()
