"""What the aligned oracle has at hand for two languages: each piece is taken where it is installed, and named.

Links may be shown by a model instead of learned from the sentences. A translator's attention tells for each piece of
its output which pieces of the source it looked at; a multilingual encoder puts words that mean the same near each
other. Both give one matrix a sentence pair, from pieces to words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from polyglitch import registry
from polyglitch.compare.metrics.units import han
from polyglitch.compare.oracles.aligned.lexicon import Known, Lexicon, Numbers, counted, learn_each
from polyglitch.compare.oracles.aligned.links import (
    BEGUN,
    Likeness,
    Sentence,
    read_parse,
    read_plain,
    shared_form,
)
from polyglitch.errors import PolyglitchError, UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.words import PARTS, Pivot, WordNet, open_pivot
from polyglitch.nlp.parsers.choose import Recent
from polyglitch.protocols import Embedder, Floats, Inspection, Parser, Tools, WhiteBox
from polyglitch.records import Input

Sides = Sequence[tuple[Sentence, Sentence]]
Span = tuple[int, int]
LEADS = ("\u2581", "\u0120", "##")  # what sentencepiece, byte-level BPE and WordPiece put first
AT_ONCE = 64  # sentences a call: an inspection holds gradients too
SHARP = 10.0  # cosines of words in two languages are close together: a tenth is a factor of e


def attention_lexicon(system: WhiteBox, sides: Sides) -> Lexicon:
    """What the system itself looked at when it wrote each output."""
    shown = {}
    todo = [(s, t) for s, t in distinct(sides) if s.words and t.words]
    for start in range(0, len(todo), AT_ONCE):
        some = todo[start : start + AT_ONCE]
        inputs, outputs = [Input(s.text) for s, _ in some], [t.text for _, t in some]
        for (source, output), seen in zip(some, system.inspect(inputs, outputs), strict=True):
            shown[tuple(source.keys), tuple(output.keys)] = both_ways(pooled(seen, source, output))
    return counted(shown)


def encoder_lexicon(encoder: Embedder, sides: Sides) -> Lexicon:
    """What a multilingual encoder finds near each other in each pair of sentences."""
    todo = [(s, t) for s, t in distinct(sides) if s.words and t.words]
    rows = [words_in_context(encoder, [pair[k] for pair in todo]) for k in (0, 1)]
    shown = {
        (tuple(source.keys), tuple(output.keys)): both_ways(np.exp(SHARP * (there @ here.T)))
        for (source, output), here, there in zip(todo, *rows, strict=True)
    }
    return counted(shown)


def distinct(sides: Sides) -> list[tuple[Sentence, Sentence]]:
    """Each pair of texts once."""
    return list({(s.text, t.text): (s, t) for s, t in sides}.values())


def words_in_context(encoder: Embedder, sentences: Sequence[Sentence]) -> list[Numbers]:
    """The words of each sentence as unit vectors."""
    spans = [[(word.start, word.end) for word in sentence.words] for sentence in sentences]
    found = encoder.embed_words([s.text for s in sentences], spans)  # type: ignore[attr-defined]
    return [np.asarray(rows, np.float64) for rows in found]


def pooled(seen: Inspection, source: Sentence, output: Sentence) -> Numbers:
    """Attention from words (rows) to source words (columns): pieces of an output word count evenly."""
    to = overlap(source, seen.source_spans)
    of = overlap(output, piece_spans(seen.target_tokens, output.text))
    of = of / np.maximum(of.sum(1, keepdims=True), 1.0)
    found: Numbers = of @ np.asarray(seen.attention, np.float64) @ to.T
    return found


def overlap(sentence: Sentence, spans: Sequence[Span]) -> Numbers:
    """For each word (row) which pieces stand in it; a piece across two words counts for both."""
    return np.array(
        [
            [float(start < word.end and end > word.start) for start, end in spans]
            for word in sentence.words
        ]
    )


def piece_spans(pieces: Sequence[str], text: str) -> list[Span]:
    """Where the pieces of an output stand in its text; one that is not there (an end mark) has no width."""
    found, at = [], 0
    for piece in pieces:
        bare = piece
        for lead in LEADS:
            bare = bare.removeprefix(lead)
        place = text.find(bare, at) if bare else -1
        # Further on than a blank or a sign that the model writes otherwise, it is another word's.
        if not 0 <= place - at <= len(bare) + 2:
            found.append((at, at))
            continue
        found.append((place, place + len(bare)))
        at = place + len(bare)
    return found


def both_ways(weights: Numbers) -> Numbers:
    """Shares by row and by column brought together, as the learned links are: both words must want each other."""
    one = weights / np.maximum(weights.sum(1, keepdims=True), 1e-9)
    other = weights / np.maximum(weights.sum(0, keepdims=True), 1e-9)
    found: Numbers = np.sqrt(one * other)
    return found


T = TypeVar("T")
EMBEDDER = "minilm"
# Where links come from: all pairs judged together, each pair alone, the system; else the name of an encoder.
LEARNED, PAIR, ATTENTION = "learned", "pair", "attention"
WORDS, WORD_PAIRS = 20_000, 100_000  # that are remembered over all batches, some 20 MB
LATELY = 4096  # pairs that are remembered, some 10 MB
SENSES = 1  # of a noun that say what kind of thing it is: rarer ones make everything two of a kind
COGNATE = 0.5  # words of two languages that share so much of their beginning may be one


class Resources:
    """Parsers, word vectors, a dictionary and a sentence encoder, or nothing in their place."""

    def __init__(self, tools: Tools, source: str, target: str, links: str = PAIR) -> None:
        self.source, self.target, self.links = source, target, links
        self._show = open_links(tools, links, target)
        self._parsers = {language: open_parser(tools, language) for language in (source, target)}
        # Of a tagger that has a list of its words, so that it is always there with the tags.
        self.frequency: Callable[[str], float] | None = getattr(
            self._parsers[target], "frequency", None
        )
        self.likeness = open_likeness(target)
        self.known = open_known(source, target)
        self.has_dictionary = self.known is not spelled_alike  # one that people made
        self.pivot = None if self.likeness else at_hand(lambda: open_pivot(target, tools))
        if self.pivot is not None:
            self.likeness = open_likeness(self.pivot.into, self.pivot.gloss)
            self.known = Glossed(self.pivot) if source == self.pivot.into else self.known
        serves = EMBEDDER in language_of(target).embedders
        self._embedder = at_hand(lambda: tools.embedder(EMBEDDER, target)) if serves else None
        self.judged: Recent[Any, Any] = Recent(LATELY)  # pairs that the methods of a campaign share

    @property
    def has_target_parser(self) -> bool:
        """Whether the outputs are read by a parser or tagger."""
        return self._parsers[self.target] is not None

    @property
    def signature(self) -> str:
        """Which features could be computed; `-` stands for a piece that is not at hand."""
        parts = {
            "source": getattr(self._parsers[self.source], "signature", "-"),
            "target": getattr(self._parsers[self.target], "signature", "-"),
            "links": self.links,
            "vectors": "yes" if self.likeness else "-",
            "dictionary": "-" if self.known is spelled_alike else "yes",
            "pivot": getattr(self.pivot, "signature", "-"),
            "context": getattr(self._embedder, "signature", "-"),
        }
        shown = "|".join(f"{name}:{value}" for name, value in parts.items())
        return f"{self.source or '?'}-{self.target or '?'}|{shown}"

    def read(self, texts: Sequence[str], language: str) -> dict[str, Sentence]:
        """The distinct texts as sentences."""
        distinct = list(dict.fromkeys(texts))
        parser = self._parsers[language]
        if parser is None:
            found = {text: read_plain(text, language) for text in distinct}
        else:
            # Words are compared, not trees: a parser that can leaves the trees out.
            parses = getattr(parser, "tag", parser.parse)(distinct)
            pairs = zip(distinct, parses, strict=True)
            found = {text: read_parse(parse, language) for text, parse in pairs}
        if self.pivot is not None and language == self.target:
            words = (word for sentence in found.values() for word in sentence.words)
            self.pivot.learn([word.key for word in words])
        return found

    def lexicon(self, sides: Sides) -> Lexicon:
        """Which word stands behind which in these sentences and their translations."""
        if self._show is not None:
            return self._show(sides)
        return self.lexicons([sides])[0]

    def lexicons(self, groups: Sequence[Sides]) -> list[Lexicon]:
        """The same for several groups of sentences, of each by itself."""
        if self._show is not None:
            return [self._show(sides) for sides in groups]
        keys = (((s.keys, t.keys) for s, t in sides) for sides in groups)
        return learn_each(keys, self.known)

    def in_context(self, sentences: Sequence[Sentence]) -> dict[str, Floats]:
        """The words of target sentences as vectors in their context; nothing without an encoder."""
        if self._embedder is None or not hasattr(self._embedder, "embed_words"):
            return {}
        spans = [[(word.start, word.end) for word in sentence.words] for sentence in sentences]
        texts = [sentence.text for sentence in sentences]
        rows = self._embedder.embed_words(texts, spans)
        return dict(zip(texts, rows, strict=True))


def at_hand(get: Callable[[], T]) -> T | None:
    """A resource, or nothing where it is not installed or not for this language."""
    try:
        return get()
    except PolyglitchError:
        return None


def open_links(tools: Tools, links: str, target: str) -> Callable[[Sides], Lexicon] | None:
    """What shows the links of sentences: the system's attention, or an encoder by its name; nothing to learn them."""
    if links in (LEARNED, PAIR):
        return None
    if links == ATTENTION:
        return partial(attention_lexicon, seen_through(tools))
    encoder = tools.embedder(links, target)
    if not hasattr(encoder, "embed_words"):
        raise UsageError(
            f"links={links!r}: this embedder has no vectors of words in their sentence"
        )
    return partial(encoder_lexicon, encoder)


def seen_through(tools: Tools) -> WhiteBox:
    """The system under test, if it can be looked into."""
    if tools.white_box is None:
        raise UsageError(
            "links=attention: the system does not show its attention, or there is none; "
            "systems that do are firefox:, bergamot: and hf: (pip install 'polyglitch[torch]'), or leave links out"
        )
    return tools.white_box


def open_parser(tools: Tools, language: str) -> Parser | None:
    """The tagger whose words the weights were learned on, where the language has one; else the campaign's parser."""
    if tagger := language_of(language).parser.tagger:
        return at_hand(lambda: registry.load("parsers", tagger)(language))
    return at_hand(lambda: tools.parser(language)) if language else None


def open_likeness(language: str, word_for: Callable[[str], str] | None = None) -> Likeness | None:
    """Cosines of word vectors; `word_for` gives the word to look up where the vectors are of another language."""
    from polyglitch.nlp.lexicons.words import open_word_vectors

    known = language_of(language).vectors
    vectors = at_hand(lambda: open_word_vectors(language)) if known else None
    if vectors is None:
        return None
    return WordLikeness(vectors, open_opposites(language), word_for or str)


def open_opposites(language: str) -> Callable[[str, str], bool]:
    """Whether two words are opposites or two of a kind, by WordNet where it is installed: their vectors are near."""
    from polyglitch.nlp.lexicons.words import open_wordnet

    wordnet = at_hand(open_wordnet) if language_of(language).wordnet else None
    return never if wordnet is None else differing(wordnet)


def never(one: str, other: str) -> bool:
    """No two words are known to be opposites."""
    return False


@cache
def differing(wordnet: WordNet) -> Callable[[str, str], bool]:
    """Whether WordNet has two words as opposites or two of a kind; what it says of a word is kept over all batches."""
    known = lru_cache(WORDS)(lambda word: meanings(wordnet, word))
    near = lru_cache(WORDS)(lambda word: next_of_kin(wordnet, word))

    def differ(one: str, other: str) -> bool:
        here, there = known(one), known(other)
        if other in here.opposites:
            return True
        # Next of kin are dear to find, and only two of a kind can be told apart by them.
        return bool(here.kinds & there.kinds) and one not in near(other) and other not in near(one)

    return differ


class Meanings(NamedTuple):
    """What WordNet says of a word: its opposites, and the kinds of thing it is one of."""

    opposites: frozenset[str] = frozenset()
    kinds: frozenset[tuple[str, ...]] = frozenset()


def meanings(wordnet: WordNet, word: str) -> Meanings:
    """The first senses of a word; signs, figures and words without a gloss have none."""
    if not word.isalpha():
        return Meanings()
    nouns = wordnet.synsets(word, "NOUN")[:SENSES]
    kinds = {wordnet.wider(synset) for synset in nouns} - {()}
    opposites = frozenset(o for part in PARTS for o in wordnet.antonyms(word, part))
    return Meanings(opposites, frozenset(kinds))


def next_of_kin(wordnet: WordNet, word: str) -> frozenset[str]:
    """The synonyms of a word, and the words one step from it."""
    return frozenset(o for part in PARTS for o in wordnet.neighbours(word, part))


class WordLikeness:
    """How alike two words are by their vectors; opposites and two of a kind are not, though their vectors are near."""

    def __init__(
        self, vectors: Any, opposite: Callable[[str, str], bool], word_for: Callable[[str], str]
    ) -> None:
        self._vectors, self._opposite, self._word_for = vectors, opposite, word_for
        self._cosine = lru_cache(WORD_PAIRS)(self._measured)

    def __call__(self, one: str, other: str) -> float | None:
        """Of two words; nothing if one is unknown."""
        found = self._cosine(one, other)
        return found if found is None or not self._differ(one, other) else 0.0

    def nearest(self, one: str, others: Iterable[str]) -> float:
        """The likeness of the nearest word; WordNet, which is dear, is asked only about what may be it."""
        known = [(value, o) for o in others if (value := self._cosine(one, o)) is not None]
        best = -math.inf
        for value, other in sorted(known, reverse=True):
            if best >= max(value, 0.0):
                break
            best = max(best, 0.0 if self._differ(one, other) else value)
        return best if known else 0.0

    def _measured(self, one: str, other: str) -> float | None:
        one, other = self._word_for(one), self._word_for(other)
        if one not in self._vectors or other not in self._vectors:
            return None
        return 1.0 if one == other else float(self._vectors[one] @ self._vectors[other])

    def _differ(self, one: str, other: str) -> bool:
        one, other = self._word_for(one), self._word_for(other)
        return one != other and self._opposite(one, other)


def open_known(source: str, target: str) -> Known:
    """A dictionary for the two languages where one of them has one into the other, else like spellings."""
    from polyglitch.nlp.parsers.jieba import open_dictionary

    listed = language_of(target).dictionary
    turned = language_of(source).dictionary
    if not any(book and book.into == to for book, to in ((listed, source), (turned, target))):
        return spelled_alike
    dictionary = at_hand(open_dictionary)
    if dictionary is None:
        return spelled_alike
    return dictionary if listed else lambda own, other: dictionary(other, own)


class Glossed:
    """A dictionary of glosses, and like spellings where a word has none that fits."""

    def __init__(self, pivot: Pivot) -> None:
        self._pivot = pivot

    def __call__(self, source: str, target: str) -> float:
        """How sure it is that one word translates the other."""
        same = target.isalpha() and self._pivot.gloss(target) == source
        return 1.0 if same else spelled_alike(source, target)

    def pairs(
        self, sources: Collection[str], targets: Collection[str]
    ) -> Iterator[tuple[str, str, float]]:
        """Pairs of these words with what is known of each; only words that begin alike can be spelled alike."""
        begun: dict[str, list[str]] = {}
        for source in sources:
            begun.setdefault(source.lower()[:BEGUN], []).append(source)
        for target in targets:
            gloss = self._pivot.gloss(target) if target.isalpha() else ""
            alike = sources if han().search(target) else begun.get(target.lower()[:BEGUN], ())
            for source in {*alike, gloss} if gloss and gloss in sources else alike:
                if value := self(source, target):
                    yield source, target, value


@lru_cache(WORD_PAIRS)
def spelled_alike(source: str, target: str) -> float:
    """What spelling says of two words of two languages: names, numbers and cognates look alike."""
    if source == target:
        return 1.0
    form = shared_form(source, target) if source.isalpha() and target.isalpha() else 0.0
    return form if form >= COGNATE else 0.0
