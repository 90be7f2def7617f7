"""A sentence grown by any production of the grammar that it lacks, with words of a language model's own choice.

Three checks: how likely the words are where they stand, and the rest of the sentence after them; the parse of the grown
sentence, which must have a production of the grammar that the sentence lacked, and all other words as they were; and
lexicons, which must give no added word a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.free_acceptance import kind_of, natural
from polyglitch.mutate.capabilities.grammar_gaps import JOINED, grammar_gaps, groups
from polyglitch.mutate.capabilities.phrase_frames import quotes
from polyglitch.mutate.capabilities.places import BREAKS, asks, left_alone
from polyglitch.nlp.lexicons.terms import SentimentLexicon
from polyglitch.nlp.parsers.constituents import Grammar, Symbols, productions, tree_of
from polyglitch.protocols import FreeFiller, Parser
from polyglitch.records import Edit, FreeFilling, OpenPlace, Parse

SHORTEST, LONGEST = (
    4,
    24,
)  # tokens: in longer ones a model of this size loses what the sentence is about
ADDED = frozenset({"PP", "SBAR", "VP", "S", "JJ", "ADVP", "ADJP", "RB", JOINED})
JUDGING = frozenset({"ADJP"})  # "good for the environment" is another judgement than "good"
# How likely a reader must take a filling, by kind: more costs expansions, less reads worse
# (`benchmarks.expansion_acceptance` tells both).
LEAST = {"opening": 0.7, "phrase": 0.77, "joined": 0.6, "adjective": 0.72, "adverb": 0.68}


class FreeDraft(msgspec.Struct, frozen=True):
    """A grown sentence before it is checked."""

    parse: Parse
    index: int
    filling: FreeFilling

    @property
    def at(self) -> int:
        """Behind which character the words go."""
        return self.parse.tokens[self.index - 1].end if self.index else 0

    @property
    def text(self) -> str:
        """The grown sentence."""
        words = " ".join(self.filling.words)
        if not self.index:
            return f"{words}{opened(self.parse)}"
        return f"{self.parse.text[: self.at]} {words}{self.parse.text[self.at :]}"

    @property
    def count(self) -> int:
        """How many tokens the sentence has more."""
        return len(self.filling.words) + (not self.index)


def opened(parse: Parse) -> str:
    """A sentence as it goes on behind a phrase and a comma."""
    first = parse.tokens[0].text
    kept = first == "I" or first.startswith("I'")
    return ", " + (parse.text if kept else parse.text[:1].lower() + parse.text[1:])


def grown_freely(
    parses: Sequence[Parse],
    parser: Parser,
    filler: FreeFiller,
    grammar: Grammar,
    lexicon: SentimentLexicon,
    most: int,
) -> list[list[Expanded]]:
    """For each sentence at most `most` grown ones, each at a place and with words of its own, the best first."""
    banned, manner = left_alone("never_added"), left_alone("manner")

    def allowed(word: str, tag: str) -> bool:
        modifies = tag == "JJ" or (tag == "RB" and word not in manner)
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
        for filling in fillings
        if agrees(parse, index, filling)
    ]
    found: dict[int, list[tuple[float, FreeDraft, Expanded]]] = {}
    checked = parser.parse([draft.text for draft in drafts])
    for draft, again in zip(drafts, checked, strict=True):
        for one in expanded(draft, again, grammar):
            likely = natural(draft.parse, draft.index, draft.filling, one.tags[0])
            if likely >= LEAST[kind_of(draft.index, one.tags[0])]:
                found.setdefault(id(draft.parse), []).append((likely, draft, one))
    return [chosen(found.get(id(parse), []), most) for parse in parses]


def chosen(rows: Sequence[tuple[float, FreeDraft, Expanded]], most: int) -> list[Expanded]:
    """The likeliest, each at a place and with a last word of its own."""
    taken: list[tuple[FreeDraft, Expanded]] = []
    for _, draft, one in sorted(rows, key=lambda row: (-row[0], row[1].text)):
        if len(taken) < most and differs(draft, [other for other, _ in taken]):
            taken.append((draft, one))
    return [one for _, one in taken]


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
        index: OpenPlace(
            parse.tokens[index - 1].end if index else 0,
            tuple(rows),
            "" if index else opened(parse),
        )
        for index, rows in tags.items()
    }


def agrees(parse: Parse, index: int, filling: FreeFilling) -> bool:
    """Whether another thing beside one has the same article: "the harbour and the port"."""
    if filling.tags[0] != "CC":
        return True
    own = [t for t in parse.tokens if t.head == index - 1 and t.relation in ("det", "poss")]
    article = filling.words[1] if filling.tags[1] == "DT" else ""
    return article == (own[0].text.lower() if own else "")


def differs(draft: FreeDraft, others: Sequence[FreeDraft]) -> bool:
    """Whether a draft has a place and a last word of its own."""
    return all(
        draft.index != other.index and draft.filling.words[-1] != other.filling.words[-1]
        for other in others
    )


def expanded(draft: FreeDraft, after: Parse, grammar: Grammar) -> Iterator[Expanded]:
    """The grown sentence, where it has a new production of the grammar and is read as before but for it."""
    before, count, index = draft.parse, draft.count, draft.index
    if len(after.tokens) != len(before.tokens) + count:
        return
    added = range(index, index + count)
    if any(after.tokens[at].tag != tag for at, tag in zip(added, draft.filling.tags, strict=False)):
        return
    rest = after.tokens[:index] + after.tokens[index + count :]
    for one, two in zip(before.tokens, rest, strict=True):
        head = two.head if two.head < index else two.head - count
        if two.head in added or (one.tag, one.relation, one.head) != (two.tag, two.relation, head):
            return
    made = new_production(before, after, index, len(draft.filling.words), grammar)
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
        for at, child in enumerate(node.children):
            if child.start != index:
                continue
            for other, last in enumerate(node.children[at:], at + 1):
                if last.end == index + count:
                    adds = " ".join(part.label for part in node.children[at:other])
                    known = label not in JUDGING and grammar.probability(label, parts) > 0
                    fresh = known and (label, parts) not in has and adds in ADDED
                    return (label, parts, adds) if fresh else None
    return None
