"""Whether a smaller pair fails as the larger one did, told by the words that changed in the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyglitch.issues.kinds import is_negation, words
from polyglitch.languages.forms import share_most
from polyglitch.records import Trial, Verdict

LONG = (
    4  # letters: shorter words are mostly articles and prepositions, which change for many reasons
)
KEPT = 0.6  # so much of a changed stretch is there still; at one half, a new fault can pass for the old

Judged = tuple[Trial, Verdict]


class Change(NamedTuple):
    """A place where two outputs differ: the words of the one and of the other."""

    first: frozenset[str]
    second: frozenset[str]

    def without(self, excused: Sequence[str]) -> Change:
        """The change without words that are forms of excused ones."""
        return Change(*(frozenset(w for w in side if not like_any(w, excused)) for side in self))

    def inflected(self) -> bool:
        """Whether each word is a form of one on the other side: a new noun asks for other endings."""
        return all(like_any(w, self.second) for w in self.first) and all(
            like_any(w, self.first) for w in self.second
        )


def same_bug(before: Judged, after: Judged, glosses: Sequence[str]) -> bool:
    """Whether a telling change of the one pair is in the other, and little else has come up."""
    if any(output.label is not None for output in before[0].outputs):
        return [o.label for o in before[0].outputs] == [o.label for o in after[0].outputs]
    excused = [word for gloss in glosses for word in words(gloss)]
    old, new = changes(before, excused), changes(after, excused)
    wanted = telling(old)
    if not wanted:  # nothing but the edit's own words: they must be at fault again
        wanted, new = changes(before, ()), changes(after, ())
    kept = [change for change in wanted if any(persists(change, later) for later in new)]
    known = {word for change in changes(before, ()) for side in change for word in side}
    fresh = {w for change in new for side in change for w in side if len(w) >= LONG} - known
    return bool(kept) and len(fresh) <= 1 + sum(len(a | b) for a, b in kept)


def changes(judged: Judged, excused: Sequence[str]) -> list[Change]:
    """What the oracle marked, change by change, without the words that translate the edit."""
    trial, verdict = judged
    sides: dict[str, list[list[str]]] = {}
    for span in verdict.spans:
        text = trial.outputs[span.output].text[span.start : span.end].lower()
        sides.setdefault(span.reason, [[], []])[min(span.output, 1)] += words(text)
    made = [
        Change(frozenset(one), frozenset(other)).without(excused) for one, other in sides.values()
    ]
    return [change for change in made if any(change)]


def telling(found: Sequence[Change]) -> list[Change]:
    """The changes that come of a negation if any does, else those that are more than other endings."""
    negating = [change for change in found if negations(change.first) != negations(change.second)]
    return negating or [change for change in found if not change.inflected()]


def negations(side: frozenset[str]) -> set[str]:
    """The negating words; two letters are too few to tell, since languages share them."""
    return {word for word in side if len(word) > 2 and is_negation(word)}


def persists(change: Change, later: Change) -> bool:
    """Whether most words of a change, and all its negations, are in another."""
    return all(
        not was or (len(was & now) >= KEPT * len(was) and negations(was) <= now)
        for was, now in zip(change, later, strict=True)
    )


def like_any(word: str, others: Sequence[str] | frozenset[str]) -> bool:
    """Whether a word is a form of one of the others."""
    return any(share_most(word, other) for other in others)
