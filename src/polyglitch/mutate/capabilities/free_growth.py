"""A sentence grown by any production of the grammar that it lacks, with words of a language model's own choice.

Three checks: how likely the words are where they stand, and the rest of the sentence after them; the parse of the grown
sentence, which must have a production of the grammar that the sentence lacked, and all other words as they were; and
lexicons, which must give no added word a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.grammar_gaps import grammar_gaps
from polyglitch.mutate.capabilities.phrase_frames import quotes
from polyglitch.mutate.capabilities.places import BREAKS, abusive, asks, left_alone
from polyglitch.nlp.lexicons.terms import SentimentLexicon, term_lists
from polyglitch.nlp.parsers.constituents import Grammar, Symbols, productions, tree_of
from polyglitch.protocols import FreeFiller, Parser
from polyglitch.records import Edit, FreeFilling, OpenPlace, Parse

SHORTEST, LONGEST = (
    4,
    24,
)  # tokens: in longer ones a model of this size loses what the sentence is about
JUDGING = frozenset({"ADJP"})  # "good for the environment" is another judgement than "good"
PER_PLACE = 2  # fillings of a place that are parsed
# Under these a filling reads badly (`FreeFilling.score`), by what is added; tuned by reading.
LEAST_SCORE = {"PP": -1.2, "VP": -1.5, "SBAR": -1.2, "JJ": -2.2}
LEAST_OF = -0.9  # behind *of*, which a model puts behind any noun: "the game of the clock"
MOST_LOST = -1.0  # what the next word may lose: under it the phrase is not closed


class FreeDraft(msgspec.Struct, frozen=True):
    """A grown sentence before it is checked."""

    parse: Parse
    index: int
    filling: FreeFilling

    @property
    def at(self) -> int:
        """Behind which character the words go."""
        return self.parse.tokens[self.index - 1].end

    @property
    def text(self) -> str:
        """The grown sentence."""
        words = " ".join(self.filling.words)
        return f"{self.parse.text[: self.at]} {words}{self.parse.text[self.at :]}"


def grown_freely(
    parses: Sequence[Parse],
    parser: Parser,
    filler: FreeFiller,
    grammar: Grammar,
    lexicon: SentimentLexicon,
    most: int,
) -> list[list[Expanded]]:
    """For each sentence at most `most` grown ones, each at a place and with words of its own, the best first."""
    banned = left_alone("never_added")

    def allowed(word: str, tag: str) -> bool:
        modifies = tag in ("JJ", "RB")
        kept = word not in groups(parses[0].language or DEFAULT)
        kept = kept and word not in left_alone("vague")
        return kept and not (modifies and word in banned) and lexicon.neutral_for(word, word, True)

    places = [open_places(parse, grammar) for parse in parses]
    asked = [(parse.text, list(some.values())) for parse, some in zip(parses, places, strict=True)]
    drafts = [
        FreeDraft(parse, index, filling)
        for parse, some, rows in zip(
            parses, places, filler.fill_places(asked, allowed), strict=True
        )
        for index, fillings in zip(some, rows, strict=True)
        for filling in [one for one in fillings if reads_well(one)][:PER_PLACE]
    ]
    found: dict[int, list[tuple[FreeDraft, Expanded]]] = {}
    checked = parser.parse([draft.text for draft in drafts])
    rows_checked = sorted(
        zip(drafts, checked, strict=True), key=lambda row: (-row[0].filling.score, row[0].text)
    )
    for draft, again in rows_checked:
        some_found = found.setdefault(id(draft.parse), [])
        if len(some_found) < most and differs(draft, [other for other, _ in some_found]):
            some_found += [(draft, one) for one in expanded(draft, again, grammar)]
    return [[one for _, one in found.get(id(parse), [])] for parse in parses]


def open_places(parse: Parse, grammar: Grammar) -> dict[int, OpenPlace]:
    """Where a plain statement may take any words, by the token before which they go."""
    if not SHORTEST <= len(parse.tokens) <= LONGEST or asks(parse) or quotes(parse):
        return {}
    if not parse.text.endswith(".") or any(t.text in BREAKS - {","} for t in parse.tokens):
        return {}
    if any(t.relation == "neg" or t.text.lower() in left_alone("denying") for t in parse.tokens):
        return {}  # what is added would be denied: "my order never came in a box"
    tags: dict[int, dict[tuple[str, ...], None]] = {}
    for gap in grammar_gaps(parse, grammar):
        tags.setdefault(gap.index, {})[gap.tags] = None
    return {
        index: OpenPlace(parse.tokens[index - 1].end, tuple(rows)) for index, rows in tags.items()
    }


def reads_well(filling: FreeFilling) -> bool:
    """Whether the model takes the words, and what follows them, for likely enough."""
    first = filling.tags[0]
    kind = {"IN": "PP", "WDT": "SBAR", "JJ": "JJ"}.get(first, "VP")
    least = LEAST_OF if filling.words[0] == "of" else LEAST_SCORE[kind]
    return filling.next_lost >= MOST_LOST and filling.score >= least


def differs(draft: FreeDraft, others: Sequence[FreeDraft]) -> bool:
    """Whether a draft has a place and a last word of its own."""
    return all(
        draft.index != other.index and draft.filling.words[-1] != other.filling.words[-1]
        for other in others
    )


def expanded(draft: FreeDraft, after: Parse, grammar: Grammar) -> Iterator[Expanded]:
    """The grown sentence, where it has a new production of the grammar and is read as before but for it."""
    before, count, index = draft.parse, len(draft.filling.words), draft.index
    if len(after.tokens) != len(before.tokens) + count:
        return
    added = range(index, index + count)
    if any(after.tokens[at].tag != tag for at, tag in zip(added, draft.filling.tags, strict=True)):
        return
    rest = after.tokens[:index] + after.tokens[index + count :]
    for one, two in zip(before.tokens, rest, strict=True):
        head = two.head if two.head < index else two.head - count
        if two.head in added or (one.tag, one.relation, one.head) != (two.tag, two.relation, head):
            return
    made = new_production(before, after, index, count, grammar)
    if made is not None:
        label, parts, adds = made
        edit = Edit("expand", draft.at, draft.at, "", " ".join(draft.filling.words))
        production = f"{label} -> {' '.join(parts)}"
        yield Expanded(after, edit, draft.filling.words, (adds,), production)


def new_production(
    before: Parse, after: Parse, index: int, count: int, grammar: Grammar
) -> tuple[str, Symbols, str] | None:
    """The production that has the added words as one part: new to the sentence, known to the grammar."""
    old, new = tree_of(before), tree_of(after)
    if old is None or new is None:
        return None
    has = {(label, parts) for label, parts, _ in productions(old)}
    for label, parts, node in productions(new):
        for child in node.children:
            if (child.start, child.end) == (index, index + count):
                known = label not in JUDGING and grammar.probability(label, parts) > 0
                return (label, parts, child.label) if known and (label, parts) not in has else None
    return None


@cache
def groups(language: str) -> frozenset[str]:
    """Words that name people, or abuse them: never added."""
    named = {word for term in term_lists(language).get("identity", ()) for word in term.split()}
    return frozenset(word.lower() for word in named) | abusive()
