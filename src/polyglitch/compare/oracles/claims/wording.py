"""Words of meaning that only one answer has: a change where the rest is the same, else a paraphrase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from polyglitch.compare.oracles.claims.difference import Difference, synonyms
from polyglitch.compare.oracles.claims.statements import spoken
from polyglitch.represent.claims.answer import Answer, same_name
from polyglitch.represent.claims.facts import same_fact
from polyglitch.represent.claims.other_languages import little_words_of
from polyglitch.represent.claims.words import (
    AnswerWord,
    little_words,
    reach_of,
    root,
    said_among,
    same_meaning,
    tokens,
)

FEW = 3  # words of meaning of an answer that is a label or a phrase
SEVERAL = 2  # facts in common that let the words around them be others
EQUAL_BUT = 0.78  # answers so alike word by word are the same text with words replaced
LONGEST = 12  # words of a part that was replaced
VERBATIM = 0.55  # share of words in such runs from which a text was kept but for a part
RUN = 3  # words of a run
CLOSE = 0.6  # cosine from which two short answers mean the same
Alike = Callable[[str, str], float | None]  # cosine of two texts, where there are vectors


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
