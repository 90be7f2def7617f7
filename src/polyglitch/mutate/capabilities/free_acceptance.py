"""Whether words of a language model's own choice read naturally where they stand: a small logistic model for each kind.

The models are fitted on fillings that were read one by one (`python -m benchmarks.expansion_acceptance`); what they
hear is how likely the words and what follows them are, with and without the sentence known, and what the sentence has
already: where something happens at a time it seldom takes another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from polyglitch.mutate.capabilities.grammar_gaps import JOINED, WORDS
from polyglitch.mutate.capabilities.places import left_alone
from polyglitch.nlp.proposers.candidate_scoring import Logistic
from polyglitch.records import FreeFilling, Parse

FILE = ("resources", "models", "expansions.json")
LOST = (-6.0, 4.0)  # beyond, more tells no more
NEXT = (-5.0, 3.0)
ADVERBIAL = frozenset({"npadvmod", "advcl"})
OF_VERBS = frozenset({"prep", "agent", "dative"})
POINTING = frozenset({"this", "that", "these", "those", "all", "every"})


def kind_of(index: int, adds: str) -> str:
    """Which of the models judges what is added before a token."""
    if not index:
        return "opening"
    if adds in (*WORDS, "ADJP"):
        return "adjective"
    return {"ADVP": "adverb", JOINED: "joined"}.get(adds, "phrase")


def natural(parse: Parse, index: int, filling: FreeFilling, adds: str) -> float:
    """How likely a reader takes the words before a token."""
    return models()[kind_of(index, adds)](features(parse, index, filling, adds))


@cache
def models() -> dict[str, Logistic]:
    """The learned models, by kind."""
    content = files("polyglitch").joinpath(*FILE).read_bytes()
    return msgspec.json.decode(content, type=dict[str, Logistic])


def features(parse: Parse, index: int, filling: FreeFilling, adds: str) -> dict[str, float]:
    """What the models hear, by name."""
    found = {
        "mean": mean(filling.odds),
        "first": filling.odds[0],
        "least": min(filling.odds),
        "lost": within(sum(filling.lost), LOST),
        "next": within(filling.lost[0] if filling.lost else 0.0, NEXT),
        "told mean": mean(filling.told_odds),
        "told least": min(filling.told_odds),
        "told lost": within(sum(filling.told_lost), LOST),
        "told next": within(filling.told_lost[0] if filling.told_lost else 0.0, NEXT),
        "words": len(filling.words),
        "of": filling.words[0] == "of",
        "with": filling.words[0] == "with",
        "clause": adds == "SBAR",
    }
    return {name: float(value) for name, value in {**found, **around(parse, index)}.items()}


def around(parse: Parse, index: int) -> dict[str, float]:
    """What the sentence has at a place, and what it says already."""
    tokens = parse.tokens
    root = next((place for place, t in enumerate(tokens) if t.relation == "ROOT"), 0)
    told = [
        t
        for t in tokens
        if t.relation in ADVERBIAL
        or (t.relation in OF_VERBS and tokens[t.head].pos in ("VERB", "AUX"))
        or t.pos == "NUM"
    ]
    lasting = left_alone("lasting")
    verbs = [t for t in tokens if t.pos in ("VERB", "AUX") and t.relation in ("ROOT", "conj")]
    left = tokens[index - 1] if index else None
    own = [t for t in tokens if index and t.head == index - 1 and t is not left]
    role = left.relation if left else ""
    return {
        "adverbials": len(told),
        "lasting": any(t.lemma in lasting for t in verbs),
        "past": tokens[root].tag == "VBD",
        "command": tokens[root].tag == "VB",
        "end": bool(index) and tokens[index].text == ".",
        "subject": role.startswith("nsubj"),
        "object": role == "dobj",
        "predicate": role in ("attr", "acomp"),
        "owned": any(t.relation == "poss" for t in own),
        "pointed": any(t.text.lower() in POINTING for t in own),
        "modified": any(t.relation in ("amod", "compound") for t in own),
    }


def mean(odds: Sequence[float]) -> float:
    """The mean of some log-probabilities."""
    return sum(odds) / len(odds)


def within(value: float, bounds: tuple[float, float]) -> float:
    """A value, no less and no more than its bounds."""
    return max(bounds[0], min(bounds[1], value))
