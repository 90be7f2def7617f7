"""Links that a model shows instead of links learned from the sentences: attention of the system, or an encoder.

A translator's attention tells for each piece of its output which pieces of the source it looked at; a multilingual
encoder puts words that mean the same near each other. Both give one matrix a sentence pair, from pieces to words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyglitch.compare.oracles.aligned.lexicon import Lexicon, Numbers, counted
from polyglitch.compare.oracles.aligned.text import Sentence
from polyglitch.protocols import Embedder, Inspection, WhiteBox
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
