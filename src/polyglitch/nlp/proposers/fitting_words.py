"""Words that fit a slot by a language model: likely after what is before or near in meaning, and good for what follows.

A causal model sees only what is to the left. So its candidates for a slot are scored again on the words that come
after: by how much more, or less, likely the sentence gets than with the word that stood there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from itertools import islice, pairwise
from typing import Any

import msgspec

from polyglitch.errors import Missing, UsageError
from polyglitch.files.lazy_numpy import np, one_thread
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.near_words import LISTED, OF_A_KIND, near_words
from polyglitch.nlp.models.gemma import open_gemma
from polyglitch.nlp.models.packed import ROW, Computed, PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import LanguageModel, open_smollm
from polyglitch.nlp.parsers.choose import Recent
from polyglitch.nlp.proposers.candidate_scoring import (
    ASKED_FOR,
    DOUBTFUL,
    PROMISING,
    SOON,
    STAGES,
    SURE,
    CandidateJudge,
    ScoredCandidate,
    best_first,
    measures_around,
    suits,
)
from polyglitch.nlp.proposers.candidate_words import (
    CandidateWords,
    KnownOfWord,
    open_phrase_filling,
)
from polyglitch.nlp.proposers.grammar_filling import open_grammar_filling
from polyglitch.nlp.proposers.slot_words import article_before, match_article, word_classes
from polyglitch.nlp.proposers.vectors import open_vectors
from polyglitch.nlp.proposers.wordnet import open_word_relations
from polyglitch.protocols import Floats
from polyglitch.records import Candidate, Filling, FreeFilling, Gap, OpenPlace, Slot

AT_ONCE = 2 * ROW  # tokens of sentences whose keys and values are held, 46 KB each
REMEMBERED = 20_000  # slots, some 10 MB
START = 0  # what begins every text
LOOKED_AT = 60  # words a slot that are looked at one by one, by likeness and odds
RESCORED = 10  # of these, how many are scored with what follows: the costly step
ALIKE = (
    4  # and how many more of those that may say the same, where words are judged by their meaning
)
UNFILTERED = 12  # the same where none is dropped for being odd, so that SIT's ten are there
# The probability of being natural under which a word is not proposed, nor scored any further: the methods ask for more
# by default, and every word that is carried on costs a pass over what follows it.
FLOOR = 0.78
# A sentence with so many words of the probability that is asked for needs no others; where there are fewer, its
# likeliest others are scored too, of which a method takes the best.
ENOUGH, OTHERS = 2, 6
# Where words must only be natural: how many of a slot are scored, and how natural they must be by what is to the left;
# the others of them are scored in sentences that have few. More of either is tokens for words that are seldom taken.
SCORED_SOON, WORTH_A_TOKEN = 6, 0.88
LOOKED_AT_SOON = (
    30  # of the words that are looked at one by one there; of 60 the later ones were never taken
)
# How words are chosen to be looked at: what a cosine, a nat of odds and a further token weigh.
NEAR, SIMILAR, ODDS, MORE = 1.0, 1.5, 0.15, 0.2
WRITTEN = {LISTED: 1.2, OF_A_KIND: 0.4}  # what is written down for a word beside these
RELATED = {"synonym": 1.0, "shared": 0.6, "near": 0.4, "opposite": 0.4, "sibling": 0.2}
# Nats by which any first word is less likely than a later one, about, for nothing before it tells of it. Of words that
# are not written down for it those that are unlikely there are odd all the same ("Merely the worst pizza").
OPENING = 8.0
ARTICLE = 2.5  # nats by which a word is likelier once its article is put right, about

Wanted = dict[tuple[str, int], frozenset[str]]  # words to be measured, by sentence and place


MODELS: dict[str, Callable[[], LanguageModel]] = {"smollm": open_smollm, "gemma": open_gemma}


class SlotPlace(msgspec.Struct, frozen=True):
    """A slot by its number, and where its tokens are in the sentence."""

    number: int
    start: int
    end: int
    slot: Slot


class ScoredSentence(msgspec.Struct, frozen=True):
    """The tokens of a sentence, as far as they are looked at, and its slots."""

    ids: tuple[int, ...]
    places: list[SlotPlace]
    tail: int  # tokens after a slot that are looked at

    def after(self, place: SlotPlace) -> range:
        """Where the tokens are that follow a slot and are looked at."""
        return range(place.end, min(place.end + self.tail, len(self.ids)))


def size(sentence: ScoredSentence) -> int:
    """Tokens to compute."""
    return len(sentence.ids)


class Tried(msgspec.Struct):
    """The words tried in a slot, what follows it, and the odds of that after the old word."""

    number: int
    slot: Slot
    hopeful: list[ScoredCandidate]
    after: tuple[int, ...]
    own: tuple[float, ...]
    state: Floats  # of the model at the old word
    put_off: list[ScoredCandidate] = []  # words that are scored only where others fail


class FirstOdds(msgspec.Struct, frozen=True):
    """How much likelier than the old word other words are in its place, by the first token of each."""

    scores: Floats  # of all tokens
    first: Any  # tokens of the words
    old: int

    def of(self, places: Any) -> Floats:
        """For the words at some places."""
        found: Floats = self.scores[self.first[places]] - self.scores[self.old]
        return found


class FittingWords:
    """Fits `Proposer`; the slots of several sentences are looked at together."""

    def __init__(
        self,
        model: LanguageModel,
        language: str,
        floor: float = FLOOR,
        asked_for: float = 0.0,
        stages: Sequence[int] | None = None,
    ) -> None:
        self._tokenizer, self._weights, self._end = model.tokenizer, model.weights, model.end
        self._language, self.known_as = language, model.known_as
        self.tokens = 0  # that the model has computed: what the time goes into
        relations = open_word_relations(language)
        self.wordnet = relations is not None
        self._judge = CandidateJudge(model.known_as, self.wordnet, soon=bool(asked_for))
        self._stages = stages or (SOON if asked_for and model.soon_told else STAGES)
        self._tail = max(self._stages[-1], 1)  # the model must have passed over the old word
        self._floor, self._asked_for = floor, asked_for
        usual = RESCORED if floor else UNFILTERED
        self._rescored = SCORED_SOON if asked_for else usual
        self._alike = ALIKE if 0 < floor < FLOOR else 0
        known = f"+{relations.signature}" if relations else ""
        first = f"<{asked_for}" if asked_for else ""
        judge = f"{near_words(language).signature}{known}-{self._judge.signature}"
        self.signature = f"{model.signature}/16-{judge}>={floor}{first}"
        # The methods of a campaign ask about the same slots, each in its own way.
        self._recent: Recent[tuple[str, int, str], list[tuple[float, ScoredCandidate]]]
        self._recent = Recent(REMEMBERED)
        self._candidates = candidate_words(language, model)
        self._pool = PackedPool(self._weights, model.middle)

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the most natural first."""
        return [
            [Candidate(one.word, round(natural, 4), round(natural, 4)) for natural, one in some]
            for some in self.scored(slots, top)
        ]

    def scored(self, slots: Sequence[Slot], top: int) -> list[list[tuple[float, ScoredCandidate]]]:
        """The same with how natural each is, and what that was told from."""
        keys = [(slot.parse.text, slot.token.start, slot.token.tag) for slot in slots]
        by_key = dict(zip(keys, slots, strict=True))
        found = self._recent.get(keys, lambda new: self._propose([by_key[key] for key in new]))
        return [some[:top] for some in found]

    def fill(
        self, gaps: Sequence[Gap], allowed: Callable[[str, str], bool], top: int
    ) -> list[list[Filling]]:
        """At most `top` fillings for each gap, the best first."""
        return open_phrase_filling(self._language).fill(gaps, allowed, top)

    def fill_places(
        self,
        asked: Sequence[tuple[str, Sequence[OpenPlace]]],
        allowed: Callable[[str, str], bool],
    ) -> list[list[list[FreeFilling]]]:
        """For each text and each of its places some fillings of any words, the best first."""
        return open_grammar_filling(self._language).fill_all(asked, allowed)

    def measured(
        self, slots: Sequence[Slot], words: Sequence[frozenset[str]]
    ) -> list[list[tuple[float, ScoredCandidate]]]:
        """How natural each of some words is in its slot, whatever else would be proposed there."""
        wanted = {
            (slot.parse.text, slot.token.start): some
            for slot, some in zip(slots, words, strict=True)
        }
        return self._propose(slots, wanted)

    def _propose(
        self, slots: Sequence[Slot], wanted: Wanted | None = None
    ) -> list[list[tuple[float, ScoredCandidate]]]:
        """All words that fit each slot, or those of the wanted ones."""
        # Where passes share the cores, threads of numpy's own would wait for each other by spinning between them.
        with one_thread() if self._weights.two_at_once else nullcontext():
            return self._propose_all(slots, wanted)

    def _propose_all(
        self, slots: Sequence[Slot], wanted: Wanted | None
    ) -> list[list[tuple[float, ScoredCandidate]]]:
        self._candidates.learn(slot.token.text.lower() for slot in slots)
        by_text: dict[str, list[int]] = {}
        for number, slot in enumerate(slots):
            by_text.setdefault(slot.parse.text, []).append(number)
        found: dict[int, list[tuple[float, ScoredCandidate]]] = {}
        sentences = [
            self._sentence(text, [(number, slots[number]) for number in numbers])
            for text, numbers in by_text.items()
        ]
        sentences.sort(key=size)  # attention is padded to the longest of a pass
        for some in rows([one for one in sentences if one.places], size, AT_ONCE):
            pool = self._pool
            pool.clear()
            tried = [one for row in rows(some, size) for one in self._after_left(pool, row, wanted)]
            self._score_what_follows(pool, tried)
            if self._asked_for and wanted is None:
                self._score_others(pool, tried)
            self.tokens += pool.size
            for one in tried:
                judged = [(self._natural(one, word), word) for word in one.hopeful]
                found[one.number] = best_first(judged, self._floor)
        return [found.get(number, []) for number in range(len(slots))]

    def _score_what_follows(self, pool: PackedPool, tried: Sequence[Tried]) -> None:
        """Score the words with what follows, in steps between which those are dropped that fell too low."""
        for start, end in pairwise(self._stages):
            open_ones = [
                (one, word)
                for one, word in words_of(tried)
                if word.followed == start and not self._is_settled(one, word)
            ]
            score_right(pool, open_ones, start, end)
            for _, word in open_ones:
                word.followed = end
            self._drop_hopeless(tried)
            if self._asked_for and end == SOON[-1] < self._stages[-1]:
                self._keep_promising(tried)

    def _is_settled(self, one: Tried, word: ScoredCandidate) -> bool:
        """Whether what has been scored of a word tells already what the rest would say."""
        if not self._asked_for or self._stages[-2] < 1 or word.followed != self._stages[-2]:
            return False
        return not DOUBTFUL <= self._natural(one, word) < SURE

    def _keep_promising(self, tried: Sequence[Tried]) -> None:
        """Leave out the words that are not worth more tokens; a sentence with few of them keeps its best."""
        for some in by_sentence(tried):
            ranked = sorted(
                (
                    (self._natural(one, word), place)
                    for place, (one, word) in enumerate(words_of(some))
                ),
                reverse=True,
            )
            kept = {
                place
                for rank, (natural, place) in enumerate(ranked)
                if natural >= PROMISING or rank < ENOUGH
            }
            words = iter(range(len(ranked)))
            for one in some:
                one.hopeful = [word for word in one.hopeful if next(words) in kept]

    def _score_others(self, pool: PackedPool, tried: Sequence[Tried]) -> None:
        """Score the words that were put off in sentences where too few of the others stood the test."""
        second = []
        for some in by_sentence(tried):
            good = sum(self._natural(one, word) >= self._asked_for for one, word in words_of(some))
            if good < ENOUGH:
                left = [
                    (self._natural(one, word), one, word) for one in some for word in one.put_off
                ]
                left.sort(key=lambda item: -item[0])
                second += [
                    Tried(one.number, one.slot, [word], one.after, one.own, one.state)
                    for _, one, word in left[:OTHERS]
                ]
        self._score_what_follows(pool, second)
        by_number = {one.number: one for one in tried}
        for one in second:
            by_number[one.number].hopeful += one.hopeful

    def _natural(self, one: Tried, word: ScoredCandidate) -> float:
        return self._judge.natural(one.slot, word)

    def _sentence(self, text: str, slots: list[tuple[int, Slot]]) -> ScoredSentence:
        """The tokens of a text after the start mark, and the slots that are whole tokens of it."""
        tokens = self._tokenizer.encode(text)
        spans = [(0, 0), *((token.start, token.end) for token in tokens)]
        places = []
        for number, slot in slots:
            token = slot.token
            # A token covers the blank before its word, so it may start one character early.
            start = next((i for i, (a, b) in enumerate(spans) if a <= token.start < b), 0)
            last = next((i for i, (_, b) in enumerate(spans) if b == token.end and i >= start), -1)
            if 1 <= start <= last and spans[start][0] >= token.start - 1:
                places.append(SlotPlace(number, start, last + 1, slot))
        seen = max((place.end + self._tail for place in places), default=0)
        ids = (START, *(token.number for token in tokens))
        if any(place.end == len(ids) for place in places):
            ids += (self._end,)  # something follows a last word without a full stop
        return ScoredSentence(ids[:seen], places, self._tail)

    def _after_left(
        self, pool: PackedPool, row: Sequence[ScoredSentence], wanted: Wanted | None
    ) -> list[Tried]:
        """For each slot the words worth trying, by what stands to its left."""
        # The last token is only predicted.
        done = pool.compute([PackedText(sentence.ids[:-1]) for sentence in row])
        own = own_odds(pool, row, done)
        # All words at all slots in one product: their vectors are 100 MB, to be read once and not once a sentence.
        before = [
            done[number].states[place.start - 1]
            for number, sentence in enumerate(row)
            for place in sentence.places
        ]
        every: Iterator[Floats] = iter(pool.scores(np.stack(before)) if before else ())
        found = []
        for number, sentence in enumerate(row):
            ids, states, kept = sentence.ids, done[number].states, done[number].places
            for place in sentence.places:
                scores = next(every)
                some = wanted[place.slot.parse.text, place.slot.token.start] if wanted else None
                odds = FirstOdds(scores, self._candidates.first, ids[place.start])
                hopeful = list(
                    self._hopeful(pool, place, ids, states, kept, own[number], odds, some)
                )
                after = sentence.after(place)
                found.append(
                    Tried(
                        place.number,
                        place.slot,
                        hopeful,
                        tuple(ids[i] for i in after),
                        tuple(own[number][i] for i in after),
                        done[number].middle[place.end - 1],
                    )
                )
        self._drop_hopeless(found)
        for one in found if wanted is None else ():
            best = self._worth_scoring(one)
            least = WORTH_A_TOKEN if self._asked_for else 0.0
            one.hopeful = [word for natural, word in best if natural >= least]
            one.put_off = [word for natural, word in best if natural < least]
        return found

    def _worth_scoring(self, one: Tried) -> list[tuple[float, ScoredCandidate]]:
        """The words of a slot that are scored with what follows: the most natural, and some that may say the same."""
        ranked = best_first([(self._natural(one, word), word) for word in one.hopeful], 0.0)
        fitting = (pair for pair in ranked if suits(one.slot, pair[1].word))
        best = list(islice(fitting, self._rescored))
        if self._asked_for:
            return best
        others = list(fitting)
        alike = [(natural * self._judge.alike(one.slot, word), word) for natural, word in others]
        chosen = {word.word for _, word in best_first(alike, 0.0)[: self._alike]}
        chosen |= {word.word for _, word in others if word.listed}
        return best + [(natural, word) for natural, word in others if word.word in chosen]

    def _hopeful(
        self,
        pool: PackedPool,
        place: SlotPlace,
        ids: Sequence[int],
        states: Floats,
        kept: tuple[int, ...],
        own: dict[int, float],
        odds: FirstOdds,
        only: frozenset[str] | None = None,
    ) -> Iterator[ScoredCandidate]:
        """The words for one slot, with their odds by what is left of it."""
        slot, token, words = place.slot, place.slot.token, self._candidates
        known, found = words.of(token), article_before(slot)
        article = found[1] if found and place.start > 1 else None
        rest = sum(own[i] for i in range(place.start + 1, place.end))
        around = measures_around(slot)
        # Whether a word is natural is told without fields.
        fields = frozenset() if self._asked_for else words.fields(token.text.lower(), token.pos)
        looked_at = (
            self._looked_at(known, odds, article)
            if only is None
            else [words.place[w] for w in sorted(only) if w in words.place]
        )
        for other, gained in zip(looked_at, odds.of(looked_at).tolist(), strict=True):
            word = words.words[other]
            if only is None and self._asked_for and known.relations.get(other) == "opposite":
                continue  # "that does not contain an invalid token": it turns against the rest
            tokens, at, gain = words.tokens[other], place.start, gained - rest
            listed, first = known.listed.get(other, ""), place.start == 1
            if first:  # no blank stands before it, and its first letter is large
                tokens = words.cut(word[:1].upper() + word[1:])
                gain = float(pool.gains(states[0], ids[1], tokens[:1])[0]) - rest
            elif article and (new := match_article(article, word)) != article:
                tokens, at = (*words.cut(" " + new), *tokens), place.start - 1
                gain = float(pool.gains(states[at - 1], ids[at], tokens[:1])[0])
                gain -= own[place.start] + rest
            yield ScoredCandidate(
                word,
                tokens,
                float(known.near[other]),
                float(known.similar[other]),
                known.relations.get(other, ""),
                listed,
                bool(fields and fields & words.fields(word, token.pos)),
                own[place.start] + rest + (OPENING if first and listed == LISTED else 0.0),
                gain,
                before=kept[:at],
                senses=known.senses,
                around=around,
            )

    def _looked_at(self, known: KnownOfWord, odds: FirstOdds, article: str | None) -> list[int]:
        """The places of the words of a slot that are looked at one by one, and of all that are written down for it."""
        words, some = self._candidates, known.able
        worth = NEAR * known.near[some] + SIMILAR * known.similar[some]
        worth += ODDS * np.maximum(odds.of(some), -12)
        worth -= MORE * words.more[some]
        if article is not None:
            worth[words.open[some] != article.lower().endswith("n")] += ODDS * ARTICLE
        for weights, told in ((RELATED, known.relations), (WRITTEN, known.listed)):
            for other, kind in told.items():
                at = np.searchsorted(some, other)
                if at < len(some) and some[at] == other:
                    worth[at] += weights[kind]
        most = LOOKED_AT_SOON if self._asked_for else LOOKED_AT
        best = np.argpartition(-worth, most)[:most] if len(some) > most else np.arange(len(some))
        best = best[np.lexsort((best, -worth[best]))]
        found: list[int] = some[best].tolist()
        return found + sorted(set(known.listed) - set(found))

    def _drop_hopeless(self, tried: Sequence[Tried]) -> None:
        """Leave out the words that have fallen too low: nothing that follows would raise them."""
        for one in tried:
            one.hopeful = [word for word in one.hopeful if self._natural(one, word) >= self._floor]


def by_sentence(tried: Sequence[Tried]) -> Iterable[list[Tried]]:
    """The slots of each sentence."""
    found: dict[str, list[Tried]] = {}
    for one in tried:
        found.setdefault(one.slot.parse.text, []).append(one)
    return found.values()


def words_of(tried: Sequence[Tried]) -> Iterator[tuple[Tried, ScoredCandidate]]:
    """All words that are tried, each with its slot."""
    return ((one, word) for one in tried for word in one.hopeful)


def own_odds(
    pool: PackedPool, row: Sequence[ScoredSentence], done: Sequence[Computed]
) -> list[dict[int, float]]:
    """How likely each token is that is part of a slot or follows one, by sentence and place."""
    wanted = sorted(
        {
            (number, i)
            for number, one in enumerate(row)
            for place in one.places
            for i in (*range(place.start, place.end), *one.after(place))
        }
    )
    found: list[dict[int, float]] = [{} for _ in row]
    if not wanted:
        return found
    states = np.stack([done[number].states[i - 1] for number, i in wanted])
    odds = pool.log_odds(states, [row[number].ids[i] for number, i in wanted])
    for (number, i), value in zip(wanted, odds, strict=True):
        found[number][i] = value
    return found


def score_right(
    pool: PackedPool, words: Sequence[tuple[Tried, ScoredCandidate]], start: int, end: int
) -> None:
    """Score words with the next tokens: first what is left of themselves, then what follows."""
    live = [
        (one, word, *span)
        for one, word in words
        if (span := due(one, word, start, end))[0] < span[1]
    ]
    live.sort(key=lambda item: len(item[1].before))  # attention is padded to the longest of a pass
    for row in rows(live, lambda item: item[3] - item[2]):
        score_row(pool, row)


def due(one: Tried, word: ScoredCandidate, start: int, end: int) -> tuple[int, int]:
    """Which tokens of the word and of what follows are computed in a step: from, to."""
    count = len(word.tokens)
    return (
        0 if not start else count + start - 1,
        min(count + end, count + len(one.after)) - 1,
    )


def score_row(pool: PackedPool, row: Sequence[tuple[Tried, ScoredCandidate, int, int]]) -> None:
    """Add the odds of the tokens after those that are computed, against those after the old word."""
    texts = [(*word.tokens, *one.after) for one, word, _, _ in row]
    done = pool.compute(
        [
            PackedText(text[start:end], word.before)
            for text, (_, word, start, end) in zip(texts, row, strict=True)
        ]
    )
    wanted = [
        token
        for text, (_, _, start, end) in zip(texts, row, strict=True)
        for token in text[start + 1 : end + 1]
    ]
    odds = iter(pool.log_odds(np.concatenate([part.states for part in done]), wanted))
    for (one, word, start, end), part in zip(row, done, strict=True):
        word.before = part.places
        last = len(word.tokens) - 1
        if start <= last < end:
            word.state = cosine(part.middle[last - start], one.state)
        for place in range(start + 1, end + 1):
            if place < len(word.tokens):
                word.gain += next(odds)
            else:
                step = next(odds) - one.own[place - len(word.tokens)]
                word.change += step
                word.worst = min(word.worst, step)


def cosine(one: Floats, other: Floats) -> float:
    """The cosine of two vectors."""
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9)


@cache
def candidate_words(language: str, model: LanguageModel) -> CandidateWords:
    """The words that can be proposed in a language, as a model cuts them."""
    return CandidateWords(
        model.tokenizer,
        model.weights.words,
        model.name,
        open_vectors(language),
        word_classes(language),
        open_word_relations(language),
        near_words(language),
        language_of(language).words("never_proposed"),
    )


@cache
def open_fitting_words(language: str, known_as: str, floor: str = "") -> FittingWords:
    """The words of a language model, which know English only. `smollm:0` drops no word for being odd.

    Without a number, words are looked for that methods take by default, and the rest only in sentences that have few.
    """
    if known_as not in language_of(language).proposers:
        raise Missing(
            f"a causal model for {language!r}",
            f"the proposer {known_as!r}",
            "name a masked model of that language, proposer = masked-lm:FOLDER",
        )
    try:
        least = float(floor or FLOOR)
    except ValueError:
        raise UsageError(
            f"{known_as}:{floor}: {floor!r} is no number from 0 to 1, the least probability of being natural"
        ) from None
    return FittingWords(MODELS[known_as](), language, least, 0.0 if floor else ASKED_FOR)


def open_smollm_proposer(language: str, floor: str = "") -> FittingWords:
    """The words of SmolLM2."""
    return open_fitting_words(language, "smollm", floor)


def open_gemma_proposer(language: str, floor: str = "") -> FittingWords:
    """The words of Gemma."""
    return open_fitting_words(language, "gemma", floor)
