"""A witness as an oracle of its own: violated where it is more suspicious than a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from polyglitch.compare.oracles.witnesses.changed_words import Rarity, Statement, Witness
from polyglitch.compare.oracles.witnesses.confidence import Confidence, ForeignLens, SecondOpinion
from polyglitch.compare.oracles.witnesses.way_back import WayBack
from polyglitch.errors import Missing, UsageError
from polyglitch.languages import two_letters
from polyglitch.nlp.lexicons.words import frequencies
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict, two_texts, undecided
from polyglitch.registry import Component

# Chosen on the half of the read pairs that is for choosing, the translator its own lens: a changed word to which
# it gives a chance under 30%.
SURPRISING = 1.2
# Of a language model that reads what another wrote: about 90% of the good Spanish pairs that were read stay under it.
SURPRISING_OTHERS = 8.0
# A word that wordfreq's list lacks, or has less than once in ten million words.
RARE = 6.0
# Also chosen there: one word that a translation tells e ** 8 times worse than the other, or several that add up to it.
UNTOLD = 8.0


def alone(witness: Witness, threshold: float) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """The oracle that hears one witness and nobody else."""

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        said = witness.hear(trials, tools)
        return [
            undecided(trial) or verdict(trial, one, threshold)
            for trial, one in zip(trials, said, strict=True)
        ]

    arguments = {"threshold": threshold, "witness": witness.signature}
    return Component(witness.name, arguments, judge)


def verdict(trial: Trial, said: Statement | None, threshold: float) -> Verdict:
    """What one statement makes of a trial; a witness without a word finds nothing wrong."""
    if said is None or said.suspicion <= threshold:
        score = 0.0 if said is None else said.suspicion
        return Verdict(trial.case.id, "holds", score=round(score, 6), threshold=threshold)
    spans = (
        (Span(said.output, *said.span, said.words, said.witness),)
        if said.output is not None and said.span
        else ()
    )
    return Verdict(
        trial.case.id,
        "violated",
        score=round(said.suspicion, 6),
        threshold=threshold,
        reasons=(said.words,),
        spans=spans,
    )


def confidence(
    threshold: float | None = None,
    language: str | None = None,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if the lens is more surprised by a changed word than the threshold, in nats.

    The default threshold is that of the system itself, or of another model in its place.
    """

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if tools.lens is None:
            raise UsageError(
                "the oracle 'confidence' asks a model how likely it finds the outputs, and the system does not tell; "
                "name one that does with --lens, such as --lens firefox:en-pt"
            )
        kind, usual = (
            (Confidence, SURPRISING) if tools.lens_is_own else (ForeignLens, SURPRISING_OTHERS)
        )
        limit = usual if threshold is None else threshold
        return alone(kind(language), limit)(trials, tools)

    limits = (SURPRISING, SURPRISING_OTHERS) if threshold is None else threshold
    arguments = {"threshold": limits, "witness": (Confidence.signature, ForeignLens.signature)}
    return Component(Confidence.name, arguments, judge)


def rarity(
    threshold: float = RARE,
    language: str | None = None,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if a changed word is rarer than the threshold, from 0 to 8, on the Zipf scale turned round."""
    made = alone(Rarity(language), threshold)

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if not find_spec("wordfreq"):
            raise Missing(
                "wordfreq", "the oracle 'rarity'", "pip install 'polyglitch[frequencies]'"
            )
        code = two_letters(language or tools.languages[1])
        if frequencies(code or "") is None:
            raise UsageError(
                f"the oracle 'rarity' has no list of words of {code or 'a language that is not told'}; "
                "tell it by --target-language or target_lang, or choose another oracle"
            )
        return made(trials, tools)

    return Component(made.name, made.arguments, judge)


def back(
    threshold: float = UNTOLD,
    language: str | None = None,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if one translation tells words of the source worse than the other by the threshold, in nats."""
    made = alone(WayBack(language), threshold)

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if tools.back_lens is None:
            raise UsageError(
                "the oracle 'back' asks a model of the other direction how likely it finds each source after its "
                "translation; name one with --back, such as --back firefox:pt-en"
            )
        return made(trials, tools)

    return Component(made.name, made.arguments, judge)


def second_opinion(
    threshold: float = 0.5,
    language: str | None = None,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if the judge sees an error that one output has and the other has not; undecided where it is silent."""
    witness = SecondOpinion(language)

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if tools.judge is None:
            raise UsageError(
                "the oracle 'second-opinion' asks a language model; name one with --judge, such as "
                "--judge openai:MODEL@http://localhost:8000/v1"
            )
        said = witness.hear(trials, tools)
        return [
            undecided(trial) or judged(trial, one, threshold)
            for trial, one in zip(trials, said, strict=True)
        ]

    arguments = {"threshold": threshold, "witness": witness.signature}
    return Component("second_opinion", arguments, judge)


def judged(trial: Trial, said: Statement | None, threshold: float) -> Verdict:
    """The judge's word on a trial; without it a pair that changed is undecided."""
    first, second = two_texts(trial)
    if said is None and first != second:
        reason = "the judge was not asked (--judge-budget) or gave no answer that can be read"
        return Verdict(trial.case.id, "undecided", reason)
    return verdict(trial, said, threshold)
