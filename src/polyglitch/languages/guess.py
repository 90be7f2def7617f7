"""Which language some texts are in, where nobody tells: by script and by the words that a language uses most."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from polyglitch.languages.record import known_languages, languages_of_script

# Unicode's names of letters, where a script is called otherwise here.
SCRIPTS = {"CJK": "Han", "HIRAGANA": "Kana", "KATAKANA": "Kana"}
WORD = re.compile(r"[^\W\d_]+|[^\w\s]")  # marks count too: they are as frequent in any language
# Of the letters, the rarer script first: Japanese is written with Han too, and both with Latin names among them.
SHARES = {"Kana": 0.1, "Han": 0.3}
LEAST_COMMON = 0.05  # of the units must be common words of a language: a list of names has none


def guess_language(texts: Sequence[str], sample: int = 200) -> str:
    """The language of some texts by script and common words; empty if none is plain."""
    joined = " ".join(texts[:sample])
    script = main_script(joined)
    written = languages_of_script(script)
    if len(written) == 1 or script in SHARES:
        return written[0]
    counts = Counter(WORD.findall(joined.lower()))
    scores = {known.code: sum(counts[word] for word in known.common) for known in known_languages()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= LEAST_COMMON * counts.total() and scores[best] else ""


def main_script(text: str) -> str:
    """The script that a text is written in."""
    letters = letters_by_script(text)
    for script, share in SHARES.items():
        if letters[script] > share * letters.total():
            return script
    return letters.most_common(1)[0][0] if letters else ""


def letters_by_script(text: str) -> Counter[str]:
    """How many letters of each script a text has."""
    found: Counter[str] = Counter()
    for character, times in Counter(text).items():
        if character.isalpha():
            found[script_of(character)] += times
    return found


@cache
def script_of(character: str) -> str:
    """The script of a letter, by its Unicode name."""
    first = unicodedata.name(character, "?").split()[0].split("-")[0]
    return SCRIPTS.get(first, first.capitalize())
