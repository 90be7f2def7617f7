"""Words that fit a slot by a causal language model in a GGUF file, of whatever languages it knows: `causal:FILE.gguf`.

Candidates are frequent words of the language that end as the old word does, and the words of its sets. They are ranked
by how likely they are after what stands to their left, and the best are scored again with what follows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.languages.record import differ_by_ending
from polyglitch.nlp.models.gguf_causal import GgufCausal
from polyglitch.nlp.models.packed import PackedText
from polyglitch.nlp.proposers.corpus import WordSets
from polyglitch.nlp.proposers.slot_words import match_case
from polyglitch.records import Candidate, Slot

WORDS = 12_000  # of the language's most frequent: those that a reader does not stumble over
SHORTEST = 3
ENDING = 2  # letters that a word must end with as the old one does
RESCORED = 8  # words a slot that are scored with what follows: the costly step
TAIL = 6  # tokens after the slot
# The gain in nats at which a reader is as likely as not to take a word, and how fast that changes.
EVEN, SLOPE = -5.0, 0.9
AT_ONCE = 24  # sentences whose keys and values are held: some 60 KB a token


class Place(NamedTuple):
    """A slot in the tokens of its sentence: from where to where it stands."""

    slot: int
    sentence: int
    start: int
    end: int


class WordInPlace(NamedTuple):
    """A word tried in a place: its tokens, and the score of the first of them after what is left of it."""

    place: Place
    word: str
    ids: tuple[int, ...]
    first: float


class CausalProposer:
    """Fits `Proposer`; the model is read layer by layer for all sentences of a pass."""

    def __init__(self, model: GgufCausal, language: str, name: str) -> None:
        self._model, self._language = model, language_of(language)
        self._sets = WordSets(language)
        self.signature = f"causal/2:{name}:{self._language.code}+{self._sets.signature}"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, those first with which the sentence is likeliest."""
        found: list[list[Candidate]] = [[] for _ in slots]
        texts = list(dict.fromkeys(slot.parse.text for slot in slots))
        for start in range(0, len(texts), AT_ONCE):
            for number, some in self._propose(slots, texts[start : start + AT_ONCE]).items():
                some.sort(key=lambda one: (-one.score, one.word))
                found[number] = some[:top]
        return found

    def _propose(self, slots: Sequence[Slot], texts: Sequence[str]) -> dict[int, list[Candidate]]:
        model = self._model
        # What follows the very first token is foretold badly: a line that names the language stands before.
        lead = f"{self._language.name or self._language.code}:\n"
        tokens = [model.tokenizer.encode(lead + text) for text in texts]
        ids = [tuple(token.number for token in some) for some in tokens]
        places = []
        for number, slot in enumerate(slots):
            if slot.parse.text in texts:
                at = texts.index(slot.parse.text)
                spans = [(token.start - len(lead), token.end - len(lead)) for token in tokens[at]]
                if (inside := span_of(slot, spans)) is not None:
                    places.append(Place(number, at, *inside))
        pool = model.pool()
        done = pool.compute([PackedText(some) for some in ids])
        trials: list[WordInPlace] = []
        for place in places:
            state = done[place.sentence].states[place.start - 1]
            trials += self._tried(slots[place.slot], place, state, ids[place.sentence])
        if not trials:
            return {}
        branches = [
            (*trial.ids, *ids[trial.place.sentence][trial.place.end :][:TAIL]) for trial in trials
        ]
        states = [
            one.states
            for some in chunks(list(zip(trials, branches, strict=True)))
            for one in pool.compute(
                [
                    PackedText(branch[:-1], done[trial.place.sentence].places[: trial.place.start])
                    for trial, branch in some
                ]
            )
        ]
        wanted = [token for branch in branches for token in branch[1:]]
        odds = iter(model.log_odds(np.concatenate(states), np.asarray(wanted, np.int64)).tolist())
        totals = [
            trial.first + sum(next(odds) for _ in branch[1:])
            for trial, branch in zip(trials, branches, strict=True)
        ]
        return judged(slots, trials, totals)

    def _tried(
        self, slot: Slot, place: Place, state: np.ndarray, ids: Sequence[int]
    ) -> list[WordInPlace]:
        """The old word and those worth trying, by their first token."""
        old = slot.token.text
        words = [old, *self._candidates(slot)]
        cut = [
            tuple(token.number for token in self._model.tokenizer.encode(f" {match_case(w, old)}"))
            for w in words
        ]
        odds = self._model.scores(state, [some[0] for some in cut])
        order = sorted(range(1, len(words)), key=lambda n: -odds[n])[:RESCORED]
        return [WordInPlace(place, words[n], cut[n], float(odds[n])) for n in (0, *order)]

    def _candidates(self, slot: Slot) -> list[str]:
        """Words of the language that may have the form of the old one."""
        word = slot.token.text.lower()
        alike = [
            other
            for other in frequent(self._language.code)
            if other.endswith(word[-ENDING:]) and not differ_by_ending(other, word)
        ]
        return list(dict.fromkeys([*self._sets.others(slot), *alike]))


def judged(
    slots: Sequence[Slot], trials: Sequence[WordInPlace], totals: Sequence[float]
) -> dict[int, list[Candidate]]:
    """The words of each slot with what they gain against the old one, which is tried first."""
    found: dict[int, list[Candidate]] = {}
    own: dict[int, float] = {}
    for trial, total in zip(trials, totals, strict=True):
        number = trial.place.slot
        if number not in own:
            own[number], found[number] = total, []
            continue
        gain = total - own[number]
        accepted = 1 / (1 + math.exp(-SLOPE * (gain - EVEN)))
        found[number].append(Candidate(trial.word, round(gain, 4), round(accepted, 4)))
    return found


def chunks(
    items: list[tuple[WordInPlace, tuple[int, ...]]],
) -> list[list[tuple[WordInPlace, tuple[int, ...]]]]:
    """Branches in passes that a processor's memory holds."""
    size = 128
    return [items[start : start + size] for start in range(0, len(items), size)]


def span_of(slot: Slot, spans: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """The tokens that a word is, the blank before it included; nothing where they do not end with it.

    A word that something leans on ("t'inquiète") has no blank of its own, and is not compared with words that have.
    """
    if slot.parse.text[slot.token.start - 1 : slot.token.start] != " ":
        return None
    start = next((n for n, (a, _) in enumerate(spans) if a == slot.token.start - 1), 0)
    end = next((n + 1 for n, (_, b) in enumerate(spans) if b == slot.token.end and n >= start), 0)
    return (start, end) if 1 <= start < end else None


@cache
def frequent(code: str) -> tuple[str, ...]:
    """The most frequent words of a language, where a list of them is installed."""
    if not find_spec("wordfreq"):
        return ()
    from wordfreq import available_languages, top_n_list

    known = code in available_languages()
    held = language_of(code).function_words
    words = top_n_list(code, WORDS) if known else []
    return tuple(w for w in words if w.isalpha() and len(w) >= SHORTEST and w not in held)


@cache
def open_causal(language: str, name: str = "") -> CausalProposer:
    """The proposer of a model by the path of its file."""
    path = Path(name).expanduser()
    if not name or not path.is_file():
        raise UsageError(
            f"the proposer 'causal' needs a model: {name!r} is no file; name one in the format of llama.cpp, such as "
            "causal:qwen2.5-1.5b.gguf"
        )
    return CausalProposer(GgufCausal(path), language, path.name)
