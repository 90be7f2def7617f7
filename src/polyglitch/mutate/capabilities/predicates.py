"""Whether a sentence fits a condition. What costs least is looked at first."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from polyglitch.languages import DEFAULT
from polyglitch.mutate.capabilities.spec import LENGTH, Condition, listed
from polyglitch.nlp.lexicons.terms import CLASSES, SentimentLexicon, open_lexicon, terms
from polyglitch.protocols import Parse

SIDES = ("positive", "negative", "neutral")
CLEAR = {"praise": "positive", "blame": "negative"}  # by the bundled words alone
SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "expl", "csubj")
FINITE = (
    "VBD",
    "VBP",
    "VBZ",
    "MD",
    "VERB",
    "AUX",
)  # universal tags do not tell finite verbs from others
SEVERAL = re.compile(r"[.!?…][\"'”)]*\s+\S|[a-z][.!?][A-Z]|[*>~]|\.\.")
MARKS = frozenset(".!?…\"'”’")


class NotParsed(Exception):
    """A condition asked for the parse of a sentence that has none yet."""


def not_parsed() -> Parse:
    """Stands in for the parse until it is known that one is needed."""
    raise NotParsed


@dataclass(frozen=True)
class CorpusSentence:
    """A sentence of a labelled corpus; parsed when a condition first asks."""

    text: str
    label: str | None
    lexicon: SentimentLexicon
    parsed: Callable[[], Parse]
    language: str = DEFAULT
    data: dict[str, Any] = field(default_factory=dict)

    def words(self) -> int:
        """How many tokens, the final mark left out."""
        tokens = self.parsed().tokens
        return len(tokens) - (1 if tokens and set(tokens[-1].text) <= MARKS else 0)

    def clause(self) -> bool:
        """Whether it can stand after `that`: its main verb is finite and has a subject before it."""
        tokens = self.parsed().tokens
        root = next((i for i, token in enumerate(tokens) if token.head == i), None)
        if (
            root is None
            or tokens[0].tag in ("WP", "WRB", "WDT", "UH")
            or self.text.rstrip("\"' ").endswith("?")
            or SEVERAL.search(self.text)
        ):
            return False
        below = [token for token in tokens if token.head == root]
        subject = any(t.relation in SUBJECTS and t.start < tokens[root].start for t in below)
        # A subject before any verb keeps out inversions; a fragment has a verb without a subject.
        return subject and any(t.tag in FINITE for t in (tokens[root], *below))

    def has(self, name: str) -> bool:
        """Whether a word is of a list: by sentiment and class, or by the name of a word list."""
        side, _, kind = name.partition(" ")
        if name in CLEAR:
            lexicon = open_lexicon(self.language, ("bundled",))
            side = CLEAR[name]
            return any(
                lexicon.polarity(token.text, token.lemma) == side for token in self.parsed().tokens
            )
        if side not in SIDES:
            return bool(pattern(terms(name, self.language)).search(self.text))
        return any(
            (kind == "word" or CLASSES.get(token.pos) == kind)
            and self.lexicon.polarity(token.text, token.lemma) == side
            for token in self.parsed().tokens
            if token.pos in CLASSES
        )


def fits(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether all keys of a condition hold."""
    return (
        (not condition.label or sentence.label in listed(condition.label))
        and _fields_fit(sentence, condition)
        and _text_fits(sentence.text, condition)
        and _terms_fit(sentence, condition)
        and (condition.words is None or _length_fits(sentence.words(), condition.words))
        and (condition.clause is None or sentence.clause() == condition.clause)
        and (not condition.has or any(map(sentence.has, listed(condition.has))))
        and not any(map(sentence.has, listed(condition.lacks)))
        and (not condition.any or any(fits(sentence, each) for each in condition.any))
        and all(fits(sentence, each) for each in condition.all)
        and not any(fits(sentence, each) for each in condition.none)
    )


def may_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether a sentence that was not parsed fits, or might once it is."""
    try:
        return fits(sentence, condition)
    except NotParsed:
        return True


def _fields_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    for name, wanted in condition.field.items():
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        if str(sentence.data.get(name)) not in map(str, values):
            return False
    return True


def _text_fits(text: str, condition: Condition) -> bool:
    lower = text.lower()
    starts = tuple(each.lower() for each in listed(condition.starts))
    ends = tuple(each.lower() for each in listed(condition.ends))
    return (
        (not starts or lower.startswith(starts))
        and (not ends or lower.endswith(ends))
        and (not condition.contains or bool(pattern(listed(condition.contains)).search(text)))
    )


def _terms_fit(sentence: CorpusSentence, condition: Condition) -> bool:
    """Whether word lists fit, as far as the text alone tells: asked before anything is parsed."""
    has = listed(condition.has)
    if has and all(map(_by_text, has)) and not any(map(sentence.has, has)):
        return False
    return not any(sentence.has(name) for name in listed(condition.lacks) if _by_text(name))


def _by_text(name: str) -> bool:
    return name.partition(" ")[0] not in SIDES and name not in CLEAR


def _length_fits(length: int, wanted: str) -> bool:
    match = LENGTH.match(wanted)
    assert match is not None  # noqa: S101 - checked when the file was read
    if match[3]:
        return int(match[3]) <= length <= int(match[4])
    bound = int(match[2])
    compare: dict[str, bool] = {
        "<": length < bound,
        "<=": length <= bound,
        ">": length > bound,
        ">=": length >= bound,
    }
    return compare[match[1]]


@cache
def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Any of some words, phrases or marks, whole words, whatever their case."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_bounded, longest_first)), re.IGNORECASE)


def _bounded(word: str) -> str:
    inner = re.escape(word).replace(r"\ ", r"\s+")
    before = r"(?<!\w)" if word[0].isalnum() and word != "n't" else ""
    return before + inner + (r"(?!\w)" if word[-1].isalnum() else "")
