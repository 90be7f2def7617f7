"""What a method left with a case, and what a parser makes of its texts: drawn where it is there.

Arcs are drawn here and not by displaCy, which comes with spaCy alone: these also show automata, mark what differs, and
need no styles of their own, which the page's policy forbids.
"""

from __future__ import annotations

import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from rapidfuzz.distance import Indel

from polyglitch.errors import PolyglitchError
from polyglitch.protocols import Parser
from polyglitch.records import Case, Parse, Trial, Verdict
from polyglitch.report.cards import PLACES, Languages
from polyglitch.report.marks import Explanations, as_list, explanations_of, word_ranges

LETTER = 8.6  # pixels of an average letter at the size of the style sheet
SMALL_LETTER = 6.4
GAP = 18
STEP = 24  # between two arcs, one above the other
MOST_NODES = 80  # a longer row is not read, and draws slowly


class DiagramNode(msgspec.Struct, frozen=True):
    """A word and what stands under it."""

    text: str
    under: str
    x: float


class Arc(msgspec.Struct, frozen=True):
    """An arrow from one node to another, drawn by `path`, its head at `tip`."""

    label: str
    marked: bool
    path: str
    tip: str
    x: float
    y: float


class Diagram(msgspec.Struct, frozen=True):
    """Ready to be drawn."""

    width: float
    height: float
    base: float  # where the arcs end and the words begin
    nodes: list[DiagramNode]
    arcs: list[Arc]
    in_words: str


class Link(msgspec.Struct, frozen=True):
    """An arrow to be drawn, by the places of its nodes."""

    start: int
    end: int
    label: str
    marked: bool = False


def text_width(text: str, letter: float = LETTER) -> float:
    """About how wide a text is drawn."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return letter * (len(text) + 0.8 * wide)


def arc_diagram(words: Sequence[tuple[str, str]], links: Sequence[Link]) -> Diagram:
    """Lay out words and links; a link from a node to itself stands upright over it."""
    widths = [max(text_width(text), text_width(under, SMALL_LETTER)) for text, under in words]
    places: list[float] = []
    edge = GAP / 2
    for width in widths:
        places.append(edge + width / 2)
        edge += width + GAP
    levels = arc_levels(links)
    height = (max(levels, default=0) + 1) * STEP + 14
    arcs = [
        draw_arc(link, places, height, height - level * STEP)
        for link, level in zip(links, levels, strict=True)
    ]
    nodes = [DiagramNode(text, under, x) for (text, under), x in zip(words, places, strict=True)]
    said = "; ".join(
        f"{words[link.start][0]} to {words[link.end][0]}: {link.label}"
        if link.start != link.end
        else f"{words[link.start][0]}: {link.label}"
        for link in links
    )
    return Diagram(round(edge, 1), height + 44, height, nodes, arcs, said)


def arc_levels(links: Sequence[Link]) -> list[int]:
    """How high each arc goes, so that none runs into one that it spans."""
    spans = [sorted((link.start, link.end)) for link in links]
    levels = [1] * len(links)
    placed: list[int] = []
    for place in sorted(range(len(links)), key=lambda n: spans[n][1] - spans[n][0]):
        low, high = spans[place]
        below = [levels[n] for n in placed if spans[n][0] < high and low < spans[n][1]]
        levels[place] = 1 + max(below, default=0)
        placed.append(place)
    return levels


def draw_arc(link: Link, places: Sequence[float], base: float, top: float) -> Arc:
    """One arc as SVG paths."""
    if link.start == link.end:
        x = places[link.start]
        path = f"M{x:.1f} {top - 6:.1f}V{base - 3:.1f}"
        return Arc(link.label, link.marked, path, tip_at(x, base), x, top - 9)
    towards = 1 if link.end > link.start else -1
    # A little aside of the middle, so that the arcs of a word do not run into each other.
    start, end = places[link.start] + 4 * towards, places[link.end] - 3 * towards
    bend = 8 * towards
    path = (
        f"M{start:.1f} {base:.1f}V{top + 8:.1f}Q{start:.1f} {top:.1f} {start + bend:.1f} {top:.1f}"
        f"H{end - bend:.1f}Q{end:.1f} {top:.1f} {end:.1f} {top + 8:.1f}V{base - 3:.1f}"
    )
    return Arc(link.label, link.marked, path, tip_at(end, base), (start + end) / 2, top - 3)


def tip_at(x: float, base: float) -> str:
    """The head of an arrow that points down."""
    return f"M{x:.1f} {base:.1f}l-3.5 -6h7z"


def tree_diagram(parse: Parse, other: Parse | None = None) -> Diagram:
    """A dependency tree; relations that the other tree has fewer of are marked."""
    tokens = parse.tokens[:MOST_NODES]
    surplus: Counter[str] = Counter(token.relation for token in tokens)
    if other is not None:
        surplus -= Counter(token.relation for token in other.tokens)
    links = [
        Link(token.head, place, token.relation, other is not None and surplus[token.relation] > 0)
        for place, token in enumerate(tokens)
        if token.head < len(tokens) and token.head != place and token.relation != "punct"
    ]
    roots = [" · root" if token.head == place else "" for place, token in enumerate(tokens)]
    words = [(token.text, token.pos + root) for token, root in zip(tokens, roots, strict=True)]
    return arc_diagram(words, links)


class Automaton(msgspec.Struct, frozen=True):
    """A finite automaton as a method may leave it in a case's data."""

    states: int
    accepting: list[int]
    edges: list[tuple[int, int, str]]
    start: int = 0


def automaton_diagram(machine: Automaton) -> Diagram | None:
    """States in a row, moves as arcs over them; nothing where it does not fit or make sense."""
    names = range(machine.states)
    if not 0 < machine.states <= MOST_NODES or any(
        state not in names for edge in machine.edges for state in edge[:2]
    ):
        return None
    words = [
        (str(state), " ".join(state_notes(machine, state)) or " ") for state in names
    ]  # a state without a note keeps its place
    joined: dict[tuple[int, int], list[str]] = {}
    for start, end, label in machine.edges:
        joined.setdefault((start, end), []).append(label)
    links = [Link(start, end, " ".join(labels)) for (start, end), labels in joined.items()]
    return arc_diagram(words, links)


def state_notes(machine: Automaton, state: int) -> list[str]:
    """What is special about a state."""
    return ["start"] * (state == machine.start) + ["accepts"] * (state in machine.accepting)


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
