"""Whether a claim is gone after its ground was taken away: said no more, said to be unknown, or said otherwise."""

from __future__ import annotations

from polyglitch.compare.oracles.claims.differences import Asked, mentions
from polyglitch.compare.oracles.claims.edit import Edit, changes_denial, telling
from polyglitch.compare.oracles.claims.formed import Difference
from polyglitch.represent.claims.answer import (
    Answer,
    Name,
    inner_capitals,
    read_answer,
    same_name,
    says_so,
)
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.words import root, tokens

Item = Fact | Name


def vanished_score(
    one: str, other: str, asked: Asked, edit: Edit, changed: float
) -> tuple[float, list[Difference]]:
    """How surely the second answer still claims what it has no ground for; `changed` is how far the two differ."""
    known = frozenset().union(*map(inner_capitals, (one, other, asked.source, asked.followup)))
    a, b = read_answer(one, known), read_answer(other, known)
    still = kept_items(b, asked, edit, known)
    if still:
        return 0.9, [
            place(item, "which the input no longer says", item in a.facts) for item in still
        ]
    if b.stance in ("unknown", "refusal"):
        if a.stance == b.stance:
            return 0.7, [Difference("unchanged", 0.7, "the answer was no other before the edit")]
        return 0.05, []
    new = invented(a, b, asked, edit)
    if new:
        return 0.8, [place(item, "for which the input gives no ground", False) for item in new]
    if gone(a, asked, edit, b):
        return 0.15, []
    if not changes_denial(edit) and (rest := kept_words(a, b, edit, asked)) is not None:
        reason = "the answer still says what was taken out of the input"
        return max(rest, 1 - changed), [Difference("unchanged", rest, reason)]
    reason = "the input changed in what matters, and the answer claims the same"
    return 1 - changed, [Difference("unchanged", 1 - changed, reason, None, whole(b))]


def whole(answer: Answer) -> tuple[int, int] | None:
    """The place of the whole answer."""
    return (0, len(answer.text)) if answer.text else None


def place(item: Item, why: str, both: bool) -> Difference:
    """What the second answer says, and why it should not."""
    return Difference("ungrounded", 0.9, f"said {item.text!r}, {why}", None, (item.start, item.end))


def kept_items(b: Answer, asked: Asked, edit: Edit, known: frozenset[str]) -> list[Item]:
    """Facts and names of the second answer that the edit took away and the input has nowhere else."""
    found: list[Item] = []
    after = read_answer(asked.followup, known)
    for sentence in b.sentences:
        if says_so(sentence.text):
            continue
        for old in edit.removed:
            if isinstance(old.item, Fact) and not any(same_fact(old.item, f) for f in after.facts):
                found += [f for f in sentence.facts if same_fact(f, old.item)]
            if isinstance(old.item, Name) and not mentions(asked.followup, old.item):
                found += [n for n in sentence.names if same_name(n, old.item)]
    return list(dict.fromkeys(found))


def invented(a: Answer, b: Answer, asked: Asked, edit: Edit) -> list[Item]:
    """Facts of the second answer that neither the input nor the first answer has, where one was to vanish."""
    gone_kinds = {f.kind for f in a.facts if not any(same_fact(f, g) for g in b.facts)}
    given = facts(asked.followup)
    new = [
        f
        for s in b.sentences
        if not says_so(s.text)
        for f in s.facts
        if f.kind in gone_kinds and not any(same_fact(f, g) for g in given)
    ]
    if new and edit.only_removes:
        return list(new)
    if not edit.only_removes:
        return []
    lost = [n for n in a.names if not mentions(b.text, n)]
    come = [n for n in b.names if not mentions(asked.followup, n) and not mentions(a.text, n)]
    return list(come) if lost else []


def gone(a: Answer, asked: Asked, edit: Edit, b: Answer) -> bool:
    """Whether a fact or name that the edit took away stood in the first answer and no longer stands."""
    for old in edit.removed:
        if isinstance(old.item, Fact) and any(same_fact(f, old.item) for f in a.facts):
            if not any(same_fact(f, old.item) for f in b.facts):
                return True
        if (
            isinstance(old.item, Name)
            and mentions(a.text, old.item)
            and not mentions(b.text, old.item)
        ):
            return True
    return False


def kept_words(a: Answer, b: Answer, edit: Edit, asked: Asked) -> float | None:
    """The share of the words taken out of the input that the first answer had and the second still has."""
    left = {root(word) for word, _, _ in tokens(asked.followup)}
    out = {root(p.key) for p in edit.removed if telling(p) and p.item is None} - left
    said = {w.root for w in a.words} & out
    if not said:
        return None
    return len(said & {w.root for w in b.words}) / len(said)
