"""What a method left with a case, and what a parser makes of its texts: shown where it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from rapidfuzz.distance import Indel

from polyglitch.errors import PolyglitchError
from polyglitch.protocols import Parse, Parser
from polyglitch.records import Case, Trial, Verdict
from polyglitch.report.cards import PLACES, Languages
from polyglitch.report.explanations import Explanations, as_list, explanations_of
from polyglitch.report.marks import word_ranges
from polyglitch.review.diagrams import Automaton, Diagram, automaton_diagram, tree_diagram

LONGEST_ALIGNED = 1500  # characters: the interlinear view is for sentences
LONGEST_PARSED = 600


class Evidence(msgspec.Struct, frozen=True):
    """What a case's data holds that can be drawn."""

    explanations: Explanations
    regexes: list[tuple[str, str]]
    automata: list[Diagram]


class Aligned(msgspec.Struct, frozen=True):
    """A stretch of two texts: the same in both, or what stands in the one and in the other."""

    first: str
    second: str

    @property
    def same(self) -> bool:
        """Whether nothing differs here."""
        return self.first == self.second


class Drawn(msgspec.Struct, frozen=True):
    """The tree of one text, or why there is none."""

    name: str
    tree: Diagram | None
    problem: str = ""


def evidence(case: Case, verdict: Verdict | None = None) -> Evidence:
    """What there is to draw of a case and its verdict; entries of another shape than expected are passed over."""
    data = case.data | (verdict.drawn if verdict else {})
    machines = [read_automaton(entry) for entry in as_list(data.get("automata"))]
    drawn = [automaton_diagram(machine) for machine in machines if machine]
    return Evidence(
        explanations=explanations_of(case, verdict),
        regexes=named_texts(data.get("regexes")),
        automata=[diagram for diagram in drawn if diagram],
    )


def named_texts(value: Any) -> list[tuple[str, str]]:
    """A list of texts, or a table of them, with a name each."""
    if isinstance(value, dict):
        return [(str(name), str(text)) for name, text in value.items()]
    return [(f"{place}", str(text)) for place, text in enumerate(as_list(value), 1)]


def read_automaton(entry: Any) -> Automaton | None:
    """An automaton from plain data."""
    try:
        return msgspec.convert(entry, Automaton)
    except msgspec.ValidationError:
        return None


def align(first: str, second: str) -> list[Aligned]:
    """Two texts word under word; nothing where they are too long for it."""
    if max(len(first), len(second)) > LONGEST_ALIGNED:
        return []
    ours, theirs = word_ranges(first), word_ranges(second)
    steps = Indel.opcodes([first[a:b] for a, b in ours], [second[a:b] for a, b in theirs])
    found: list[Aligned] = []
    for step in steps:
        one = stretch(first, ours[step.src_start : step.src_end])
        other = stretch(second, theirs[step.dest_start : step.dest_end])
        if step.tag == "equal":
            one = other  # the words are the same; only the spaces between them may differ
        elif found and not found[-1].same and not (found[-1].first and one):
            # A deletion next to an insertion is a replacement: they belong under each other.
            last = found.pop()
            one, other = last.first + one, last.second + other
        found.append(Aligned(one, other))
    return found


def stretch(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The text from the first of some words to the last."""
    return text[ranges[0][0] : ranges[-1][1]] if ranges else ""


class Trees:
    """Parsers by language, each loaded when a tree is first asked for."""

    def __init__(self, find: Callable[[str | None], Parser]) -> None:
        self._find = find
        self._lock = threading.Lock()  # spaCy's pipelines are not made for two threads at once

    def draw(self, trial: Trial, languages: Languages) -> list[list[Drawn]]:
        """The trees of the inputs and of the outputs, each pair marked where it differs."""
        asked = [item.text for item in trial.case.inputs]
        answered = [chain[-1].text for chain in trial.chains if chain and chain[-1].ok]
        back = any(len(chain) > 1 for chain in trial.chains)
        rows = [self._row("Source", asked, languages[0])]
        if any(answered):
            rows.append(self._row("Output", answered, languages[0] if back else languages[1]))
        return rows

    def _row(self, name: str, texts: list[str], language: str | None) -> list[Drawn]:
        try:
            with self._lock:
                parses = self._find(language).parse([text[:LONGEST_PARSED] for text in texts])
        except PolyglitchError as error:
            return [Drawn(name, None, str(error))]
        places = PLACES if len(texts) == 2 else ("",) * len(texts)
        return [
            Drawn(
                f"{role} {name}".strip().capitalize(),
                tree_diagram(parse, counterpart(parses, place)),
            )
            for place, (parse, role) in enumerate(zip(parses, places, strict=True))
        ]


def counterpart(parses: list[Parse], place: int) -> Parse | None:
    """The other tree of a pair."""
    return parses[1 - place] if len(parses) == 2 else None
