"""Put a word into a sentence so that it still reads right: capital letters, and `a` or `an` before it.

Which swaps read right. Each filter looks at the slot, the draft and how the draft was parsed.

Replace one word of a sentence by another that fits: the mutation of SIT, TransRepair and CAT.

Candidates for slots through the store: a slot that was looked at in this or an earlier run costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import LANGUAGE_MODELS, language_model
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR
from polyglitch.nlp.proposers.slot_words import (
    NATURAL_SLOTS,
    SlotRule,
    breaks_gender,
    common_nouns,
    goes_with_article,
    leant_on,
    match_case,
    not_fixed,
    not_fixed_or_listed,
    not_in_compound,
    open_slots,
    repeats,
    with_word,
)
from polyglitch.protocols import Floats, Mutation, Tools
from polyglitch.records import (
    Candidate,
    Case,
    Edit,
    Input,
    Parse,
    Seed,
    Slot,
    Token,
    digest,
    new_case,
)
from polyglitch.registry import component


@dataclass(frozen=True)
class Draft:
    """A sentence with a word put in: its text, where the word starts, and the edit in the original."""

    text: str
    start: int
    edit: Edit


def fit_in(slot: Slot, word: str) -> Draft:
    """The sentence with `word` in the slot, in the case of the word that stood there."""
    token = slot.token
    text, start = with_word(slot, word)
    edit = Edit("swap", token.start, token.end, token.text, match_case(word, token.text))
    return Draft(text, start, edit)


class Swap(msgspec.Struct, frozen=True):
    """A word put in: where it was put, the sentence it made, and that sentence parsed."""

    slot: Slot
    draft: Draft
    parse: Parse

    @property
    def token(self) -> Token | None:
        """The new word as the parser saw it, if it saw one word there."""
        return next((t for t in self.parse.tokens if t.start == self.draft.start), None)


Keep = Callable[[Swap], bool]
Scored = tuple[Candidate, Draft]  # a swap with what its proposer says of it


# "The flooded area", "any damaged part": a participle that stands for an adjective gets either tag by chance.
ONE_TAG = {"VBN": "JJ"}
# "If you are nursing or plan to": the base form and the present look the same, and get either tag by chance too.
LOOK_ALIKE = {"VBP": "VB"}


def read_as(token: Token) -> str:
    """The tag of a word, one for those that a tagger gives by chance."""
    tag = LOOK_ALIKE.get(token.tag, token.tag)
    return ONE_TAG.get(tag, tag) if token.relation == "amod" else tag


def same_tag(swap: Swap) -> bool:
    """Whether the new word was read as the same part of speech as the old one."""
    return swap.token is not None and read_as(swap.token) == read_as(swap.slot.token)


# Other words that may be read otherwise: which tag "stored" has in "is encrypted on your device and stored" turns with
# any word before it, and of the swaps that were refused for one such word nearly all read well.
WAVERING = 1


def same_tags(swap: Swap) -> bool:
    """Whether the words of the sentence were read as before, all but one at most: the new word misleads nobody."""
    old, new = swap.slot.parse.tokens, swap.parse.tokens
    changed = sum(read_as(a) != read_as(b) for a, b in zip(old, new, strict=False))
    return len(old) == len(new) and changed <= WAVERING


def same_place(swap: Swap) -> bool:
    """Whether the new word hangs on the same word or in the same way, and the rest was read as before.

    Not on both: "tablet" is a part of "the tablet whole" for a parser and "pill" is not, and the error is in the first.
    """
    token, slot = swap.token, swap.slot.token
    return (
        token is not None
        and (token.relation == slot.relation or (token.head == slot.head and same_tag(swap)))
        and same_tags(swap)
    )


def not_repeated(swap: Swap) -> bool:
    """Whether the new word is not in the sentence already, in any form."""
    return not repeats(swap.slot, swap.draft.edit.new)


def same_countability(swap: Swap) -> bool:
    """Whether a singular noun goes with its article."""
    return swap.token is None or goes_with_article(swap.slot, swap.token.text)


def same_gender(swap: Swap) -> bool:
    """Whether no daughter became a son in a sentence that goes on about her."""
    return not breaks_gender(swap.slot, swap.draft.edit.new)


def lets_lean(swap: Swap) -> bool:
    """Whether an article that leans on the old word may lean on the new one: l'hôtel, l'hôpital."""
    old, new = swap.draft.edit.old.lower(), swap.draft.edit.new.lower()
    known = language_of(swap.slot.parse.language)
    return not leant_on(swap.slot) or known.sound_alike(old, new)


# What every method asks of the new word in its sentence, and what most ask of the sentence.
IN_PLACE: tuple[Keep, ...] = (not_repeated, same_countability, same_gender, lets_lean)
NATURAL: tuple[Keep, ...] = (same_tag, same_tags, *IN_PLACE)
BY_TAGS: tuple[Keep, ...] = (same_tag, same_tags, same_place)


# Chosen on the tuning half of benchmarks/readings: above, sentences run out of words; below, swaps read oddly.
NATURALNESS = ASKED_FOR
LEAST = 0.8  # that proposers drop words below by themselves: a dial under it has them drop none
SPARE = 0.915  # of the naturalness asked for: what the one swap of a sentence must have that has no better
# Proposers that tell how natural a word is, also as the first of a sentence and in a compound, and those that have more
# words for the sentences that got none.
SECOND_LOOK = {
    **dict.fromkeys(("auto", "auto:more"), "auto:poor"),
    **{name: f"{one}:0.65" for one in LANGUAGE_MODELS for name in (one, f"{one}:{LEAST}")},
    "auto:alike": "auto:poor-alike",
    "auto:in-context": "auto:poor-alike",
}
LAST = 0.915  # of the naturalness asked for: what the one swap must have that such a sentence gives
RANKED_POSITIONS = 10  # words a seed that are looked at, the highest ranked first
RANKED_CASES = 5  # cases a seed, so that a rank has to choose
Order = Literal["turns", "score"]


@component
def swap_words(
    proposer: str = "auto",
    pos: tuple[str, ...] = ("NOUN", "ADJ"),
    last_pos: tuple[str, ...] = (),
    top: int = 10,
    naturalness: float = NATURALNESS,
    spare: float = SPARE,
    per_seed: int | None = None,
    positions: int | None = None,
    relation: str = "similar",
    edges: bool = False,
    compared: bool = False,
    order: Order = "turns",
    where: tuple[SlotRule, ...] = NATURAL_SLOTS,
    keep: tuple[Keep, ...] = NATURAL,
) -> Mutation:
    """Cases that differ in one word: `top` candidates a slot, kept when every filter of `keep` agrees.

    `naturalness` (0 to 1) is the least probability that a reader takes the swap, by the proposers that tell it; a
    sentence without any such swap gives its best, if that has `spare` times as much, else by a second look (`LAST`).
    With 0 all are kept.
    `pos` and `where` say which words may be replaced, `last_pos` which others in a sentence that has no case of these,
    where a model tells how natural a word is, `edges` whether the first and the last token too, which SIT leaves alone
    (such models get these and the parts of compounds too), `compared` whether comparatives and superlatives too, where
    the language's own tags tell them;
    `positions` keeps the first slots in rank order; `per_seed` bounds the cases of a seed, which come slot
    by slot in turns or by the proposer's score; where words are ranked, in turns from the highest. Neither is
    bounded by default but where words are ranked.
    """

    if not 0 <= naturalness <= 1:
        raise UsageError(
            f"naturalness = {naturalness}: it is a probability; give one from 0 (all words) to 1"
        )

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        read = tools.parser(language).parse([seed.input.text for seed in seeds])
        parses = [common_nouns(parse) for parse in read]
        ranks = tools.word_ranks(seeds, parses)
        most, tests = (positions, per_seed) if ranks is None else ranked(positions, per_seed)
        named = proposer_for(proposer, naturalness)
        again = second_look(named, language)
        # A model that tells how natural a word is may be trusted with more of the sentence.
        wide = wider(where) if again else where
        more = more_parts(named, language, pos)
        unheld = tuple(rule for rule in where if rule is not not_fixed)
        chosen: list[tuple[int, Slot]] = []
        other_parts: list[tuple[int, Slot]] = []
        for number, parse in enumerate(parses):
            places = open_slots(parse, pos, edges or again is not None, wide, compared)
            places += open_slots(parse, more, True, unheld, compared)
            if ranks is not None:
                worth = ranks[number]
                places.sort(key=lambda index: -float(worth[index]))
            chosen += [(number, Slot(parse, index)) for index in places[:most]]
            if again is not None:
                left = open_slots(parse, last_pos, True, wide, compared)
                other_parts += [(number, Slot(parse, index)) for index in left[:most]]
        wavers = language_of(language).tags_waver and by_word_sets(named)
        agree = tuple(each for each in keep if not wavers or each not in BY_TAGS)
        look = SwapSearch(tools, language, top, agree)
        found = look.swaps(named, chosen, naturalness, spare)
        others = [(number, slot) for number, slot in other_parts if number not in found]
        found |= look.swaps(named, others, naturalness, spare)
        if again is not None:
            others = [one for one in chosen + other_parts if one[0] not in found]
            found |= look.swaps(again, others, naturalness, min(LAST, spare), alone=True)
        for number, seed in enumerate(seeds):
            scored = found.get(number, [])
            heat = {} if ranks is None else {"heat": heat_map(parses[number], ranks[number])}
            if ranks is None and order == "score":
                scored.sort(key=lambda pair: (-pair[0].score, pair[1].text))
            ready = [draft for _, draft in scored]
            if ranks is not None or order == "turns":
                ready = in_turns(ready)
            for draft in ready[:tests]:
                yield swapped(seed, draft.text, draft.edit, relation, heat)

    return mutate


def wider(where: Sequence[SlotRule]) -> tuple[SlotRule, ...]:
    """The same rules where a model tells how natural a word is: it is asked about compounds and listed words too."""
    left = (rule for rule in where if rule is not not_in_compound)
    return tuple(not_fixed_or_listed if rule is not_fixed else rule for rule in left)


class SwapSearch:
    """Asks a proposer about slots, and keeps the swaps that every filter agrees to."""

    def __init__(self, tools: Tools, language: str | None, top: int, keep: Sequence[Keep]) -> None:
        self._tools, self._language, self._top, self._keep = tools, language, top, keep

    def swaps(
        self,
        proposer: str,
        chosen: Sequence[tuple[int, Slot]],
        naturalness: float,
        spare: float,
        alone: bool = False,
    ) -> dict[int, list[Scored]]:
        """What is natural enough and agreed to, by the number that comes with a slot; `alone`: the best of it.

        Only swaps that may be taken are parsed: those below the dial where all above it were refused.
        """
        slots = [slot for _, slot in chosen]
        offered = propose(self._tools, proposer, self._language, slots, self._top)
        left: dict[int, list[Scored]] = {}
        places: dict[Draft, Slot] = {}
        for (number, slot), candidates in zip(chosen, offered, strict=True):
            for candidate in candidates:
                draft = fit_in(slot, candidate.word)
                left.setdefault(number, []).append((candidate, draft))
                places[draft] = slot
        found: dict[int, list[Scored]] = {}
        while left:
            tried = {
                n: best_of(some, spare * naturalness)
                if alone
                else natural_enough(some, naturalness, spare)
                for n, some in left.items()
            }
            agreed = self._agreed([draft for some in tried.values() for _, draft in some], places)
            for number, some in tried.items():
                if taken := [pair for pair in some if pair[1] in agreed]:
                    found[number] = taken
            left = {
                number: [pair for pair in left[number] if pair not in some]
                for number, some in tried.items()
                if some and number not in found
            }
        return found

    def _agreed(self, drafts: Sequence[Draft], places: Mapping[Draft, Slot]) -> set[Draft]:
        """The drafts that every filter agrees to."""
        parses = self._tools.parser(self._language).skim([draft.text for draft in drafts])
        swaps = (
            (draft, Swap(places[draft], draft, common_nouns(parse)))
            for draft, parse in zip(drafts, parses, strict=True)
        )
        return {draft for draft, swap in swaps if all(agrees(swap) for agrees in self._keep)}


def natural_enough(scored: list[Scored], naturalness: float, spare: float) -> list[Scored]:
    """The swaps of a sentence that a reader is likely enough to take, or the best one where it is not much worse."""
    kept = [pair for pair in scored if pair[0].accepted >= naturalness]
    return kept or best_of(scored, spare * naturalness)


def best_of(scored: list[Scored], least: float) -> list[Scored]:
    """The one swap that a reader is likeliest to take, if that is likely enough."""
    best = max(scored, key=lambda pair: pair[0].accepted, default=None)
    return [best] if best is not None and best[0].accepted >= least else []


def second_look(named: str, language: str | None) -> str | None:
    """The proposer of more words for the sentences that got none, where there is a model that tells."""
    if "auto" not in language_of(language).proposers or not language_model():
        return None
    return SECOND_LOOK.get(named)


NAMED_BY_SIT = ("NOUN", "ADJ")


def more_parts(named: str, language: str | None, pos: tuple[str, ...]) -> tuple[str, ...]:
    """Parts of speech beside nouns and adjectives that a language without a model lists words of.

    Only these words are asked about, so that it does not matter whether they belong to the closed classes.
    """
    listed = by_word_sets(named) and set(pos) == set(NAMED_BY_SIT)
    return language_of(language).more_parts if listed else ()


def by_word_sets(named: str) -> bool:
    """Whether the words come from the sets of a language, where it has no model."""
    return named.partition(":")[0] in ("auto", "word-sets")


def proposer_for(proposer: str, naturalness: float) -> str:
    """The name of the proposer that has the words for a dial: below the default more, and far below all, odd or not."""
    if naturalness >= NATURALNESS:
        return proposer
    known_as = proposer if proposer in LANGUAGE_MODELS else ""
    if naturalness >= LEAST:
        return f"{known_as}:{LEAST}" if known_as else {"auto": "auto:more"}.get(proposer, proposer)
    return f"{known_as}:0" if known_as else {"auto": "auto:any"}.get(proposer, proposer)


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
    keys = slot_keys(proposer.signature, slots, top)
    known = tools.remember(KIND, keys)
    todo = {key: slot for key, slot in zip(keys, slots, strict=True) if key not in known}
    if todo:
        found = proposer.propose(list(todo.values()), top)
        new = {
            key: [[one.word, one.score, one.accepted] for one in some]
            for key, some in zip(todo, found, strict=True)
        }
        tools.keep(KIND, new)
        known |= new
    return [[Candidate(*one) for one in known[key]] for key in keys]


def slot_keys(signature: str, slots: Sequence[Slot], top: int) -> list[str]:
    """What proposals are kept under: all that they depend on, the other slots of the sentence among it."""
    # A model that finds enough words for a sentence looks no further, so that slots asked together share their fate.
    together: dict[str, list[str]] = {}
    for slot in slots:
        together.setdefault(slot.parse.text, []).append(str(slot.token.start))
    return [
        digest(
            [
                signature,
                slot.parse.text,
                str(slot.token.start),
                slot.token.tag,
                str(top),
                *together[slot.parse.text],
            ]
        )
        for slot in slots
    ]
