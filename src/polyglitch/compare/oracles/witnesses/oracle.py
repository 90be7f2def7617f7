"""The oracle of witnesses: each is heard on every pair, one small model joins what they say, and they give the reasons.

A verdict depends on its own pair alone, however many are judged together. See docs/explanation/oracle.md.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from polyglitch.compare.oracles.aligned.oracle import Judgement, aligned, no_pair, resources_for
from polyglitch.compare.oracles.aligned.resources import Resources
from polyglitch.compare.oracles.two_outputs import two_texts, undecided
from polyglitch.compare.oracles.witnesses.agreement import AgreementWitness
from polyglitch.compare.oracles.witnesses.confidence import Confidence, ForeignLens
from polyglitch.compare.oracles.witnesses.join import JoinModel, load_join
from polyglitch.compare.oracles.witnesses.own_facts import OwnFacts
from polyglitch.compare.oracles.witnesses.pair import PairWitness, stated
from polyglitch.compare.oracles.witnesses.rarity import Rarity
from polyglitch.compare.oracles.witnesses.statement import Statement, Witness
from polyglitch.compare.oracles.witnesses.untranslated import Untranslated
from polyglitch.compare.oracles.witnesses.way_back import WayBack
from polyglitch.component import Component
from polyglitch.errors import UsageError
from polyglitch.protocols import Tools
from polyglitch.records import Span, Trial, Verdict

log = logging.getLogger("polyglitch")
OTHERS: tuple[Witness, ...] = (
    OwnFacts(),
    Untranslated(),
    AgreementWitness(),
    Rarity(),
    Confidence(),
    ForeignLens(),
    WayBack(),
)
Said = dict[str, Statement]
FIRST = (OwnFacts.name, AgreementWitness.name)  # what they say is seen at once
TELLING = 0.5  # log-odds: a witness that adds less has nothing to show, such as a word that is merely not common


def witnesses(
    threshold: float | None = None, language: str | None = None, source_language: str | None = None
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if a person would probably say so, by all witnesses at hand; `language` is that of the outputs.

    The default threshold is the model's own.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(
            f"witnesses: threshold={threshold} is no probability; give one from 0 to 1"
        )
    model, pair = load_join(), PairWitness()
    limit = model.threshold if threshold is None else threshold

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        known = with_languages(trials, tools, source_language, language)
        closed = {id(t): undecided(t) or no_pair(t.case) for t in trials}
        turned = [t for t in trials if closed[id(t)] is None and t.case.relation == "different"]
        if turned:  # whether anything changed at all: nothing for witnesses to be asked
            found = aligned(language=known.languages[1])(turned, known)
            closed |= {id(t): verdict for t, verdict in zip(turned, found, strict=True)}
        heard = [t for t in trials if closed[id(t)] is None]
        for trial, judged, said in zip(heard, *hear(heard, pair, known), strict=True):
            closed[id(trial)] = verdict_of(trial, judged, said, model, limit)
        return [cast(Verdict, closed[id(trial)]) for trial in trials]

    arguments = {
        "aligned": aligned().signature,
        "language": language,
        "model": model.name,
        "threshold": limit,
        "witnesses": [one.signature for one in OTHERS],
    }
    return Component("witnesses", arguments, judge_all)


def hear(
    trials: Sequence[Trial], pair: PairWitness, tools: Tools
) -> tuple[list[Judgement | None], list[Said]]:
    """What the pair looks like by its words, and all statements on it by the name of the witness."""
    if not trials:
        return [], []
    judged = pair.judge(trials, tools)
    said: list[Said] = [{pair.name: stated(one)} if one else {} for one in judged]
    for witness in OTHERS:
        for known, one in zip(said, witness.hear(trials, tools), strict=True):
            known |= {witness.name: one} if one else {}
    return judged, said


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
    """Reasons and places: a broken fact first, which nobody disputes, then by the strength of the evidence."""
    reasons: list[str] = []
    spans: list[Span] = []
    order = sorted(evidence, key=lambda name: (name not in FIRST, -evidence[name]))
    telling = [name for name in order if evidence[name] > TELLING] or order[:1]
    for name in telling:
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
        self._tools, self.languages = tools, languages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tools, name)


def with_languages(
    trials: Sequence[Trial], tools: Tools, source: str | None, target: str | None
) -> Tools:
    """The tools with both languages known where that can be; a line of warning where hardly anyone knows the target."""
    inputs = [item for trial in trials for item in trial.case.inputs[:1]]
    told = next((item.language for item in inputs if item.language), None)
    source, target = source or told or tools.languages[0], target or tools.languages[1]
    if not (source and target):
        from polyglitch.compare.oracles.aligned.resources import guess_language

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
