"""The metrics that `measure --metric` knows: each registered attribute is a `Metric` object.

In a pair (a, b), a is the reference where a metric has one. Equal texts always get the best value,
also empty ones. Similarities that are not sacreBLEU's run from 0 to 1; sacreBLEU's keep their
customary 0 to 100.

SemMT's baselines that need a model: dependency relations and sentence vectors, both for English.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from math import inf
from typing import Any, Literal

from rapidfuzz.distance import LCSseq, Levenshtein

from polyglitch import __version__, registry
from polyglitch.compare.metrics import bleu as forms
from polyglitch.compare.metrics.bleu import unit_cosines
from polyglitch.compare.metrics.units import cut_characters, han, unit_codes, units, unparted
from polyglitch.compare.oracles.two_outputs import count_distance
from polyglitch.errors import Missing
from polyglitch.languages import DEFAULT

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class TextMetric:
    """A metric over texts; `settings` are the `key:value` parts of its signature."""

    name: str
    direction: Literal["similarity", "distance"]
    range: tuple[float, float]
    settings: str
    symmetric: bool
    compute: Callable[[Pairs], list[float]]
    library: str = ""

    @property
    def signature(self) -> str:
        """Name, settings and versions, in the manner of sacreBLEU."""
        library = f"|{self.library}:{version_of(self.library)}" if self.library else ""
        return f"{self.name}|{self.settings}{library}|version:{__version__}"

    @property
    def best(self) -> float:
        """What equal texts get."""
        return self.range[1] if self.direction == "similarity" else self.range[0]

    def score(self, pairs: Iterable[tuple[str, str]]) -> list[float]:
        """One number a pair."""
        return self.compute(list(pairs))


def version_of(library: str) -> str:
    """The version of a library that a metric is computed by."""
    try:
        return version(library)
    except PackageNotFoundError:
        extra = {"sacrebleu": "bleu", "spacy": "nlp"}[library]
        raise Missing(library, "this metric", f"pip install 'polyglitch[{extra}]'") from None


Cut = Callable[[str], Sequence[str]]
Measure = Callable[[Sequence[str], Sequence[str]], float]


def characters(text: str) -> list[str]:
    """The characters of a text without its blanks."""
    return cut_characters(text).units


def over(cut: Cut, measure: Measure) -> Callable[[Pairs], list[float]]:
    """Score pairs one by one on their units, each text cut once however often it occurs."""

    def compute(pairs: Pairs) -> list[float]:
        remembered = cache(cut)
        return [measure(remembered(a), remembered(b)) for a, b in pairs]

    return compute


def over_longer(
    coding: Callable[[], Callable[[str], str]], count: Callable[..., float], lacking: bool
) -> Callable[[Pairs], list[float]]:
    """Count units in all pairs at once, those alike or those lacking, and divide by the longer length."""

    def compute(pairs: Pairs) -> list[float]:
        cut: Cut = coding()
        try:
            firsts, seconds = [cut(a) for a, _ in pairs], [cut(b) for _, b in pairs]
        except ValueError:  # more different units than there are codes
            firsts, seconds = [units(a) for a, _ in pairs], [units(b) for _, b in pairs]
        found = []
        for part, one, other in zip(map(count, firsts, seconds), firsts, seconds, strict=True):
            longer = max(len(one), len(other))
            found.append((1 - part / longer if lacking else part / longer) if longer else 1.0)
        return found

    return compute


def by_unit() -> Callable[[str], str]:
    """Texts with one character a unit, so that comparing them hashes no word."""
    return unit_codes().code


def by_character() -> Callable[[str], str]:
    """Texts without their blanks."""
    return lambda text: "".join(text.split())


def as_it_is() -> Callable[[str], str]:
    """Texts with all their characters."""
    return str


@lru_cache(maxsize=4096)
def cut_once(text: str) -> list[str]:
    """The units of a text; several metrics look at the same texts one after the other."""
    return units(text)


def jaccard_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """Units that both hold over units that either holds; 1 for two empty lists."""
    either = set(a) | set(b)
    return len(set(a) & set(b)) / len(either) if either else 1.0


def bag_distance(a: Sequence[str], b: Sequence[str]) -> float:
    """How many units of `a` are lacking in `b`: RTI's distance of a phrase to its container."""
    return float((Counter(a) - Counter(b)).total())


def diff_bleu(a: Sequence[str], b: Sequence[str]) -> float:
    """BLEU as the published diff oracle has it, from characters cut again by mteval's rules."""
    score = forms.smoothed_bleu(forms.grams(forms.mteval(a)), forms.grams(forms.mteval(b)))
    return forms.single_precision(score)


def tfidf_cosines(pairs: Pairs) -> list[float]:
    """TF-IDF cosines of pairs, the frequencies fitted on all texts of these pairs."""
    known = {text: cut_once(text) for text in {text for pair in pairs for text in pair}}
    return unit_cosines([(known[a], known[b]) for a, b in pairs])


@cache
def sacrebleu_scorer(kind: str, tokenizer: str) -> Any:
    """A metric object of sacreBLEU, imported when first needed because that takes a moment."""
    version_of("sacrebleu")
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if kind == "bleu":
        return BLEU(tokenize=tokenizer, effective_order=True)
    return CHRF() if kind == "chrf" else TER(asian_support=True, normalized=True)


def tokenizer_for(text: str) -> str:
    """sacreBLEU's tokenizer for a script: Chinese where there is Han, characters for Thai."""
    if not unparted().search(text):
        return "13a"
    return "zh" if han().search(text) else "char"


def by_sacrebleu(kind: str, equal: float, highest: float) -> Callable[[Pairs], list[float]]:
    """Score sentences with sacreBLEU; rounding must not lead out of the range."""

    def compute(pairs: Pairs) -> list[float]:
        scores = []
        for a, b in pairs:
            tokenizer = tokenizer_for(a + b) if kind == "bleu" else ""
            scorer = sacrebleu_scorer(kind, tokenizer)
            score = equal if a == b else scorer.sentence_score(b, [a]).score
            scores.append(min(highest, max(0.0, float(score))))
        return scores

    return compute


def both_ways(pairs: Pairs) -> list[float]:
    """sacreBLEU's sentence BLEU scaled to 0..1, the higher of both directions."""
    one, other = bleu.score(pairs), bleu.score([(b, a) for a, b in pairs])
    return [max(x, y) / 100 for x, y in zip(one, other, strict=True)]


def similarity(name: str, settings: str, compute: Callable[[Pairs], list[float]]) -> TextMetric:
    """A symmetric similarity from 0 to 1."""
    return TextMetric(name, "similarity", (0.0, 1.0), settings, True, compute)


BY_SCRIPT = "unit:script"  # words, or characters where the script has no blanks between words
BLEU_SETTINGS = "tok:13a-zh-char-by-script|smooth:exp|eff:yes|case:mixed"

lcs = similarity("lcs", BY_SCRIPT, over_longer(by_unit, LCSseq.similarity, lacking=False))
ed = similarity("ed", BY_SCRIPT, over_longer(by_unit, Levenshtein.distance, lacking=True))
lcs_char = similarity(
    "lcs-char", "unit:character", over_longer(by_character, LCSseq.similarity, lacking=False)
)
ed_char = similarity(
    "ed-char", "unit:character", over_longer(by_character, Levenshtein.distance, lacking=True)
)
leven = similarity(
    "leven", "unit:character|blanks:yes", over_longer(as_it_is, Levenshtein.distance, lacking=True)
)
jaccard = similarity("jaccard", BY_SCRIPT, over(cut_once, jaccard_similarity))
tfidf = similarity("tfidf", f"{BY_SCRIPT}|idf:call|smooth:add-1", tfidf_cosines)
bleu_diff = similarity("bleu-diff", "unit:mteval|smooth:halving", over(characters, diff_bleu))
bleu_char = similarity(
    "bleu-char",
    "unit:character|blanks:yes|smooth:none",
    lambda pairs: [forms.character_bleu(a, b) for a, b in pairs],
)
levenshtein = TextMetric(
    "levenshtein",
    "distance",
    (0.0, inf),
    "unit:character|blanks:yes",
    True,
    lambda pairs: [Levenshtein.distance(a, b) for a, b in pairs],
)
bag = TextMetric("bag", "distance", (0.0, inf), BY_SCRIPT, False, over(units, bag_distance))
bleu = TextMetric(
    "bleu",
    "similarity",
    (0.0, 100.0),
    BLEU_SETTINGS,
    False,
    by_sacrebleu("bleu", 100.0, 100.0),
    "sacrebleu",
)
bleu_symmetric = TextMetric(
    "bleu-symmetric", "similarity", (0.0, 1.0), BLEU_SETTINGS, True, both_ways, "sacrebleu"
)
chrf = TextMetric(
    "chrf",
    "similarity",
    (0.0, 100.0),
    "nc:6|nw:0|space:no|eff:yes|case:mixed",
    False,
    by_sacrebleu("chrf", 100.0, 100.0),
    "sacrebleu",
)
ter = TextMetric(
    "ter",
    "distance",
    (0.0, inf),
    "tok:tercom|norm:yes|punct:yes|asian:yes|case:lc",
    False,
    by_sacrebleu("ter", 0.0, inf),
    "sacrebleu",
)


FURTHEST = 23  # the largest distance in the paper's data, by which it scales


def dependency_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """One minus the difference of the counts of dependency relations, scaled as published."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    parses = registry.load("parsers", "spacy")(DEFAULT).parse(texts)
    counts = {
        text: Counter(token.relation for token in parse.tokens)
        for text, parse in zip(texts, parses, strict=True)
    }
    return [max(0.0, 1 - count_distance(counts[a], counts[b]) / FURTHEST) for a, b in pairs]


def vector_similarities(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of sentence vectors, negative ones as 0."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = registry.load("embedders", "minilm")(DEFAULT).embed(texts)
    place = {text: index for index, text in enumerate(texts)}
    return [
        1.0 if a == b else min(1.0, max(0.0, float(vectors[place[a]] @ vectors[place[b]])))
        for a, b in pairs
    ]


dep = TextMetric(
    "dep",
    "similarity",
    (0.0, 1.0),
    f"relations:spacy-en|scale:{FURTHEST}",
    True,
    dependency_similarities,
    "spacy",
)
sbert = TextMetric(
    "sbert", "similarity", (0.0, 1.0), "model:all-MiniLM-L6-v2", True, vector_similarities
)


# ROUGE: shared words, word pairs and the longest common subsequence, each as F of precision and recall (Lin: ROUGE, a
# Package for Automatic Evaluation of Summaries, 2004). Small and capital letters are alike, nothing is stemmed; F
# weighs both texts alike, so that neither has to be the reference.


def words(text: str) -> list[str]:
    """The units of a text that have a letter or a digit, in small letters."""
    return [unit for unit in cut_once(text.lower()) if any(sign.isalnum() for sign in unit)]


def f_of(shared: int, first: int, second: int) -> float:
    """F of precision and recall: twice what is shared over both lengths; 1 for two that have nothing to share."""
    return 2 * shared / (first + second) if first + second else 1.0


def of_runs(size: int) -> Measure:
    """ROUGE-N: shared runs of so many words, each as often as both texts have it."""

    def measure(a: Sequence[str], b: Sequence[str]) -> float:
        if list(a) == list(b):
            return 1.0
        one, other = (
            Counter(zip(*(text[n:] for n in range(size)), strict=False)) for text in (a, b)
        )
        if not one and not other:  # both too short to have any, and not the same
            return 0.0
        return f_of((one & other).total(), one.total(), other.total())

    return measure


def longest(a: Sequence[str], b: Sequence[str]) -> float:
    """ROUGE-L: the longest common subsequence."""
    return f_of(LCSseq.similarity(a, b), len(a), len(b))


def rouge(name: str, measure: Measure) -> TextMetric:
    """A ROUGE by what it counts."""
    return similarity(name, f"{BY_SCRIPT}|case:lower|stem:no|f:1", over(words, measure))


rouge_1 = rouge("rouge-1", of_runs(1))
rouge_2 = rouge("rouge-2", of_runs(2))
rouge_l = rouge("rouge-l", longest)
