"""A witness as an oracle of its own: violated where it is more suspicious than a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from polyglitch.compare.oracles.two_outputs import undecided
from polyglitch.compare.oracles.witnesses.confidence import Confidence
from polyglitch.compare.oracles.witnesses.rarity import Rarity, frequencies
from polyglitch.compare.oracles.witnesses.statement import Statement, Witness
from polyglitch.component import Component
from polyglitch.errors import Missing, UsageError
from polyglitch.languages import two_letters
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict

# A changed word with a chance of 3%; docs/oracle.md has what each threshold brings.
SURPRISING = 3.5
# A word that wordfreq's list of the language lacks, or has less than once in ten million words.
RARE = 6.0


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
    threshold: float = SURPRISING,
    language: str | None = None,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if the lens is more surprised by a changed word than the threshold, in nats."""
    made = alone(Confidence(language), threshold)

    def judge(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        if tools.lens is None:
            raise UsageError(
                "the oracle 'confidence' asks a model how likely it finds the outputs, and the system does not tell; "
                "name one that does with --lens, such as --lens firefox:en-pt"
            )
        return made(trials, tools)

    return Component(made.name, made.arguments, judge)


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
