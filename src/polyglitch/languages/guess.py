"""Which language some texts are in, where nobody tells: by script and by the words that a language uses most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from polyglitch.languages.record import known_languages

HAN_SCRIPT = "Han"
HAN = re.compile(
    r"[\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
WORD = re.compile(r"[^\W\d_]+|[^\w\s]")  # marks count too: they are as frequent in any language
SHARE_OF_HAN = 0.3  # of the letters: Japanese has fewer, a Chinese text with Latin names more
LEAST_COMMON = 0.05  # of the units must be common words of a language: a list of names has none


def guess_language(texts: Sequence[str], sample: int = 200) -> str:
    """The language of some texts by script and common words; empty if none is plain."""
    joined = " ".join(texts[:sample])
    letters = sum(character.isalpha() for character in joined)
    if letters and len(HAN.findall(joined)) > SHARE_OF_HAN * letters:
        return next(known.code for known in known_languages() if known.script == HAN_SCRIPT)
    counts = Counter(WORD.findall(joined.lower()))
    scores = {known.code: sum(counts[word] for word in known.common) for known in known_languages()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= LEAST_COMMON * counts.total() and scores[best] else ""
