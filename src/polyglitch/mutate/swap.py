"""Replace one word of a sentence by another that fits: the mutation of SIT, TransRepair and CAT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyglitch.mutate.surface import Draft, fit_in
from polyglitch.part import part
from polyglitch.protocols import Mutation, Parse, Slot, Token, Tools
from polyglitch.records import Case, Edit, Input, Seed, new_case

RANKED_POSITIONS = 10  # words a seed that are looked at, the highest ranked first
RANKED_CASES = 5  # cases a seed, so that a rank has to choose


@part
def swap_words(
    proposer: str = "vectors",
    tags: tuple[str, ...] = ("NN", "NNS", "JJ"),
    top: int = 10,
    per_seed: int | None = None,
    positions: int | None = None,
    relation: str = "similar",
    edges: bool = False,
) -> Mutation:
    """Cases that differ in one word: `top` candidates a slot, kept when the tag stays the same.

    `positions` keeps the first slots in rank order; `per_seed` bounds the cases of a seed; neither is bounded
    by default but where words are ranked. `edges` allows the first and the last token, which SIT leaves alone.
    """

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        parser = tools.parser(language)
        parses = parser.parse([seed.input.text for seed in seeds])
        ranks = tools.word_ranks(seeds, parses)
        most, tests = (positions, per_seed) if ranks is None else ranked(positions, per_seed)
        slots: list[tuple[int, Slot]] = []
        for number, parse in enumerate(parses):
            chosen = slots_of(parse, tags, edges)
            if ranks is not None:
                score = ranks[number]
                chosen.sort(key=lambda index: -float(score[index]))
            slots += [(number, Slot(parse, index)) for index in chosen[:most]]
        candidates = tools.proposer(proposer, language).propose([slot for _, slot in slots], top)
        drafts = [
            (number, slot, draft)
            for (number, slot), words in zip(slots, candidates, strict=True)
            for draft in (fit_in(slot, candidate.word) for candidate in words)
        ]
        checked = parser.parse([draft.text for _, _, draft in drafts])
        kept: list[list[Draft]] = [[] for _ in seeds]
        for (number, slot, draft), parse in zip(drafts, checked, strict=True):
            if same_tag(slot, parse, draft.start):
                kept[number].append(draft)
        for seed, ready in zip(seeds, kept, strict=True):
            if ranks is None:
                ready = in_turns(ready)
            for draft in ready[:tests]:
                yield swapped(seed, draft.text, draft.edit, relation)

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


def slots_of(parse: Parse, tags: tuple[str, ...], edges: bool) -> list[int]:
    """Indices of the words that may be replaced: by tag, whole words of letters, no names."""
    inner = parse.tokens if edges else parse.tokens[1:-1]
    offset = 0 if edges else 1
    return [
        index
        for index, token in enumerate(inner, offset)
        if token.tag in tags and replaceable(token, parse)
    ]


def replaceable(token: Token, parse: Parse) -> bool:
    """Whether the token stands alone: letters only, not glued to a hyphen or an apostrophe."""
    before = parse.text[token.start - 1 : token.start]
    after = parse.text[token.end : token.end + 1]
    return len(token.text) > 1 and token.text.isalpha() and not set(before + after) & set("-'’/@_")


def same_tag(slot: Slot, parse: Parse, start: int) -> bool:
    """Whether the new word was read as the same part of speech as the old one."""
    return any(token.start == start and token.tag == slot.token.tag for token in parse.tokens)


def swapped(seed: Seed, text: str, edit: Edit, relation: str) -> Case:
    """The case of a seed and its mutant."""
    follow_up = Input(text, seed.input.context, seed.input.title, seed.input.language)
    return new_case(seed, relation, (seed.input, follow_up), edit)
