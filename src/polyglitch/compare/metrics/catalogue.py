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
from functools import cache
from importlib.metadata import version
from math import inf
from typing import Any, Literal

from rapidfuzz.distance import LCSseq, Levenshtein

from polyglitch import __version__, registry
from polyglitch.compare.metrics import bleu as forms
from polyglitch.compare.metrics.bleu import Frequencies, cosine
from polyglitch.compare.metrics.units import cut_characters, han, units, unparted
from polyglitch.compare.oracles.structure import count_distance
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
        library = f"|{self.library}:{version(self.library)}" if self.library else ""
        return f"{self.name}|{self.settings}{library}|version:{__version__}"

    @property
    def best(self) -> float:
        """What equal texts get."""
        return self.range[1] if self.direction == "similarity" else self.range[0]

    def score(self, pairs: Iterable[tuple[str, str]]) -> list[float]:
        """One number a pair."""
        return self.compute(list(pairs))


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


def lcs_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """The longest common subsequence over the longer length; 1 for two empty lists."""
    longer = max(len(a), len(b))
    return LCSseq.similarity(a, b) / longer if longer else 1.0


def edit_similarity(a: Sequence[str], b: Sequence[str]) -> float:
    """One minus the Levenshtein distance over the longer length; 1 for two empty lists."""
    longer = max(len(a), len(b))
    return 1 - Levenshtein.distance(a, b) / longer if longer else 1.0


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
    cuts = [(units(a), units(b)) for a, b in pairs]
    known = Frequencies(text for pair in cuts for text in pair)
    return [cosine(known.vector(a), known.vector(b)) for a, b in cuts]


@cache
def sacrebleu_scorer(kind: str, tokenizer: str) -> Any:
    """A metric object of sacreBLEU, imported when first needed because that takes a moment."""
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

lcs = similarity("lcs", BY_SCRIPT, over(units, lcs_similarity))
ed = similarity("ed", BY_SCRIPT, over(units, edit_similarity))
lcs_char = similarity("lcs-char", "unit:character", over(characters, lcs_similarity))
ed_char = similarity("ed-char", "unit:character", over(characters, edit_similarity))
leven = similarity("leven", "unit:character|blanks:yes", over(str, edit_similarity))
jaccard = similarity("jaccard", BY_SCRIPT, over(units, jaccard_similarity))
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
