"""Witnesses that ask a model how likely it finds words, or what it thinks of a translation.

The confidence witness takes the changed word that a model finds least likely, given its source and what stands before
it. The model is the system under test where it can be looked into, else a lens: another model that reads both
languages. A translator that is led astray is seldom sure of it, so what a person calls a bug is where it was least
sure.

Opinions on whole translations: a judge's, and a quality estimator's.

A second opinion: a language model is shown both sources, both translations and the changed words, and asked.

It is dear and not always right, so it is asked only about pairs that other witnesses leave open, within a budget; what
it said is kept, and asked again only when the model or the question changes.

A quality estimator gives each translation a number. What it says of one alone depends on its source and its habits;
the difference within a pair is the evidence, in steps that a reader notices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from polyglitch.compare.oracles.witnesses.changed_words import (
    LONG,
    ORDINALS,
    ChangedWord,
    Pair,
    Statement,
    changed_pair,
)
from polyglitch.files.foreign import one_line
from polyglitch.files.settings import parse_toml
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.words import common_glosses
from polyglitch.nlp.models.onnx_graph import ARITHMETIC, has_onnxruntime
from polyglitch.protocols import FocusedLens, Lens, QualityEstimator, TokenScore, Tools
from polyglitch.records import Input, Trial, digest

SURPRISE_MOST = 20.0  # nats: beyond, a model's tail tells nothing more
LEAST_SHOWN = 0.0001
DIGITS = 2  # of nats: what is read together moves the fifth, and a verdict must not
ASTRAY = 5.0  # nats, under 1%: a translator writes no such word itself, what is laid over its output does
FACING = "stands where"  # of a word that may be right, and what faces it in the other output is named too
DOUBTED = 0.05  # a word that the model gives more may be right, and what faces it in the other output wrong
SHAKEN = 3  # words: so far behind an error what a model finds unlikely is its own doubt
LAST_WORD = re.compile(r"(\w+)\W*$")
WORDS = re.compile(r"\w+")
LEADS = 0.5  # of the worst word's surprise: what follows an error is often more surprising than the error
AT_ONCE = 256  # outputs that a lens is given in one call
# Of the rules by which lenses score, and of how Firefox's compute: what was kept by others is not taken for these.
COMPUTED = f",{ARITHMETIC}" if has_onnxruntime() else ""
SCORING = f"2{COMPUTED}"
Languages = tuple[str | None, str | None]  # of inputs and outputs
Span = tuple[int, int]
# What an answer may be, and which output it blames.
ANSWERS: dict[str, tuple[float, int | None, str]] = {
    "first": (1.0, 0, "finds an error in the first translation that the second has not"),
    "second": (1.0, 1, "finds an error in the second translation that the first has not"),
    "both": (1.0, None, "finds an error of its own in each translation"),
    "none": (0.0, None, "finds both translations equally good"),
}
LONGEST = 2000  # characters of a text in the question


class AskedText(NamedTuple):
    """An input, what is asked about of its output, and the places there that matter; none told are all."""

    input: str
    output: str
    places: tuple[Span, ...] | None = None


class Confidence:
    """Hears the system itself on the changed words of pairs whose outputs differ."""

    name = "confidence"
    signature = f"confidence(7{COMPUTED})"
    own = True  # asks the system that wrote the outputs

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How surprised the lens is by the least likely changed word, in nats; nothing without a lens."""
        lens = tools.lens
        if lens is None or tools.lens_is_own != self.own:
            return [None] * len(trials)
        language = self.language or tools.languages[1]
        pairs = [changed_pair(trial, language) for trial in trials]
        asked = dict.fromkeys(side for pair in pairs if pair for side in sides_of(pair, lens))
        scores = token_scores(lens, list(asked), tools, (tools.languages[0], language))
        told = tools.languages[0], language
        return [pair and statement(pair, scores, lens, self.name, told) for pair in pairs]


class ForeignLens(Confidence):
    """The same of a model that did not write the outputs, which would often have written otherwise.

    It is surprised by good words too, so that what it says must be weighed apart.
    """

    name = "lens"
    signature = f"lens(7{COMPUTED})"
    own = False


def sides_of(pair: Pair, lens: Lens) -> tuple[AskedText, AskedText]:
    """What the lens is asked: the original, which other pairs share, and the follow-up as far as it is looked at."""
    words = [word for word in pair.words if word.output == 1]
    last = max((word.end for word in words), default=0)
    first, second = zip(pair.inputs, pair.outputs, strict=True)
    after = WORDS.search(second[1], last)  # what comes too soon in the original is compared
    read = second[1][: after.end() if after else last]
    if not isinstance(lens, FocusedLens):
        return AskedText(*first), AskedText(second[0], read)
    places = {(word.start, word.end) for word in words}
    for block in dict.fromkeys(word.block for word in words):
        near = word_before(pair, block, 1), word_after(pair, block, 1)
        places.update(place for place in near if place and place[1] <= len(read))
    return AskedText(*first), AskedText(second[0], read, tuple(sorted(places)))


def statement(
    pair: Pair,
    scores: dict[AskedText, list[TokenScore]],
    lens: Lens,
    witness: str,
    languages: Languages = (None, None),
) -> Statement:
    """What is to be said of the least likely changed word."""
    # A foreign model would have written much of an output otherwise: what it dislikes is no error yet.
    astray = ASTRAY if witness == Confidence.name else math.inf
    sides = sides_of(pair, lens)
    swapped = swapped_words(pair, languages) if witness == Confidence.name else frozenset()
    told = [
        (0.0 if not word.early and pair.text(word).lower() in swapped else value, word)
        for value, word in surprises(pair, [scores[side] for side in sides], astray)
    ]
    worst, word = first_surprising(told)
    share = math.exp(-surprise_at(scores[sides[word.output]], (word.start, word.end)))
    name = lens.signature.partition("|")[0].partition("?")[0]
    place = f"{pair.text(word)!r} in the {ORDINALS[word.output]} translation"
    what = "comes too soon" if word.early else "is unlikely there"
    facing = faced_words(pair, word) if share > DOUBTED else ""
    if facing:
        what = f"{FACING} the {ORDINALS[1 - word.output]} has {facing!r}"
    words = f"{place} {what}: {name} gives it a chance of {shown(share)}"
    told_as = round(min(worst, SURPRISE_MOST), DIGITS)
    return Statement(witness, told_as, words, word.output, (word.start, word.end))


def surprises(
    pair: Pair, sides: Sequence[Sequence[TokenScore]], astray: float
) -> list[tuple[float, ChangedWord]]:
    """How surprising each changed word is, and the word before a place of difference where that is the error.

    What follows an error that both outputs share surprises in both, and by how much tells nothing: it does not count.
    Of a word that comes too soon only what the missing words would have mended counts.
    """
    bare = [bare_surprise(pair, sides, word) for word in pair.words]
    worst: dict[tuple[int, int], float] = {}
    for value, word in zip(bare, pair.words, strict=True):
        place = (word.block, word.output)
        worst[place] = max(value, worst.get(place, 0.0))
    found: list[tuple[float, ChangedWord]] = []
    led: dict[tuple[int, int], float] = {}
    for block, output in worst:
        before = word_before(pair, block, output)
        value = surprise_at(sides[output], before) if before else 0.0
        if before and value > astray:
            text = pair.outputs[output][slice(*before)]
            shared = text.casefold() in WORDS.findall(pair.outputs[1 - output].casefold())
            if not shared:  # a phrase was cut out behind the error
                found.append((value, ChangedWord(output, *before, block)))
            led[block, output] = math.inf if shared else value
    for block in {block for block, _ in worst}:
        if astray < math.inf and behind_shared_error(pair, sides[0], block, astray):
            led |= {(block, 0): math.inf, (block, 1): math.inf}
    for value, word in zip(bare, pair.words, strict=True):
        found.append((max(0.0, value - led.get((word.block, word.output), 0.0)), word))
    return found


def swapped_words(pair: Pair, languages: Languages) -> frozenset[str]:
    """Words of the outputs that are in the dictionary for what was swapped: they had to change.

    A system writes them unasked where the word that came in is a rare one ("lad"), and finds them unlikely.
    """
    source, target = (two_letters(code) or "" for code in languages)
    pivot = language_of(target).pivot
    if pivot is None or pivot.into != source:
        return frozenset()
    first, second = ({word.lower() for word in WORDS.findall(text)} for text in pair.inputs)
    known, edited = common_glosses(target), first ^ second
    told = {pair.text(word).lower() for word in pair.words}
    return frozenset(low for low in told if known.get(low) in edited)


def behind_shared_error(
    pair: Pair, scores: Sequence[TokenScore], block: int, astray: float
) -> bool:
    """Whether an error that both outputs have stands shortly before a place of difference: "não pescoço e nos"."""
    near = [last_words(pair, block, output) for output in (0, 1)]
    texts = {pair.outputs[1][slice(*span)].casefold() for span in near[1]}
    return any(
        surprise_at(scores, span) > astray and pair.outputs[0][slice(*span)].casefold() in texts
        for span in near[0]
    )


def last_words(pair: Pair, block: int, output: int) -> list[Span]:
    """Where the last words before a place of difference stand."""
    starts = [w.start for w in pair.words if (w.block, w.output) == (block, output)]
    before = pair.outputs[output][: min(starts)] if starts else ""
    return [found.span() for found in WORDS.finditer(before)][-SHAKEN:]


def first_surprising(told: Sequence[tuple[float, ChangedWord]]) -> tuple[float, ChangedWord]:
    """The most surprising word, or one before it in its place of difference that led it astray."""
    worst, word = max(told, key=lambda item: item[0])
    leading = (
        one
        for value, one in told
        if (one.block, one.output) == (word.block, word.output) and value >= LEADS * worst
    )
    return worst, min(leading, key=lambda one: one.start)


def bare_surprise(pair: Pair, sides: Sequence[Sequence[TokenScore]], word: ChangedWord) -> float:
    """How surprising a word is; of one that comes too soon, beyond what it is where it does not."""
    if word.early and moved(pair, word):
        return 0.0
    value = surprise_at(sides[word.output], (word.start, word.end))
    after = word_after(pair, word.block, 1 - word.output) if word.early else None
    return value - surprise_at(sides[1 - word.output], after) if after else value


def moved(pair: Pair, word: ChangedWord) -> bool:
    """Whether what is missing before a noun stands elsewhere in its output: "um belo café", "um café encantador"."""
    if len(pair.text(word)) < LONG:
        return False
    places = {one.block for one in pair.words if one.output == word.output and not one.early}
    faced = {one.block for one in pair.words if one.output != word.output and not one.early}
    return bool(places - faced)


def faced_words(pair: Pair, word: ChangedWord) -> str:
    """What the other output has in place of a word."""
    other = [w for w in pair.words if w.block == word.block and w.output != word.output]
    if word.early or not other or other[0].early:
        return ""
    return pair.outputs[1 - word.output][other[0].start : other[-1].end]


def word_after(pair: Pair, block: int, output: int) -> Span | None:
    """Where the first word behind a place of difference stands, if the output has a word in that place."""
    ends = [word.end for word in pair.words if (word.block, word.output) == (block, output)]
    after = WORDS.search(pair.outputs[output], max(ends)) if ends else None
    return after.span() if after else None


def word_before(pair: Pair, block: int, output: int) -> Span | None:
    """Where the last word before a place of difference stands."""
    start = min(w.start for w in pair.words if (w.block, w.output) == (block, output))
    before = LAST_WORD.search(pair.outputs[output][:start])
    return before.span(1) if before else None


def surprise_at(scores: Sequence[TokenScore], span: Span) -> float:
    """Minus the log-probability of a word: of all its pieces, each after those before it."""
    start, end = span
    return -sum(one.log_probability for one in scores if one.start < end and one.end > start)


def shown(share: float) -> str:
    """A probability as people write it."""
    if share < LEAST_SHOWN:
        return f"under {LEAST_SHOWN:.2%}"
    return f"{100 * share:.2g}%" if share < 0.995 else "over 99%"  # two digits of 99.7 are 1e+02


def token_scores(
    lens: Lens, asked: Sequence[AskedText], tools: Tools, languages: Languages
) -> dict[AskedText, list[TokenScore]]:
    """What the lens says of each input and output, from the store where it was asked before."""
    kind = f"lens {SCORING}:{lens.signature}"
    source, language = languages
    keys = {digest([source, language, *stored_name(side)], 32): side for side in asked}
    known = tools.remember(kind, list(keys))
    new = [(key, side) for key, side in keys.items() if key not in known]
    for start in range(0, len(new), AT_ONCE):
        some = new[start : start + AT_ONCE]
        found = looked_at(lens, [side for _, side in some], languages)
        made = {
            key: [(one.start, one.end, round(one.log_probability, 4)) for one in scores]
            for (key, _), scores in zip(some, found, strict=True)
        }
        tools.keep(kind, made)
        known |= made
    return {side: [TokenScore(*one) for one in known[key]] for key, side in keys.items()}


def stored_name(side: AskedText) -> tuple[str, ...]:
    """What names a side in the store; one that is asked about as a whole has no places."""
    places = () if side.places is None else (repr(side.places),)
    return (side.input, side.output, *places)


def looked_at(
    lens: Lens, sides: Sequence[AskedText], languages: Languages
) -> Sequence[Sequence[TokenScore]]:
    """What the lens says of each side, only of the places that matter where it can tell of these alone."""
    inputs = [Input(side.input, language=languages[0]) for side in sides]
    outputs = [side.output for side in sides]
    if isinstance(lens, FocusedLens):
        return lens.score_at(inputs, outputs, [side.places for side in sides], languages[1])
    return lens.score(inputs, outputs, languages[1])


class SecondOpinion:
    """Asks the judge of the campaign about every pair it is given whose outputs differ."""

    name = "judge"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell
        self.signature = f"judge(question={digest([question_frame()], 8)})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """1 where the judge sees an error that one output has and the other has not, else 0; nothing unasked."""
        judge = tools.judge
        if judge is None:
            return [None] * len(trials)
        languages = (tools.languages[0], self.language or tools.languages[1])
        pairs = [changed_pair(trial, languages[1]) for trial in trials]
        questions = [pair and question(pair, languages) for pair in pairs]
        wanted = list(dict.fromkeys(text for text in questions if text))
        kind = f"judge:{judge.signature}"
        keys = {text: digest([text], 32) for text in wanted}
        known = tools.remember(kind, list(keys.values()))
        new = [text for text in wanted if keys[text] not in known]
        answers = zip(new, judge.answers(new), strict=True)
        said = {keys[text]: answer for text, answer in answers if answer is not None}
        tools.keep(kind, said)
        known |= said
        name = judge.signature.partition("|")[0]
        return [opinion(known.get(keys[text]), name) if text else None for text in questions]


def question(pair: Pair, languages: tuple[str | None, str | None]) -> str:
    """What the judge is asked about a pair; all that a system said stands between marks, as text to be judged."""
    changed = [
        ", ".join(
            pair.text(word) for word in pair.words if word.output == output and not word.early
        )
        for output in (0, 1)
    ]
    names = [language_of(code).name or code if code else "another language" for code in languages]
    values = {
        "source": names[0] if languages[0] else "one language",
        "target": names[1],
        **dict(zip(("first_source", "second_source"), pair.inputs, strict=True)),
        **dict(zip(("first", "second"), pair.outputs, strict=True)),
        **dict(zip(("first_changed", "second_changed"), changed, strict=True)),
    }
    shown = {key: one_line(str(text), LONGEST) or "(nothing)" for key, text in values.items()}
    # In one step, so that a text with a name in braces is not filled in turn.
    return re.sub(r"\{(\w+)\}", lambda match: shown[match[1]], question_frame())


@cache
def question_frame() -> str:
    """The question with places for the texts."""
    text = files("polyglitch").joinpath("resources", "judge.toml").read_text("utf-8")
    return str(parse_toml(text, "judge.toml")["question"])


def opinion(answer: str | None, name: str) -> Statement | None:
    """An answer as a statement; one that is none of the four says nothing."""
    found = re.match(r"\W*(\w+)", (answer or "").casefold())
    if not found or found[1] not in ANSWERS:
        return None
    suspicion, output, words = ANSWERS[found[1]]
    return Statement(SecondOpinion.name, suspicion, f"{name} {words}", output)


class Quality:
    """Hears a quality estimator on both outputs of pairs that differ."""

    name = "quality"
    signature = "quality(1)"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """How much worse one translation is than the other, in steps that a reader notices; nothing without one."""
        estimator = tools.quality
        if estimator is None:
            return [None] * len(trials)
        pairs = [
            # A phrase and its sentence are not of the same length, and their estimates not of one scale.
            changed_pair(trial, tools.languages[1]) if trial.case.relation == "similar" else None
            for trial in trials
        ]
        sides = [
            side for pair in pairs if pair for side in zip(pair.inputs, pair.outputs, strict=True)
        ]
        asked = {digest(list(side), 32): side for side in sides}
        kind = f"quality:{estimator.signature}"
        known = tools.remember(kind, list(asked))
        new = {key: side for key, side in asked.items() if key not in known}
        if new:
            sources, outputs = zip(*new.values(), strict=True)
            said = dict(zip(new, estimator.estimate(sources, outputs), strict=True))
            tools.keep(kind, said)
            known |= said
        found = {side: float(known[key]) for key, side in asked.items()}
        return [pair and compared_estimates(pair, found, estimator) for pair in pairs]


def compared_estimates(
    pair: Pair, found: dict[tuple[str, str], float], estimator: QualityEstimator
) -> Statement:
    """The two estimates of a pair as a statement."""
    values = [found[side] for side in zip(pair.inputs, pair.outputs, strict=True)]
    worse = 0 if values[0] < values[1] else 1
    name = estimator.signature.partition("#")[0]
    words = (
        f"{name} gives the {ORDINALS[worse]} translation {values[worse]:.2f}, "
        f"and the other {values[1 - worse]:.2f}"
    )
    steps = abs(values[0] - values[1]) / estimator.noticed
    return Statement(Quality.name, steps, words, worse)
