"""Make `resources/sample/proposals.en.jsonl`: what the best proposers say of the bundled sentences.

    python -m recipes.sample_proposals [--show]

SIT, TransRepair and CAT make their cases of the bundled sentences with the models that `polyglitch get smollm2 minilm`
brings, and all that they ask is written down; the dictionary is asked about TransRepair's nouns, adjectives and
numbers, as published. The result was read; swaps that a reader stumbled over and no rule would have caught are in
`sample_blocked.txt`, as `old > new` under the beginning of their sentence, and are left out. `--show` prints the cases
that the methods then make.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from polyglitch.campaign import make_method
from polyglitch.corpus.read import open_corpus
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers import auto
from polyglitch.nlp.proposers.auto import BUNDLED, CHOICES, FILE, BundledProposer, BundledRow
from polyglitch.nlp.proposers.slot_words import open_slots
from polyglitch.nlp.proposers.vectors import open_dictionary
from polyglitch.protocols import Proposer
from polyglitch.records import Candidate, Seed, Slot
from polyglitch.tools import Toolbox

TOP = 10
METHODS = ("sit", "transrepair", "cat")
DICTIONARY = "dictionary"
SAMPLE = Path(str(files("polyglitch").joinpath("resources", "sample")))
BLOCKED = Path(__file__).parent / "sample_blocked.txt"


def blocked() -> set[tuple[str, str, str]]:
    """Sentence start, old word, new word of what a reader refused."""
    found: set[tuple[str, str, str]] = set()
    sentence = ""
    for line in BLOCKED.read_text("utf-8").splitlines() if BLOCKED.is_file() else ():
        old, arrow, new = line.partition(" > ")
        if arrow:
            found |= {(sentence, old.strip(), word) for word in new.split()}
        elif line and not line.startswith("#"):
            sentence = line
    return found


def refused(slot: Slot, one: Candidate, block: set[tuple[str, str, str]]) -> bool:
    """Whether a reader refused this word here."""
    return any(
        slot.parse.text.startswith(start) and (old, new) == (slot.token.text, one.word)
        for start, old, new in block
    )


class Noted:
    """A proposer whose words are written down, the refused ones left out."""

    def __init__(self, proposer: Proposer, by: str, rows: dict[tuple[str, str, int], BundledRow]):
        self._proposer, self._by, self._rows = proposer, by, rows
        self._block, self.signature = blocked(), proposer.signature

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """The words of the proposer, as many as the data keeps; methods ask it for fewer."""
        found = []
        for slot, some in zip(slots, self._proposer.propose(slots, TOP), strict=True):
            kept = [one for one in some if not refused(slot, one, self._block)]
            place = (slot.parse.text, self._by, slot.token.start)
            words = tuple((one.word, one.score) for one in kept)
            judged = self._by != DICTIONARY
            row = BundledRow(slot.parse.text, self._by, slot.token.start, slot.token.text, words)
            self._rows[place] = msgspec.structs.replace(row, judged=judged)
            found.append(kept[:top])
        return found


def asked_by_methods(rows: dict[tuple[str, str, int], BundledRow]) -> None:
    """Have the methods make their cases of the sample with the models, and note what they ask."""
    open_named, kinds = auto.open_named, {name: kind for kind, (name, _) in CHOICES.items()}
    auto.bundled = lambda language, kind: BundledProposer((), "none")
    auto.open_named = lambda language, name: Noted(
        open_named(language, name), BUNDLED[kinds[name]], rows
    )
    for name in METHODS:
        print(f"{name}: {len(list(make_method(name).mutate(seeds(), Toolbox()))):,} cases")


def seeds() -> list[Seed]:
    """The bundled sentences."""
    return list(open_corpus("sample"))


def asked_as_published(rows: dict[tuple[str, str, int], BundledRow]) -> None:
    """Ask the dictionary about the words that TransRepair may replace as published."""
    parses = open_spacy("en").parse([seed.input.text for seed in open_corpus("sample")])
    places = [
        Slot(parse, i)
        for parse in parses
        for i in open_slots(parse, ("NOUN", "ADJ", "NUM"), edges=True, compared=False)
    ]
    Noted(open_dictionary("en"), DICTIONARY, rows).propose(places, TOP)


def main() -> None:
    """Ask, write, show."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--show", action="store_true", help="print the cases of each method")
    chosen = options.parse_args()
    rows: dict[tuple[str, str, int], BundledRow] = {}
    if not chosen.show:
        asked_by_methods(rows)
        asked_as_published(rows)
        text = "".join(msgspec.json.encode(row).decode() + "\n" for row in rows.values())
        (SAMPLE / FILE.format("en")).write_text(text, "utf-8")
        return
    for name in METHODS:
        for case in make_method(name).mutate(seeds(), Toolbox()):
            print(f"{name}\t{case.edit.old} > {case.edit.new}\t{case.inputs[1].text}")


if __name__ == "__main__":
    main()
