"""Makes `languages/en/ngrams.tsv.gz`: beside which words the neutral words of English stand, as counts.

    python -m recipes.ngrams TEXTS_FOLDER

TEXTS_FOLDER holds the corpora `brown.zip`, `masc_tagged.zip`, `abc.zip`, `state_union.zip`, `inaugural.zip`,
`webtext.zip` and `movie_reviews.zip` as NLTK distributes them. Tags are MASC's; neighbours are counted over all of
them. Only counts leave this script, none of the text.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from polyglitch.nlp.lexicons.terms import open_lexicon

OUT = Path(__file__).parents[1] / "src/polyglitch/languages/en/ngrams.tsv.gz"
TAGS = ("JJ", "RB", "NN", "NNS")
WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?|[.,;:!?()\"]")
SEEN, SHARE, TOGETHER, NEIGHBOURS = 12, 0.85, 2, 400


def texts(folder: Path, name: str) -> Iterator[str]:
    """The text files of an archive."""
    with zipfile.ZipFile(folder / name) as archive:
        for member in archive.namelist():
            if not member.endswith(("/", "README", "cats.txt", "categories.txt")):
                yield archive.read(member).decode("utf-8", "replace")


def vocabulary(folder: Path) -> dict[str, str]:
    """Neutral words that nearly always have one of the tags."""
    tags: dict[str, Counter[str]] = {}
    for text in texts(folder, "masc_tagged.zip"):
        for token in text.split():
            word, _, tag = token.rpartition("_")
            if word.isalpha() and word.islower() and len(word) > 2:
                tags.setdefault(word, Counter())[tag] += 1
    lexicon = open_lexicon("en")
    found = {}
    for word, counts in tags.items():
        (tag, count), total = counts.most_common(1)[0], counts.total()
        wanted = tag in TAGS and total >= SEEN and count / total >= SHARE
        if wanted and lexicon.polarity(word) in ("neutral", "unknown"):
            found[word] = tag
    return found


def tokens(folder: Path) -> Iterator[str]:
    """All words of the plain corpora, lower case, punctuation as words."""
    for name in ("abc", "state_union", "inaugural", "webtext", "movie_reviews"):
        for text in texts(folder, f"{name}.zip"):
            yield from (match[0].lower() for match in WORD.finditer(text))
    for name, mark in (("brown.zip", "/"), ("masc_tagged.zip", "_")):
        for text in texts(folder, name):
            yield from (token.rpartition(mark)[0].lower() for token in text.split())


def main(folder: Path) -> None:
    """Count and write."""
    words = vocabulary(folder)
    left: dict[str, Counter[str]] = {word: Counter() for word in words}
    right: dict[str, Counter[str]] = {word: Counter() for word in words}
    before = "."
    for token in tokens(folder):
        if token in left:
            left[token][before] += 1
        if before in right:
            right[before][token] += 1
        before = token
    out = io.StringIO()
    for word in sorted(words):
        sides = [
            " ".join(
                f"{other}={count}"
                for other, count in sorted(
                    side.most_common(NEIGHBOURS), key=lambda c: (-c[1], c[0])
                )
                if count >= TOGETHER and "=" not in other and other
            )
            for side in (left[word], right[word])
        ]
        out.write(f"{words[word]}\t{word}\t{left[word].total()}\t{sides[0]}\t{sides[1]}\n")
    OUT.write_bytes(gzip.compress(out.getvalue().encode(), 9, mtime=0))
    print(len(words), "words,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
