"""Sentences of two answers that say the same thing, and whether one denies it, turns it round or asks it.

Words of meaning that only one answer has: a change where the rest is the same, else a paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from polyglitch.compare.oracles.claims.difference import Asked, Difference, synonyms
from polyglitch.represent.claims.answer import (
    Answer,
    AnswerSentence,
    denial,
    half_denies,
    same_name,
)
from polyglitch.represent.claims.facts import Fact, same_fact
from polyglitch.represent.claims.other_languages import little_words_of
from polyglitch.represent.claims.structure import list_items
from polyglitch.represent.claims.words import (
    AnswerWord,
    little_words,
    opposed,
    phrase_pattern,
    reach_of,
    root,
    said_among,
    same_meaning,
    tokens,
)

ALIGNED = 0.4  # share of the shorter of two sentences that the other says, from which they speak of the same
NEAR = 0.5
AGENT = re.compile(r"\bby ((?:[^\W\d_]+ ?){1,4})")
LITTLE = {"the", "a", "an", "to", "of"}
CLAUSE = re.compile(r"[;,.:\n()]| but | while | and | whereas | though ")
FEW = 3  # words of meaning of an answer that is a label or a phrase
SEVERAL = 2  # facts in common that let the words around them be others
EQUAL_BUT = 0.78  # answers so alike word by word are the same text with words replaced
LONGEST = 12  # words of a part that was replaced
VERBATIM = 0.55  # share of words in such runs from which a text was kept but for a part
RUN = 3  # words of a run
CLOSE = 0.6  # cosine from which two short answers mean the same
Alike = Callable[[str, str], float | None]  # cosine of two texts, where there are vectors


def spoken(answer: Answer) -> list[AnswerSentence]:
    """The sentences that say something."""
    return [s for s in answer.sentences if not s.courtesy] or list(answer.sentences)


class Marks(NamedTuple):
    """What a sentence is recognised by, and all the roots that say the same."""

    roots: frozenset[str]
    reached: frozenset[str]


def marks_of(sentence: AnswerSentence) -> frozenset[str]:
    """What a sentence is recognised by."""
    names = [part for name in sentence.names for part in name.parts]
    return frozenset([*(w.root for w in sentence.words), *map(root, names)])


def marked(sentence: AnswerSentence) -> Marks:
    """The marks of a sentence, ready to be compared with many."""
    roots = marks_of(sentence)
    return Marks(roots, reach_of(roots))


def overlap(one: AnswerSentence, other: AnswerSentence) -> float:
    """How much of the shorter of two sentences the other says too."""
    return overlap_of(marked(one), marked(other))


def overlap_of(a: Marks, b: Marks) -> float:
    """How much of the shorter of two sentences the other says too, by their marks."""
    if not a.roots or not b.roots or not (a.reached & b.reached):
        return 0.0
    there = sum(said_among(x, b.roots, b.reached) for x in a.roots)
    back = sum(said_among(x, a.roots, a.reached) for x in b.roots)
    return max(there / len(a.roots), back / len(b.roots))


@lru_cache(maxsize=64)
def aligned(a: Answer, b: Answer) -> list[tuple[AnswerSentence, AnswerSentence]]:
    """Each sentence of the first with the one of the second that says most of it."""
    pairs = []
    others: dict[Marks, AnswerSentence] = {}  # of sentences alike the first
    saying: dict[str, list[Marks]] = {}
    for other in spoken(b):
        marks = marked(other)
        if marks not in others:
            others[marks] = other
            for mark in marks.reached:
                saying.setdefault(mark, []).append(marks)
    for one in spoken(a):
        mine = marked(one)
        near = {marks for mark in mine.reached for marks in saying.get(mark, ())}
        scored = [(overlap_of(mine, marks), others[marks]) for marks in near]
        scored.sort(key=lambda item: item[1].start)
        best = max(scored, key=lambda item: item[0], default=None)
        if best is not None and best[0] >= ALIGNED:
            pairs.append((one, best[1]))
    if not pairs and len(spoken(a)) == len(spoken(b)) == 1:
        pairs = [(spoken(a)[0], spoken(b)[0])]
    return pairs


def statement_differences(a: Answer, b: Answer) -> Iterator[Difference]:
    """Aligned sentences of which one denies, says the opposite, asks, or turns round who did what."""
    for one, other in aligned(a, b):
        spans = (one.start, one.end), (other.start, other.end)
        turned = opposite_words(one, other)
        unlike = denies(one, other) != denies(other, one)
        denied = unlike and not explained(a, b)
        near = overlap(one, other) >= NEAR
        if denied and not turned and near:
            which = "first" if denies(one, other) else "second"
            half = half_denies((other if denies(one, other) else one).text)
            reason = f"only the {which} answer denies it"
            yield Difference("denied", 0.2 if half else 0.7, reason, *spans)
        elif turned and not unlike:
            x, y = turned[0]
            places = (x.start, x.end), (y.start, y.end)
            yield Difference("opposite", 0.75, f"{x.text!r} became {y.text!r}", *places)
        if bool(one.hedged) != bool(other.hedged) and near:
            yield Difference("hedged", 0.1, "only one answer holds back", *spans)
        asks = [
            s.text.rstrip("\"') ").endswith("?") and "did you know" not in s.text.lower()
            for s in (one, other)
        ]
        if asks[0] != asks[1] and overlap(one, other) >= 0.7 and not proposed(one, other):
            yield Difference("asked", 0.55, "one answer asks what the other states", *spans)
        if roles_turned(one, other) or agents_traded(one, other) or clauses_crossed(one, other):
            yield Difference("roles", 0.65, "what is said of whom has changed places", *spans)


def proposed(one: AnswerSentence, other: AnswerSentence) -> bool:
    """Whether one proposes or begs by a question what the other proposes or begs for otherwise."""
    low = [s.text.lower() for s in (one, other)]
    asking = [bool(phrase_pattern("proposing").search(text)) for text in low]
    begging = [bool(phrase_pattern("begging").search(text)) for text in low]
    return any(asking) and all(x or y for x, y in zip(asking, begging, strict=True))


def explained(a: Answer, b: Answer) -> bool:
    """Whether one answer is a "no" that gives its reason and the other denies: "No, only members may"."""
    for clear, plain in ((a, b), (b, a)):
        if clear.stance != "no" or plain.stance:
            continue
        there = frozenset(root(word) for word, _, _ in tokens(clear.text))
        reached = reach_of(there)
        parts = [part for s in spoken(plain) if s.negated for part in clause_texts(s)]
        if any(
            denial(text) and any(not said_among(m, there, reached) for m in marks)
            for text, marks in parts
        ):
            return True
    return False


def lost_statements(a: Answer, b: Answer, asked: Asked) -> Iterator[Difference]:
    """Sentences that a rewriting left out altogether."""
    if not asked.exhaustive or asked.condensed or list_items(a.text):
        return
    there = frozenset(root(word) for word, _, _ in tokens(b.text))
    reached = reach_of(there)
    for one in spoken(a):
        marks = marks_of(one)
        if marks and len(spoken(a)) > 1 and not any(said_among(m, there, reached) for m in marks):
            reason = f"only the first answer says {one.text!r:.60}"
            yield Difference("left out", 0.55, reason, (one.start, one.end), None)


def denies(one: AnswerSentence, other: AnswerSentence) -> bool:
    """Whether a sentence denies something in a clause that has to do with the other sentence."""
    if not one.negated:
        return False
    there = marked(other)
    near = [
        text
        for text, marks in clause_texts(one)
        if any(said_among(mark, there.roots, there.reached) for mark in marks)
    ]
    said = near or [text for text, marks in clause_texts(one) if marks]
    return any(denial(text) for text in said) if said else True


def turned_words(a: Answer, b: Answer) -> frozenset[str]:
    """Words that are the opposite of a word of the other answer, which `statement_differences` has weighed."""
    pairs = [p for one, other in aligned(a, b) for p in opposite_words(one, other)]
    return frozenset(word.text for pair in pairs for word in pair)


def opposite_words(
    one: AnswerSentence, other: AnswerSentence
) -> list[tuple[AnswerWord, AnswerWord]]:
    """Words of which each sentence has one and the other its opposite."""
    left = [AnswerWord(w, root(w), s + one.start, e + one.start) for w, s, e in tokens(one.text)]
    right = [
        AnswerWord(w, root(w), s + other.start, e + other.start) for w, s, e in tokens(other.text)
    ]
    lefts, rights = {w.root for w in left}, {w.root for w in right}
    only = [w for w in left if w.root not in rights], [w for w in right if w.root not in lefts]
    found = [(x, y) for x in only[0] for y in only[1] if opposed(x.text, y.text)]
    if found and both_ways(left) and both_ways(right):
        return by_figure(one, other)  # up 8% and down 3%: which went which way?
    return found


def both_ways(words: list[AnswerWord]) -> bool:
    """Whether a sentence has a word and its opposite."""
    return any(opposed(x.text, y.text) for x in words for y in words)


def by_figure(one: AnswerSentence, other: AnswerSentence) -> list[tuple[AnswerWord, AnswerWord]]:
    """Opposites in two clauses that have the same figure."""
    return [
        (x, y)
        for f in one.facts
        for g in other.facts
        if f.kind == "number" and same_fact(f, g)
        for x in clause_words(one, f)
        for y in clause_words(other, g)
        if opposed(x.text, y.text)
    ]


def clause_words(sentence: AnswerSentence, fact: Fact) -> list[AnswerWord]:
    """The words of the clause that a fact stands in."""
    ends = [m.start() + sentence.start for m in CLAUSE.finditer(sentence.text)]
    start = max((end for end in ends if end <= fact.start), default=sentence.start)
    end = min((end for end in ends if end >= fact.end), default=sentence.end)
    inside = sentence.text[start - sentence.start : end - sentence.start]
    return [AnswerWord(w, root(w), s + start, e + start) for w, s, e in tokens(inside)]


def roles_turned(one: AnswerSentence, other: AnswerSentence) -> bool:
    """Whether the same names stand in another order around the same words, and no passive explains it."""
    first, second = ([n.parts[-1] for n in s.names] for s in (one, other))
    if len(first) < 2 or sorted(first) != sorted(second) or first == second:
        return False
    passive = [" by " in s.text for s in (one, other)]
    between = any(one.names[0].end <= w.start < one.names[-1].start for w in one.words)
    words = [[w.root for w in s.words] for s in (one, other)]
    return between and passive[0] == passive[1] and words[0] == words[1]


def agents_traded(one: AnswerSentence, other: AnswerSentence) -> bool:
    """Whether two passives with the same words name another as the one who did it."""
    if marks_of(one) != marks_of(other):
        return False
    agents = [AGENT.search(s.text) for s in (one, other)]
    if agents[0] is None or agents[1] is None:
        return False
    words = [{root(w) for w, _, _ in tokens(a[1])} - LITTLE for a in agents if a]
    return bool(words[0] and words[1]) and not words[0] & words[1]


def clauses_crossed(one: AnswerSentence, other: AnswerSentence) -> bool:
    """Whether two sentences have the same words, and their clauses join them otherwise."""
    if marks_of(one) != marks_of(other):
        return False
    left, right = clauses(one), clauses(other)
    if len(left) < 2 or len(left) != len(right):
        return False
    for place, first in enumerate(left):
        for second in left[place + 1 :]:
            for x in right:
                for y in right:
                    if x is not y and crossed(first, second, x, y):
                        return True
    return False


def crossed(
    first: frozenset[str], second: frozenset[str], x: frozenset[str], y: frozenset[str]
) -> bool:
    """Whether two clauses have traded a part of themselves."""
    parts = first & x, first & y, second & x, second & y
    return all(parts) and first | second == x | y and not first & second


def clauses(sentence: AnswerSentence) -> list[frozenset[str]]:
    """The words of each clause."""
    return [marks for _, marks in clause_texts(sentence) if marks]


def clause_texts(sentence: AnswerSentence) -> list[tuple[str, frozenset[str]]]:
    """The clauses with their words."""
    found, start = [], 0
    known = {w.start - sentence.start: w.root for w in sentence.words}
    for name in sentence.names:
        known |= {name.start - sentence.start + n: root(p) for n, p in enumerate(name.parts)}
    ends = [m.start() for m in CLAUSE.finditer(sentence.text)] + [len(sentence.text)]
    for end in ends:
        words = frozenset(mark for at, mark in known.items() if start <= at < end)
        found.append((sentence.text[start:end], words))
        start = end
    return found


def word_differences(
    a: Answer, b: Answer, weighed: frozenset[str], alike: Alike
) -> Iterator[Difference]:
    """Words that are replaced by others that do not mean the same, as one difference."""
    left = [w for w in own_words(a, b) if w.text not in weighed]
    right = [w for w in own_words(b, a) if w.text not in weighed]
    if not left or not right:
        return
    places = (left[0].start, left[0].end), (right[0].start, right[0].end)
    weight = wording_weight(a, b, left, right, alike)
    yield Difference("words", weight, f"{left[0].text!r} became {right[0].text!r}", *places)


def wording_weight(
    a: Answer, b: Answer, left: list[AnswerWord], right: list[AnswerWord], alike: Alike
) -> float:
    """How much replaced words weigh: much in a text that is else the same, little in one that is reworded."""
    sizes = [
        max(1, len({w.root for s in spoken(x) for w in s.words}) + len(x.names)) for x in (a, b)
    ]
    least = min(len({w.root for w in left}) / sizes[0], len({w.root for w in right}) / sizes[1])
    held = any(same_fact(f, g) for f in a.facts for g in b.facts)
    held = held or any(same_name(n, m) for n in a.names for m in b.names)
    if replaced(a.text, b.text):
        return 0.6
    if agreed_facts(a, b) >= SEVERAL:
        return 0.15
    cosine = alike(a.text, b.text)
    if min(sizes) <= FEW:
        if held:
            return 0.2
        if cosine is not None and cosine > CLOSE:
            return 0.25
        return 0.65 if least >= 0.99 else 0.4
    if cosine is None:
        return 0.15 if held and least < 0.9 else max(0.0, 1.4 * (least - 0.4))
    return min(0.8, max(0.0, (0.7 - cosine) * 1.5 + 0.3 * (least - 0.5)))


def agreed_facts(a: Answer, b: Answer) -> int:
    """How many facts two answers have in common, none where one has a fact that the other has not."""
    mine = [any(same_fact(f, g) for g in b.facts) for f in a.facts]
    other = [any(same_fact(f, g) for g in a.facts) for f in b.facts]
    return len(mine) if all(mine) and all(other) else 0


def replaced(one: str, other: str) -> bool:
    """Whether two texts are word by word the same but for words of meaning that stand for each other."""
    left, right = ([root(w) for w, _, _ in tokens(t) if w[0].isalnum()] for t in (one, other))
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.quick_ratio() < VERBATIM:
        return False
    loosely = matcher.ratio() < EQUAL_BUT
    if loosely and verbatim(matcher) < VERBATIM * min(len(left), len(right)):
        return False
    words = [{root(w): w for w, _, _ in tokens(t)} for t in (one, other)]
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "replace":
            continue
        old, new = left[a:b], right[c:d]
        strange = [x for x in old if not any(said_by(x, y, words) for y in right)]
        foreign = [y for y in new if not any(said_by(x, y, words) for x in left)]
        little = [
            little_words_of(text) | (little_words() if loosely else set()) for text in (one, other)
        ]
        strange = [x for x in strange if words[0].get(x, x) not in little[0]]
        foreign = [y for y in foreign if words[1].get(y, y) not in little[1]]
        if loosely and len(strange) + len(foreign) < SEVERAL + 1:
            continue  # a word for a word, in a text that was reworded elsewhere
        if strange and foreign and max(len(old), len(new)) <= LONGEST:
            return True
    return False


def verbatim(matcher: SequenceMatcher[str]) -> int:
    """How many words stand in runs that both texts have word for word."""
    return sum(size for _, _, size in matcher.get_matching_blocks() if size >= RUN)


def said_by(one: str, other: str, words: list[dict[str, str]]) -> bool:
    """Whether two roots mean the same, as listed or in WordNet."""
    if same_meaning(one, other):
        return True
    return synonyms(words[0].get(one, one), words[1].get(other, other))


def own_words(a: Answer, b: Answer) -> list[AnswerWord]:
    """The words of an answer that the other says in no form."""
    there = frozenset(root(word) for word, _, _ in tokens(b.text))
    reached = reach_of(there)
    words = [word for sentence in spoken(a) for word in sentence.words]
    return [word for word in words if not said_among(word.root, there, reached)]
