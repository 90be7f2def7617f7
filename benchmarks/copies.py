"""A method that costs nothing, so that the engine is what is measured, and seeds for it.

It is found through an entry point, as any other package's method would be.
"""

from __future__ import annotations

from pathlib import Path

CASES_A_SEED = 10
COPIES = f"""
from polyglitch.compare.oracles.two_outputs import raw_distance
from polyglitch.issues.groups import worst_first
from polyglitch.registry import Method
from polyglitch.registry import component
from polyglitch.records import Input, new_case

@component
def add_numbers():
    def mutate(seeds, tools):
        for seed in seeds:
            for n in range({CASES_A_SEED}):
                yield new_case(seed, "similar", (seed.input, Input(seed.input.text + f" Part {{n}}.")))
    return mutate

def copies():
    return Method("copies", "translation", add_numbers(), raw_distance(above=9), worst_first(3))
"""


def write_copies(folder: Path, cases: int) -> None:
    """Put the method `copies` and seeds.txt for so many cases into a folder that is on the path."""
    (folder / "copies.py").write_text(COPIES)
    about = folder / "copies-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: copies\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[polyglitch.methods]\ncopies = copies:copies\n")
    lines = (sentence(number) for number in range(cases // CASES_A_SEED))
    (folder / "seeds.txt").write_text("\n".join(lines) + "\n")


def sentence(number: int) -> str:
    """A seed; some are about rivers, which `fault_server` answers backwards."""
    place = "river" if number % 5 == 0 else "town"
    return f"Sentence number {number} speaks of the weather in {place} {number}."
