"""The words of another proposer, ranked by how alike word and substitute are in the sentence: `in-context:NAME`.

How alike a word and its substitute are in their sentence: CAT's filter, by MiniLM.

The published code compares the vectors of the token to the left of the replaced one; here it is the word itself. Over
SmolLM2's words a learned model decides, which hears that likeness beside all else that is known of a word.

Words that fit a slot and mean something else there: what PatInv puts in. `unlike:NAME`, of another proposer.

The neighbours of a word by any vectors are its synonyms and its opposites alike. WordNet knows the opposites; of the
rest, what the sentence makes as good as the old word is left out, by the same measure by which CAT lets it in.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from polyglitch import registry
from polyglitch.errors import UsageError, as_works_here
from polyglitch.languages import language as language_of
from polyglitch.nlp.embedders.sentence_vectors import MiniLm, open_minilm
from polyglitch.nlp.lexicons.near_words import LISTED, OF_A_KIND
from polyglitch.nlp.lexicons.words import WordNet, dictionary_folder, open_wordnet
from polyglitch.nlp.models.downloads import data_folder, lacking, language_model, offer
from polyglitch.nlp.proposers.candidate_scoring import CandidateJudge, ScoredCandidate
from polyglitch.nlp.proposers.fitting_words import MODELS, FittingWords, open_fitting_words
from polyglitch.nlp.proposers.vectors import VectorProposer, open_vectors
from polyglitch.protocols import Proposer
from polyglitch.records import Candidate, Slot

# CAT's .85 is for BERT-large and for the token beside the word. Read on 120 swaps by MiniLM, where unrelated words
# that fit have .1 to .25: above this, the substitute says nearly the same.
LEAST = 0.35
# The same without a sentence; TransRepair's dictionary asks for .55 of the same vectors beside a second set.
LEAST_BY_VECTORS = 0.6
LEAST_MEANING = 0.15  # the probability under which a word is not even the best of a poor sentence
# Of the words that are judged by their meaning: few are alike, so more are looked at. Of those that were read, none
# below it comes to TAKEN once it is heard in its sentence.
LEAST_NATURAL = "0.65"
# The probability of being natural under which no method takes a word, however alike: verbs and adjectives ask most of
# what stands around them ("prevent direct sunlight", "massive rain"), and of those that were read fewest were natural.
TAKEN, TAKEN_BY_PART = 0.72, {"VERB": 0.94, "ADV": 0.94, "ADJ": 0.86}
# Of nouns and adjectives that are written down for the old one as many are natural at so much less: somebody has
# thought of them. What a verb asks of its sentence ("provided us tips") is not written down.
SPARED, NOT_SPARED = 0.07, ("VERB", "ADV")


class LeastNatural(NamedTuple):
    """How natural a word must be: any, one that is written down for the old one, and such a verb or adverb."""

    every: float
    listed: float
    listed_verb: float

    @classmethod
    def read(cls, text: str, usual: float) -> LeastNatural:
        """Of `0.9`, `0.9/0.8` or `0.9/0.8/0.85`; what is left out follows from the first."""
        every, listed, verb, *_ = [*text.split("/"), "", "", ""]
        least = float(every or usual)
        return cls(least, float(listed or least - SPARED), float(verb or least))

    def least(self, part: str, listed: bool) -> float:
        """The least for a word of a part of speech."""
        if listed:
            return self.listed_verb if part in NOT_SPARED else self.listed
        return max(self.every, TAKEN_BY_PART.get(part, 0.0))


TAKEN_UNLIKE = 0.85  # the same of words that say something else
SCORED = 20  # words of a slot that are judged by their meaning
log = logging.getLogger("polyglitch")


class InContextProposer:
    """Fits `Proposer`; scores are cosines."""

    def __init__(self, base: Proposer, likeness: LikenessOfWords) -> None:
        self._base, self._likeness, self._least = base, likeness, likeness.limit
        self.signature = f"in-context({base.signature}+{likeness.signature}>={self._least})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, the most alike first."""
        found = self._base.propose(slots, top)
        pairs = [
            (place_of(slot), place_of(slot, one.word))
            for slot, some in zip(slots, found, strict=True)
            for one in some
        ]
        cosines = iter(self._likeness.likeness(pairs))
        ranked = []
        for some in found:
            scored = [Candidate(one.word, round(next(cosines), 4)) for one in some]
            near = [one for one in scored if one.score >= self._least]
            ranked.append(sorted(near, key=lambda one: (-one.score, one.word)))
        return ranked


def place_of(slot: Slot, word: str | None = None) -> Place:
    """The sentence with its own or another word in the slot, and where that word is."""
    token, text = slot.token, slot.parse.text
    new = token.text if word is None else word
    changed = text[: token.start] + new + text[token.end :]
    return changed, token.start, token.start + len(new)


class MeaningProposer:
    """Fits `Proposer`: the natural words of a language model that say nearly the same, or else those that do not."""

    def __init__(
        self,
        base: FittingWords,
        likeness: WordsInContext | None,
        other: bool,
        least: LeastNatural,
    ) -> None:
        self._base, self._likeness, self._other, self._least = base, likeness, other, least
        self._judge = CandidateJudge(base.known_as, base.wordnet, likeness is not None)
        heard = f"+{likeness.signature}" if likeness else ""
        kind = "unlike" if other else "alike"
        asked = f">={LEAST_MEANING},{'/'.join(map(str, least))}"
        self.signature = f"{kind}({base.signature}{heard}-{self._judge.signature}{asked})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, by the probability that a reader takes them for what they should be."""
        found = self._base.scored(slots, SCORED)
        self._look(slots, found)
        ranked = []
        for slot, some in zip(slots, found, strict=True):
            judged = [(one.word, self._accepted(slot, one)) for _, one in some]
            kept = [Candidate(word, odds, odds) for word, odds in judged if odds >= LEAST_MEANING]
            ranked.append(sorted(kept, key=lambda one: (-one.score, one.word))[:top])
        return ranked

    def _look(
        self, slots: Sequence[Slot], found: Sequence[Sequence[tuple[float, ScoredCandidate]]]
    ) -> None:
        """Look at all words in their sentences, those of a slot that was looked at before left out."""
        if self._likeness is None:
            return
        new = [
            (slot, one)
            for slot, some in zip(slots, found, strict=True)
            for _, one in some
            if one.in_context is None
        ]
        cosines = self._likeness.likeness(
            [(place_of(slot), place_of(slot, one.word)) for slot, one in new]
        )
        for (_, one), cosine in zip(new, cosines, strict=True):
            one.in_context = cosine

    def _accepted(self, slot: Slot, one: ScoredCandidate) -> float:
        natural, alike = self._judge.natural(slot, one), self._judge.alike(slot, one)
        if natural < self._least.least(slot.token.pos, one.listed == LISTED):
            return 0.0
        if one.listed == OF_A_KIND and not self._other:
            return 0.0  # an hour and a minute
        # What is alike and hardly natural is an error of one of the two models: both must agree.
        return round(max(natural - alike, 0.0) if self._other else natural * alike, 4)


def open_meaning(language: str, known_as: str, asked: str, other: bool) -> MeaningProposer:
    """The words of a language model by their meaning, heard in their sentences where MiniLM is installed.

    `asked` is the least probability of being natural, `in-context:smollm:0.88`, and where it is another than usual that
    of words that are written down for the old one: `in-context:smollm:0.91/0.66/0.66`, the last of verbs.
    """
    try:
        least = LeastNatural.read(asked, TAKEN_UNLIKE if other else TAKEN)
    except ValueError:
        raise UsageError(
            f"{known_as}:{asked}: {asked!r} is no number from 0 to 1, the least probability of being natural"
        ) from None
    likeness = WordsInContext(open_minilm(language)) if data_folder("minilm") else None
    # All hear the same words of the model, so that the methods of a campaign share them.
    base = open_fitting_words(language, known_as, LEAST_NATURAL)
    return MeaningProposer(base, likeness, other, least)


@cache
def open_in_context(language: str, base: str = "") -> InContextProposer | MeaningProposer:
    """The ranking of MiniLM over the proposer of a name, by default the best language model that is here."""
    name, _, argument = (base or language_model() or "smollm").partition(":")
    if name in MODELS:
        return open_meaning(language, name, argument, other=False)
    factory = registry.load("proposers", name)
    opened = factory(language, argument) if argument else factory(language)
    return InContextProposer(opened, open_words_in_context(language))


Place = tuple[str, int, int]  # a text and where the word in it starts and ends


class LikenessOfWords(Protocol):
    """How alike words are in their places; from `limit` on they say nearly the same."""

    limit: float
    signature: str

    def likeness(self, pairs: Sequence[tuple[Place, Place]]) -> list[float]:
        """The cosine of each pair."""


class WordsInContext:
    """The vectors of words in their sentences, of unit length."""

    limit = LEAST

    def __init__(self, minilm: MiniLm) -> None:
        self._minilm = minilm
        self.signature = f"word-in-context({minilm.signature})"

    def likeness(self, pairs: Sequence[tuple[Place, Place]]) -> list[float]:
        """The cosine of each pair; every distinct place is computed once."""
        places = list(dict.fromkeys(place for pair in pairs for place in pair))
        found = self._minilm.embed_words(
            [text for text, _, _ in places], [[(start, end)] for _, start, end in places]
        )
        rows = {place: row[0] for place, row in zip(places, found, strict=True)}
        return [float(rows[a] @ rows[b]) for a, b in pairs]


class WordsByVectors:
    """The vectors of words by themselves: where nothing is there that reads the sentence."""

    limit = LEAST_BY_VECTORS

    def __init__(self, vectors: VectorProposer) -> None:
        self._vectors, self.signature = vectors, f"word({vectors.signature})"

    def likeness(self, pairs: Sequence[tuple[Place, Place]]) -> list[float]:
        """The cosine of each pair; 0 where a word has no vector."""
        words = [
            (a[a_start:a_end], b[b_start:b_end])
            for (a, a_start, a_end), (b, b_start, b_end) in pairs
        ]
        return [
            float(self._vectors.likeness([one.lower()], [other.lower()])[0, 0])
            if one.lower() in self._vectors and other.lower() in self._vectors
            else 0.0
            for one, other in words
        ]


@cache
def open_words_in_context(language: str) -> LikenessOfWords:
    """Words in their sentence by MiniLM; without it by their vectors, and whoever gets those is told once."""
    if (
        data_folder("minilm")
        or "vectors" not in language_of(language).proposers
        or lacking("vectors")
    ):
        return WordsInContext(open_minilm(language))
    better = as_works_here(offer("minilm"))
    log.warning(
        "how alike two words are is told by vectors alone; better, in their sentence: %s", better
    )
    return WordsByVectors(open_vectors(language))


class DifferentMeaningProposer:
    """Fits `Proposer`; opposites first, then the words least like the old one."""

    def __init__(
        self,
        base: Proposer,
        likeness: LikenessOfWords | None,
        lexicon: WordNet | None,
    ) -> None:
        self._base, self._likeness, self._lexicon = base, likeness, lexicon
        self._most = likeness.limit if likeness else 0.0
        judges = [f"{likeness.signature}<{self._most}"] if likeness else []
        judges += [lexicon.signature] if lexicon else []
        self.signature = f"unlike({'+'.join([base.signature, *judges])})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot; scores are 1 for opposites, else how unlike."""
        found = self._base.propose(slots, top)
        cosines = iter(self._cosines(slots, found))
        ranked = []
        for slot, some in zip(slots, found, strict=True):
            scored = [(one.word, self._unlike(slot, one.word, next(cosines))) for one in some]
            apart = [Candidate(word, round(score, 4)) for word, score in scored if score > 0]
            ranked.append(sorted(apart, key=lambda one: (-one.score, one.word)))
        return ranked

    def _cosines(
        self, slots: Sequence[Slot], found: Sequence[Sequence[Candidate]]
    ) -> list[float | None]:
        pairs = [
            (place_of(slot), place_of(slot, one.word))
            for slot, some in zip(slots, found, strict=True)
            for one in some
        ]
        return [*self._likeness.likeness(pairs)] if self._likeness else [None] * len(pairs)

    def _unlike(self, slot: Slot, word: str, cosine: float | None) -> float:
        """How different two words are, 0 if not enough."""
        old, pos = slot.token.text.lower(), slot.token.pos
        if self._lexicon is not None:
            if opposite(self._lexicon, old, word, pos):
                return 1.0
            if one_step(self._lexicon, old, word, pos):
                return 0.0
        if cosine is not None:
            return 1.0 - max(cosine, 0.0) if cosine < self._most else 0.0
        # Without a model that reads the sentence, words next to the same word are not trusted either.
        apart = self._lexicon is not None and not siblings(self._lexicon, old, word, pos)
        return 0.5 if apart else 0.0


def opposite(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether WordNet has one word as the opposite of the other."""
    bases = set(lexicon.bases(new, pos)) if lexicon.knows(pos) else set()
    return bool(bases & lexicon.antonyms(old, pos))


def one_step(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether one word is a synonym of the other, or wider, narrower or similar."""
    if not lexicon.knows(pos):
        return False
    return bool(
        {*lexicon.bases(new, pos), new} & lexicon.neighbours(old, pos)
        or {*lexicon.bases(old, pos), old} & lexicon.neighbours(new, pos)
    )


def siblings(lexicon: WordNet, old: str, new: str, pos: str) -> bool:
    """Whether two words are next to the same word, such as one wider than both; and so if one is unknown."""
    if not lexicon.knows(pos) or not lexicon.bases(new, pos):
        return True
    return bool(lexicon.neighbours(old, pos) & lexicon.neighbours(new, pos))


@cache
def open_unlike(language: str, base: str = "") -> DifferentMeaningProposer | MeaningProposer:
    """The words of the proposer of a name that mean something else, by MiniLM, by WordNet, or by both."""
    lexicon = open_wordnet() if language_of(language).wordnet and dictionary_folder() else None
    name, _, argument = (base or language_model() or "smollm").partition(":")
    if name in MODELS and (lexicon is not None or data_folder("minilm")):
        return open_meaning(language, name, argument, other=True)
    factory = registry.load("proposers", name)
    opened = factory(language, argument) if argument else factory(language)
    read = open_words_in_context(language) if data_folder("minilm") or lexicon is None else None
    return DifferentMeaningProposer(opened, read, lexicon)
