"""The forms of BLEU that published oracles use; sacreBLEU's own is in `metrics`.

All give 0..1, the higher of both directions, so that it does not matter which text came first. They
differ in how a text is cut, and in what they do when no n-gram of an order matches.

TF-IDF cosine between lists of units, the document frequencies fitted on given texts.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import unescape

from polyglitch.files.lazy_numpy import has_numpy, np

ORDERS = (1, 2, 3, 4)
ROUNDING = 1e-12  # a cosine this near to one is one
# The Western rules of NIST's mteval: a blank around most punctuation, and around a full stop, comma
# or hyphen unless it stands between digits.
MTEVAL_RULES = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


class Grams(NamedTuple):
    """A text as counts of its n-grams, made once and compared many times."""

    length: int
    counts: tuple[Counter[tuple[str, ...]], ...]


def grams(units: Sequence[str]) -> Grams:
    """Count the n-grams of each order."""
    return Grams(
        len(units),
        tuple(Counter(zip(*(units[i:] for i in range(n)), strict=False)) for n in ORDERS),
    )


def matched(a: Grams, b: Grams) -> list[int]:
    """How many n-grams of each order both texts share: the same in both directions."""
    return [
        sum(min(x[gram], y[gram]) for gram in x.keys() & y.keys())
        for x, y in zip(a.counts, b.counts, strict=True)
    ]


def smoothed_bleu(a: Grams, b: Grams) -> float:
    """BLEU where the k-th order without a match counts 1/2^k; impossible orders are left out."""
    if not a.length or not b.length:
        return float(a.length == b.length)
    shared = matched(a, b)
    return max(one_way(shared, a.length, b.length), one_way(shared, b.length, a.length))


def one_way(shared: Sequence[int], length: int, reference: int) -> float:
    """Smoothed BLEU of a text against a reference."""
    total, unmatched = 0.0, 0
    for order, count in zip(ORDERS, shared, strict=True):
        possible = length - order + 1
        if possible <= 0:
            continue
        if count == 0:
            unmatched += 1
        total += math.log((count or 2.0**-unmatched) / possible)
    return math.exp(total / len(ORDERS) + min(0.0, 1 - reference / length))


def mteval(units: Sequence[str]) -> list[str]:
    """Join units by blanks and cut them again by mteval's rules, as the published oracle does."""
    text = unescape(" ".join(units), {"&quot;": '"'})
    text = f" {text} "
    for rule, replacement in MTEVAL_RULES:
        text = rule.sub(replacement, text)
    return text.split()


def single_precision(number: float) -> float:
    """The nearest number of four bytes: published BLEU scores went through one."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def character_bleu(a: str, b: str) -> float:
    """BLEU on characters as SemMT has it: unsmoothed, so an order without a match gives all but 0.

    NLTK, which SemMT calls, puts the smallest float for such an order; texts without a common
    character give 0. Equal texts give 1 here even if they are shorter than four characters.
    """
    if a == b:
        return 1.0
    if not a or not b:
        return 0.0
    shared = matched(grams(a), grams(b))
    if shared[0] == 0:
        return 0.0
    return max(unsmoothed(shared, len(a), len(b)), unsmoothed(shared, len(b), len(a)))


def unsmoothed(shared: Sequence[int], length: int, reference: int) -> float:
    """Unsmoothed BLEU of a text against a reference."""
    precisions = (
        count / max(1, length - order + 1) or sys.float_info.min
        for order, count in zip(ORDERS, shared, strict=True)
    )
    total = sum(math.log(precision) for precision in precisions)
    return math.exp(total / len(ORDERS) + min(0.0, 1 - reference / length))


class Frequencies:
    """How many texts hold each unit.

    Smoothed as if one more text held every unit: idf = ln((1 + texts) / (1 + texts with it)) + 1.
    So a unit that all texts hold still counts, and a single pair is enough to fit on.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        counts: Counter[str] = Counter()
        self.texts = 0
        for text in texts:
            self.texts += 1
            counts.update(set(text))
        self.idf = {unit: math.log((1 + self.texts) / (1 + n)) + 1 for unit, n in counts.items()}
        self.unseen = math.log(1 + self.texts) + 1

    def vector(self, units: Sequence[str]) -> dict[str, float]:
        """The weights of a text's units, scaled to length one; nothing for an empty text."""
        idf, unseen = self.idf, self.unseen
        weights = {unit: n * idf.get(unit, unseen) for unit, n in Counter(units).items()}
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values()))
        return {unit: weight / norm for unit, weight in weights.items()}


def cosine(a: dict[str, float], b: dict[str, float]) -> float:
    """The cosine of two unit vectors: exactly 1 for equal ones, 0 if only one is empty."""
    if a == b:
        return 1.0
    if len(a) > len(b):
        a, b = b, a
    return min(1.0, math.fsum(weight * b[unit] for unit, weight in a.items() if unit in b))


def unit_cosines(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
    """TF-IDF cosines of pairs of texts cut into units, the frequencies fitted on all of them: `cosine`, in arrays."""
    texts = [text for pair in pairs for text in pair]
    if not pairs or not has_numpy():
        known = Frequencies(texts)
        return [cosine(known.vector(a), known.vector(b)) for a, b in pairs]
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(unit, len(numbers)) for text in texts for unit in text]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    size = max(1, len(numbers))
    owner = np.repeat(np.arange(len(texts)), lengths)
    places, counts = np.unique(owner * size + np.array(flat, np.int64), return_counts=True)
    owner, unit = places // size, places % size
    held = np.bincount(unit, minlength=size)
    weights = counts * (np.log((1 + len(texts)) / (1 + held)) + 1)[unit]
    norms = np.sqrt(np.bincount(owner, weights * weights, len(texts)))
    pair = (owner // 2) * size + unit  # the same for both texts of a pair
    first = owner % 2 == 0
    at, in_first, in_second = np.intersect1d(
        pair[first], pair[~first], assume_unique=True, return_indices=True
    )
    product = weights[first][in_first] * weights[~first][in_second]
    dots = np.bincount(at // size, product, len(pairs))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.minimum(1.0, dots / (norms[0::2] * norms[1::2]))
    empty = np.where(norms[0::2] == norms[1::2], 1.0, 0.0)  # of two empty texts, and of one
    found = np.where(np.isnan(found), empty, np.where(found > 1 - ROUNDING, 1.0, found))
    return [float(value) for value in found]
