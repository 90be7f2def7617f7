"""Syntax expansion (ALiCT, algorithm 1): a sentence grows by words that a richer production would have.

For each phrase of the sentence, the grammar's longer productions that hold it say which tags could be added and where;
a proposer fills the place; the word must be read with that tag in its place, be neutral, and leave the tags of all
other words as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyglitch.mutate.capabilities.places import ADVERBS, GrowthPlace, left_alone, places
from polyglitch.nlp.lexicons.sentiment import SentimentLexicon
from polyglitch.nlp.parsers.grammar import Grammar
from polyglitch.nlp.proposers.slot_words import ARTICLE, match_article
from polyglitch.protocols import Parse, Parser, Proposer, Slot, Token
from polyglitch.records import Edit

MASK = "___"


@dataclass(frozen=True)
class Expanded:
    """A grown sentence: its parse, the edit, and the words that went in."""

    parse: Parse
    edit: Edit
    words: tuple[str, ...]
    tags: tuple[str, ...]


def expand(
    parses: Sequence[Parse],
    parser: Parser,
    proposer: Proposer,
    grammar: Grammar,
    lexicon: SentimentLexicon,
    most: int,
    known: Seen,
) -> list[list[Expanded]]:
    """For each sentence at most `most` grown ones, no two with the same words or at the same place first."""
    drafts: list[tuple[int, Parse, GrownDraft]] = []
    for number, parse in enumerate(parses):
        fills = list(_fills(parse, grammar, proposer, lexicon, known, most))
        drafts += [(number, parse, draft) for draft in diverse(fills, most + 2)]
    checked = parser.parse([draft.text for _, _, draft in drafts])
    found: list[list[Expanded]] = [[] for _ in parses]
    for (number, parse, draft), again in zip(drafts, checked, strict=True):
        if len(found[number]) < most and reads_the_same(parse, again, draft):
            edit = Edit("expand", draft.at, draft.at, "", " ".join(draft.words))
            found[number].append(Expanded(again, edit, draft.words, draft.tags))
    return found


class Seen:
    """How often a proposer's corpus had a word; a rare word is not vouched for."""

    LEAST = 100

    def __init__(self, proposer: Proposer) -> None:
        self._seen = getattr(proposer, "seen", None)

    def __call__(self, word: str) -> bool:
        return self._seen is not None and self._seen(word) >= self.LEAST


@dataclass(frozen=True)
class GrownDraft:
    """A grown sentence before it is checked."""

    text: str
    at: int
    index: int
    words: tuple[str, ...]
    tags: tuple[str, ...]


def _fills(
    parse: Parse,
    grammar: Grammar,
    proposer: Proposer,
    lexicon: SentimentLexicon,
    known: Seen,
    per_place: int,
) -> Iterator[GrownDraft]:
    """The words for every place, best first; with two to add, the inner one is chosen first."""
    for place in places(parse, grammar):
        rows: list[tuple[str, ...]] = [()]
        for tag in reversed(place.tags):
            rows = [
                (word, *row)
                for row in rows
                for word in _words(parse, place.index, tag, row, proposer, lexicon, known)[
                    : 2 if len(place.tags) > 1 else per_place
                ]
            ]
        for row in rows:
            yield insert(parse, place, row)


def _words(
    parse: Parse,
    index: int,
    tag: str,
    after: tuple[str, ...],
    proposer: Proposer,
    lexicon: SentimentLexicon,
    known: Seen,
) -> list[str]:
    mask = Token(MASK, 0, 0, tag, "", MASK, 0, "")
    filled = tuple(Token(word, 0, 0, "", "", word, 0, "") for word in after)
    tokens = (*parse.tokens[:index], mask, *filled, *parse.tokens[index:])
    slot = Slot(Parse(parse.text, tokens, language=parse.language), index)
    return [
        each.word
        for each in proposer.propose([slot], 40)[0]
        if each.word not in left_alone("never_added")
        and (tag not in ADVERBS or each.word in lexicon.words("neutral", "adverb"))
        and lexicon.neutral_for(each.word, each.word, known(each.word))
    ]


def insert(parse: Parse, place: GrowthPlace, words: tuple[str, ...]) -> GrownDraft:
    """The sentence with words put in: capital and article come out right."""
    token = parse.tokens[place.index]
    before, after = parse.text[: token.start], parse.text[token.start :]
    if not before.strip() and token.text[:1].isupper():
        keep = token.tag.startswith("NNP") or token.text in ("I",)
        after = after if keep else after[:1].lower() + after[1:]
        words = (words[0].capitalize(), *words[1:])
    if found := ARTICLE.search(before):
        before = before[: found.start()] + match_article(found[1], words[0]) + found[2]
    text = f"{before}{' '.join(words)} {after}"
    return GrownDraft(text, token.start, place.index, words, place.tags)


def diverse(drafts: Sequence[GrownDraft], most: int) -> list[GrownDraft]:
    """Taking turns over the places, words not used yet first."""
    by_place: dict[tuple[int, tuple[str, ...]], list[GrownDraft]] = {}
    for draft in drafts:
        by_place.setdefault((draft.index, draft.tags), []).append(draft)
    chosen: list[GrownDraft] = []
    used: set[str] = set()
    while by_place and len(chosen) < most:
        for key in list(by_place):
            row = by_place[key]
            fresh = next((draft for draft in row if not used & set(draft.words)), row[0])
            row.remove(fresh)
            used |= set(fresh.words)
            chosen.append(fresh)
            if not row:
                del by_place[key]
    return chosen[:most]


def reads_the_same(before: Parse, after: Parse, draft: GrownDraft) -> bool:
    """Whether the words were read with their tags, and all others, and who governs whom, as before."""
    count, index = len(draft.words), draft.index
    if len(after.tokens) != len(before.tokens) + count:
        return False
    added = after.tokens[index : index + count]
    if tuple(token.tag for token in added) != draft.tags:
        return False
    rest = after.tokens[:index] + after.tokens[index + count :]

    def old_place(place: int) -> int:
        return place if place < index else place - count

    return all(
        one.tag == two.tag
        and (index <= two.head < index + count or one.head == old_place(two.head))
        for one, two in zip(before.tokens, rest, strict=True)
    )
