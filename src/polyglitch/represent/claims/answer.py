"""One answer read: yes or no, a refusal, "not known", cut off; its sentences with facts, names and words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

from rapidfuzz.distance import Levenshtein

from polyglitch.languages import DEFAULT
from polyglitch.languages import language as language_of
from polyglitch.represent.claims.answer_text import polarity
from polyglitch.represent.claims.facts import Fact, facts
from polyglitch.represent.claims.other_languages import spoken_language
from polyglitch.represent.claims.structure import broken_json, list_items
from polyglitch.represent.claims.words import (
    AnswerWord,
    agreeing,
    content_words,
    lists,
    little_words,
    patterns,
    phrase_pattern,
    tokens,
)
from polyglitch.systems.answers import answer_lists, bare_answer

Stance = Literal["refusal", "unknown", "yes", "no", ""]
BREAK = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“(\[]?[A-Z0-9])|\n+")
NAME = re.compile(r"[A-Z][\w'’&.-]*\w|[A-Z]\b")
MARKER = re.compile(r"^[ \t]*(?:\(?\d{1,2}[.)]|[-*•–])(?=[ \t]+\S)", re.MULTILINE)
JOINING = ("of", "de", "van", "von", "da", "del", "al", "&", "la")
SHORT = 40  # characters of an answer too short to be cut off in the middle


class Name(NamedTuple):
    """A name: its parts in small letters without titles, and where it stands."""

    parts: tuple[str, ...]
    start: int
    end: int
    text: str


class AnswerSentence(NamedTuple):
    """A statement of an answer; places count from the start of the answer."""

    text: str
    start: int
    facts: tuple[Fact, ...]
    names: tuple[Name, ...]
    words: tuple[AnswerWord, ...]
    negated: int  # how many words deny
    hedged: bool
    courtesy: bool

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Answer:
    """What an answer says, in a form that can be compared."""

    text: str
    stance: Stance
    language: str
    cut_off: bool
    sentences: tuple[AnswerSentence, ...]

    @cached_property  # the same for every fact of the other answer
    def facts(self) -> list[Fact]:
        """All facts in their order."""
        return [fact for sentence in self.sentences for fact in sentence.facts]

    @cached_property
    def names(self) -> list[Name]:
        """All names in their order."""
        return [name for sentence in self.sentences for name in sentence.names]

    @cached_property
    def words(self) -> list[AnswerWord]:
        """All words of meaning in their order."""
        return [word for sentence in self.sentences for word in sentence.words]


@lru_cache(maxsize=4096)
def read_answer(text: str, capitals: frozenset[str] = frozenset()) -> Answer:
    """Read an answer; `capitals` are words known to be names, which may then begin a sentence."""
    known = capitals | inner_capitals(text)
    plain = MARKER.sub(lambda found: " " * len(found[0]), text)  # "1." before an item is no number
    made = tuple(_sentence(part, start, known) for part, start in split(plain) if part.strip())
    return Answer(text, stance(text), spoken_language(text), is_cut_off(text), made)


def stance(text: str) -> Stance:
    """Whether an answer declines, says that the fact is not known, or is a yes or a no."""
    low = written_out(text)
    if bare_answer(text) in lists()["nothing"]:
        return "unknown"
    if any(p.search(low[:400]) for p in patterns("refusal")):
        return "refusal"
    return "unknown" if says_unknown(text) else polarity(text) or agreed(text)


def agreed(text: str) -> Stance:
    """Whether an answer starts with the yes or no of another language than the default."""
    first = re.match(r"\W*(\w+)(?=[,.!;:]|\s*$)", text.lower())
    if first and first[1] in agreeing("yes"):
        return "yes"
    return "no" if first and first[1] in agreeing("no") else ""


def says_unknown(text: str) -> bool:
    """Whether the first statement of an answer, or the whole of a short one, says that something is not known."""
    spoken = [part for part, _ in split(text) if not is_courtesy(part) or says_so(part)]
    head = " ".join(spoken[:2])
    return says_so(head) and len(spoken) <= 4


def says_so(sentence: str) -> bool:
    """Whether a sentence says that something is not known or not said."""
    low = written_out(sentence)
    return any(p.search(low) for p in patterns("unknown"))


def written_out(text: str) -> str:
    """A text in small letters with its short negations written out."""
    low = text.lower().replace("’", "'").replace("can't", "cannot").replace("won't", "will not")
    return low.replace("n't", " not")


def split(text: str) -> list[tuple[str, int]]:
    """The sentences and lines of a text with their places."""
    known = language_of(DEFAULT).words("abbreviations")
    found, start = [], 0
    for mark in BREAK.finditer(text):
        before = text[start : mark.start()].rstrip(".").rsplit(None, 1)[-1:]
        if "\n" not in mark[0] and before and before[0].lower() in known:
            continue
        found.append((text[start : mark.start()], start))
        start = mark.end()
    found.append((text[start:], start))
    return [(part, place) for part, place in found if part.strip()]


def _sentence(part: str, start: int, known: frozenset[str]) -> AnswerSentence:
    low = part.lower().replace("’", "'")
    here = facts(part)
    covered = {place for fact in here for place in range(fact.start, fact.end)}
    names = names_of(part, known, frozenset(covered))
    covered |= {place for name in names for place in range(name.start, name.end)}
    return AnswerSentence(
        part,
        start,
        tuple(fact._replace(start=fact.start + start, end=fact.end + start) for fact in here),
        tuple(name._replace(start=name.start + start, end=name.end + start) for name in names),
        tuple(
            word._replace(start=word.start + start, end=word.end + start)
            for word in content_words(part, frozenset(covered))
        ),
        denial(part),
        any(word in lists()["hedges"] for word, _, _ in tokens(low)),
        is_courtesy(part),
    )


def denial(text: str) -> int:
    """How many words of a text deny what it says."""
    plain = phrase_pattern("no_denial").sub(" ", text.lower().replace("’", "'"))
    return sum(word in lists()["denies"] for word, _, _ in tokens(plain))


def half_denies(text: str) -> bool:
    """Whether a word denies by what it means or how it begins: "unfinished", "unlike", "impossible"."""
    known = language_of(DEFAULT).negation
    begun = tuple(
        w for w in known.weak if w.startswith(("un", "in", "im", "ir", "il", "dis", "non"))
    )
    words = {word for word, _, _ in tokens(text)}
    without = any(word.endswith("less") and len(word) > 6 for word in words)  # "flightless"
    return without or bool(words & {*begun, *known.implied, *lists()["ending"]})


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only greets, thanks, or announces what follows."""
    low = sentence.lower().replace("’", "'").strip(" *_#>")
    if not low.startswith(tuple(lists()["courtesy"])):
        return False
    return low.endswith((":", "!")) or (len(low.split()) <= 12 and not facts(sentence))


def inner_capitals(text: str) -> frozenset[str]:
    """The words with a capital inside sentences: names, wherever else they stand."""
    found: set[str] = set()
    if is_shouted(text):
        return frozenset()
    for part, _ in split(text):
        first = re.search(r"\w", part)
        if is_title(part):
            continue
        for match in NAME.finditer(part):
            opening = first is not None and match.start() == first.start()
            quoted = part[: match.start()].rstrip(" ")[-1:] in (":", '"', "“", "-", "*", "|")
            if not opening and not quoted and not is_little(match[0]):
                found.add(match[0].removesuffix("'s").lower())
    return frozenset(found)


def is_little(word: str) -> bool:
    """Whether a word with a capital says too little to be a name; the D of vitamin D says enough."""
    if len(word) == 1 and word not in ("A", "I"):
        return False
    return word.removesuffix("'s").removesuffix("’s").lower() in little_words()


def is_title(part: str) -> bool:
    """Whether every word of meaning has a capital, as in a headline, where it tells nothing."""
    words = re.findall(r"[^\W\d_]{3,}", part)
    telling = [word for word in words if word.lower() not in little_words()]
    return len(telling) > 3 and all(word[0].isupper() for word in telling)


def is_shouted(text: str) -> bool:
    """Whether a text is in capitals throughout, where they tell nothing."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) > 8 and sum(c.isupper() for c in letters) > 0.6 * len(letters)


def names_of(part: str, known: frozenset[str], covered: frozenset[int]) -> list[Name]:
    """The names of a sentence: words with a capital that are known to be names, joined where they follow each other."""
    if is_shouted(part):
        return []
    runs: list[list[re.Match[str]]] = []
    found = list(NAME.finditer(part))
    for place, match in enumerate(found):
        word = match[0].removesuffix("'s").removesuffix("’s").lower()
        if match.start() in covered or is_little(match[0]):
            continue
        if word not in known and not leads_a_name(found, place, part, known):
            continue
        between = part[runs[-1][-1].end() : match.start()] if runs else "x"
        joined = between.strip() in ("", ".", *JOINING) and "\n" not in between
        if runs and joined and not runs[-1][-1][0].endswith(("'s", "’s")):
            runs[-1].append(match)
        else:
            runs.append([match])
    return [name for run in runs if (name := _name(part, run)).parts]


def leads_a_name(found: list[re.Match[str]], place: int, part: str, known: frozenset[str]) -> bool:
    """Whether an unknown word with a capital begins a name: a first name, or after a comma before a known one."""
    if place + 1 >= len(found) or found[place + 1].start() - found[place].end() != 1:
        return False
    if found[place][0].lower() in first_names():
        return True
    if found[place + 1][0].lower() not in known:
        return False
    opening = not re.search(r"\w", part[: found[place].start()])
    word = found[place][0].lower()
    if opening and not word.endswith("ly") and word not in lists()["openers"]:
        return not is_courtesy(f"{word}.")
    return part[: found[place].start()].endswith(", ")


@cache
def first_names() -> frozenset[str]:
    """First names in small letters: at the start of a sentence nothing else tells them from other words."""
    table = language_of(DEFAULT).table("llm.toml", "reading names")["names"]
    return frozenset(name.lower() for names in table.values() for name in names)


def _name(part: str, run: list[re.Match[str]]) -> Name:
    titles = language_of(DEFAULT).titles
    words = [re.sub(r"['’]s$", "", match[0]).lower().strip(".") for match in run]
    kept = tuple(word for word in words if word not in titles) or tuple(words)
    start, end = run[0].start(), run[-1].end()
    return Name(kept, start, end, part[start:end])


def same_name(one: Name, other: Name) -> bool:
    """Whether two names may be of the same: parts of one, initials, or another way to write it."""
    a, b = set(one.parts), set(other.parts)
    if a <= b or b <= a:
        return True
    if one.parts[-1] == other.parts[-1] and len(a ^ b) <= 2:
        return all(written_alike(x, y) for x in a - b for y in b - a)
    for short, long in ((one, other), (other, one)):
        letters = "".join(part[0] for part in long.parts if part not in JOINING)
        if len(long.parts) > 1 and short.parts[0].replace(".", "") == letters:
            return True
    return _alias(" ".join(one.parts)) == _alias(" ".join(other.parts))


def written_alike(one: str, other: str) -> bool:
    """Whether two first names may be of one person: an initial, a short form, one letter spelt otherwise."""
    short, long = sorted((one.strip("."), other.strip(".")), key=len)
    if len(short) != 2 and long.startswith(short):
        return True
    return min(len(short), len(long)) > 3 and Levenshtein.distance(short, long) == 1


def names_conflict(one: Name, other: Name) -> bool:
    """Whether two names share a part and are of two: Jonas Berg and Jonas Lund, vitamin K and vitamin D."""
    shared = set(one.parts) & set(other.parts)
    return len(one.parts) > 1 < len(other.parts) and bool(shared) and not same_name(one, other)


@lru_cache(maxsize=4096)
def _alias(name: str) -> str:
    rows: Iterable[list[str]] = answer_lists()["aliases"]
    return next((row[0] for row in rows if name in row), name)


def is_cut_off(text: str) -> bool:
    """Whether an answer stops in the middle: of a sentence, of JSON, of a block of code."""
    bare = text.rstrip()
    if bare.count("```") % 2 or broken_json(bare):
        return True
    if len(bare) < SHORT or (not bare[-1].isalnum() and bare[-1] not in ",;-("):
        return False
    last = bare.rsplit(None, 1)[-1].lower()
    if list_items(bare) or bare[-1] in ",;(":
        return bare[-1] in ",;(" or last in little_words()
    ended = any(part.rstrip()[-1:] in ".!?" for part, _ in split(bare)[:-1])
    named = re.search(r":\s*\S+\Z", bare[-SHORT:])  # "The answer is: 1931" is whole
    return last in little_words() or (ended and not named)
