"""Change what a sentence means and nothing else: the mutations of PatInv, by another word or by none.

What can be taken out of a sentence so that a sentence is left: modifiers and adjuncts, by the dependency parse.

A complement cannot go ("put it into the drawer"), and a parser often takes one for an adjunct. So a prepositional
phrase goes only from a subject, where no verb can ask for it, or with a preposition that verbs do not ask for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.mutate.swap import IN_PLACE, Draft, Swap, fit_in, in_turns, propose, swapped
from polyglitch.nlp.lexicons.words import dictionary_folder, open_wordnet
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.proposers.in_context import one_step, opposite
from polyglitch.nlp.proposers.slot_words import ARTICLE, NATURAL_SLOTS, is_name, match_article
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Edit, Parse, Seed, Slot, Token, Tree
from polyglitch.registry import component

# Relations as spaCy and as Universal Dependencies name them.
CLAUSES = frozenset(("advcl", "relcl", "acl:relcl"))
TIMES = frozenset(("npadvmod", "obl:tmod", "nmod:tmod"))
PHRASES = frozenset(("prep", "nmod", "obl"))
SUBJECTS = frozenset(("nsubj", "nsubjpass", "nsubj:pass"))
PREDICATES = frozenset(("attr", "ROOT", "root"))
LISTED = frozenset(("conj", "appos"))  # what parsers take the items of a list for
JOINED = frozenset(("cc", "conj", "punct"))
CONTENT = ("ADJ", "NOUN", "ADV", "VERB")  # pronouns, which the paper also replaces, are stop words
REMOVABLE = {"NP", "VP", "PP", "ADVP"}
SHARED_BEGINNING = (
    4  # letters: represent and representation, threat and threatening are one word here
)
# The least probability that a reader takes a word for one that fits and means something else.
NATURALNESS = 0.75
SHORTEST_REMOVED = 7  # characters: the published code asks for more than six


def adjuncts(parse: Parse) -> Iterator[tuple[int, int]]:
    """Where the parts stand that can go, as places of the first token and after the last."""
    inside = subtrees(parse)
    for place, words in enumerate(inside):
        first, last = min(words), max(words)
        whole = len(words) == last - first + 1  # one stretch of text
        if whole and can_go(parse, place, first, last):
            yield first, last + 1


def subtrees(parse: Parse) -> list[set[int]]:
    """For each token the places of all that depends on it, its own included."""
    found: list[set[int]] = [{place} for place in range(len(parse.tokens))]
    for place in range(len(parse.tokens)):
        above, seen = parse.tokens[place].head, {place}
        while above not in seen and 0 <= above < len(parse.tokens):
            found[above].add(place)
            seen.add(above)
            above = parse.tokens[above].head
    return found


def can_go(parse: Parse, place: int, first: int, last: int) -> bool:
    """Whether the part under a token is a modifier or an adjunct that leaves a sentence behind."""
    token, head = parse.tokens[place], parse.tokens[parse.tokens[place].head]
    if token.head == place or is_name(parse, token):
        return False
    if token.relation == "amod":
        return attributive(parse, place, first, last, head)
    if token.relation == "advmod":
        return first == last and free_adverb(parse, token, head)
    if token.relation in CLAUSES:
        return clause_can_go(parse, place, first, last, head)
    if token.relation in TIMES:
        return head.pos in ("VERB", "AUX") and last > first
    if token.relation in PHRASES:
        return phrase_can_go(parse, place, first, head)
    return False


def attributive(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether an adjective stands alone before its noun, and the noun says enough without it."""
    token, tokens = parse.tokens[place], parse.tokens
    held = language_of(parse.language).words("never_replaced")
    if first != last or token.pos != "ADJ" or token.text.lower() in held or place > token.head:
        return False
    if token.tag in language_of(parse.language).compared_tags:
        return False  # "their highest level", "a lighter version"
    first_named = tokens[first_of_list(parse, token.head)]
    if head.lemma.lower() in held or {head.relation, first_named.relation} & PREDICATES:
        return False  # "in a place", "it was a winter": the adjective is what is said
    if tokens[token.head + 1 : token.head + 2] and tokens[token.head + 1].text == ":":
        return False  # "Terrible service: nobody answered"
    asked_by = tokens[first_named.head].lemma.lower()
    if asked_by in language_of(parse.language).words("having"):
        return False  # "with pale eyes and a soft voice": eyes and a voice everybody has
    before, beside = (tokens[place - 1] if place else None), tokens[place + 1]
    listed = any(one.head == place and one.relation in JOINED for one in tokens)
    joined = beside.pos == "PUNCT" or (
        before is not None and before.pos in ("PUNCT", "ADV", "CCONJ")
    )
    return not (listed or joined or glued(parse, token) or is_name(parse, head))


def first_of_list(parse: Parse, place: int) -> int:
    """Where the first of the words stands that a word is coordinated with, itself if there is none."""
    tokens, seen = parse.tokens, {place}
    while tokens[place].relation in LISTED and tokens[place].head not in seen:
        place = tokens[place].head
        seen.add(place)
    return place


def free_adverb(parse: Parse, token: Token, head: Token) -> bool:
    """Whether an adverb says how a verb is done or how far an adjective goes, and the sentence stands without it."""
    known = language_of(parse.language)
    text = token.text.lower()
    told = text in known.words("never_replaced") or text in known.words("adverbs_held")
    question = token.tag.startswith("W")
    return token.pos == "ADV" and head.pos in ("VERB", "ADJ", "ADV") and not (told or question)


def clause_can_go(parse: Parse, place: int, first: int, last: int, head: Token) -> bool:
    """Whether a clause is led by a word that makes it one to leave out, and says more of a noun or of the whole."""
    lead, tokens = parse.tokens[first], parse.tokens
    if tokens[place].relation == "advcl":
        led = lead.text.lower() in language_of(parse.language).words("clause_leads")
        # "too big to carry", "so late that", "as good as": the clause is asked for by a word before it.
        return led and head.pos in ("VERB", "AUX") and (first == 0 or last >= len(tokens) - 2)
    # A noun that the whole sentence hangs on may be its verb, where its clause is none of a relative pronoun: "The
    # seller warrants that".
    verb_like = head.tag == "NNS" and head.relation in PREDICATES and lead.relation == "mark"
    return (
        head.pos == "NOUN"
        and not verb_like
        and lead.tag.startswith(("W", "IN"))
        and first > tokens[place].head
    )


def phrase_can_go(parse: Parse, place: int, first: int, head: Token) -> bool:
    """Whether a prepositional phrase says more of a subject, or is led by what no verb asks for."""
    known, lead = language_of(parse.language), parse.tokens[first].text.lower()
    if parse.tokens[first].pos not in ("ADP", "SCONJ"):
        return False
    if lead in known.words("adjunct_prepositions"):
        return True
    subject = head.relation in SUBJECTS and head.pos == "NOUN"
    return subject and head.lemma.lower() not in known.words("never_replaced")


def glued(parse: Parse, token: Token) -> bool:
    """Whether a word is part of one with a hyphen or an apostrophe."""
    around = (
        parse.text[max(0, token.start - 1) : token.start] + parse.text[token.end : token.end + 1]
    )
    return bool(set(around) & set("-'’"))


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
    emphatic = language_of(parse.language).words("emphatic")
    for first, last in adjuncts(parse):
        words = parse.tokens[first:last]
        torn = words[-1].tag == "POS"  # "till the tooth's | out"
        said = [word for word in words if word.text.lower() not in stops | emphatic]
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
