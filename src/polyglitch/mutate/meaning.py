"""Change what a sentence means and nothing else: the mutations of PatInv, by another word or by none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.mutate.adjuncts import adjuncts
from polyglitch.mutate.swap import IN_PLACE, Draft, Swap, fit_in, in_turns, propose, swapped
from polyglitch.nlp.lexicons.words import dictionary_folder, open_wordnet
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.proposers.in_context import one_step, opposite
from polyglitch.nlp.proposers.slot_words import ARTICLE, NATURAL_SLOTS, match_article
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Edit, Parse, Seed, Slot, Tree
from polyglitch.registry import component

CONTENT = ("ADJ", "NOUN", "ADV", "VERB")  # pronouns, which the paper also replaces, are stop words
REMOVABLE = {"NP", "VP", "PP", "ADVP"}
SHARED_BEGINNING = (
    4  # letters: represent and representation, threat and threatening are one word here
)
# The least probability that a reader takes a word for one that fits and means something else.
NATURALNESS = 0.75
SHORTEST_REMOVED = 7  # characters: the published code asks for more than six


@component
def other_meaning(
    proposer: str = "auto:unlike",
    top: int = 10,
    per_seed: int | None = None,
    pos: tuple[str, ...] = CONTENT,
) -> Mutation:
    """Cases in which one word became another that fits and means something else.

    Kept when the parse keeps its shape: the same tags, heads and relations, one word renamed. A word that nothing
    natural replaces is left alone: in a sentence that reads badly, the same translation is no fault.
    """

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        parser = tools.parser(language)
        parses = parser.parse([seed.input.text for seed in seeds])
        slots = [
            (number, Slot(parse, index))
            for number, parse in enumerate(parses)
            for index in slots_of(parse, language_of(language).stop_words, pos)
        ]
        words = propose(tools, proposer, language, [slot for _, slot in slots], top)
        apart = unlike(language)
        drafts = [
            (number, slot, fit_in(slot, candidate.word))
            for (number, slot), candidates in zip(slots, words, strict=True)
            for candidate in candidates
            if candidate.accepted >= NATURALNESS and apart(slot, candidate.word)
        ]
        checked = parser.parse([draft.text for _, _, draft in drafts])
        kept: list[list[Draft]] = [[] for _ in seeds]
        for (number, slot, draft), parse in zip(drafts, checked, strict=True):
            swap = Swap(slot, draft, parse)
            if same_shape(slot, parse) and all(keep(swap) for keep in IN_PLACE):
                kept[number].append(draft)
        for seed, ready in zip(seeds, kept, strict=True):
            for draft in in_turns(ready)[:per_seed]:
                yield swapped(seed, draft.text, draft.edit, "different")

    return mutate


@component
def less_meaning(
    per_seed: int | None = None, pos: tuple[str, ...] = CONTENT, faithful: bool = False
) -> Mutation:
    """Cases in which a modifier or an adjunct of meaning was taken out; `faithful`, any phrase or word as published."""
    parts = removable if faithful else optional

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        if not seeds:
            return
        language = seeds[0].input.language
        stops = language_of(language).stop_words
        parses = tools.parser(language).parse([seed.input.text for seed in seeds])
        for seed, parse in zip(seeds, parses, strict=True):
            made: dict[str, Case] = {}
            for start, end in parts(parse, stops, pos):
                text = without(parse.text, start, end, language)
                edit = Edit("removed", start, end, parse.text[start:end], "")
                made.setdefault(text, swapped(seed, text, edit, "different"))
            yield from list(made.values())[:per_seed]

    return mutate


@component
def both_meanings(
    proposer: str = "auto:unlike",
    top: int = 10,
    per_seed: int | None = None,
    pos: tuple[str, ...] = CONTENT,
    faithful: bool = False,
) -> Mutation:
    """Cases of both kinds, those of a seed one after the other."""
    kinds = (other_meaning(proposer, top, per_seed, pos), less_meaning(per_seed, pos, faithful))

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        found: dict[str, list[Case]] = {seed.id: [] for seed in seeds}
        for kind in kinds:
            for case in kind(seeds, tools):
                found[case.seed_id].append(case)
        for cases in found.values():
            yield from cases

    return mutate


def slots_of(parse: Parse, stops: frozenset[str], pos: tuple[str, ...] = CONTENT) -> list[int]:
    """The words that may be replaced: of meaning, inside the sentence, no names, no stop words."""
    return [
        index
        for index, token in enumerate(parse.tokens[1:-1], 1)
        if token.pos in pos
        and all(rule(Slot(parse, index)) for rule in NATURAL_SLOTS)
        and not stops & {token.text.lower(), token.lemma.lower()}
    ]


def unlike(language: str | None) -> Callable[[Slot, str], bool]:
    """Whether a word is no other form of the slot's and, where WordNet is installed, none that means the same."""
    stops = language_of(language).stop_words
    lexicon = open_wordnet() if language_of(language).wordnet and dictionary_folder() else None

    def apart(slot: Slot, word: str) -> bool:
        old, pos = slot.token.text.lower(), slot.token.pos
        new = word.lower()
        if (
            new in stops
            or differ_by_ending(new, old)
            or new[:SHARED_BEGINNING] == old[:SHARED_BEGINNING]
        ):
            return False
        if lexicon is None or opposite(lexicon, old, new, pos):
            return True
        return not one_step(lexicon, old, new, pos)

    return apart


def same_shape(slot: Slot, parse: Parse) -> bool:
    """Whether a parse has the tags and the arcs of the slot's, with only the slot's word renamed."""
    old, new = slot.parse.tokens, parse.tokens
    if len(old) != len(new) or old[slot.index].lemma.lower() == new[slot.index].lemma.lower():
        return False
    return all(
        (a.tag, a.head, a.relation) == (b.tag, b.head, b.relation)
        for a, b in zip(old, new, strict=True)
    )


def optional(
    parse: Parse, stops: frozenset[str], pos: tuple[str, ...] = CONTENT
) -> Iterator[tuple[int, int]]:
    """Where the modifiers and adjuncts stand that have a word of meaning, the shorter ones first."""
    found = []
    known = language_of(parse.language)
    little = stops | known.words("emphatic") | known.words("taken_for_granted")
    for first, last in adjuncts(parse):
        words = parse.tokens[first:last]
        torn = words[-1].tag == "POS"  # "till the tooth's | out"
        said = [word for word in words if word.text.lower() not in little]
        if not torn and any(word.pos in pos and word.text.isalnum() for word in said):
            found.append((words[0].start, words[-1].end))
    for start, end in sorted(set(found), key=lambda place: (place[1] - place[0], place[0])):
        before, after = parse.text[:start].rstrip(), parse.text[end:]
        if before.endswith(",") and after.startswith(","):
            start, end = len(before) - 1, end + 1  # what stands between two commas goes with both
        if wanted(parse.text, start, end):
            yield start, end


def removable(
    parse: Parse, stops: frozenset[str], pos: tuple[str, ...] = CONTENT
) -> Iterator[tuple[int, int]]:
    """Where the phrases and words of meaning stand, the shorter ones, which are lost more often, first."""
    found: list[tuple[int, int]] = []

    def walk(node: Tree) -> None:
        words = parse.tokens[node.start : node.end]
        labelled = node.label in REMOVABLE if node.children else words[0].pos in pos
        if labelled and any(word.text.lower() not in stops for word in words):
            found.append((words[0].start, words[-1].end))
        for child in node.children:
            walk(child)

    if (tree := tree_of(parse)) is not None:
        walk(tree)
    for start, end in sorted(set(found), key=lambda place: (place[1] - place[0], place[0])):
        inside = start > 0 or end < len(parse.text)
        if inside and end - start >= SHORTEST_REMOVED and wanted(parse.text, start, end):
            yield start, end


def wanted(text: str, start: int, end: int) -> bool:
    """Whether something is left, and the cut does not go through a hyphenated or possessive word."""
    left = text[:start] + text[end:]
    emptied = text[:start].rstrip().endswith((";", ":")) and not text[end:].strip(" .!?")
    glued = text[start - 1 : start] in tuple("-'’") or text[end : end + 1] in tuple("-'’")
    return len(left.split()) >= 3 and not glued and not emptied


def without(text: str, start: int, end: int, language: str | None = None) -> str:
    """The text without a stretch of it, with blanks, commas and the article put right and a capital in front."""
    before, after = text[:start], text[end:]
    found = ARTICLE.search(before)
    if found and found[1].lower() in language_of(language).sounded_articles:
        before = before[: found.start()] + match_article(found[1], after.lstrip()) + found[2]
    left = f"{before} {after}"
    left = re.sub(r"(?<!\s)\s+([,.;:!?])", r"\1", re.sub(r"\s+", " ", left)).strip(" ,;:")
    left = re.sub(r",(\s*,)+", ",", re.sub(r",(?=[.;:!?])", "", left))
    return left[:1].upper() + left[1:] if text[:1].isupper() else left
