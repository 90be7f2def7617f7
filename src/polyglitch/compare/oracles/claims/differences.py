"""What parts the claims of two answers in prose: stance, facts, names, denials, opposites, who did what, words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from polyglitch.compare.oracles.claims.formed import Difference, formed_differences
from polyglitch.compare.oracles.claims.synonyms import mean_alike
from polyglitch.represent.claims.answer import (
    Answer,
    Name,
    Sentence,
    inner_capitals,
    read_answer,
    same_name,
)
from polyglitch.represent.claims.facts import Fact, facts, same_fact
from polyglitch.represent.claims.lists import lists
from polyglitch.represent.claims.structure import list_items
from polyglitch.represent.claims.words import Word, opposed, root, tokens

ALIGNED = 0.4  # share of what two sentences have in common from which they speak of the same
FEW = 3  # words of meaning of an answer that is a label or a phrase
T = TypeVar("T", Fact, Name)
Alike = Callable[[str, str], float | None]  # cosine of two texts, where there are vectors


class Asked(NamedTuple):
    """The two inputs as far as they bear on what may be left out."""

    source: str
    followup: str

    @property
    def exhaustive(self) -> bool:
        """Whether all that is there was asked for: a summary, an extraction, a rewriting."""
        low = self.source.lower()
        return any(word in low[:300] or word in low[-300:] for word in lists()["exhaustive"])

    @property
    def question(self) -> str:
        """What is asked: the sentences with a question mark."""
        return " ".join(
            part.text
            for part in read_answer(self.source).sentences
            if part.text.rstrip().endswith("?")
        )


def differences(one: str, other: str, asked: Asked, alike: Alike) -> list[Difference]:
    """Everything that parts two answers, each with its weight."""
    formed = formed_differences(one, other)
    if formed is not None:
        return formed
    known = frozenset().union(*map(inner_capitals, (one, other, asked.source, asked.followup)))
    a, b = read_answer(one, known), read_answer(other, known)
    found = list(stance_differences(a, b))
    if found and found[0].weight > 0.9:
        return found
    found += whole_differences(a, b)
    if "unknown" in (a.stance, b.stance) and a.stance == b.stance:
        return found
    found += fact_differences(a, b, asked)
    found += statement_differences(a, b)
    found += swapped_facts(a, b)
    found += item_differences(one, other, asked)
    found += word_differences(a, b, asked, alike, bool(found))
    return found


def stance_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """Yes against no, an answer against a refusal or "not known"."""
    if a.stance == b.stance:
        return
    sides = {a.stance, b.stance}
    if sides == {"yes", "no"}:
        yield Difference(
            "stance", 0.95, f"{a.stance!r} became {b.stance!r}", opening(a), opening(b)
        )
    elif sides & {"unknown", "refusal"}:
        said = {"unknown": "says that it is not known", "refusal": "declines", "": "answers"}
        first, second = (said.get(x.stance, "answers") for x in (a, b))
        reason = f"the first {first}, the second {second}"
        yield Difference("stance", 0.92, reason, opening(a), opening(b))
    elif a.sentences and b.sentences:
        clear, open_one = (a, b) if a.stance else (b, a)
        denied = any(s.negated for s in spoken(open_one))
        if denied != (clear.stance == "no"):
            reason = (
                f"one answer is a {clear.stance!r}, the other {'denies' if denied else 'affirms'}"
            )
            yield Difference("stance", 0.7, reason, opening(a), opening(b))


def whole_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """What can be told of an answer as a whole: empty, cut off, in another language, much longer."""
    if bool(a.text.strip()) != bool(b.text.strip()):
        yield Difference("empty", 0.95, "one answer is empty")
    elif a.cut_off != b.cut_off:
        cut, which = (a, "first") if a.cut_off else (b, "second")
        end = len(cut.text.rstrip())
        span = (max(0, end - 15), end)
        places = (span, None) if a.cut_off else (None, span)
        yield Difference("cut off", 0.75, f"the {which} answer is cut off", *places)
    if a.language and b.language and a.language != b.language:
        yield Difference(
            "language",
            0.9,
            f"answered in {a.language!r}, then in {b.language!r}",
            opening(a),
            opening(b),
        )


def opening(answer: Answer) -> tuple[int, int] | None:
    """The place of the first sentence."""
    first = answer.sentences[0] if answer.sentences else None
    return (first.start, first.end) if first else None


def spoken(answer: Answer) -> list[Sentence]:
    """The sentences that say something."""
    return [s for s in answer.sentences if not s.courtesy] or list(answer.sentences)


def unmatched(some: Sequence[T], others: Sequence[T], same: Callable[[T, T], bool]) -> list[T]:
    """The items of one that none of the other equals."""
    return [item for item in some if not any(same(item, other) for other in others)]


def fact_differences(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Facts and names that one answer has and the other has not, paired where one stands for the other."""
    echo = facts(asked.question)
    given = facts(asked.source) + facts(asked.followup)
    lost = [f for f in unmatched(a.facts, b.facts, same_fact)]
    new = [f for f in unmatched(b.facts, a.facts, same_fact)]
    for old in list(lost):
        twin = next((f for f in new if rivals(old, f)), None)
        if twin is not None:
            lost.remove(old)
            new.remove(twin)
            reason = f"{old.text!r} became {twin.text!r}"
            yield Difference(old.kind, 0.85, reason, (old.start, old.end), (twin.start, twin.end))
    gone = [n for n in unmatched(a.names, b.names, same_name) if not mentions(b.text, n)]
    come = [n for n in unmatched(b.names, a.names, same_name) if not mentions(a.text, n)]
    for name, twin_name in zip(gone, come, strict=False):
        reason = f"{name.text!r} became {twin_name.text!r}"
        yield Difference(
            "name", 0.75, reason, (name.start, name.end), (twin_name.start, twin_name.end)
        )
    pairs = min(len(gone), len(come))
    key = bool(a.facts or b.facts) and not any(same_fact(x, y) for x in a.facts for y in b.facts)
    for side, items in ((0, [*lost, *gone[pairs:]]), (1, [*new, *come[pairs:]])):
        for item in items:
            if isinstance(item, Fact) and any(same_fact(item, e) for e in echo):
                continue
            if isinstance(item, Name) and mentions(asked.question, item):
                continue
            invented = isinstance(item, Fact) and not any(same_fact(item, g) for g in given)
            weight = left_out_weight(
                isinstance(item, Fact), asked.exhaustive, key, invented and bool(given)
            )
            places = ((item.start, item.end), None) if side == 0 else (None, (item.start, item.end))
            which = "first" if side == 0 else "second"
            yield Difference(
                "left out", weight, f"only the {which} answer says {item.text!r}", *places
            )


def left_out_weight(fact: bool, exhaustive: bool, key: bool, invented: bool) -> float:
    """How much a fact weighs that only one answer has."""
    if not fact:
        return 0.4 if exhaustive else 0.12
    if key or exhaustive:
        return 0.55
    return 0.4 if invented else 0.15


def rivals(one: Fact, other: Fact) -> bool:
    """Whether one fact can stand in the place of the other: of one kind, and not of different dimensions."""
    kinds = {one.kind, other.kind}
    if kinds == {"number"}:
        units = {one.value[1], other.value[1]}
        return len(units) == 1 or "" in units or one.value[0] == other.value[0] or True
    return len(kinds) == 1 or kinds == {"number", "date"} or kinds == {"date", "day"}


def mentions(text: str, name: Name) -> bool:
    """Whether a part of a name stands in a text, whatever its case."""
    words = {word.removesuffix("'s") for word, _, _ in tokens(text)}
    return any(
        part in words or root(part) in map(root, words) for part in name.parts if len(part) > 1
    )


def overlap(one: Sentence, other: Sentence) -> float:
    """How much of the shorter of two sentences the other says too."""
    a, b = marks_of(one), marks_of(other)
    if not a or not b:
        return 0.0
    shared = sum(any(mean_alike(x, y) for y in b) for x in a)
    back = sum(any(mean_alike(x, y) for y in a) for x in b)
    return max(shared / len(a), back / len(b))


def marks_of(sentence: Sentence) -> list[str]:
    """What a sentence is recognised by."""
    names = [part for name in sentence.names for part in name.parts]
    return list(dict.fromkeys([*(w.root for w in sentence.words), *map(root, names)]))


def aligned(a: Answer, b: Answer) -> list[tuple[Sentence, Sentence]]:
    """Each sentence of the first with the one of the second that says most of it."""
    pairs = []
    for one in spoken(a):
        best = max(spoken(b), key=lambda other: overlap(one, other), default=None)
        if best is not None and overlap(one, best) >= ALIGNED:
            pairs.append((one, best))
    if not pairs and len(spoken(a)) == len(spoken(b)) == 1:
        pairs = [(spoken(a)[0], spoken(b)[0])]
    return pairs


def statement_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """Aligned sentences of which one denies, says the opposite, or turns round who did what."""
    for one, other in aligned(a, b):
        spans = (one.start, one.end), (other.start, other.end)
        turned = [p for p in opposite_words(one, other)]
        denied = bool(one.negated) != bool(other.negated)
        near = overlap(one, other) >= 0.5
        if denied and not turned and near:
            which = "first" if one.negated else "second"
            yield Difference("denied", 0.7, f"only the {which} answer denies it", *spans)
        elif turned and not denied:
            x, y = turned[0]
            yield Difference(
                "opposite",
                0.75,
                f"{x.text!r} became {y.text!r}",
                (x.start, x.end),
                (y.start, y.end),
            )
        if bool(one.hedged) != bool(other.hedged) and near:
            yield Difference("hedged", 0.15, "only one answer holds back", *spans)
        if roles_turned(one, other):
            yield Difference("roles", 0.6, "the names have changed places", *spans)


def opposite_words(one: Sentence, other: Sentence) -> list[tuple[Word, Word]]:
    """Words of which each sentence has one and the other its opposite."""
    left = [Word(w, root(w), s + one.start, e + one.start) for w, s, e in tokens(one.text)]
    right = [Word(w, root(w), s + other.start, e + other.start) for w, s, e in tokens(other.text)]
    lefts, rights = {w.root for w in left}, {w.root for w in right}
    only = [w for w in left if w.root not in rights], [w for w in right if w.root not in lefts]
    return [(x, y) for x in only[0] for y in only[1] if opposed(x.text, y.text)]


def roles_turned(one: Sentence, other: Sentence) -> bool:
    """Whether the same names stand in another order around the same words, and no passive explains it."""
    first, second = ([n.parts[-1] for n in s.names] for s in (one, other))
    if len(first) < 2 or sorted(first) != sorted(second) or first == second:
        return False
    passive = [" by " in s.text for s in (one, other)]
    between = any(one.names[0].end <= w.start < one.names[-1].start for w in one.words)
    words = [frozenset(w.root for w in s.words) for s in (one, other)]
    return between and passive[0] == passive[1] and words[0] == words[1]


def swapped_facts(a: Answer, b: Answer) -> Iterator[Difference]:
    """Two facts that both answers have, each said of what the other answer says of the other one."""
    held = [(f, next((g for g in b.facts if same_fact(f, g)), None)) for f in a.facts]
    twins = [(f, g) for f, g in held if g is not None]
    for place, (f, f2) in enumerate(twins):
        for g, g2 in twins[place + 1 :]:
            if same_fact(f, g) or f.kind != g.kind:
                continue
            around = [about(x, s) for x, s in ((f, a), (g, a), (f2, b), (g2, b))]
            straight = shared(around[0], around[2]) + shared(around[1], around[3])
            crossed = shared(around[0], around[3]) + shared(around[1], around[2])
            if crossed > straight + 0.5 and around[0] != around[1]:
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


def shared(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words in common."""
    return len(one & other) / max(1, min(len(one), len(other)))


def item_differences(one: str, other: str, asked: Asked) -> Iterator[Difference]:
    """Items of a list that the other list has not, whatever their order."""
    lists_of = list_items(one), list_items(other)
    if not lists_of[0] or not lists_of[1]:
        return
    bags = [
        [frozenset(w.root for s in read_answer(t).sentences for w in s.words) for t, _, _ in some]
        for some in lists_of
    ]
    for side in (0, 1):
        for (text, start, end), words in zip(lists_of[side], bags[side], strict=True):
            if words and not any(shared(words, o) >= 0.5 for o in bags[1 - side]):
                which = "first" if side == 0 else "second"
                places = ((start, end), None) if side == 0 else (None, (start, end))
                weight = 0.55 if asked.exhaustive else 0.4
                yield Difference("item", weight, f"only the {which} list has {text!r}", *places)


def word_differences(
    a: Answer, b: Answer, asked: Asked, alike: Alike, parted: bool
) -> Iterator[Difference]:
    """Words of meaning that are replaced by others that do not mean the same."""
    left, right = own_words(a, b), own_words(b, a)
    sizes = [
        max(1, len({w.root for s in spoken(x) for w in s.words}) + len(x.names)) for x in (a, b)
    ]
    if not left or not right:
        return
    shares = len({w.root for w in left}) / sizes[0], len({w.root for w in right}) / sizes[1]
    least = min(shares)
    cosine = alike(a.text, b.text)
    spans = (left[0].start, left[0].end), (right[0].start, right[0].end)
    shown = f"{left[0].text!r} became {right[0].text!r}"
    if min(sizes) <= FEW:
        near = cosine is not None and cosine > 0.6
        weight = 0.25 if near else 0.7 if least >= 0.99 else 0.5
    elif one_for_one(left, right) and least < 0.5:
        weight = 0.55
    elif cosine is None:
        weight = 0.7 if least > 0.8 else 0.3 * least
    else:
        weight = min(0.8, max(0.0, (0.75 - cosine) * 1.3 + 0.35 * (least - 0.5)))
    yield Difference("words", weight, shown, *spans)


def own_words(a: Answer, b: Answer) -> list[Word]:
    """The words of an answer that the other says in no form."""
    there = {w.root for w in b.words} | {root(word) for word, _, _ in tokens(b.text)}
    return [
        word
        for sentence in spoken(a)
        for word in sentence.words
        if word.root not in there and not any(mean_alike(word.root, other) for other in there)
    ]


def one_for_one(left: list[Word], right: list[Word]) -> bool:
    """Whether one word, perhaps two, stands for one in an otherwise equal answer."""
    return len(left) == len(right) == 1
