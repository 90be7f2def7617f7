"""The oracle of witnesses: each is heard on every pair, one small model joins what they say, and they give the reasons.

A verdict depends on its own pair alone, however many are judged together. See docs/explanation/oracle.md.

Two of the witnesses stand here, as they only hand on what other oracles say: the pair witness, which changed word has
no cause in the edit, by the words behind it in the source (`aligned`); the facts witness, what one output breaks of its
own source and the other does not (`facts`).

All numbers of the model are in `resources/oracle/witnesses.json`, made by `recipes/train_witnesses.py`, which drops
witnesses at random so that the others make sense without them. A witness without a word adds nothing.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec

from polyglitch.compare.metrics.units import cut
from polyglitch.compare.oracles.aligned.model import load_model, logistic
from polyglitch.compare.oracles.aligned.oracle import (
    Judgement,
    Quad,
    aligned,
    in_output,
    judge_in_parts,
    no_pair,
    quad_of,
    resources_for,
    with_facts,
)
from polyglitch.compare.oracles.aligned.resources import LATELY, Resources
from polyglitch.compare.oracles.facts.numbers import FactFinding
from polyglitch.compare.oracles.facts.oracle import VERSION, one_sided
from polyglitch.compare.oracles.witnesses.agreement import AgreementWitness
from polyglitch.compare.oracles.witnesses.changed_words import (
    ChangedWord,
    Places,
    Rarity,
    Statement,
    UnknownWord,
    Untranslated,
    Witness,
    changed_pair,
    said_phrase,
)
from polyglitch.compare.oracles.witnesses.confidence import (
    Confidence,
    ForeignLens,
    Quality,
    SecondOpinion,
)
from polyglitch.compare.oracles.witnesses.fluency import Fluency
from polyglitch.compare.oracles.witnesses.grammar import GrammarWitness
from polyglitch.compare.oracles.witnesses.way_back import LostWord, WayBack
from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.languages import two_letters
from polyglitch.languages.record import guess_language
from polyglitch.nlp.lexicons.words import lists_at_hand
from polyglitch.nlp.parsers.choose import Recent
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict, two_texts, undecided
from polyglitch.registry import Component
from polyglitch.run.threads import Threads, WorkQueue

T = TypeVar("T")
LEAST, MOST = 0.0005, 0.9995  # chances beyond are all the same to those who listen
ANY = -1.0  # a threshold that everything is past, so that every pair is explained


class PairWitness:
    """Hears the aligned oracle, each pair by itself."""

    name = "pair"

    @property
    def signature(self) -> str:
        """The weights it was learned with, and those where a dictionary is at hand."""
        return f"pair({load_model().name},{load_model(True).name})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The log-odds that a person would call the pair a violation; nothing where no word changed."""
        return [judged and stated(judged) for judged in self.judge(trials, tools)]

    def judge(self, trials: Sequence[Trial], tools: Tools) -> list[Judgement | None]:
        """Chance, reasons and places of each pair; nothing where the outputs are the same or cannot be compared."""
        found: list[Judgement | None] = [None] * len(trials)
        open_ones = [
            at
            for at, trial in enumerate(trials)
            if undecided(trial) is None and len(trial.case.inputs) > 1 and changed(trial)
        ]
        quads = [quad_of(trials[at]) for at in open_ones]
        resources = resources_for(quads, tools, *tools.languages)
        judged = judge_in_parts(quads, resources, ANY, facts=False)
        for at, judgement in zip(open_ones, judged, strict=True):
            found[at] = judgement if judgement.details.get("chance") else None
        return found


def changed(trial: Trial) -> bool:
    """Whether the outputs differ at all; of those that do not there is nothing to read."""
    first, second = two_texts(trial)
    return first != second


def stated(judged: Judgement) -> Statement:
    """A judgement as a statement: its first reason and place stand for all."""
    chance = min(MOST, max(LEAST, judged.score))
    span = judged.spans[0] if judged.spans else None
    words = judged.reasons[0] if judged.reasons else "the outputs differ"
    place = (span.output, (span.start, span.end)) if span else (None, None)
    return Statement(PairWitness.name, math.log(chance / (1 - chance)), words, *place)


class OwnFacts:
    """Holds each output against the input it answers: negation, numbers, dates, names, repeated words."""

    name = "facts"
    signature = f"facts({VERSION},phrases=1,lists={lists_at_hand()})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """The finding that weighs most among those that one output has and the other has not."""
        source, target = (two_letters(code) or "" for code in tools.languages)
        return [self.said(trial, source, target) for trial in trials]

    def said(self, trial: Trial, source: str, target: str) -> Statement | None:
        """What is to be said of one pair."""
        if undecided(trial) or len(trial.case.inputs) < 2:
            return None
        texts = trial.case.inputs[0].text, trial.case.inputs[1].text
        found = one_sided(texts, two_texts(trial), source, target)
        pair = changed_pair(trial, target)
        changed = [word for word in pair.words if not word.early] if pair else []
        if trial.case.relation == "similar":
            # The other output has the same word where it stands: its source only allows for it.
            found = [one for one in found if self.lost(trial, *one) or touched(changed, *one)]
        elif trial.case.relation == "contained":
            # What is broken elsewhere in the sentence says nothing of the phrase.
            number, start, end = said_phrase(*two_texts(trial), target)
            found = [
                one
                for one in found
                if one[0] != number or (start < one[1].end and end > one[1].start)
            ]
        if not found:
            contained = trial.case.relation == "contained"
            return denied_article(two_texts(trial), target) if contained else None
        # Of several "não" the one that the other output has not is the one that is too much.
        number, item = max(found, key=lambda one: (one[1].weight, touched(changed, *one)))
        span = None if self.lost(trial, number, item) else (item.start, item.end)
        return Statement(self.name, item.weight, in_output(number, item.reason), number, span)

    @staticmethod
    def lost(trial: Trial, number: int, item: FactFinding) -> bool:
        """Whether a finding has no place of its own."""
        return item.end - item.start >= len(trial.outputs[number].text)


def denied_article(outputs: tuple[str, str], language: str) -> Statement | None:
    """A negation in a sentence where the phrase by itself has an article: "não telhado" for "o telhado".

    Whatever else the source denies, it does not deny this; of 51 such pairs all were bugs.
    """
    sides, known = [cut(text, language) for text in outputs], language_of(language)
    units = [[unit.casefold() for unit in side.units] for side in sides]
    number = int(len(units[1]) > len(units[0]))
    phrase, sentence = units[1 - number], units[number]
    if phrase[1:2] == [] or phrase[0] not in known.articles:
        return None
    for at, (denies, noun) in enumerate(pairwise(sentence)):
        # not "nenhum", which may be the source's "any"
        if denies in known.concord.denying and noun == phrase[1]:
            words = (
                f"'{sides[number].units[at]}' stands before '{noun}', which has "
                f"'{sides[1 - number].units[0]}' in the phrase by itself"
            )
            span = sides[number].spans[at]
            return Statement(OwnFacts.name, 1.0, in_output(number, words), number, span)
    return None


def touched(changed: Sequence[ChangedWord], number: int, item: FactFinding) -> bool:
    """Whether a finding lies in words that the other output has not."""
    return any(
        word.output == number and word.start < item.end and word.end > item.start
        for word in changed
    )


FACTS = "facts"
# Log-odds that some witness with a word to show must add by itself where the system was its own lens. Where many add
# a little instead, one in three of the pairs that were read had a bug, and its word was seldom named; so the chance of
# such a pair ends below every threshold. Without that lens there is often nobody to lead, and the sum has to do.
OTHERS_LEAD, UNLED = 0.5, 0.28
# Three lead by their own measure, which does not move when weights are learned anew, or never. The model leads with a
# word that it gives less than 35%. The pair never does: it dislikes other wordings too, and beside a model that likes
# them it is mostly wrong. Nor does fluency: of 13 pairs that it alone would lead three are bugs. Nor the way back: of
# 79 pairs that it led while the model gave every word more than that, 49 were bugs, and of these the word that was
# named was at fault in 32. Rarity names rare words that are right, so only one that no list has leads.
# See docs/research/2026-11-18-witnesses.md and -new-set.md there.
LEADS = {
    PairWitness.name: math.inf,
    Fluency.name: math.inf,
    Rarity.name: 7.0,
    Confidence.name: 1.05,
    WayBack.name: math.inf,
}
ASKED = (Confidence.name, ForeignLens.name, WayBack.name)  # who asks a model
# The chance by words alone from which on the system is asked how sure it is: looking into it is the dearest question.
# Half of the pairs of a campaign stay below, with five bugs of 425 that it alone would see.
# It goes with the weights. See docs/research/2026-11-18-witnesses-new-set.md.
DOUBT = 0.1
# Between which chances the way back is asked where the system was its own lens, whether anybody leads or not: that
# saves nine in ten of its questions and loses 8 of 422 bugs that would be flagged. It goes with the weights too.
OPEN = (0.25, 0.6)


class Weight(msgspec.Struct, frozen=True):
    """How one witness counts: what it adds by speaking at all, and by each step of suspicion between two limits."""

    speaks: float
    step: float
    least: float
    most: float

    def evidence(self, suspicion: float) -> float:
        """What a statement adds to the log-odds."""
        return self.speaks + self.step * min(self.most, max(self.least, suspicion))


class JoinModel(msgspec.Struct, frozen=True):
    """The whole of witnesses.json."""

    name: str
    threshold: float  # where no model was asked
    intercept: float
    witnesses: dict[str, Weight]
    thresholds: dict[str, float] = {}  # by the models that were asked: "confidence+back"

    def limit(self, said: Mapping[str, Statement]) -> float:
        """From which chance on a pair is violated: what few witnesses say must be clearer."""
        asked = "+".join(name for name in ASKED if name in said)
        return self.thresholds.get(asked, self.threshold)

    def evidence(self, said: Mapping[str, Statement]) -> dict[str, float]:
        """What each statement adds to the log-odds; witnesses that the model does not know are not heard."""
        return {
            name: self.witnesses[name].evidence(one.suspicion)
            for name, one in said.items()
            if name in self.witnesses
        }

    def chance(self, said: Mapping[str, Statement]) -> float:
        """How likely a person would call the pair a violation; nothing said, nothing wrong."""
        found, score = self.evidence(said), self.summed(said)
        led = any(leads(said[name], value) for name, value in found.items())
        unled = FACTS not in found and not led and Confidence.name in found
        return min(score, UNLED) if unled else score

    def summed(self, said: Mapping[str, Statement]) -> float:
        """The same, whether or not a witness leads."""
        found = self.evidence(said)
        if not found:
            return 0.0
        # A broken fact is a rule, not a weight: labelled pairs have too few, and a reader forgives them least.
        return with_facts(logistic(self.intercept + sum(found.values())), FACTS in found)

    def suspects(self, said: Mapping[str, Statement]) -> bool:
        """Whether what the words say leaves a doubt that the system itself is worth asking about."""
        return self.chance(said) >= DOUBT

    def leaves_open(self, said: Mapping[str, Statement]) -> bool:
        """Whether another model may still turn the verdict."""
        low, high = OPEN
        return low <= self.summed(said) and self.chance(said) < high


def leads(one: Statement, evidence: float) -> bool:
    """Whether a witness is sure enough to be believed alone; the count of places has no word to show."""
    if one.witness in LEADS:
        return one.suspicion >= LEADS[one.witness]
    return one.witness != Places.name and evidence >= OTHERS_LEAD


@cache
def load_join() -> JoinModel:
    """The shipped model."""
    place = files("polyglitch").joinpath("resources", "oracle", "witnesses.json")
    return msgspec.json.decode(place.read_bytes(), type=JoinModel)


log = logging.getLogger("polyglitch")
OTHERS: tuple[Witness, ...] = (
    OwnFacts(),
    Untranslated(),
    AgreementWitness(),
    GrammarWitness(),
    Rarity(),
    UnknownWord(),
    Fluency(),
    Confidence(),
    ForeignLens(),
    WayBack(),
    LostWord(),
    Quality(),
    Places(),
)
MODELS = tuple(one for one in OTHERS if isinstance(one, (Confidence, WayBack, LostWord)))
ORDER = (PairWitness.name, *(one.name for one in OTHERS))
# A judge is dear: it is asked only about pairs whose chance the others leave between these.
UNSURE = (0.2, 0.8)
PIECE = 32  # pairs whose words are compared before a model is asked: enough for a parser to batch
Said = dict[str, Statement]
FIRST = (OwnFacts.name, AgreementWitness.name, GrammarWitness.name)  # what they say is seen at once
TELLING = 0.5  # log-odds: a witness that adds less has nothing to show, such as a word that is merely not common


def witnesses(
    threshold: float | None = None, language: str | None = None, source_language: str | None = None
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if a person would probably say so, by all witnesses at hand; `language` is that of the outputs.

    The default thresholds are the model's own, one for each set of models that can be asked.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(
            f"witnesses: threshold={threshold} is no probability; give one from 0 to 1"
        )
    model, pair = load_join(), PairWitness()

    def begin(trials: Sequence[Trial], tools: Tools) -> Callable[[], list[Verdict]]:
        known = with_languages(trials, tools, source_language, language)
        if pair_alone(known):
            return partial(aligned(threshold, known.languages[1]), trials, known)
        closed = {id(t): undecided(t) or no_pair(t.case) for t in trials}
        turned = [t for t in trials if closed[id(t)] is None and t.case.relation == "different"]
        if turned:  # whether anything changed at all: nothing for witnesses to be asked
            found = aligned(language=known.languages[1])(turned, known)
            closed |= {id(t): verdict for t, verdict in zip(turned, found, strict=True)}
        heard = [t for t in trials if closed[id(t)] is None]
        hearing = begin_hearing(heard, pair, known, model)

        def finish() -> list[Verdict]:
            found_judged, found_said = hearing()
            ask_judge(heard, found_said, model, known)
            for trial, judged, said in zip(heard, found_judged, found_said, strict=True):
                limit = model.limit(said) if threshold is None else threshold
                closed[id(trial)] = verdict_of(trial, judged, said, model, limit)
            return [cast(Verdict, closed[id(trial)]) for trial in trials]

        return finish

    arguments = {
        "aligned": aligned().signature,
        "doubt": DOUBT,
        "language": language,
        "model": model.name,
        "open": list(OPEN),
        "threshold": model.threshold if threshold is None else threshold,
        "witnesses": [one.signature for one in OTHERS],
    }
    return Component("witnesses", arguments, lambda trials, tools: begin(trials, tools)(), begin)


def pair_alone(tools: Tools) -> bool:
    """Whether the pair is the only witness: between two scripts, without a lens, hardly another has anything to say.

    Its own model is learned from pairs of English and Chinese, where the joined one would miss what the others add.
    """
    source, target = tools.languages
    if not source or not target or tools.lens is not None:
        return False
    return language_of(source).script != language_of(target).script


def hear(
    trials: Sequence[Trial], pair: PairWitness, tools: Tools, model: JoinModel | None = None
) -> tuple[list[Judgement | None], list[Said]]:
    """What the pair looks like by its words, and all statements on it by the name of the witness."""
    return begin_hearing(trials, pair, tools, model)()


def begin_hearing(
    trials: Sequence[Trial], pair: PairWitness, tools: Tools, model: JoinModel | None = None
) -> Callable[[], tuple[list[Judgement | None], list[Said]]]:
    """Compare the words; the models are heard beside, and waited for when the statements are called for.

    The system itself is not asked about pairs that, by the model of all witnesses, nobody else suspects, nor the way
    back about those that the system leaves in no doubt.
    """
    # Methods make many of the same mutants of a sentence: each pair is heard once.
    keys = [(quad_of(trial), *tools.languages, model is not None) for trial in trials]
    first = dict(zip(reversed(keys), reversed(trials), strict=True))
    heard = heard_lately(tools).get(
        keys, lambda new: hear_new([first[key] for key in new], pair, tools, model)
    )
    return lambda: ([one.judged for one in heard], [one.all_said() for one in heard])


class Heard(NamedTuple):
    """What was heard of one pair, and who was asked and may not have answered yet."""

    judged: Judgement | None
    said: Said
    asked: Future[list[Said]]  # what the models say of this pair and those asked about with it
    place: int  # of the pair among them

    def all_said(self) -> Said:
        """All statements in their order; the models' answers are waited for."""
        said = self.said | self.asked.result()[self.place]
        return {name: said[name] for name in ORDER if name in said}


# A pair with the languages of its two sides, and whether a model is asked only where others have a doubt.
Key = tuple[Quad, str | None, str | None, bool]
_heard: WeakKeyDictionary[Any, Recent[Key, Heard]] = WeakKeyDictionary()


def heard_lately(tools: Tools) -> Recent[Key, Heard]:
    """What was said of pairs with the tools of a campaign, for as long as these are there."""
    campaign = tools.campaign if isinstance(tools, ToldTools) else tools
    return _heard.setdefault(campaign, Recent(LATELY))


def hear_new(
    trials: Sequence[Trial], pair: PairWitness, tools: Tools, model: JoinModel | None
) -> list[Heard]:
    """The same of pairs that were not met lately, a piece at a time."""
    found: list[Heard] = []
    for start in range(0, len(trials), PIECE):
        some = trials[start : start + PIECE]
        words = hear_words(some, tools)  # first: who needs whole parses leaves tags to the pair
        looked_at = pair.judge(some, tools)
        for one, seen in zip(words, looked_at, strict=True):
            one |= {PairWitness.name: stated(seen)} if seen else {}
        asked = ask_beside(partial(ask_models, some, words, tools, model))
        found += [
            Heard(*both, asked, place)
            for place, both in enumerate(zip(looked_at, words, strict=True))
        ]
    return found


def ask_models(
    trials: Sequence[Trial], words: Sequence[Said], tools: Tools, model: JoinModel | None
) -> list[Said]:
    """What the models say, each of the pairs that are worth its while after what was said before it."""
    found: list[Said] = [{} for _ in trials]
    for witness in MODELS:
        open_ones = [
            at
            for at, (said, more) in enumerate(zip(words, found, strict=True))
            if model is None or worth_asking(witness, said | more, tools, model)
        ]
        heard = witness.hear([trials[at] for at in open_ones], tools)
        for at, one in zip(open_ones, heard, strict=True):
            found[at] |= {witness.name: one} if one else {}
    return found


def worth_asking(witness: Witness, said: Said, tools: Tools, model: JoinModel) -> bool:
    """Whether a model is asked about a pair; without the system as its own lens all others are, about every pair."""
    if witness.name == Confidence.name:
        return model.suspects(said)
    own = tools.lens is not None and tools.lens_is_own
    return witness.name != WayBack.name or not own or model.leaves_open(said)


def ask_beside(call: Callable[[], T]) -> Future[T]:
    """Have the models' thread do something; their products leave Python free for the words of what comes next."""
    asked: Future[T] = Future()
    models_thread().put((asked, call))
    return asked


@cache
def models_thread() -> WorkQueue[tuple[Future[Any], Callable[[], Any]]]:
    """What waits for the one thread of the models.

    A process that is told to stop does not wait for it: a slow model may have minutes of questions left.
    """
    threads = Threads()
    work: WorkQueue[tuple[Future[Any], Callable[[], Any]]] = threads.queue()

    def serve() -> None:
        while True:
            asked, call = work.get()
            try:
                asked.set_result(call())
            except BaseException as error:
                asked.set_exception(error)  # raised again where the statements are called for

    threads.start(serve)
    return work


def ask_judge(
    trials: Sequence[Trial], said: Sequence[Said], model: JoinModel, tools: Tools
) -> None:
    """Add the judge's word, where there is one, to what was said of the pairs that are open."""
    if tools.judge is None:
        return
    low, high = UNSURE
    open_ones = [at for at, one in enumerate(said) if low < model.chance(one) < high]
    asked = SecondOpinion(tools.languages[1]).hear([trials[at] for at in open_ones], tools)
    for at, one in zip(open_ones, asked, strict=True):
        said[at].update({one.witness: one} if one else {})


def hear_words(trials: Sequence[Trial], tools: Tools) -> list[Said]:
    """What those say who ask no model, but for the pair."""
    said: list[Said] = [{} for _ in trials]
    for witness in OTHERS:
        if witness not in MODELS:
            for known, one in zip(said, witness.hear(trials, tools), strict=True):
                known |= {witness.name: one} if one else {}
    return said


def verdict_of(
    trial: Trial, judged: Judgement | None, said: Said, model: JoinModel, limit: float
) -> Verdict:
    """The joined chance as a verdict, with the reasons of those who spoke against the pair."""
    score, evidence = model.chance(said), model.evidence(said)
    violated = score > limit
    reasons, spans = explained(judged, said, evidence) if violated else ((), ())
    details = {"chance": score} | {f"evidence of {name}": value for name, value in evidence.items()}
    return Verdict(
        trial.case.id,
        "violated" if violated else "holds",
        score=round(score, 6),
        threshold=limit,
        details={name: round(value, 4) for name, value in details.items()},
        reasons=reasons,
        spans=spans,
    )


def explained(
    judged: Judgement | None, said: Said, evidence: Mapping[str, float]
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """Reasons and places: a broken fact first, which nobody disputes, then by the strength of the evidence.

    Where the system was its own lens, those who lead speak before those who only add.
    """
    reasons: list[str] = []
    spans: list[Span] = []
    told = [name for name in evidence if name != Places.name]
    led = {name: Confidence.name in said and leads(said[name], evidence[name]) for name in told}
    order = sorted(told, key=lambda name: (name not in FIRST, not led[name], -evidence[name]))
    telling = [name for name in order if led[name] or evidence[name] > TELLING] or order[:1]
    # Words of the source and words that are lost have no place: what differs is shown with them.
    placed = any(said[name].span for name in telling)
    if not placed:
        telling += [name for name in (PairWitness.name, Confidence.name) if name in said]
    for name in dict.fromkeys(telling):
        one = said[name]
        if name == PairWitness.name and judged is not None:
            reasons += judged.reasons
            spans += judged.spans
        else:
            reasons.append(one.words)
            if one.output is not None and one.span:
                spans.append(Span(one.output, *one.span, one.words, one.witness))
    taken: dict[tuple[int, int], Span] = {}
    for span in spans:
        taken.setdefault((span.output, span.start), span)
    return tuple(dict.fromkeys(reasons)), tuple(taken.values())


class ToldTools:
    """The tools of a campaign, with the languages that a caller told or that were guessed."""

    def __init__(self, tools: Tools, languages: tuple[str | None, str | None]) -> None:
        self.campaign, self.languages = tools, languages

    def __getattr__(self, name: str) -> Any:
        return getattr(self.campaign, name)


def with_languages(
    trials: Sequence[Trial], tools: Tools, source: str | None, target: str | None
) -> Tools:
    """The tools with both languages known where that can be; a line of warning where hardly anyone knows the target."""
    inputs = [item for trial in trials for item in trial.case.inputs[:1]]
    told = next((item.language for item in inputs if item.language), None)
    source, target = source or told or tools.languages[0], target or tools.languages[1]
    if not (source and target):
        outputs = [
            text for trial in trials if undecided(trial) is None for text in two_texts(trial)
        ]
        source = source or guess_language([item.text for item in inputs]) or None
        target = target or guess_language(outputs) or None
    known = cast(Tools, ToldTools(tools, (source, target)))
    if target and tools.lens is None and not equipped(resources_for([], known, source, target)):
        warn_once(target)
    return known


def equipped(resources: Resources) -> bool:
    """Whether words of the target are known by more than their letters."""
    return resources.likeness is not None or resources.has_target_parser


@cache
def warn_once(target: str) -> None:
    """Say how little is known of a language, once a process."""
    log.warning(
        "for translations into %r the oracle has neither parser nor word vectors, only letters and facts; "
        "a model that knows the language helps: --lens gguf:FILE",
        target,
    )
