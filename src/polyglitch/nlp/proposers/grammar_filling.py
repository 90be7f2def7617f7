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

import msgspec

from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import SmolLm, open_smollm
from polyglitch.nlp.proposers.candidate_words import TagWords
from polyglitch.nlp.proposers.slot_words import sounds_open, word_classes
from polyglitch.protocols import Floats
from polyglitch.records import FreeFilling, OpenPlace

START = 0  # <|endoftext|>, which stands between texts in the model's training
WORD = re.compile("Ġ[a-z]{3,14}")
BRANCHES = 4  # words that go on from every beginning
WIDE = 6  # beginnings of a place that are kept at every step
SCORED = 4  # fillings of a place that are scored with what follows
TAIL = 6  # tokens of what follows: later ones hardly hear of an added phrase
LEAST_FIRST, LEAST_WORD = -6.5, -9.0  # log-probability of the first word, and of any
Allowed = Callable[[str, str], bool]


class Begun(msgspec.Struct, frozen=True):
    """A filling under way."""

    place: int
    before: tuple[int, ...]
    state: Floats
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    odds: tuple[float, ...] = ()


TagLists = Mapping[str, TagWords]


class GrammarFilling:
    """Fills places of a sentence with whatever words a causal model knows."""

    def __init__(self, model: SmolLm, language: str) -> None:
        self._tokenizer, self._weights = model
        table = language_of(language).table("expansion.toml", "expansion")
        self._function = {tag: words.split() for tag, words in table.get("function", {}).items()}
        vocabulary = sorted(model.tokenizer.vocabulary.items())
        self._every = {piece[1:]: number for piece, number in vocabulary if piece[:1] == "Ġ"}
        self._plain = [piece[1:] for piece, _ in vocabulary if WORD.fullmatch(piece)]
        self._classes = word_classes(language)
        self._able: dict[str, list[str]] = {}

    def fill_all(
        self, asked: Sequence[tuple[str, Sequence[OpenPlace]]], allowed: Allowed
    ) -> list[list[list[FreeFilling]]]:
        """For each text and each of its places some fillings, the best first."""
        tags = {tag for _, places in asked for place in places for row in place.tags for tag in row}
        words = {tag: self.words(tag, allowed) for tag in sorted(tags)}
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
        pool = PackedPool(self._weights)
        tokens = self._tokenizer.encode(text)
        ids = (START, *(token.number for token in tokens))
        (done,) = pool.compute([PackedText(ids)])
        ends = {token.end: place for place, token in enumerate(tokens, 1)}
        begun, rests = [], {}
        for number, place in enumerate(places):
            here = ends.get(place.at)
            if here is not None:
                after = ids[here + 1 : here + 1 + TAIL]
                own = pool.log_odds(done.states[here : here + len(after)], after) if after else []
                begun.append(Begun(number, done.places[: here + 1], done.states[here]))
                rests[number] = after, own
        full: list[Begun] = []
        while begun:
            begun = self._longer(pool, text, places, begun, words)
            full += [one for one in begun if one.tags in places[one.place].tags]
        best: dict[int, list[Begun]] = {}
        for one in sorted(full, key=lambda one: (-mean(one.odds), one.words)):
            best.setdefault(one.place, []).append(one)
        chosen = [one for some in best.values() for one in some[:SCORED]]
        found: list[list[FreeFilling]] = [[] for _ in places]
        for one, lost in zip(chosen, step_losses(pool, chosen, rests), strict=True):
            next_lost = lost[0] if lost else 0.0
            found[one.place].append(
                FreeFilling(one.words, one.tags, one.odds, next_lost, sum(lost))
            )
        return found

    def _longer(
        self,
        pool: PackedPool,
        text: str,
        places: Sequence[OpenPlace],
        begun: Sequence[Begun],
        words: TagLists,
    ) -> list[Begun]:
        """Every filling by one word more, the likeliest of each place."""
        said = set(re.findall(r"[a-z]+", text.lower()))
        said |= {word.removesuffix("s") for word in said}
        by_tag: dict[str, list[Begun]] = {}
        for one in begun:
            count = len(one.tags)
            strings = [t for t in places[one.place].tags if t[:count] == one.tags]
            for tag in {tags[count] for tags in strings if len(tags) > count}:
                by_tag.setdefault(tag, []).append(one)
        drafts: dict[int, list[tuple[float, str, str, int, Begun]]] = {}
        for tag, some in sorted(by_tag.items()):
            known = words[tag]
            if not known.ids:
                continue
            odds = pool.odds_among(np.stack([one.state for one in some]), known.vectors)
            for one, own in zip(some, odds, strict=True):
                last = one.words[-1] if one.words else ""
                taken = 0
                for at in np.argsort(-own, kind="stable")[: 8 * BRANCHES]:
                    word, likely = known.words[at], float(own[at])
                    if likely < (LEAST_WORD if one.words else LEAST_FIRST) or taken == BRANCHES:
                        break
                    if repeats(word, tag, said, one.words, self._function) or unlike(last, word):
                        continue
                    taken += 1
                    drafts.setdefault(one.place, []).append((likely, tag, word, known.ids[at], one))
        kept = [
            row
            for some_drafts in drafts.values()
            for row in sorted(
                some_drafts, key=lambda row: (-row[0] - sum(row[4].odds), row[2], row[1])
            )[:WIDE]
        ]
        found = []
        for part in rows(kept, lambda row: 1):
            done = pool.compute([PackedText((row[3],), row[4].before) for row in part])
            for (likely, tag, word, _, one), new in zip(part, done, strict=True):
                found.append(
                    Begun(
                        one.place,
                        new.places,
                        new.states[-1],
                        (*one.words, word),
                        (*one.tags, tag),
                        (*one.odds, likely),
                    )
                )
        return found

    def words(self, tag: str, allowed: Allowed) -> TagWords:
        """The words of a tag with their tokens."""
        if tag in self._function:
            some = [word for word in self._function[tag] if word in self._every]
        else:
            if tag not in self._able:
                can = self._classes.can_be if self._classes else (lambda word, tag: False)
                self._able[tag] = [word for word in self._plain if can(word, tag)]
            some = [word for word in self._able[tag] if allowed(word, tag)]
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
    pool: PackedPool,
    full: Sequence[Begun],
    rests: dict[int, tuple[tuple[int, ...], list[float]]],
) -> list[list[float]]:
    """By how much less likely each filling makes every token that follows its place, as logarithms."""
    found: list[list[float]] = []
    for part in rows(full, lambda one: TAIL):
        longer = [one for one in part if len(rests[one.place][0]) > 1]
        texts = [PackedText(rests[one.place][0][:-1], one.before) for one in longer]
        done = iter(pool.compute(texts) if texts else [])
        for one in part:
            ids, own = rests[one.place]
            states = [one.state[None]] + ([next(done).states] if len(ids) > 1 else [])
            odds = pool.log_odds(np.concatenate(states), ids) if ids else []
            found.append([new - old for new, old in zip(odds, own, strict=True)])
    return found


@cache
def open_grammar_filling(language: str) -> GrammarFilling:
    """The filler of a language that SmolLM2 knows."""
    return GrammarFilling(open_smollm(), language)
