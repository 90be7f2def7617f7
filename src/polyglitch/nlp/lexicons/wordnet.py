"""WordNet read from its dictionary files (Debian `wordnet-base`), without any library.

Only what is asked for is read: `index.POS` is sorted, so a lemma is found by bisection, and its synsets are lines of
`data.POS` at known offsets. Format: wndb(5WN); base forms: morphy(7WN).
"""

from __future__ import annotations

import mmap
import os
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from polyglitch.errors import Missing

FOLDERS = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/share/wordnet/dict")
PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
# Endings and what they become, in morphy's order.
DETACHMENTS = {
    "noun": (
        *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
        *(("men", "man"), ("ies", "y")),
    ),
    "verb": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", "")),
        *(("ing", "e"), ("ing", "")),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
ANTONYM, HYPERNYM = "!", "@"
REMEMBERED = 20_000  # lines of each file, some 10 MB
NEAR = "@~&^"  # wider, narrower, similar, see also


class Synset(NamedTuple):
    """A meaning: its words, where its pointers lead, and the number of its field (04 acts, 13 food, 18 persons)."""

    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, int, int, int], ...]  # symbol, part, offset, source, target
    field: str = ""


class WordNet:
    """The dictionary in a folder."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            (kind, part): _mapped(folder / f"{kind}.{part}")
            for kind in ("index", "data")
            for part in DETACHMENTS
        }
        self._exceptions = {part: _exceptions(folder / f"{part}.exc") for part in DETACHMENTS}
        self._irregular: dict[str, dict[str, list[str]]] = {}
        # A word is asked about under every part of speech, and its meanings lead to one another.
        self._offsets = lru_cache(REMEMBERED)(self._read_offsets)
        self._synset = lru_cache(REMEMBERED)(self._read_synset)
        self._bases = lru_cache(REMEMBERED)(self._find_bases)
        self.signature = f"wordnet:{folder}"

    def knows(self, pos: str) -> bool:
        """Whether there are words of a part of speech: NOUN, VERB, ADJ and ADV."""
        return pos in PARTS

    def bases(self, word: str, pos: str) -> list[str]:
        """The base forms that a word may have as a NOUN, VERB, ADJ or ADV and that WordNet knows."""
        return list(self._bases(word, pos))

    def _find_bases(self, word: str, pos: str) -> list[str]:
        part, form = PARTS[pos], word.lower().replace(" ", "_")
        tried = [form, *self._exceptions[part].get(form, ())]
        if form not in self._exceptions[part]:
            tried += [
                form[: -len(end)] + new for end, new in DETACHMENTS[part] if form.endswith(end)
            ]
        return [base for base in dict.fromkeys(tried) if self._offsets(base, part)]

    def irregular(self, base: str, pos: str) -> list[str]:
        """The forms of a word that no rule gives, as listed."""
        part = PARTS[pos]
        if part not in self._irregular:
            table = self._irregular.setdefault(part, {})
            for form, bases in self._exceptions[part].items():
                for one in bases:
                    table.setdefault(one, []).append(form)
        return self._irregular[part].get(base, [])

    def synsets(self, word: str, pos: str) -> list[Synset]:
        """The meanings of a word, the most frequent first."""
        if pos not in PARTS:
            return []
        part = PARTS[pos]
        return [
            self._synset(part, offset)
            for base in self.bases(word, pos)
            for offset in self._offsets(base, part)
        ]

    def synonyms(self, word: str, pos: str) -> set[str]:
        """All words that share a meaning with this one, itself left out."""
        own = {word.lower(), *(self.bases(word, pos) if pos in PARTS else ())}
        return {name for synset in self.synsets(word, pos) for name in synset.words} - own

    def related(self, word: str, pos: str, symbols: str) -> set[str]:
        """The words that pointers of these kinds lead to, such as `!` (antonyms) or `@` (hypernyms)."""
        found: set[str] = set()
        bases = set(self.bases(word, pos)) if pos in PARTS else set()
        for synset in self.synsets(word, pos):
            for symbol, part, offset, source, target in synset.pointers:
                if symbol[0] not in symbols or (source and synset.words[source - 1] not in bases):
                    continue
                words = self._synset(part, offset).words
                found |= {words[target - 1]} if target else set(words)
        return found

    def pointed(self, synset: Synset, symbols: str) -> list[Synset]:
        """The meanings that pointers of these kinds lead to, from any word of a meaning."""
        return [
            self._synset(part, offset)
            for symbol, part, offset, _, _ in synset.pointers
            if symbol[0] in symbols
        ]

    def antonyms(self, word: str, pos: str) -> set[str]:
        """Words of opposite meaning."""
        return self.related(word, pos, ANTONYM)

    def hypernyms(self, word: str, pos: str) -> set[str]:
        """Words of the next wider meaning."""
        return self.related(word, pos, HYPERNYM)

    def wider(self, synset: Synset) -> tuple[str, ...]:
        """The words of the next wider meaning of a meaning; none at the top."""
        for symbol, part, offset, _, _ in synset.pointers:
            if symbol[0] == HYPERNYM:
                return self._synset(part, offset).words
        return ()

    def neighbours(self, word: str, pos: str) -> set[str]:
        """The word, its base forms in every part of speech, and the words one step from it."""
        bases = {base for part in PARTS for base in self.bases(word, part)}
        return {word, *bases} | self.synonyms(word, pos) | self.related(word, pos, NEAR)

    def _read_offsets(self, lemma: str, part: str) -> list[int]:
        # Without its ending "s" is nothing, and nothing is found in the licence on top of the file.
        line = _find(self._files["index", part], lemma) if lemma else None
        if line is None:
            return []
        fields = line.split()
        count = int(fields[2])
        return [int(field) for field in fields[-count:]]

    def _read_synset(self, part: str, offset: int) -> Synset:
        data = self._files["data", part]
        line = data[offset : data.find(b"\n", offset)].decode("utf-8").split(" | ")[0].split()
        count = int(line[3], 16)
        words = tuple(line[4 + 2 * i].split("(")[0].lower() for i in range(count))
        place = 4 + 2 * count
        pointers = []
        for i in range(int(line[place])):
            symbol, target, letter, ends = line[place + 1 + 4 * i : place + 5 + 4 * i]
            pointers.append(
                (symbol, LETTERS[letter], int(target), int(ends[:2], 16), int(ends[2:], 16))
            )
        return Synset(words, tuple(pointers), line[1])


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _exceptions(path: Path) -> dict[str, tuple[str, ...]]:
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return {fields[0]: tuple(fields[1:]) for line in lines if len(fields := line.split()) > 1}


def _find(data: mmap.mmap, lemma: str) -> str | None:
    """The line that starts with a lemma in a sorted file, by bisection; the licence comes first."""
    key, low, high = lemma.encode("utf-8"), 0, len(data)
    while low < high:
        start = data.rfind(b"\n", 0, (low + high) // 2) + 1
        end = data.find(b"\n", start)
        line = data[start:end]
        word = b"" if line.startswith(b" ") else line.split(b" ", 1)[0]
        if word == key:
            return line.decode("utf-8")
        if word < key:
            low = end + 1
        else:
            high = start
    return None


def dictionary_folder() -> Path | None:
    """Where the dictionary is: WNSEARCHDIR, WNHOME/dict, or where packages put it."""
    named = [os.environ.get("WNSEARCHDIR"), os.environ.get("WNHOME", "") + "/dict"]
    folders = (Path(name) for name in (*named, *FOLDERS) if name)
    return next((folder for folder in folders if (folder / "index.noun").is_file()), None)


@cache
def open_wordnet() -> WordNet:
    """The installed WordNet, or what installs it."""
    folder = dictionary_folder()
    if folder is None:
        raise Missing("WordNet", "synonyms", "apt-get install wordnet-base, or set WNSEARCHDIR")
    return WordNet(folder)
