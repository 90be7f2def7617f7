"""Words that may give way to one another, as a language's `near_words.txt` has them: base forms, by part of speech."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from polyglitch.languages import language as language_of
from polyglitch.records import digest

LISTED, OF_A_KIND = "listed", "of a kind"


class NearWords:
    """What is written down for a word: words that say nearly the same, and words of its kind that do not."""

    def __init__(self, language: str) -> None:
        known = language_of(language)
        lines, times = known.lines("near_words"), known.lines("times")
        self.signature = digest([*lines, *times], 8)
        self.held = known.words("never_replaced")  # words that give way to none but listed ones
        self._listed: dict[tuple[str, str], dict[str, str]] = {}
        part = ""
        for line in lines:
            if line.startswith("["):
                part = line.strip("[]")
            elif line.startswith("~"):
                self._add_set(part, line[1:])
            else:
                first, *others = line.split()
                self._add(part, first, others, LISTED)
        for line in times:
            self._add_set("NOUN", line)

    def of(self, base: str, part: str) -> Mapping[str, str]:
        """The words for a word, each with what it is: LISTED or OF_A_KIND."""
        return self._listed.get((part, base), {})

    def say_the_same(self, base: str, part: str) -> bool:
        """Whether a word has any that says nearly the same."""
        return LISTED in self.of(base, part).values()

    def every(self) -> Iterable[tuple[str, str]]:
        """All words that stand for others, each with its part of speech."""
        return ((part, word) for (part, _), words in self._listed.items() for word in words)

    def _add_set(self, part: str, line: str) -> None:
        words = line.split()
        for word in words:
            self._add(part, word, [one for one in words if one != word], OF_A_KIND)

    def _add(self, part: str, word: str, others: Iterable[str], kind: str) -> None:
        some = self._listed.setdefault((part, word), {})
        for other in others:
            some.setdefault(other, kind)


@cache
def near_words(language: str) -> NearWords:
    """The words that are written down for a language."""
    return NearWords(language)
