"""What the aligned oracle has at hand for two languages: each piece is taken where it is installed, and named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from polyglitch import registry
from polyglitch.compare.metrics.units import cut, han
from polyglitch.compare.oracles.aligned.lexicon import Known, Lexicon, learn
from polyglitch.compare.oracles.aligned.links import Likeness, shared_form
from polyglitch.compare.oracles.aligned.model_links import Sides, attention_lexicon, encoder_lexicon
from polyglitch.compare.oracles.aligned.text import Sentence, read_parse, read_plain
from polyglitch.errors import PolyglitchError, UsageError
from polyglitch.languages import known_languages
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.pivot import Pivot, open_pivot
from polyglitch.nlp.lexicons.wordnet import PARTS, WordNet
from polyglitch.protocols import Floats, Parser, Tools, WhiteBox

T = TypeVar("T")
EMBEDDER = "minilm"
# Where links come from: all pairs judged together, each pair alone, the system; else the name of an encoder.
LEARNED, PAIR, ATTENTION = "learned", "pair", "attention"
HAN = "Han"
SENSES = 1  # of a noun that say what kind of thing it is: rarer ones make everything two of a kind
COGNATE = 0.5  # words of two languages that share so much of their beginning may be one


class Resources:
    """Parsers, word vectors, a dictionary and a sentence encoder, or nothing in their place."""

    def __init__(self, tools: Tools, source: str, target: str, links: str = PAIR) -> None:
        self.source, self.target, self.links = source, target, links
        self._show = open_links(tools, links, target)
        self._parsers = {language: open_parser(tools, language) for language in (source, target)}
        self.likeness = open_likeness(target)
        self.known = open_known(source, target)
        self.pivot = None if self.likeness else at_hand(lambda: open_pivot(target, tools))
        if self.pivot is not None:
            self.likeness = open_likeness(self.pivot.into, self.pivot.gloss)
            self.known = glossed(self.pivot) if source == self.pivot.into else self.known
        self._embedder = at_hand(lambda: tools.embedder(EMBEDDER, target)) if target else None

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
            parses = parser.parse(distinct)
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
        return learn(((source.keys, output.keys) for source, output in sides), self.known)

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


def open_likeness(
    language: str, word_for: Callable[[str], str] = lambda word: word
) -> Likeness | None:
    """Cosines of word vectors; `word_for` gives the word to look up where the vectors are of another language."""
    from polyglitch.nlp.embedders.word_vectors import open_word_vectors

    vectors = at_hand(lambda: open_word_vectors(language))
    return None if vectors is None else likeness_of(vectors, word_for, open_opposites(language))


def open_opposites(language: str) -> Callable[[str, str], bool]:
    """Whether two words are opposites or two of a kind, by WordNet where it is installed: their vectors are near."""
    from polyglitch.nlp.lexicons.wordnet import open_wordnet

    wordnet = at_hand(open_wordnet) if language_of(language).wordnet else None
    if wordnet is None:
        return lambda one, other: False
    known = cache(lambda word: meanings(wordnet, word))

    def differ(one: str, other: str) -> bool:
        here, there = known(one), known(other)
        if other in here.opposites:
            return True
        akin = one in there.near or other in here.near
        return not akin and bool(here.kinds & there.kinds)

    return differ


class Meanings(NamedTuple):
    """What WordNet says of a word: its opposites, its synonyms and next of kin, and the kinds of thing it is one of."""

    opposites: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    kinds: frozenset[tuple[str, ...]] = frozenset()


def meanings(wordnet: WordNet, word: str) -> Meanings:
    """The first senses of a word; signs, figures and words without a gloss have none."""
    if not word.isalpha():
        return Meanings()
    nouns = wordnet.synsets(word, "NOUN")[:SENSES]
    kinds = {wordnet.wider(synset) for synset in nouns} - {()}
    return Meanings(
        frozenset(o for part in PARTS for o in wordnet.antonyms(word, part)),
        frozenset(o for part in PARTS for o in wordnet.neighbours(word, part)),
        frozenset(kinds),
    )


def likeness_of(
    vectors: Any, word_for: Callable[[str], str], opposite: Callable[[str, str], bool]
) -> Likeness:
    """How alike two words are, or nothing if one is unknown; opposites are not."""

    @cache
    def likeness(one: str, other: str) -> float | None:
        one, other = word_for(one), word_for(other)
        if one not in vectors or other not in vectors:
            return None
        if one != other and opposite(one, other):
            return 0.0
        return 1.0 if one == other else float(vectors[one] @ vectors[other])

    return likeness


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


def glossed(pivot: Pivot) -> Known:
    """A dictionary of glosses, and like spellings where a word has none that fits."""

    def known(source: str, target: str) -> float:
        same = target.isalpha() and pivot.gloss(target) == source
        return 1.0 if same else spelled_alike(source, target)

    return known


def spelled_alike(source: str, target: str) -> float:
    """What spelling says of two words of two languages: names, numbers and cognates look alike."""
    if source == target:
        return 1.0
    form = shared_form(source, target) if source.isalpha() and target.isalpha() else 0.0
    return form if form >= COGNATE else 0.0


def guess_language(texts: Sequence[str], sample: int = 200) -> str:
    """The language of some texts by script and common words; empty if none is plain."""
    joined = " ".join(texts[:sample])
    letters = sum(character.isalpha() for character in joined)
    if letters and len(han().findall(joined)) > 0.3 * letters:
        return next(known.code for known in known_languages() if known.script == HAN)
    counts = Counter(unit.lower() for unit in cut(joined).units)
    scores = {known.code: sum(counts[word] for word in known.common) for known in known_languages()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= 0.05 * counts.total() and scores[best] else ""
