"""Whether a claim is gone after its ground was taken away: said no more, said to be unknown, or said otherwise."""

from __future__ import annotations

from polyglitch.compare.oracles.claims.difference import Asked, Difference
from polyglitch.compare.oracles.claims.edit import InputDifference, changes_denial, telling
from polyglitch.compare.oracles.claims.items import Item, counts, kind, mentions, rivalled
from polyglitch.compare.oracles.claims.statements import overlap, replaced
from polyglitch.represent.claims.answer import (
    Answer,
    Name,
    inner_capitals,
    read_answer,
    same_name,
    says_so,
)
from polyglitch.represent.claims.facts import Fact, same_fact
from polyglitch.represent.claims.words import lists, opposed, reach_of, root, said_among, tokens

BRIEF = 6  # words of meaning of a brief answer
FRAME = 0.6  # two sentences that share so much say the same of different things
Found = tuple[float, list[Difference]]


def vanished_score(
    one: str, other: str, asked: Asked, edit: InputDifference, changed: float
) -> Found:
    """How surely the second answer still claims what it has no ground for; `changed` is how far the two differ."""
    known = frozenset().union(*map(inner_capitals, (one, other, asked.source, asked.followup)))
    a, b = read_answer(one, known), read_answer(other, known)
    after = read_answer(asked.followup, known)
    if still := kept_items(b, edit, after):
        return 0.9, [ungrounded(item, "which the input no longer says") for item in still]
    if b.stance in ("unknown", "refusal"):
        if a.stance == b.stance:
            return 0.7, [Difference("unchanged", 0.7, "the answer was no other before the edit")]
        return 0.05, []
    blank = {p.key for p in edit.added} & set(lists()["blanks"])
    if blank & {word for word, _, _ in tokens(other)}:
        return 0.05, []  # it tells that it cannot be read
    if edit.only_removes or puts_nothing_like_it(a, edit):
        if new := invented(a, b, after):
            return 0.8, [ungrounded(item, "for which the input gives no ground") for item in new]
        if new := taken_for_it(a, b, edit):
            return 0.65, [
                ungrounded(item, "which the input says of something else") for item in new
            ]
    return unchanged(a, b, asked, edit, changed)


def still_said(other: str, asked: Asked, edit: InputDifference) -> list[Difference]:
    """What an answer still says of the facts and names that the edit replaced."""
    known = frozenset().union(*map(inner_capitals, (other, asked.source, asked.followup)))
    still = kept_items(read_answer(other, known), edit, read_answer(asked.followup, known))
    return [ungrounded(item, "which the input no longer says") for item in still]


def unchanged(a: Answer, b: Answer, asked: Asked, edit: InputDifference, changed: float) -> Found:
    """How surely the answer stands as it was, though the edit changed what it rests on."""
    reason = "the input changed in what matters, and the answer claims the same"
    if gone(a, b, edit):
        mind = (a.stance, {p for n in a.names for p in n.parts})
        same_mind = mind == (b.stance, {p for n in b.names for p in n.parts}) and any(mind)
        if edit.only_removes or says_new(b, edit) or not same_mind:
            return 0.15, []
        return 0.65, [Difference("unchanged", 0.65, reason, None, whole(b))]
    if edit.only_removes and changed > 0 and replaced(a.text, b.text):
        told = "the answer puts something else for what was taken out of the input"
        return 0.6, [Difference("unchanged", 0.6, told, None, whole(b))]
    if a.stance in ("yes", "no") and a.stance == b.stance and turns_round(edit):
        told = f"the input was turned round, and the answer is {b.stance!r} as before"
        return 0.75, [Difference("unchanged", 0.75, told, None, whole(b))]
    baseless = edit.only_removes or ground_gone(a, asked)
    if baseless and (new := put_in_place(a, b, asked)):
        told = f"said {new!r}, for which the input gives no ground"
        return 0.6, [Difference("ungrounded", 0.6, told, None, whole(b))]
    share = kept_words(a, b, edit, asked)
    if share is not None and not changes_denial(edit):
        told = "the answer still says what was taken out of the input"
        return share, [Difference("unchanged", share, told, None, whole(b))]
    if changes_denial(edit) and all_kept(a, b, asked):
        return 0.75, [Difference("unchanged", 0.75, reason, None, whole(b))]
    if words_gone(a, b, asked):
        return 0.15, []
    return 1 - changed, [Difference("unchanged", 1 - changed, reason, None, whole(b))]


def ground_gone(a: Answer, asked: Asked) -> bool:
    """Whether the second input has no word of what the first answer said beyond the question."""
    return none_in(a, asked, asked.followup)


def none_in(a: Answer, asked: Asked, text: str) -> bool:
    """Whether an answer says something beyond its question, and a text has no word of it."""
    echo = frozenset(root(word) for word, _, _ in tokens(asked.question))
    there = frozenset(root(word) for word, _, _ in tokens(text))
    own = [w.root for w in a.words if not said_among(w.root, echo, reach_of(echo))]
    return bool(own) and not any(said_among(w, there, reach_of(there)) for w in own)


def all_kept(a: Answer, b: Answer, asked: Asked) -> bool:
    """Whether an answer has every fact and name of the first beyond the question, and neither denies anything."""
    question = asked.question.lower()
    before, later = [i for i in items_of(a) if i.text.lower() not in question], items_of(b)
    denied = any(s.negated for x in (a, b) for s in x.sentences)
    return bool(before) and not denied and all(any(same_item(i, j) for j in later) for i in before)


def words_gone(a: Answer, b: Answer, asked: Asked) -> bool:
    """Whether a brief answer says nothing any more of what the first said beyond the question."""
    if max(len(a.sentences), len(b.sentences)) > 1 or a.facts or a.stance:
        return False
    return none_in(a, asked, b.text)


def put_in_place(a: Answer, b: Answer, asked: Asked) -> str | None:
    """A word that a brief answer puts where the first had one, and that neither it nor the input has."""
    if len(a.sentences) != 1 or len(b.sentences) != 1 or b.stance or b.sentences[0].negated:
        return None
    if overlap(a.sentences[0], b.sentences[0]) < FRAME or len(b.words) > BRIEF:
        return None
    known = {root(word) for word, _, _ in tokens(f"{asked.followup} {a.text}")}
    said = {w.root for w in b.words}
    lost = [w for w in a.words if w.root not in said]
    return next((w.text for w in b.words if w.root not in known), None) if lost else None


def puts_nothing_like_it(a: Answer, edit: InputDifference) -> bool:
    """Whether a fact or name of the answer was taken out of the input, and none of its kind put in."""
    out = [p.item for p in edit.removed if p.item is not None]
    held = [i for i in out if any(same_item(i, x) for x in items_of(a))]
    new = {kind(p.item) for p in edit.added if p.item is not None}
    return bool(held) and not any(kind(i) in new for i in held)


def turns_round(edit: InputDifference) -> bool:
    """Whether the edit denies something, or puts an opposite."""
    keys = [{p.key for p in some} for some in (edit.removed, edit.added)]
    return changes_denial(edit) or any(
        opposed(old, new) for old in keys[0] for new in keys[1] if old != new
    )


def whole(answer: Answer) -> tuple[int, int] | None:
    """The place of the whole answer."""
    return (0, len(answer.text)) if answer.text else None


def ungrounded(item: Item, why: str) -> Difference:
    """What the second answer says, and why it should not."""
    return Difference("ungrounded", 0.9, f"said {item.text!r}, {why}", None, (item.start, item.end))


def kept_items(b: Answer, edit: InputDifference, after: Answer) -> list[Item]:
    """Facts and names of the second answer that the edit took away and the input has nowhere else."""
    found: list[Item] = []
    for sentence in b.sentences:
        if says_so(sentence.text):
            continue
        for old in edit.removed:
            if isinstance(old.item, Fact) and not any(same_fact(old.item, f) for f in after.facts):
                found += [f for f in sentence.facts if same_fact(f, old.item)]
            if isinstance(old.item, Name) and (
                rivalled(old.item, after) or not mentions(after.text, old.item)
            ):
                found += [n for n in sentence.names if same_name(n, old.item)]
    return list(dict.fromkeys(found))


def invented(a: Answer, b: Answer, after: Answer) -> list[Item]:
    """What the second answer puts where the first had a fact or name, and the input says nowhere."""
    lost = {f.kind for f in a.facts if not any(same_fact(f, g) for g in b.facts)}
    new: list[Item] = [
        f
        for s in b.sentences
        if not says_so(s.text)
        for f in s.facts
        if f.kind in lost
        and not counts(f)
        and not any(same_fact(f, g) for g in after.facts)
        and not any(same_fact(f, g) for g in a.facts)
    ]
    gone_names = [n for n in a.names if not mentions(b.text, n)]
    come = [n for n in b.names if not mentions(after.text, n) and not mentions(a.text, n)]
    return new + (list(come) if gone_names else [])


def taken_for_it(a: Answer, b: Answer, edit: InputDifference) -> list[Item]:
    """What stands in the second answer in the very place of the fact that was taken out."""
    out = [p.item for p in edit.removed if p.item is not None]
    for one in a.sentences:
        items: list[Item] = [*one.facts, *one.names]
        held = [i for i in items if any(same_item(i, old) for old in out)]
        for other in (s for s in b.sentences if not says_so(s.text)):
            mine: list[Item] = [*other.facts, *other.names]
            new = [i for i in mine if not any(same_item(i, j) for j in items_of(a))]
            fitting = [i for i in new if any(kind(i) == kind(h) for h in held)]
            if fitting and overlap(one, other) >= FRAME:
                return fitting
    return []


def same_item(one: Item, other: Item) -> bool:
    """Whether two facts, or two names, are the same."""
    if isinstance(one, Fact) and isinstance(other, Fact):
        return same_fact(one, other)
    return isinstance(one, Name) and isinstance(other, Name) and same_name(one, other)


def items_of(answer: Answer) -> list[Item]:
    """The facts and names of an answer."""
    return [*answer.facts, *answer.names]


def gone(a: Answer, b: Answer, edit: InputDifference) -> bool:
    """Whether a fact or name that the edit took away stood in the first answer and no longer stands."""
    items = [p.item for p in edit.removed if p.item is not None]
    before, later = items_of(a), items_of(b)
    held = [i for i in items if any(same_item(i, x) for x in before)]
    return any(not any(same_item(i, x) for x in later) for i in held)


def says_new(b: Answer, edit: InputDifference) -> bool:
    """Whether the second answer says something of what the edit put in."""
    said = {root(word) for word, _, _ in tokens(b.text)}
    for piece in edit.added:
        if piece.item is not None and any(same_item(piece.item, x) for x in items_of(b)):
            return True
        if piece.item is None and telling(piece) and root(piece.key) in said:
            return True
    return False


def kept_words(a: Answer, b: Answer, edit: InputDifference, asked: Asked) -> float | None:
    """The share of the words taken out of the input that the first answer had and the second still has."""
    left = {root(word) for word, _, _ in tokens(asked.followup)}
    out = {root(p.key) for p in edit.removed if telling(p) and p.item is None} - left
    said = {w.root for w in a.words} & out
    if not said:
        return None
    return len(said & {w.root for w in b.words}) / len(said)
