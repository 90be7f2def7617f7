"""A BERT encoder read from its folder with numpy alone, and WordPiece as its uncased models use it: a text as pieces of
a vocabulary, each with the characters it covers.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.llama import TextToken
from polyglitch.nlp.models.model_files import read_tensors
from polyglitch.protocols import Floats

LONGEST_WORD = 100  # letters; a longer one is unknown as a whole, as in BERT
REMEMBERED = 50_000  # words, some 15 MB
# Blocks of Chinese characters, each of which is a word of its own.
CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


class WordPieces:
    """The pieces of texts, lower-case and without accents, between the two marks that BERT expects."""

    def __init__(self, vocabulary: Sequence[str], longest: int) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = longest
        self._parts = lru_cache(REMEMBERED)(self._split)

    def encode(self, text: str) -> list[TextToken]:
        """At most `longest` pieces with the marks."""
        found = [TextToken(self._number["[CLS]"], 0, 0)]
        for letters, places in words(text):
            at = 0
            for number, size in self._parts(letters):
                found.append(TextToken(number, places[at], places[at + size - 1] + 1))
                at += size
        return [*found[: self._longest - 1], TextToken(self._number["[SEP]"], 0, 0)]

    def _split(self, word: str) -> list[tuple[int, int]]:
        """The longest pieces from left to right, with their lengths."""
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(word) <= LONGEST_WORD:
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self._number:
                    found.append((self._number[piece], end - start))
                    start = end
                    break
            else:
                break
        return found if start == len(word) else [(self._number["[UNK]"], len(word))]


def words(text: str) -> Iterator[tuple[str, list[int]]]:
    """Words and single marks as the vocabulary writes them, with where each of their letters stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        written = "".join(plain(letter))
        alone = bool(written) and is_alone(written[0])
        if letters and (alone or (not written and is_blank(letter))):
            yield "".join(letters), places
            letters, places = [], []
        if alone:
            for one in written:
                yield one, [place]
            continue
        letters += written
        places += [place] * len(written)
    if letters:
        yield "".join(letters), places


def plain(letter: str) -> Iterator[str]:
    """A character in lower case without accents; nothing for blanks, accents and control characters."""
    if is_blank(letter) or letter in "\0\ufffd" or unicodedata.category(letter)[0] == "C":
        return
    for one in unicodedata.normalize("NFD", letter):
        if unicodedata.category(one) != "Mn":
            yield from one.lower()


def is_blank(letter: str) -> bool:
    """Whether words end here."""
    return letter in " \t\n\r" or letter.isspace()


def is_alone(letter: str) -> bool:
    """Whether a character is a word of its own: marks and Chinese characters."""
    code = ord(letter)
    if code < 128:
        return not letter.isalnum() and 32 < code < 127
    chinese = any(first <= code <= last for first, last in CHINESE)
    return chinese or unicodedata.category(letter)[0] == "P"


LONGEST = 256  # word pieces: what MiniLM was trained on
GELU_AT_ONCE = 256  # rows that stay in the processor's cache


class States(NamedTuple):
    """The pieces of some texts: a vector for each, where it stands in its text, and whether it is one."""

    vectors: Floats  # text x piece x width
    spans: Any  # text x piece x (start, end)
    mask: Any  # text x piece


class Bert:
    """Token vectors of BERT's last layer."""

    def __init__(self, folder: Path) -> None:
        settings = json.loads((folder / "config.json").read_text("utf-8"))
        self.width: int = settings["hidden_size"]
        self._layers: int = settings["num_hidden_layers"]
        self._heads: int = settings["num_attention_heads"]
        self._epsilon: float = settings["layer_norm_eps"]
        self._weights, _ = read_tensors(folder / "model.safetensors")
        self._pieces = WordPieces((folder / "vocab.txt").read_text("utf-8").splitlines(), LONGEST)

    def states(self, texts: Sequence[str]) -> States:
        """The texts in one batch, padded to the longest."""
        coded = [self._pieces.encode(text) for text in texts]
        longest = max(map(len, coded), default=0)
        ids = np.zeros((len(coded), longest), np.int64)
        spans = np.zeros((len(coded), longest, 2), np.int64)
        mask = np.zeros((len(coded), longest), bool)
        for row, pieces in enumerate(coded):
            ids[row, : len(pieces)] = [piece.number for piece in pieces]
            spans[row, : len(pieces)] = [(piece.start, piece.end) for piece in pieces]
            mask[row, : len(pieces)] = True
        return States(self._forward(ids, mask), spans, mask)

    def _forward(self, ids: Any, mask: Any) -> Floats:
        table = self._weights
        x = table["embeddings.word_embeddings.weight"][ids]
        x += table["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x += table["embeddings.token_type_embeddings.weight"][0]
        # One matrix of all pieces: a product a text would be many small ones.
        x = self._normal(x.reshape(-1, self.width), "embeddings")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            seen = self._attend(x, mask, f"{name}.attention.self")
            x += self._dense(seen, f"{name}.attention.output.dense")
            x = self._normal(x, f"{name}.attention.output")
            wide = gelu(self._dense(x, f"{name}.intermediate.dense"))
            x += self._dense(wide, f"{name}.output.dense")
            x = self._normal(x, f"{name}.output")
        return x.reshape(*ids.shape, self.width)

    def _attend(self, x: Floats, mask: Any, name: str) -> Floats:
        query, key, value = (
            self._dense(x, f"{name}.{part}").reshape(*mask.shape, self._heads, -1)
            for part in ("query", "key", "value")
        )
        query *= np.float32(query.shape[-1] ** -0.5)
        scores: Floats = query.transpose(0, 2, 1, 3) @ key.transpose(0, 2, 3, 1)
        scores += np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        seen = scores @ value.transpose(0, 2, 1, 3)
        return seen.transpose(0, 2, 1, 3).reshape(len(x), -1)

    def _dense(self, x: Floats, name: str) -> Floats:
        found: Floats = x @ self._weights[f"{name}.weight"].T
        found += self._weights[f"{name}.bias"]
        return found

    def _normal(self, x: Floats, name: str) -> Floats:
        name = f"{name}.LayerNorm"
        x -= x.mean(1, keepdims=True)
        squares = np.einsum("ij,ij->i", x, x) / self.width
        x *= (1 / np.sqrt(squares + self._epsilon))[:, None]
        x *= self._weights[f"{name}.weight"]
        x += self._weights[f"{name}.bias"]
        return x


def gelu(x: Floats) -> Floats:
    """Each number times the share of a normal distribution below it, in place."""
    for start in range(0, len(x), GELU_AT_ONCE):
        block = x[start : start + GELU_AT_ONCE]
        block *= normal_share(block)
    return x


def normal_share(x: Floats) -> Floats:
    """The normal distribution function by Abramowitz and Stegun 26.2.17, right to 7.5e-8; numpy has none."""
    size = np.abs(x)
    t = 1 / (1 + np.float32(0.2316419) * size)
    series = np.full_like(t, 1.330274429)
    for factor in (-1.821255978, 1.781477937, -0.356563782, 0.319381530):
        series *= t
        series += np.float32(factor)
    series *= t * np.float32(0.3989422804) * np.exp(np.float32(-0.5) * size * size)
    found: Floats = np.where(x < 0, series, 1 - series)
    return found
