"""Replace one word of a sentence by another that fits: the mutation of SIT, TransRepair and CAT.

Candidates for slots through the store: a slot that was looked at in this or an earlier run costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from polyglitch.component import component
from polyglitch.mutate import filters
from polyglitch.mutate import slots as rules
from polyglitch.mutate.filters import Draft, Keep, Swap, fit_in
from polyglitch.mutate.slots import SlotRule, open_slots
from polyglitch.protocols import Candidate, Floats, Mutation, Parse, Slot, Tools
from polyglitch.records import Case, Edit, Input, Seed, digest, new_case

RANKED_POSITIONS = 10  # words a seed that are looked at, the highest ranked first
RANKED_CASES = 5  # cases a seed, so that a rank has to choose
Order = Literal["turns", "score"]


@component
def swap_words(
    proposer: str = "auto",
    pos: tuple[str, ...] = ("NOUN", "ADJ"),
    top: int = 10,
    per_seed: int | None = None,
    positions: int | None = None,
    relation: str = "similar",
    edges: bool = False,
    compared: bool = False,
    order: Order = "turns",
    where: tuple[SlotRule, ...] = rules.NATURAL,
    keep: tuple[Keep, ...] = filters.NATURAL,
) -> Mutation:
    """Cases that differ in one word: `top` candidates a slot, kept when every filter of `keep` agrees.

    `pos` and `where` say which words may be replaced, `edges` whether the first and the last token too, which SIT
    leaves alone, `compared` whether comparatives and superlatives too, where the language's own tags tell them;
    `positions` keeps the first slots in rank order; `per_seed` bounds the cases of a seed, which come slot
    by slot in turns or by the proposer's score, and where words are ranked in that order. Neither is bounded by
    default but where words are ranked.
    """

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        parser = tools.parser(language)
        parses = parser.parse([seed.input.text for seed in seeds])
        ranks = tools.word_ranks(seeds, parses)
        most, tests = (positions, per_seed) if ranks is None else ranked(positions, per_seed)
        chosen: list[tuple[int, Slot]] = []
        for number, parse in enumerate(parses):
            places = open_slots(parse, pos, edges, where, compared)
            if ranks is not None:
                worth = ranks[number]
                places.sort(key=lambda index: -float(worth[index]))
            chosen += [(number, Slot(parse, index)) for index in places[:most]]
        found = propose(tools, proposer, language, [slot for _, slot in chosen], top)
        drafts = [
            (number, slot, fit_in(slot, candidate.word), candidate.score)
            for (number, slot), some in zip(chosen, found, strict=True)
            for candidate in some
        ]
        checked = parser.skim([draft.text for _, _, draft, _ in drafts])
        kept: list[list[tuple[float, Draft]]] = [[] for _ in seeds]
        for (number, slot, draft, score), parse in zip(drafts, checked, strict=True):
            swap = Swap(slot, draft, parse)
            if all(agrees(swap) for agrees in keep):
                kept[number].append((score, draft))
        for number, (seed, scored) in enumerate(zip(seeds, kept, strict=True)):
            heat = {} if ranks is None else {"heat": heat_map(parses[number], ranks[number])}
            if ranks is None and order == "score":
                scored.sort(key=lambda pair: (-pair[0], pair[1].text))
            ready = [draft for _, draft in scored]
            if ranks is None and order == "turns":
                ready = in_turns(ready)
            for draft in ready[:tests]:
                yield swapped(seed, draft.text, draft.edit, relation, heat)

    return mutate


def ranked(positions: int | None, per_seed: int | None) -> tuple[int, int]:
    """How many words and cases a seed has where words are ranked: as published for GRI and WALI."""
    return positions or RANKED_POSITIONS, per_seed or RANKED_CASES


def in_turns(drafts: list[Draft]) -> list[Draft]:
    """The best candidate of every slot, then the second best, ...: a bounded seed tries all its words."""
    turn: dict[int, int] = {}
    places: list[tuple[int, int, Draft]] = []
    for order, draft in enumerate(drafts):
        turn[draft.edit.start] = turn.get(draft.edit.start, -1) + 1
        places.append((turn[draft.edit.start], order, draft))
    return [draft for _, _, draft in sorted(places, key=lambda place: place[:2])]


def heat_map(parse: Parse, worth: Floats) -> dict[str, list[Any]]:
    """The words of a seed with what the rank gave each, for people to see why this one was changed."""
    return {
        "tokens": [token.text for token in parse.tokens],
        "weights": [round(float(score), 4) for score in worth],
    }


def swapped(
    seed: Seed, text: str, edit: Edit, relation: str, data: dict[str, Any] | None = None
) -> Case:
    """The case of a seed and its mutant."""
    follow_up = Input(text, seed.input.context, seed.input.title, seed.input.language)
    return new_case(seed, relation, (seed.input, follow_up), edit, data=data)


KIND = "proposals"


def propose(
    tools: Tools, name: str, language: str | None, slots: Sequence[Slot], top: int
) -> list[list[Candidate]]:
    """What the proposer says of each slot, asked only about the slots that are not known."""
    if not slots:
        return []
    proposer = tools.proposer(name, language)
    keys = [
        digest(
            [proposer.signature, slot.parse.text, str(slot.token.start), slot.token.tag, str(top)]
        )
        for slot in slots
    ]
    known = tools.remember(KIND, keys)
    todo = {key: slot for key, slot in zip(keys, slots, strict=True) if key not in known}
    if todo:
        found = proposer.propose(list(todo.values()), top)
        new = {
            key: [[one.word, one.score] for one in some]
            for key, some in zip(todo, found, strict=True)
        }
        tools.keep(KIND, new)
        known |= new
    return [[Candidate(word, score) for word, score in known[key]] for key in keys]
