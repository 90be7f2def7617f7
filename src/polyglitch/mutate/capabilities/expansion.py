"""Syntax expansion (ALiCT, algorithm 1): a sentence grows by words that a richer production would have.

For each phrase of the sentence, the grammar's longer productions that hold it say which tags could be added and where;
a proposer fills the place; the word must be read with that tag in its place, be neutral, and leave the tags of all
other words as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest

from msgspec.structs import replace

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.free_growth import grown_freely
from polyglitch.mutate.capabilities.grown_drafts import (
    GrownDraft,
    diverse,
    has_grown,
    one_of_each,
    reads_the_same,
)
from polyglitch.mutate.capabilities.phrase_frames import PhraseGap, frames, phrase_gaps
from polyglitch.mutate.capabilities.places import (
    ADVERBS,
    ASIDE,
    NOUNS,
    GrowthPlace,
    WideGap,
    abusive,
    left_alone,
    places,
    sure_places,
    wide_gaps,
)
from polyglitch.mutate.capabilities.set_phrases import SetPhrase, closed_texts, opened_texts
from polyglitch.nlp.lexicons.terms import SentimentLexicon
from polyglitch.nlp.parsers.constituents import Grammar
from polyglitch.nlp.proposers.slot_words import ARTICLE, match_article
from polyglitch.protocols import FreeFiller, Parser, PhraseFiller, Proposer
from polyglitch.records import Edit, Gap, Parse, Slot, Token

MASK = "___"
OPENINGS = 3  # set phrases before a sentence: they are few, and words within it are the point
CLOSINGS = 3  # and behind it
AROUND = (3, 2, 2, 1)  # expansions around a sentence that grew so often within: 0, 1, 2, 3 or more
AROUND_FREE = (3, 2, 1, 0)  # the same where a model has words of its own: set phrases fill up alone
BESIDE = (
    2,
    1,
    1,
    1,
)  # given wordings within a sentence that a model's own words grew so often: 0, 1, 2, 3
SPARE = 3  # drafts beyond what is asked for: some are read otherwise once they are parsed
SIDED = ("positive", "negative")
PER_GAP = 3  # fillings of a gap that are looked at
FREE = 3  # expansions of a sentence by words of the model's own choice: the rest is left to other productions


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
        if isinstance(proposer, PhraseFiller):
            phrases = _worded(parse, grammar, proposer, lexicon)
            fills = list(_filled(parse, grammar, proposer, lexicon))
        else:
            phrases = _unheard(parse, grammar, lexicon)
            fills = list(_fills(parse, grammar, proposer, lexicon, known, most))
        some = [*one_of_each(phrases), *diverse(fills, most + SPARE)]  # adverbs come last
        drafts += [(number, parse, draft) for draft in some]
    checked = parser.parse([draft.text for _, _, draft in drafts])
    found: list[list[Expanded]] = [[] for _ in parses]
    rooms, few = [most for _ in parses], AROUND
    if isinstance(proposer, FreeFiller):
        found = grown_freely(parses, parser, proposer, grammar, lexicon, min(most, FREE))
        rooms, few = [min(most, len(some) + BESIDE[len(some)]) for some in found], AROUND_FREE
    for (number, parse, draft), again in zip(drafts, checked, strict=True):
        fine = has_grown if draft.production else reads_the_same
        room, language = len(found[number]) < rooms[number], parse.language or DEFAULT
        if room and is_new(draft, found[number], language) and fine(parse, again, draft):
            words = tuple(word for word in draft.words if word != ",")
            edit = Edit("expand", draft.at, draft.at, "", " ".join(words))
            grown = Expanded(again, edit, words, draft.tags, draft.production, draft.view)
            found[number].append(grown)
    openings = framed(parses, parser, grammar, min(most, OPENINGS), opened_texts)
    closings = framed(parses, parser, grammar, min(most, CLOSINGS), closed_texts)
    rows = zip(found, openings, closings, strict=True)
    return [mixed(words, taking_turns(*around), most, few) for words, *around in rows]


def is_new(draft: GrownDraft, found: Sequence[Expanded], language: str) -> bool:
    """Whether no other says it, nor, where a language has phrases to add, adds a word of its kind: an adverb, once."""
    if draft.text in [one.parse.text for one in found]:
        return False
    plain = [one.tags for one in found if not one.production]
    return draft.tags not in plain or not frames(language)


def mixed(
    words: Sequence[Expanded], around: Sequence[Expanded], most: int, few: Sequence[int]
) -> list[Expanded]:
    """What grew within first; of what stands around a statement fewer, the more grew within."""
    within = {one.parse.text for one in words}
    others = [one for one in around if one.parse.text not in within]
    some = others[: few[min(len(words), len(few) - 1)]]
    room = most - 1 if some and most > 1 else most
    return [*words[:room], *some][:most]


def framed(
    parses: Sequence[Parse],
    parser: Parser,
    grammar: Grammar,
    most: int,
    texts: Callable[[Parse, Grammar, str], Iterator[tuple[SetPhrase, str]]],
) -> list[list[Expanded]]:
    """The statements with a set phrase before or behind them, a few of each."""
    drafts = [
        (number, phrase, text)
        for number, parse in enumerate(parses)
        for phrase, text in islice(texts(parse, grammar, parse.language or DEFAULT), most)
    ]
    checked = parser.parse([text for _, _, text in drafts])
    found: list[list[Expanded]] = [[] for _ in parses]
    for (number, phrase, text), again in zip(drafts, checked, strict=True):
        first = text.startswith(phrase.text[:1].upper() + phrase.text[1:])
        at = 0 if first else len(parses[number].text) - 1
        edit = Edit("expand", at, at, "", f"{phrase.text}," if first else f", {phrase.text}")
        words = tuple(phrase.text.split())
        found[number].append(Expanded(again, edit, words, (phrase.label,), around=True))
    return found


def taking_turns(*kinds: Sequence[Expanded]) -> list[Expanded]:
    """Expansions of several kinds by turns, so that a few have all."""
    return [each for row in zip_longest(*kinds) for each in row if each is not None]


class Seen:
    """How often a proposer's corpus had a word; a rare word is not vouched for."""

    LEAST = 100

    def __init__(self, proposer: Proposer) -> None:
        self._seen = getattr(proposer, "seen", None)

    def __call__(self, word: str) -> bool:
        return self._seen is not None and self._seen(word) >= self.LEAST


def _worded(
    parse: Parse, grammar: Grammar, filler: PhraseFiller, lexicon: SentimentLexicon
) -> list[GrownDraft]:
    """The phrases and clauses that suit the sentence by a model, of every production the best first."""
    gaps = phrase_gaps(parse, grammar)
    asked = [
        Gap(
            parse.text,
            parse.tokens[gap.index - 1].end,
            (gap.frame.adds,),
            tuple(
                set_in(parse, gap, words) for words in gap.wordings if takes_no_side(words, lexicon)
            ),
        )
        for gap in gaps
    ]
    found = filler.fill(asked, lambda word, tag: takes_no_side(word, lexicon), PER_GAP)
    scored = [
        (filling.score, grown_by(parse, gap, filling.words[0]))
        for gap, asking, some in zip(gaps, asked, found, strict=True)
        for filling in some
        if filling.words[0] in asking.wordings
    ]
    return [draft for _, draft in sorted(scored, key=lambda row: (-row[0], row[1].text))]


def _unheard(parse: Parse, grammar: Grammar, lexicon: SentimentLexicon) -> list[GrownDraft]:
    """The same without a model, in an order of its own for every sentence."""
    return [
        grown_by(parse, gap, set_in(parse, gap, words))
        for gap in phrase_gaps(parse, grammar)
        for words in gap.wordings[:PER_GAP]
        if takes_no_side(words, lexicon)
    ]


def takes_no_side(words: str, lexicon: SentimentLexicon) -> bool:
    """Whether no word of a phrase is for or against anything."""
    return not any(lexicon.polarity(word, word) in SIDED for word in words.split())


def set_in(parse: Parse, gap: PhraseGap, words: str) -> str:
    """A phrase as it stands behind the word before it."""
    if not gap.frame.commas:
        return f" {words}"
    ends = parse.tokens[gap.index].text in (".", ",", ";")
    return f", {words}" if ends else f", {words},"


def grown_by(parse: Parse, gap: PhraseGap, added: str) -> GrownDraft:
    """The sentence with a phrase behind a word."""
    at = parse.tokens[gap.index - 1].end
    text = parse.text[:at] + added + parse.text[at:]
    words = tuple(added.strip(", ").split())
    return GrownDraft(
        text, at, gap.index, words, (gap.frame.adds,), gap.frame.production, gap.frame.view
    )


def _filled(
    parse: Parse, grammar: Grammar, filler: PhraseFiller, lexicon: SentimentLexicon
) -> Iterator[GrownDraft]:
    """The fillings of every gap by a model that can put several words, best first."""

    banned = left_alone("never_added") | abusive()

    def allowed(word: str, tag: str) -> bool:
        kept = (
            tag in NOUNS or word not in banned
        )  # nouns are named with the preposition that brings them
        return kept and lexicon.neutral_for(word, word, True)

    places = wide_gaps(parse, grammar)
    gaps = [Gap(parse.text, start_of(parse, place), place.tags) for place in places]
    found = filler.fill(gaps, allowed, PER_GAP)
    scored = [
        (filling.score, place, filling)
        for place, some in zip(places, found, strict=True)
        for filling in some
    ]
    for _, place, filling in sorted(scored, key=lambda row: -row[0]):
        if place.tags == ASIDE:
            yield set_off(parse, place.index, filling.words)
        else:
            yield insert(parse, GrowthPlace(place.index, place.tags, "", 0.0), filling.words)


def start_of(parse: Parse, place: WideGap) -> int:
    """Where in the text the words of a gap go: behind the word before it."""
    return parse.tokens[place.index - 1].end


def set_off(parse: Parse, index: int, words: tuple[str, ...]) -> GrownDraft:
    """The sentence with a phrase between commas before a word."""
    at, phrase = parse.tokens[index - 1].end, " ".join(words[1:-1])
    text = f"{parse.text[:at]}, {phrase}, {parse.text[at:].lstrip()}"
    return GrownDraft(text, at, index, words, ASIDE)


def _fills(
    parse: Parse,
    grammar: Grammar,
    proposer: Proposer,
    lexicon: SentimentLexicon,
    known: Seen,
    per_place: int,
) -> Iterator[GrownDraft]:
    """What may go in without a model: certainty, and words that were counted between their neighbours, by turns."""
    counted = _counted(parse, grammar, proposer, lexicon, known, per_place)
    for row in zip_longest(_sure(parse, grammar, lexicon, per_place), counted):
        yield from (draft for draft in row if draft is not None)


def _sure(
    parse: Parse, grammar: Grammar, lexicon: SentimentLexicon, per_place: int
) -> Iterator[GrownDraft]:
    """The sentence with words of certainty, as an adverb or between commas."""
    for gap, words in sure_places(parse, grammar):
        fine = [row for row in words if all(lexicon.neutral_for(w, w, True) for w in row)]
        for row in fine[:per_place]:
            if gap.tags == ASIDE:
                yield set_off(parse, gap.index, row)
            else:
                yield insert(parse, GrowthPlace(gap.index, gap.tags, "", 0.0), row)


def _counted(
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
    slot = Slot(with_mask(parse, index, tag, after), index)
    return [
        each.word
        for each in proposer.propose([slot], 40)[0]
        if each.word not in left_alone("never_added")
        and (tag not in ADVERBS or each.word in lexicon.words("neutral", "adverb"))
        and lexicon.neutral_for(each.word, each.word, known(each.word))
    ]


def with_mask(parse: Parse, index: int, tag: str, after: tuple[str, ...]) -> Parse:
    """The sentence with a mask before a word, and words chosen already behind it, all where the text has them."""
    at = parse.tokens[index].start
    added, texts = [], (MASK, *after)
    for place, text in enumerate(texts):
        start = at + sum(len(word) + 1 for word in texts[:place])
        added.append(
            Token(text, start, start + len(text), tag if not place else "", "", text, 0, "")
        )
    shift = sum(len(text) + 1 for text in texts)
    later = [replace(t, start=t.start + shift, end=t.end + shift) for t in parse.tokens[index:]]
    text = f"{parse.text[:at]}{' '.join(texts)} {parse.text[at:]}"
    return Parse(text, (*parse.tokens[:index], *added, *later), language=parse.language)


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
