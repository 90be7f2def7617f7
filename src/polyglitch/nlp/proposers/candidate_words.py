"""Which words are tried in a slot, before a sentence is looked at, and what is known of each beside the old word.

They come together from the words of the language model's vocabulary and of the word vectors, common words of several
tokens included, and from WordNet: synonyms, wider, narrower and similar words, and words under the same wider one.

Several words for a gap in a sentence, tag by tag, by SmolLM2: likely after what is before, good for what follows.

A beam goes through the tags from the left; what it finds is scored again by how likely the rest of the sentence is
after it, against the rest without it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.lexicons.near_words import NearWords
from polyglitch.nlp.models.downloads import made_once
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import LanguageModel, Tokenizer, open_smollm
from polyglitch.nlp.proposers.slot_words import WordClasses, sounds_open
from polyglitch.nlp.proposers.vectors import TokenVectors, VectorProposer
from polyglitch.nlp.proposers.wordnet import WordRelations
from polyglitch.protocols import Floats
from polyglitch.records import Filling, Gap, Token

WORD = re.compile("[a-z]{3,}")
MOST_TOKENS = 2  # of a word that is proposed
TAGS = {  # that a listed word may have
    "NOUN": ("NN", "NNS"),
    "VERB": ("VB", "VBZ", "VBG", "VBD", "VBN"),
    "ADJ": ("JJ", "JJR", "JJS"),
    "ADV": ("RB",),
}
UNKNOWN = -1.0  # the cosine of a word that has no vector
START = 0  # <|endoftext|>, which stands between texts in the model's training
FIRST, LATER, KEPT = 8, 4, 8  # words tried first, after each, and fillings scored to the right
TAIL = 6  # tokens of the rest: what comes later hardly hears of an added word
# Under these a filling reads badly: log-probability of a word of it, what the rest of the sentence loses, and the mean
# of the first with half of the second. By the tag that it begins with: adverbs are few, and seldom what comes next.
MOST_LOST = -5.0
LEAST_LIKELY = {"RB": -15.0, "JJ": -9.0, ",": -9.0}
LEAST = {"RB": -13.0, "JJ": -4.5, ",": -4.5}
LEAST_WORDED = -6.0  # of a phrase whose wordings are given
AS_GOOD = 2.0  # below the best of a gap by so much, another word is worse than a set phrase
NOUNS = ("NN", "NNS")
FUNCTION = ("IN", ",")  # words that take no side
Allowed = Callable[[str, str], bool]


def listed_forms(listed: NearWords, classes: WordClasses) -> frozenset[str]:
    """All words of a list in all their forms."""
    return frozenset(
        form
        for part, base in listed.every()
        for tag in TAGS[part]
        for form in classes.forms(base, tag)
        if classes.can_be(form, tag)
    )


class KnownOfWord(msgspec.Struct, frozen=True):
    """What is known of an old word: its cosines with every word that can be proposed, and what WordNet says."""

    near: Floats  # by the input embeddings of the language model
    similar: Floats  # by word vectors
    able: Any  # places of the words that can have the slot's tag and are no forms of the old one
    relations: dict[int, str]  # by the place of the word
    listed: dict[int, str]  # the same of those that are written down
    senses: int  # meanings by WordNet


class CandidateWords:
    """All words that can be proposed, with their tokens; what was looked up of a word is kept."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        embeddings: Floats,
        model: str,
        vectors: VectorProposer,
        classes: WordClasses | None,
        relations: WordRelations | None,
        listed: NearWords,
        banned: frozenset[str],
    ) -> None:
        whole = (piece[1:] for piece in tokenizer.vocabulary if piece.startswith(tokenizer.blank))
        written = listed_forms(listed, classes) if classes else frozenset[str]()
        known = {word for word in (*whole, *vectors.usable, *written) if WORD.fullmatch(word)}
        self._tokenizer, self._model, self._vectors = tokenizer, model, vectors
        self._classes, self.relations, self._listed = classes, relations, listed
        tokens = self._cut_all(sorted(known - banned))
        # Rarer words are cut into more: "disestablishments" has a vector, and fits nowhere.
        self.words = [
            word for word, some in tokens.items() if len(some) <= MOST_TOKENS or word in written
        ]
        self.place = {word: place for place, word in enumerate(self.words)}
        self.tokens = [tokens[word] for word in self.words]
        self.first = np.array([tokens[0] for tokens in self.tokens])
        self.more = np.array([len(tokens) - 1 for tokens in self.tokens], np.float32)
        self.open = np.array([sounds_open(word) for word in self.words])
        self._near = TokenVectors(embeddings, self.tokens)
        self._cosines: dict[str, tuple[Floats, Floats]] = {}
        self._able: dict[str, Any] = {}
        self._known: dict[tuple[str, str], KnownOfWord] = {}

    def cut(self, text: str) -> tuple[int, ...]:
        """The tokens of a word with the blank before it, or of one without where a sentence begins."""
        return tuple(token.number for token in self._tokenizer.encode(text))

    def _cut_all(self, words: list[str]) -> dict[str, tuple[int, ...]]:
        """The tokens of all words; to cut them takes a second, so that it is done once for a list of words."""
        found = made_once(
            "tokens",
            [self._model, *words],
            list[tuple[int, ...]],
            lambda: [self.cut(" " + word) for word in words],
        )
        return dict(zip(words, found, strict=True))

    def fields(self, word: str, pos: str) -> frozenset[str]:
        """The fields that WordNet has a word in."""
        return self.relations.fields(word, pos) if self.relations else frozenset()

    def learn(self, words: Iterable[str]) -> None:
        """Look up the cosines of all words at once."""
        new = sorted(set(words) - self._cosines.keys())
        if not new:
            return
        near = self._near.likeness([self.cut(" " + word) for word in new])
        similar = np.full((len(new), len(self.words)), UNKNOWN, np.float32)
        if rows := [row for row, word in enumerate(new) if word in self._vectors]:
            similar[rows] = self._vectors.likeness([new[row] for row in rows], self.words)
        self._cosines |= {word: (near[row], similar[row]) for row, word in enumerate(new)}

    def of(self, token: Token) -> KnownOfWord:
        """What is known of a learned word under its tag."""
        word = token.text.lower()
        key = (word, token.tag)
        if key not in self._known:
            near, similar = self._cosines[word]
            able = self.able(token.tag).copy()
            # Forms of a word share its beginning; all others are spared the look.
            alike = [place for place in self._sharing(word) if able[place]]
            able[[place for place in alike if differ_by_ending(self.words[place], word)]] = False
            if word in self.place:
                able[self.place[word]] = False
            written = self._listed_for(token)  # other spellings too: neighbour, neighbor
            if self._classes and self._classes.lemma(word, token.tag) in self._listed.held:
                able[:] = False
            able[list(written)] = True
            found, senses = {}, 0
            if self.relations:
                found = self.relations.of(word, token.pos, token.tag, self.place)
                senses = self.relations.senses(word, token.pos)
            related = {self.place[one]: kind for one, kind in found.items()}
            places = np.flatnonzero(able)
            self._known[key] = KnownOfWord(near, similar, places, related, written, senses)
        return self._known[key]

    def _listed_for(self, token: Token) -> dict[int, str]:
        """The places of the words that are written down for a word, in the form of its tag."""
        if self._classes is None:
            return {}
        classes, tag = self._classes, token.tag
        found = {}
        for base, kind in self._listed.of(
            classes.lemma(token.text.lower(), tag), token.pos
        ).items():
            for form in classes.forms(base, tag) & self.place.keys():
                if self.able(tag)[self.place[form]] and classes.lemma(form, tag) == base:
                    found[self.place[form]] = kind
        return found

    def able(self, tag: str) -> Any:
        """Which words can have a tag."""
        if tag not in self._able:
            can = self._classes.can_be if self._classes else (lambda word, tag: True)
            self._able[tag] = np.array([can(word, tag) for word in self.words])
        return self._able[tag]

    def _sharing(self, word: str) -> range:
        """The places of the words with the same first three letters; words are sorted."""
        begin = word[:3]
        return range(bisect_left(self.words, begin), bisect_left(self.words, begin + "{"))


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

    def __init__(self, model: LanguageModel, language: str) -> None:
        self._tokenizer, self._weights = model.tokenizer, model.weights
        table = language_of(language).table("expansion.toml", "expansion")
        asides = table.get("asides", {})
        self._asides = {word: frozenset(nouns.split()) for word, nouns in asides.items()}
        self._closed = {tag: tuple(words.split()) for tag, words in table["closed"].items()}
        brought = frozenset().union(*self._asides.values())
        self._closed |= dict.fromkeys(NOUNS, tuple(sorted(brought)))
        self._alike = [frozenset(some.split()) for some in table.get("alike", {}).values()]
        self._vocabulary = {
            piece[1:]: number
            for piece, number in sorted(model.tokenizer.vocabulary.items())
            if re.fullmatch("Ġ[a-z]{1,14}", piece)
        }
        self._vocabulary[","] = model.tokenizer.vocabulary[","]

    def fill(self, gaps: Sequence[Gap], allowed: Allowed, top: int) -> list[list[Filling]]:
        """For each gap at most `top` fillings, the best first; `allowed` says which word may have which tag."""
        open_gaps = [gap for gap in gaps if not gap.wordings]
        words = {tag: self._words(tag, allowed) for gap in open_gaps for tag in gap.tags}
        found: list[list[Filling]] = [[] for _ in gaps]
        by_text: dict[str, list[int]] = {}
        for number, gap in enumerate(gaps):
            by_text.setdefault(gap.text, []).append(number)
        for text, numbers in by_text.items():
            pool = PackedPool(self._weights)
            begun, rests = self._begun(pool, text, {n: gaps[n].at for n in numbers})
            for beam in begun:
                found[beam.gap] += self._worded(pool, gaps[beam.gap], beam, rests)
            beams = [beam for beam in begun if not gaps[beam.gap].wordings]
            done: list[Beam] = []
            while beams:
                beams = self._longer(pool, gaps, beams, words)
                done += [beam for beam in beams if len(beam.words) == len(gaps[beam.gap].tags)]
                beams = [beam for beam in beams if len(beam.words) < len(gaps[beam.gap].tags)]
            for beam, lost in zip(done, losses(pool, done, rests), strict=True):
                first = gaps[beam.gap].tags[0]
                if min(beam.odds) >= LEAST_LIKELY.get(first, 0.0) and lost >= MOST_LOST:
                    score = sum(beam.odds) / len(beam.odds) + lost / 2
                    above = score - LEAST.get(first, 0.0)
                    if above >= 0:
                        found[beam.gap].append(Filling(beam.words, above))
        return [best_of(some)[:top] for some in found]

    def _worded(
        self, pool: PackedPool, gap: Gap, begun: Beam, rests: dict[int, Rest]
    ) -> list[Filling]:
        """The wordings of a gap that read well there."""
        done: list[Beam] = []
        cut = [tuple(t.number for t in self._tokenizer.encode(text)) for text in gap.wordings]
        for part in rows(list(zip(gap.wordings, cut, strict=True)), lambda row: len(row[1])):
            computed = pool.compute([PackedText(ids, begun.before) for _, ids in part])
            for (text, ids), one in zip(part, computed, strict=True):
                states = np.concatenate([begun.state[None], one.states[:-1]])
                odds = tuple(pool.log_odds(states, ids))
                done.append(Beam(begun.gap, one.places, one.states[-1], (text,), odds))
        found = []
        for beam, lost in zip(done, losses(pool, done, rests), strict=True):
            score = sum(beam.odds) / len(beam.odds) + lost / 2
            if score >= LEAST_WORDED and lost >= MOST_LOST:
                found.append(Filling(beam.words, score - LEAST_WORDED))
        return found

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
        """The words of a tag with their tokens; of those that mean something, the ones that are allowed."""
        some = [
            word
            for word in self._closed.get(tag, ())
            if word in self._vocabulary and (tag in FUNCTION or allowed(word, tag))
        ]
        ids = [self._vocabulary[word] for word in some]
        return TagWords(some, ids, self._weights.words[ids])

    def _goes(self, beam: Beam, tags: tuple[str, ...], word: str, text: str) -> bool:
        """Whether a word goes with those before it, and says nothing that the text has."""
        place = len(beam.words)
        if "IN" in tags[:place] and tags[place] in NOUNS:
            fit = self._asides.get(beam.words[tags.index("IN")], frozenset())
            return word in fit and not self._is_there(word, text)
        return tags[place] in FUNCTION or not self._is_there(word, text)

    def _is_there(self, word: str, text: str) -> bool:
        """Whether a text has the word, or a thing of its kind beside which it would name another."""
        words = set(re.findall(r"[a-z]+", text.lower()))
        words |= {one.removesuffix("s") for one in words}
        return word in words - {"to"} or any(word in some and some & words for some in self._alike)


def best_of(fillings: Sequence[Filling]) -> list[Filling]:
    """Those that are nearly as good as the best, best first."""
    ranked = sorted(fillings, key=lambda one: (-one.score, one.words))
    return [one for one in ranked if one.score >= ranked[0].score - AS_GOOD]


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
