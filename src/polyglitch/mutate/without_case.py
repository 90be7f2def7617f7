"""Why a mutation made no case of a sentence, told from its parse: what a person can act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from polyglitch.languages import language as language_of
from polyglitch.mutate.meaning import slots_of
from polyglitch.mutate.swap import more_parts, second_look
from polyglitch.nlp.proposers.slot_words import open_slots
from polyglitch.protocols import Mutate, Tools
from polyglitch.records import Parse, Seed

NO_WORD = "no {} that may be replaced stands in it"
ALL_FIXED = "every {} is a name, a number or fixed"
NOTHING_FITS = "no other {} reads well in its place"
NO_PHRASE = "it has no noun phrase of two words"
NOTHING_TO_CHANGE = "nothing in it can be replaced or left out"
NAMES = {"NOUN": "noun", "ADJ": "adjective", "VERB": "verb", "ADV": "adverb", "NUM": "number"}


def reasons_without_case(mutation: Mutate, seeds: Sequence[Seed], tools: Tools) -> dict[str, int]:
    """How many of some seeds have no case for which reason; nothing for mutations that are not of words."""
    name, arguments = getattr(mutation, "name", ""), getattr(mutation, "arguments", {})
    tell = REASONS.get(name)
    if tell is None or not seeds:
        return {}
    parses = tools.parser(seeds[0].input.language).parse([seed.input.text for seed in seeds])
    return dict(Counter(tell(parse, arguments) for parse in parses).most_common())


def of_swap(parse: Parse, arguments: dict[str, Any]) -> str:
    """The reason of `swap_words`."""
    known, pos = language_of(parse.language), arguments["pos"]
    proposer = arguments["proposer"]
    last = arguments["last_pos"] if second_look(proposer, parse.language) else ()
    pos = (*pos, *last, *more_parts(proposer, parse.language, pos))
    kinds = named(pos)
    edges, where, compared = (arguments[key] for key in ("edges", "where", "compared"))
    if open_slots(parse, pos, edges, where, compared):
        return NOTHING_FITS.format(kinds)
    there = any(known.is_part(token.tag, token.pos, pos, True) for token in parse.tokens)
    return (ALL_FIXED if there else NO_WORD).format(kinds)


def of_meaning(parse: Parse, arguments: dict[str, Any]) -> str:
    """The reason of PatInv's mutations."""
    pos = arguments["pos"]
    if slots_of(parse, language_of(parse.language).stop_words, pos):
        return NOTHING_FITS.format(named(pos))
    return NOTHING_TO_CHANGE


def named(pos: Sequence[str]) -> str:
    """Parts of speech in words."""
    known = [NAMES.get(part, part) for part in pos]
    return " or ".join(known) if len(known) < 4 else "word"


def of_phrases(parse: Parse, arguments: dict[str, Any]) -> str:
    """The reason of RTI's mutation."""
    return NO_PHRASE


REASONS = {
    "swap_words": of_swap,
    "other_meaning": of_meaning,
    "less_meaning": of_meaning,
    "both_meanings": of_meaning,
    "noun_phrases": of_phrases,
}
