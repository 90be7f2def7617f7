"""Several words for a gap in a sentence, tag by tag, by SmolLM2: likely after what is before, good for what follows.

A beam goes through the tags from the left; what it finds is scored again by how likely the rest of the sentence is
after it, against the rest without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import SmolLm, open_smollm
from polyglitch.nlp.proposers.slot_words import word_classes
from polyglitch.protocols import Filling, Floats, Gap

START = 0  # <|endoftext|>, which stands between texts in the model's training
FIRST, LATER, KEPT = 8, 3, 10  # words tried first, after each, and fillings scored to the right
TAIL = 6  # tokens of the rest: what comes later hardly hears of an added word
# Under these a filling reads badly: log-probability of a word of it, what the rest of the sentence loses, and the mean
# of the first with half of the second, for one word and for several.
LEAST_LIKELY, MOST_LOST = -8.0, -5.0
LEAST_OF_ONE, LEAST_OF_SEVERAL = -6.5, -3.3
VOWELS = "aeiou"
Allowed = Callable[[str, str], bool]


class Beam(msgspec.Struct, frozen=True):
    """A filling under way: its words, how likely each is, and where the model is after them."""

    gap: int
    before: tuple[int, ...]
    state: Floats
    words: tuple[str, ...] = ()
    odds: tuple[float, ...] = ()


class TagWords(msgspec.Struct, frozen=True):
    """The words that may have a tag, their tokens, and the vectors of these."""

    words: list[str]
    ids: list[int]
    vectors: Floats


class Rest(msgspec.Struct, frozen=True):
    """What follows a gap: its next tokens, and how likely they are without a filling."""

    ids: tuple[int, ...]
    odds: float


class PhraseFilling:
    """Fits `PhraseFiller`: fills gaps with the words that are one token of the model."""

    def __init__(self, model: SmolLm, language: str) -> None:
        self._tokenizer, self._weights = model
        self._classes = word_classes(language)
        self._closed = {
            tag: tuple(words.split())
            for tag, words in language_of(language)
            .table("expansion.toml", "expansion")["closed"]
            .items()
        }
        self._mass = language_of(language).words("mass_nouns")
        self._vocabulary = {
            piece[1:]: number
            for piece, number in sorted(model.tokenizer.vocabulary.items())
            if re.fullmatch("Ġ[a-z]{1,14}", piece)
        }
        self._banned = language_of(language).words("never_proposed")

    def fill(self, gaps: Sequence[Gap], allowed: Allowed, top: int) -> list[list[Filling]]:
        """For each gap at most `top` fillings, the best first; `allowed` says which word may have which tag."""
        words = {tag: self._words(tag, allowed) for gap in gaps for tag in gap.tags}
        found: list[list[Filling]] = [[] for _ in gaps]
        by_text: dict[str, list[int]] = {}
        for number, gap in enumerate(gaps):
            by_text.setdefault(gap.text, []).append(number)
        for text, numbers in by_text.items():
            pool = PackedPool(self._weights)
            beams, rests = self._begun(pool, text, {n: gaps[n].at for n in numbers})
            done: list[Beam] = []
            while beams:
                beams = self._longer(pool, gaps, beams, words)
                done += [beam for beam in beams if len(beam.words) == len(gaps[beam.gap].tags)]
                beams = [beam for beam in beams if len(beam.words) < len(gaps[beam.gap].tags)]
            for beam, lost in zip(done, losses(pool, done, rests), strict=True):
                if min(beam.odds) >= LEAST_LIKELY and lost >= MOST_LOST:
                    score = sum(beam.odds) / len(beam.odds) + lost / 2
                    if score >= (LEAST_OF_SEVERAL if len(beam.words) > 1 else LEAST_OF_ONE):
                        found[beam.gap].append(Filling(beam.words, score))
        return [sorted(some, key=lambda one: (-one.score, one.words))[:top] for some in found]

    def _begun(
        self, pool: PackedPool, text: str, places: dict[int, int]
    ) -> tuple[list[Beam], dict[int, Rest]]:
        """An empty filling for each gap that has something before it, and what follows."""
        tokens = self._tokenizer.encode(text)
        ids = (START, *(token.number for token in tokens))
        (done,) = pool.compute([PackedText(ids)])
        beams, rests = [], {}
        for number, at in places.items():
            end = len(text[:at].rstrip())
            place = next((i for i, token in enumerate(tokens, 1) if token.end == end), 0)
            if place:
                after = ids[place + 1 : place + 1 + TAIL]
                own = pool.log_odds(done.states[place : place + len(after)], after) if after else []
                beams.append(Beam(number, done.places[: place + 1], done.states[place]))
                rests[number] = Rest(after, sum(own))
        return beams, rests

    def _longer(
        self,
        pool: PackedPool,
        gaps: Sequence[Gap],
        beams: Sequence[Beam],
        words: dict[str, TagWords],
    ) -> list[Beam]:
        """Every filling by one word more, the likeliest of each gap."""
        drafts: dict[int, list[tuple[float, Beam, int, str, float]]] = {}
        by_tag: dict[str, list[Beam]] = {}
        for beam in beams:
            by_tag.setdefault(gaps[beam.gap].tags[len(beam.words)], []).append(beam)
        for tag, some in by_tag.items():
            if not words[tag].ids:
                continue
            odds = pool.odds_among(np.stack([beam.state for beam in some]), words[tag].vectors)
            for beam, own in zip(some, odds, strict=True):
                drafts.setdefault(beam.gap, []).extend(
                    self._likeliest(beam, own, gaps[beam.gap], words[tag])
                )
        kept = [
            row
            for some_drafts in drafts.values()
            for row in sorted(some_drafts, key=lambda row: (-row[0], row[3]))[:KEPT]
        ]
        found = []
        for part in rows(kept, lambda row: 1):
            done = pool.compute([PackedText((row[2],), row[1].before) for row in part])
            for (_, beam, _, word, own), one in zip(part, done, strict=True):
                longer = (*beam.words, word)
                found.append(Beam(beam.gap, one.places, one.states[-1], longer, (*beam.odds, own)))
        return found

    def _likeliest(
        self, beam: Beam, odds: Floats, gap: Gap, words: TagWords
    ) -> list[tuple[float, Beam, int, str, float]]:
        """The filling with each of the words that are likeliest next and go with it."""
        wide = LATER if beam.words else FIRST
        found: list[tuple[float, Beam, int, str, float]] = []
        for place in np.argsort(-odds, kind="stable")[: 8 * wide]:
            word, own = words.words[place], float(odds[place])
            if len(found) < wide and self._goes(beam, gap.tags, word, gap.text):
                found.append((sum(beam.odds) + own, beam, words.ids[place], word, own))
        return found

    def _words(self, tag: str, allowed: Allowed) -> TagWords:
        """The words of a tag with their tokens."""
        known = self._closed.get(tag)
        if known is not None:
            some = [word for word in known if word in self._vocabulary]
        elif self._classes is None:
            some = []
        else:
            some = [
                word
                for word in self._vocabulary
                if len(word) > 2
                and word not in self._banned
                and self._classes.can_be(word, tag)
                and allowed(word, tag)
            ]
        ids = [self._vocabulary[word] for word in some]
        return TagWords(some, ids, self._weights.words[ids])

    def _goes(self, beam: Beam, tags: tuple[str, ...], word: str, text: str) -> bool:
        """Whether a word goes with those before it: a or an, no word twice, no bare noun that has a plural."""
        if word in beam.words:
            return False
        place = len(beam.words)
        before = beam.words[-1] if beam.words else ""
        if before in ("a", "an") and (before == "an") != (word[0] in VOWELS):
            return False
        bare = tags[place] == "NN" and not set(tags[:place]) & {"DT", "PRP$"} and place > 0
        if bare and place + 1 == len(tags) and word not in self._mass:
            return False
        if before in ("a", "an") and tags[place] == "NN" and word in self._mass:
            return False
        return tags[place] in self._closed or not re.search(rf"\b{word}", text, re.IGNORECASE)


def losses(pool: PackedPool, beams: Sequence[Beam], rests: dict[int, Rest]) -> list[float]:
    """By how much less likely each filling makes what follows its gap, as logarithms."""
    found: list[float] = []
    for part in rows(beams, lambda beam: TAIL):
        longer = [beam for beam in part if len(rests[beam.gap].ids) > 1]
        texts = [PackedText(rests[beam.gap].ids[:-1], beam.before) for beam in longer]
        done = iter(pool.compute(texts) if texts else [])
        for beam in part:
            rest = rests[beam.gap]
            states = [beam.state[None]] + ([next(done).states] if len(rest.ids) > 1 else [])
            odds = pool.log_odds(np.concatenate(states), rest.ids) if rest.ids else []
            found.append(sum(odds) - rest.odds)
    return found


@cache
def open_phrase_filling(language: str) -> PhraseFilling:
    """The filler of a language that SmolLM2 knows."""
    return PhraseFilling(open_smollm(), language)
