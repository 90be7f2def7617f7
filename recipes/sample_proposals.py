"""Make `resources/sample/proposals.en.jsonl`: what the best proposers say of the bundled sentences.

    python -m recipes.sample_proposals

SmolLM2 is asked about the nouns and adjectives that SIT may replace, the dictionary about TransRepair's nouns,
adjectives and numbers. The result was read; swaps that a reader stumbled over and no rule would have
caught are in `sample_blocked.txt`, as `old > new` under the beginning of their sentence, and are left out.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import msgspec

from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers.auto import FILE, BundledRow
from polyglitch.nlp.proposers.slot_words import open_slots
from polyglitch.nlp.proposers.smollm import open_smollm_proposer
from polyglitch.nlp.proposers.vectors import open_dictionary
from polyglitch.protocols import Proposer
from polyglitch.records import Candidate, Slot

TOP = 10
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


def rows(name: str, proposer: Proposer, slots: list[Slot], judged: bool) -> list[BundledRow]:
    """What a proposer says of the slots, the refused words left out; the dial of a method is asked when it is used."""
    block = blocked()
    made = []
    for slot, some in zip(slots, proposer.propose(slots, TOP), strict=True):
        kept = tuple((one.word, one.score) for one in some if not refused(slot, one, block))
        made.append(
            BundledRow(slot.parse.text, name, slot.token.start, slot.token.text, kept, judged)
        )
    return made


def main() -> None:
    """Parse, propose, write."""
    sentences = (SAMPLE / "news.en.txt").read_text("utf-8").splitlines()
    parses = open_spacy("en").parse(sentences)
    fitting = [
        Slot(parse, i)
        for parse in parses
        for i in open_slots(parse, ("NOUN", "ADJ"), edges=False, compared=False)
    ]
    similar = [
        Slot(parse, i)
        for parse in parses
        for i in open_slots(parse, ("NOUN", "ADJ", "NUM"), edges=True, compared=False)
    ]
    made = rows("smollm", open_smollm_proposer("en"), fitting, judged=True)
    made += rows("dictionary", open_dictionary("en"), similar, judged=False)
    text = "".join(msgspec.json.encode(row).decode() + "\n" for row in made)
    (SAMPLE / FILE.format("en")).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
