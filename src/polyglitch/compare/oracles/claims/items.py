"""Facts, names and list items of two answers side by side: replaced, left out, added, or changed about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from polyglitch.compare.oracles.claims.difference import Asked, Difference
from polyglitch.compare.oracles.claims.enumerations import shared
from polyglitch.represent.claims.answer import (
    Answer,
    Name,
    names_conflict,
    same_name,
)
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.words import (
    lists,
    little_words,
    phrase_pattern,
    root,
    tokens,
    units,
)

Item = Fact | Name
SMALL = 10  # a bare number up to this may only count what is said anyway
BRIEF = 4  # words of meaning of an answer that is all about its number
ROW = 60  # characters between two items of one row
MOST = 40  # facts that are looked at for having changed places
PRICES = (("dollar",), ("euro",), ("pound",), ("yen",), ("rupee",))
TIMED = ("date", "time", "day")
REACH = 3  # words between a denial and what it denies


def fact_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Facts and names that one answer has and the other has not, paired where one stands for the other."""
    lost, new = lacking(a, b, asked), lacking(b, a, asked)
    for old in list(lost):
        twin = next((f for f in new if rivals(old, f)), None)
        if twin is not None:
            lost.remove(old)
            new.remove(twin)
            weight = 0.85 if isinstance(old, Fact) else 0.75
            places = (old.start, old.end), (twin.start, twin.end)
            yield Difference(kind(old), weight, f"{old.text!r} became {twin.text!r}", *places)
    for old in list(lost):
        if isinstance(old, Fact) and (put := put_for(old, a, b)):
            lost.remove(old)
            places = (old.start, old.end), (put.start, put.end)
            yield Difference(kind(old), 0.75, f"{old.text!r} became {put.text!r}", *places)
    yield from freed(lost, new, a, b)
    for side, items in ((0, lost), (1, new)):
        mine, other = (a, b) if side == 0 else (b, a)
        for item in items:
            weight = left_out_weight(item, mine, other, asked)
            place = (item.start, item.end)
            places_of = (place, None) if side == 0 else (None, place)
            which = "first" if side == 0 else "second"
            reason = f"only the {which} answer says {item.text!r}"
            yield Difference("left out", weight, reason, *places_of)


def lacking(a: Answer, b: Answer, asked: Asked) -> list[Item]:
    """The facts and names of an answer that the other lacks; what the question says or the answer denies is none."""
    echo = [*facts(asked.question)]
    if any(same_fact(f, g) for f in a.facts for g in b.facts):
        echo += asked.remarked()  # a value that the user put forward may be named and put aside
    found: list[Item] = [
        f
        for f in a.facts
        if not any(same_fact(f, g) for g in b.facts)
        and not any(same_fact(f, e) for e in echo)
        and not ranked(f, b)
        and not single_unit(f, b)
        and not is_denied(f, a)
    ]
    found += [
        n
        for n in a.names
        if not any(same_name(n, m) for m in b.names)
        and (rivalled(n, b) or not (mentions(b.text, n) or mentions(asked.question, n)))
        and not is_denied(n, a)
    ]
    return found


def ranked(fact: Fact, other: Answer) -> bool:
    """Whether another answer has the number as a rank: floor 1 and the first floor."""
    words = {word for word, _, _ in tokens(other.text)}
    ranks: dict[str, int] = lists()["ordinals"]
    return fact.kind == "number" and any(fact.value[0] == ranks.get(word) for word in words)


def single_unit(fact: Fact, other: Answer) -> bool:
    """Whether another answer has the amount as one of a larger unit, without a number: 24 hours and a day."""
    if fact.kind != "number" or not fact.value[1] or fact.value[2] == 1:
        return False
    words = [word for word, _, _ in tokens(other.text)]
    return any(units().get(w) == (fact.value[1], fact.value[0]) for w in words[1:])


def rivalled(name: Name, other: Answer) -> bool:
    """Whether another answer has a name that shares a part with this one and is another's."""
    return any(names_conflict(name, one) for one in other.names)


def put_for(old: Fact, a: Answer, b: Answer) -> Fact | None:
    """The fact that the second answer has for one that is lost, though the question names it: a suggestion taken up."""
    new = [f for f in b.facts if not any(same_fact(f, g) for g in a.facts)]
    return next((f for f in new if rivals(old, f) and not is_denied(f, b)), None)


def freed(lost: list[Item], new: list[Item], a: Answer, b: Answer) -> Iterator[Difference]:
    """A price on one side and "free of charge" on the other."""
    for items, mine, other in ((lost, a, b), (new, b, a)):
        said = [phrase_pattern("free").search(x.text.lower()) for x in (mine, other)]
        price = next((f for f in items if isinstance(f, Fact) and f.value[1:2] in PRICES), None)
        if price is not None and said[1] and not said[0]:
            spans = (price.start, price.end), said[1].span()
            places = spans if mine is a else spans[::-1]
            reason = f"{price.text!r} on one side, {said[1][0]!r} on the other"
            yield Difference("price", 0.7, reason, *places)


def is_denied(item: Item, answer: Answer) -> bool:
    """Whether a denial stands just before a fact or name: "it wasn't Jane Austen", "not 95"."""
    clause = re.split(r"[,.;:!?]", answer.text[max(0, item.start - 40) : item.start])[-1]
    before = [word for word, _, _ in tokens(clause)]
    return (
        any(word in lists()["denies"] for word in before[-REACH:])
        and len(answer.facts) + len(answer.names) > 1
    )


def kind(item: Item) -> str:
    """What an item is called."""
    return item.kind if isinstance(item, Fact) else "name"


def rivals(one: Item, other: Item) -> bool:
    """Whether one item can stand in the place of the other."""
    kinds = {kind(one), kind(other)}
    return len(kinds) == 1 or kinds in ({"number", "date"}, {"date", "day"}, {"number", "time"})


def left_out_weight(item: Item, mine: Answer, other: Answer, asked: Asked) -> float:
    """How much a fact or name weighs that only one answer has."""
    if enumerated(item, mine, other):
        return 0.55
    if isinstance(item, Name):
        if not mine.words and not mine.facts and len(mine.names) == 1 and other.words:
            held = any(same_name(item, n) for n in other.names)
            return 0.12 if held else 0.6  # the name is all that is said
        return 0.4 if asked.exhaustive else 0.12
    if item.kind == "relative":
        return 0.12
    key = not any(same_fact(x, y) for x in mine.facts for y in other.facts)
    key = key and not any(same_name(x, y) for x in mine.names for y in other.names)
    if counts(item) and not (key and stands_for_it(mine, other)):
        return 0.3 if asked.exhaustive else 0.12
    given = facts(asked.source) + facts(asked.followup)
    invented = bool(given) and not any(same_fact(item, g) for g in given)
    if asked.condensed and not invented and not key:
        return 0.3  # a summary need not have every figure of the text
    if key or asked.exhaustive:
        return 0.55
    return 0.4 if invented else 0.15


def stands_for_it(mine: Answer, other: Answer) -> bool:
    """Whether a brief answer says a word where the other has its only number."""
    roots = [{w.root for w in x.words} for x in (mine, other)]
    return not other.facts and len(mine.words) <= BRIEF and bool(roots[1] - roots[0])


def counts(fact: Fact) -> bool:
    """Whether a number may only count what is said anyway."""
    value = fact.value[0]
    small = isinstance(value, float) and abs(value) <= SMALL
    return fact.kind == "number" and fact.value[1] == "" and small


def enumerated(item: Item, mine: Answer, other: Answer) -> bool:
    """Whether an item stands in a row with one that the other answer has: "at 7:15 and at 16:40"."""
    row: Sequence[Item] = mine.facts if isinstance(item, Fact) else mine.names
    for each in row:
        if each is item or kind(each) != kind(item):
            continue
        start, end = sorted((each, item), key=lambda x: x.start)
        if end.start - start.end > ROW:
            continue
        between = [w for w, _, _ in tokens(mine.text[start.end : end.start])]
        held = (
            any(same_fact(each, g) for g in other.facts)
            if isinstance(each, Fact)
            else mentions(other.text, each)
        )
        joined = {"and", "or"} & set(between) or "\n" in mine.text[start.end : end.start]
        joined = joined or ("," in between and len(row) > 2)
        if held and joined and all(w in little_words() or not w[0].isalnum() for w in between):
            return True
    return False


def mentions(text: str, name: Name) -> bool:
    """Whether a part of a name stands in a text, whatever its case; a letter such as the K of vitamin K by itself."""
    if all(len(part) == 1 for part in name.parts):
        return bool(re.search(rf"(?<!\w){re.escape(name.text)}(?!\w)", text))
    return any(root(part) in roots_of(text) for part in name.parts if len(part) > 1)


@lru_cache(maxsize=256)
def roots_of(text: str) -> frozenset[str]:
    """The roots of all words of a text."""
    return frozenset(root(word) for word, _, _ in tokens(text))


def bound_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """A date or time that both have, as a beginning in one and as an end in the other: from June, until June."""
    sides: dict[str, list[str]] = lists()["bounds"]
    timed = [[f for f in answer.facts if f.kind in TIMED] for answer in (a, b)]
    for f in timed[0]:
        g = next((x for x in timed[1] if same_fact(f, x)), None)
        if g is None:
            continue
        bounds = [bound(x, y.text, sides) for x, y in ((f, a), (g, b))]
        if None not in bounds and bounds[0] != bounds[1]:
            spans = (f.start, f.end), (g.start, g.end)
            reason = (
                f"{f.text!r} is where it {bounds[0]}s in one, where it {bounds[1]}s in the other"
            )
            yield Difference("bound", 0.6, reason, *spans)
            return


def bound(fact: Fact, text: str, sides: dict[str, list[str]]) -> str | None:
    """Whether something begins or ends at a date or time, by the word before it."""
    before = [word for word, _, _ in tokens(text[max(0, fact.start - 20) : fact.start])][-1:]
    return next((side for side, words in sides.items() if before and before[0] in words), None)


def swapped_facts(a: Answer, b: Answer) -> Iterator[Difference]:
    """Two facts that both answers have, each said of what the other answer says of the other one."""
    mine, other = a.facts[:MOST], b.facts[:MOST]
    held = [(f, next((g for g in other if same_fact(f, g)), None)) for f in mine]
    twins = [(f, g, about(f, a), about(g, b)) for f, g in held if g is not None]
    for place, (f, f2, f_about, f2_about) in enumerate(twins):
        for g, _, g_about, g2_about in twins[place + 1 :]:
            beside = len(tokens(a.text[f.end : g.start])) <= 2  # "7 to 2" is one fact
            if same_fact(f, g) or f.kind != g.kind or f.value[1:2] != g.value[1:2] or beside:
                continue
            if not (f_about and f2_about and g_about and g2_about):
                continue
            straight = shared(f_about, f2_about), shared(g_about, g2_about)
            crossed = shared(f_about, g2_about), shared(g_about, f2_about)
            if min(crossed) >= 0.5 and max(straight) < min(crossed):
                reason = f"{f.text!r} and {g.text!r} have changed places"
                yield Difference("swapped", 0.7, reason, (f.start, f.end), (f2.start, f2.end))
                return


def about(fact: Fact, answer: Answer) -> frozenset[str]:
    """What a fact is said of: the words and names between the facts around it."""
    sentence = next(s for s in answer.sentences if s.start <= fact.start < s.end)
    before = max((f.end for f in sentence.facts if f.end <= fact.start), default=sentence.start)
    after = min((f.start for f in sentence.facts if f.start >= fact.end), default=sentence.end)
    marks = [(w.start, w.root) for w in sentence.words]
    marks += [(n.start, root(p)) for n in sentence.names for p in n.parts]
    near = frozenset(m for at, m in marks if before <= at < fact.start)
    return near or frozenset(m for at, m in marks if fact.end <= at < after)
