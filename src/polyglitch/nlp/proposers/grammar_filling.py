"""Words of a model's own choice for a gap in a sentence, by strings of tags that a grammar allows there.

All strings of tags of a place are filled together, word by word: of every beginning the likeliest words that can have
the next tag go on. What is full is scored again by how likely the rest of the sentence is after it, against the rest
without it. Words of closed classes come from a list of the language; all others are whatever the model and the
dictionary know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import LanguageModel, open_smollm
from polyglitch.nlp.proposers.candidate_words import TagWords
from polyglitch.nlp.proposers.slot_words import sounds_open, word_classes
from polyglitch.protocols import Floats
from polyglitch.records import FreeFilling, OpenPlace

START = 0  # <|endoftext|>, which stands between texts in the model's training
WORD = re.compile("Ġ[a-z]{3,14}")
BRANCHES = 4  # words that go on from every beginning
SINGLE = (
    8  # words of a place that takes one alone: what follows tells more of them than what is before
)
WIDE = 7  # beginnings of a place that are kept at every step
SCORED = 5  # fillings of a place that are scored with what follows
TAIL = 6  # tokens of what follows: later ones hardly hear of an added phrase
LEAST_FIRST, LEAST_WORD = -7.5, -9.0  # log-probability of the first word, and of any
SURE = -1e-4  # a copy is taken for no more certain than this
FIRST = "^"  # behind a tag: its words as a sentence begins with them
Allowed = Callable[[str, str], bool]


class ReadSentence(msgspec.Struct, frozen=True):
    """A sentence as the model read it, after examples or alone, up to each of its tokens."""

    states: Floats
    places: tuple[int, ...]
    ids: tuple[int, ...]
    ends: Mapping[int, int]  # how many tokens end where
    before: int  # tokens of the computed text that stand before the sentence

    def state(self, count: int) -> Floats:
        """After so many tokens of the sentence."""
        found: Floats = self.states[self.before + count - 1]
        return found

    def known(self, count: int) -> tuple[int, ...]:
        """Where in the pool all is that stands before a place after so many tokens."""
        return self.places[: len(self.places) - len(self.ids) + count]

    def rest(self, pool: PackedPool, count: int, after: tuple[int, ...]) -> WhatFollows:
        """What follows a place; `after` where it does not stand in the sentence as it will."""
        ids = self.ids[count : count + TAIL]
        at = self.before + count - 1
        own = pool.log_odds(self.states[at : at + len(ids)], ids) if ids else []
        if after:
            return WhatFollows(after[: len(own) + 1], (0.0, *own))  # a comma comes first
        return WhatFollows(ids, tuple(own))


class WhatFollows(msgspec.Struct, frozen=True):
    """What follows a place: its first tokens, and how likely each is without a filling."""

    ids: tuple[int, ...]
    own: tuple[float, ...]


class Begun(msgspec.Struct, frozen=True):
    """A filling under way."""

    place: int
    before: tuple[int, ...]
    state: Floats
    copied: float = 0.0  # the log-probability that the sentence goes on as it did
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    odds: tuple[float, ...] = ()


TagLists = Mapping[str, TagWords]


class GrammarFilling:
    """Fills places of a sentence with whatever words a causal model knows."""

    def __init__(self, model: LanguageModel, language: str) -> None:
        self._tokenizer, self._weights = model.tokenizer, model.weights
        table = language_of(language).table("expansion.toml", "expansion")
        self._function = {tag: words.split() for tag, words in table.get("function", {}).items()}
        self._vocabulary = model.tokenizer.vocabulary
        vocabulary = sorted(self._vocabulary.items())
        self._every = {piece[1:]: number for piece, number in vocabulary if piece[:1] == "Ġ"}
        self._plain = [piece[1:] for piece, _ in vocabulary if WORD.fullmatch(piece)]
        self._classes = word_classes(language)
        self._able: dict[str, list[str]] = {}
        self._pool = PackedPool(self._weights)
        self._shown_words = {
            word
            for row in table.get("examples", ())
            for text in row
            for word in re.findall(r"[a-z]+", text.lower())
        }
        told = "".join(f"Short: {one}\nLong: {two}\n" for one, two in table.get("examples", ()))
        (shown,) = self._pool.compute([PackedText((START, *self._ids(f"{told}Short:")))])
        self._shown, self._again = shown.places, self._ids("\nLong:")

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(token.number for token in self._tokenizer.encode(text))

    def fill_all(
        self, asked: Sequence[tuple[str, Sequence[OpenPlace]]], allowed: Allowed
    ) -> list[list[list[FreeFilling]]]:
        """For each text and each of its places some fillings, the best first."""
        tags = {tag for _, places in asked for place in places for row in place.tags for tag in row}
        words = {tag: self.words(tag, allowed) for tag in sorted(tags)}
        words |= {f"{tag}{FIRST}": self.words(tag, allowed, True) for tag in sorted(tags)}
        return [
            [
                sorted(some, key=lambda one: (-one.score, one.words))
                for some in self.fill(text, places, words)
            ]
            for text, places in asked
        ]

    def fill(
        self, text: str, places: Sequence[OpenPlace], words: TagLists
    ) -> list[list[FreeFilling]]:
        """For each place some fillings, in no order; `words` are those that may have a tag."""
        told, bare = self._read(text)
        pool, begun = self._pool, []
        rests: dict[int, WhatFollows] = {}
        bare_rests: dict[int, WhatFollows] = {}
        for number, place in enumerate(places):
            count, alone = told.ends.get(place.at), bare.ends.get(place.at)
            after = self._ids(place.after)
            fits = not after or len(after) == len(told.ids) + 1 == len(bare.ids) + 1
            if count is None or alone is None or not fits:
                continue
            rests[number] = told.rest(pool, count, after)
            bare_rests[number] = bare.rest(pool, alone, after)
            own = rests[number].own
            copied = own[1] if after else own[0]
            begun.append(Begun(number, told.known(count), told.state(count), min(copied, SURE)))
        full: list[Begun] = []
        while begun:
            begun = self._longer(text, places, begun, words)
            full += [one for one in begun if one.tags in places[one.place].tags]
        best: dict[int, list[Begun]] = {}
        for one in sorted(full, key=lambda one: (-mean(one.odds), one.words)):
            best.setdefault(one.place, []).append(one)
        chosen = [
            one
            for some in best.values()
            for one in [
                *(one for one in some if len(one.words) == 1),
                *[one for one in some if len(one.words) > 1][:SCORED],
            ]
        ]
        alone_too = self._alone(chosen, places, bare)
        found: list[list[FreeFilling]] = [[] for _ in places]
        lost_told = step_losses(pool, chosen, rests)
        lost_alone = step_losses(pool, alone_too, bare_rests)
        for one, other, lost, lost_too in zip(
            chosen, alone_too, lost_told, lost_alone, strict=True
        ):
            found[one.place].append(
                FreeFilling(one.words, one.tags, other.odds, tuple(lost_too), one.odds, tuple(lost))
            )
        return found

    def _read(self, text: str) -> tuple[ReadSentence, ReadSentence]:
        """The sentence once more after itself and examples of others that grew; and alone."""
        pool = self._pool
        pool.size = len(self._shown)  # what other texts left is written over
        tokens, alone = self._tokenizer.encode(f" {text}"), self._tokenizer.encode(text)
        ids = tuple(token.number for token in tokens)
        own = tuple(token.number for token in alone)
        done, bare = pool.compute(
            [PackedText((*ids, *self._again, *ids), self._shown), PackedText((START, *own))]
        )
        ends = {0: 0} | {token.end - 1: place for place, token in enumerate(tokens, 1)}
        ends_alone = {0: 0} | {token.end: place for place, token in enumerate(alone, 1)}
        return (
            ReadSentence(done.states, done.places, ids, ends, len(ids) + len(self._again)),
            ReadSentence(bare.states, bare.places, own, ends_alone, 1),
        )

    def _alone(
        self, full: Sequence[Begun], places: Sequence[OpenPlace], bare: ReadSentence
    ) -> list[Begun]:
        """The same fillings with their likelihoods where the model has not seen how the sentence goes on."""
        pool, found = self._pool, []
        for part in rows(full, lambda one: len(one.ids)):
            counts = [bare.ends[places[one.place].at] for one in part]
            ids = [
                one.ids if count else (self._starting(one), *one.ids[1:])
                for one, count in zip(part, counts, strict=True)
            ]
            done = pool.compute(
                [PackedText(own, bare.known(count)) for own, count in zip(ids, counts, strict=True)]
            )
            states = [
                np.concatenate([bare.state(count)[None], new.states[:-1]])
                for count, new in zip(counts, done, strict=True)
            ]
            odds = pool.log_odds(np.concatenate(states), [one for own in ids for one in own])
            cut = iter(odds)
            for one, own, new in zip(part, ids, done, strict=True):
                likely = tuple(islice(cut, len(own)))
                row = (one.place, new.places, new.states[-1], 0.0, one.words, one.tags, own, likely)
                found.append(Begun(*row))
        return found

    def _starting(self, one: Begun) -> int:
        """The token of a first word at the very start of a text, where no blank stands before it."""
        return self._vocabulary.get(one.words[0], one.ids[0])

    def _longer(
        self,
        text: str,
        places: Sequence[OpenPlace],
        begun: Sequence[Begun],
        words: TagLists,
    ) -> list[Begun]:
        """Every filling by one word more, the likeliest of each place."""
        said = set(re.findall(r"[a-z]+", text.lower()))
        said |= self._shown_words  # or they would be copied
        said |= {word.removesuffix("s") for word in said}
        by_tag: dict[str, list[Begun]] = {}
        for one in begun:
            count = len(one.tags)
            strings = [t for t in places[one.place].tags if t[:count] == one.tags]
            first = FIRST if not count and places[one.place].after else ""
            for tag in {tags[count] for tags in strings if len(tags) > count}:
                by_tag.setdefault(tag + first, []).append(one)
        drafts: dict[int, list[tuple[float, str, str, int, Begun]]] = {}
        for key, some in sorted(by_tag.items()):
            known, tag = words[key], key.removesuffix(FIRST)
            if not known.ids:
                continue
            odds = self._pool.odds_among(np.stack([one.state for one in some]), known.vectors)
            for one, own in zip(some, odds, strict=True):
                last = one.words[-1] if one.words else ""
                if not one.words:
                    own = own - np.log(-np.expm1(one.copied))  # of all that is no copy
                taken, most = 0, SINGLE if (tag,) in places[one.place].tags else BRANCHES
                for at in np.argsort(-own, kind="stable")[: 8 * most]:
                    word, likely = known.words[at], float(own[at])
                    if likely < (LEAST_WORD if one.words else LEAST_FIRST) or taken == most:
                        break
                    if repeats(word, tag, said, one.words, self._function) or unlike(last, word):
                        continue
                    taken += 1
                    drafts.setdefault(one.place, []).append((likely, tag, word, known.ids[at], one))
        kept: list[tuple[float, str, str, int, Begun]] = []
        for place, some_drafts in drafts.items():
            ranked = sorted(
                some_drafts, key=lambda row: (-row[0] - sum(row[4].odds), row[2], row[1])
            )
            alone = [row for row in ranked if (row[1],) in places[place].tags and not row[4].words]
            kept += alone + [row for row in ranked if row not in alone][:WIDE]
        found = []
        for part in rows(kept, lambda row: 1):
            done = self._pool.compute([PackedText((row[3],), row[4].before) for row in part])
            for (likely, tag, word, number, one), new in zip(part, done, strict=True):
                found.append(
                    Begun(
                        one.place,
                        new.places,
                        new.states[-1],
                        0.0,
                        (*one.words, word),
                        (*one.tags, tag),
                        (*one.ids, number),
                        (*one.odds, likely),
                    )
                )
        return found

    def words(self, tag: str, allowed: Allowed, first: bool = False) -> TagWords:
        """The words of a tag with their tokens; `first` as a sentence begins with them."""
        if tag in self._function:
            some = [word for word in self._function[tag] if word in self._every]
        else:
            if tag not in self._able:
                can = self._classes.can_be if self._classes else (lambda word, tag: False)
                self._able[tag] = [word for word in self._plain if can(word, tag)]
            some = [word for word in self._able[tag] if allowed(word, tag)]
        if first:
            some = [word.capitalize() for word in some if word.capitalize() in self._every]
        ids = [self._every[word] for word in some]
        return TagWords(some, ids, self._weights.words[ids])


def repeats(
    word: str, tag: str, said: set[str], own: Sequence[str], function: dict[str, list[str]]
) -> bool:
    """Whether a word of weight is said already."""
    return tag not in function and (word in said or word.removesuffix("s") in said or word in own)


def unlike(article: str, word: str) -> bool:
    """Whether an article does not go with the sound of the word behind it."""
    return article in ("a", "an") and sounds_open(word) != (article == "an")


def mean(odds: Sequence[float]) -> float:
    """The mean of some log-probabilities."""
    return sum(odds) / len(odds)


def step_losses(
    pool: PackedPool, full: Sequence[Begun], rests: Mapping[int, WhatFollows]
) -> list[list[float]]:
    """By how much less likely each filling makes every token that follows its place, as logarithms."""
    found: list[list[float]] = []
    for part in rows(full, lambda one: TAIL):
        longer = [one for one in part if len(rests[one.place].ids) > 1]
        texts = [PackedText(rests[one.place].ids[:-1], one.before) for one in longer]
        done = iter(pool.compute(texts) if texts else [])
        states: list[Floats] = []
        ids: list[int] = []
        for one in part:
            rest = rests[one.place]
            states += [one.state[None]] if rest.ids else []
            states += [next(done).states] if len(rest.ids) > 1 else []
            ids += rest.ids
        odds = iter(pool.log_odds(np.concatenate(states), ids) if ids else [])
        found += [[next(odds) - old for old in rests[one.place].own] for one in part]
    return found


@cache
def open_grammar_filling(language: str) -> GrammarFilling:
    """The filler of a language that SmolLM2 knows."""
    return GrammarFilling(open_smollm(), language)
