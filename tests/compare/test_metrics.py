"""Every registered metric keeps what it claims, and agrees with a slow, obvious reference."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from itertools import count
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyglitch.compare.metrics import catalogue
from polyglitch.compare.metrics import units as unit_module
from polyglitch.compare.metrics.bleu import Frequencies, cosine, unit_cosines
from polyglitch.compare.metrics.catalogue import TextMetric
from polyglitch.compare.metrics.units import UnitCodes, cut, pattern, pattern_for, units
from polyglitch.errors import Missing
from polyglitch.protocols import Metric
from polyglitch.registry import entries, load

# Those that need no model and no parser; the others have tests of their own.
NAMES = tuple(
    name
    for name, entry in entries("metrics").items()
    if entry.target.startswith("polyglitch.compare.metrics.catalogue:")
)
MODELS = {"dep": pytest.mark.needs("spacy"), "sbert": pytest.mark.needs("torch")}
# Any Unicode, and texts alike enough for n-grams to match.
Phrases = st.lists(st.sampled_from(["the", "o", "não", "我", ",", "gato"])).map(" ".join)
Texts = st.text(max_size=30) | Phrases
Pairs = st.lists(st.tuples(Texts, Texts), max_size=4)


Western = st.text(st.characters(max_codepoint=255), max_size=40) | st.text(
    st.sampled_from("ab1 ,.'-é_:½ª\u00ad\x1f"), max_size=25
)


@pytest.mark.slow
@settings(deadline=None)
@given(text=Western | Texts)
def test_units_are_the_same_however_they_are_cut(text: str) -> None:
    for eliding, language in ((False, None), (True, "fr")):
        assert pattern_for(text, eliding).findall(text) == pattern(eliding).findall(text)
        assert units(text, language) == pattern(eliding).findall(text) == cut(text, language).units


@pytest.mark.slow
@settings(deadline=None)
@given(pairs=st.lists(st.tuples(Texts, Texts), min_size=1, max_size=6))
def test_cosines_in_arrays_are_those_of_single_vectors(pairs: list[tuple[str, str]]) -> None:
    cuts = [(units(a), units(b)) for a, b in pairs]
    known = Frequencies(text for pair in cuts for text in pair)
    wanted = [cosine(known.vector(a), known.vector(b)) for a, b in cuts]
    assert unit_cosines(cuts) == pytest.approx(wanted, abs=1e-9)


def metric(name: str) -> TextMetric:
    found = load("metrics", name)
    assert isinstance(found, TextMetric)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=MODELS.get(name, ())) for name in NAMES])
def test_a_registered_metric_fits_the_contract_under_its_own_name(name: str) -> None:
    found = metric(name)
    assert isinstance(found, Metric)
    assert found.name == name
    assert found.signature.startswith(f"{name}|")
    assert found.score([]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=MODELS.get(name, ())) for name in NAMES])
@settings(max_examples=40, deadline=None)
@given(pairs=Pairs)
def test_range_identity_and_symmetry(name: str, pairs: list[tuple[str, str]]) -> None:
    found = metric(name)
    lowest, highest = found.range
    scores = found.score(pairs)
    assert len(scores) == len(pairs)
    assert all(lowest <= score <= highest for score in scores)
    assert found.score([(a, a) for a, _ in pairs]) == [found.best] * len(pairs)
    if found.symmetric:
        assert found.score([(b, a) for a, b in pairs]) == pytest.approx(scores)


def slow_edits(a: list[str], b: list[str]) -> int:
    """Levenshtein distance by the textbook table."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def slow_lcs(a: list[str], b: list[str]) -> int:
    """Longest common subsequence by the textbook table."""
    row = [0] * (len(b) + 1)
    for x in a:
        last = 0
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], last + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@settings(deadline=None)
@given(a=Texts | Western, b=Texts | Western)
def test_a_code_is_one_character_a_unit_and_tells_units_apart(a: str, b: str) -> None:
    codes = UnitCodes()
    coded, named = codes.code(a) + codes.code(b), units(a) + units(b)
    pairs = set(zip(coded, named, strict=True))
    assert len(pairs) == len(set(coded)) == len(set(named))


def test_more_units_than_codes_are_compared_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    full = UnitCodes()
    full.fresh = count(sys.maxunicode)  # one is left
    monkeypatch.setattr(unit_module, "_codes", [full])
    assert metric("ed").score([("one", "one"), ("one two", "one three")]) == [1.0, 0.5]


def test_codes_are_dropped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_module, "TEXTS", 3)
    monkeypatch.setattr(unit_module, "_codes", [UnitCodes()])
    for number in range(9):
        assert metric("lcs").score([(f"a {number}", f"a {number + 1}")]) == [0.5]
        assert len(unit_module._codes[0].texts) <= 5


@given(a=Texts, b=Texts)
def test_edit_metrics_agree_with_the_textbook(a: str, b: str) -> None:
    words, letters = (units(a), units(b)), (list("".join(a.split())), list("".join(b.split())))
    for (x, y), suffix in ((words, ""), (letters, "-char")):
        longer = max(len(x), len(y))
        if longer:
            assert metric(f"lcs{suffix}").score([(a, b)]) == [slow_lcs(x, y) / longer]
            assert metric(f"ed{suffix}").score([(a, b)]) == [1 - slow_edits(x, y) / longer]
    distance = slow_edits(list(a), list(b))
    assert metric("levenshtein").score([(a, b)]) == [distance]
    if a or b:
        assert metric("leven").score([(a, b)]) == [1 - distance / max(len(a), len(b))]


def test_tfidf_weighs_rare_words_more_than_common_ones() -> None:
    pairs = [("the red door", "the blue door"), ("the cat", "a cat"), ("the dog", "the dog")]
    first, second, third = metric("tfidf").score(pairs)
    assert 0 < first < 1
    assert 0 < second < 1
    assert third == 1
    alone = metric("tfidf").score(pairs[:1])[0]
    rare, common = 1.4054651081081644, 1.0  # ln(3 / 2) + 1 and ln(3 / 3) + 1
    assert alone == pytest.approx(2 * common**2 / sqrt(2 * common**2 + rare**2) ** 2)


def test_bag_counts_what_the_container_lacks() -> None:
    forward, backward = metric("bag").score(
        [("two red doors", "red red doors"), ("red", "two red doors and more")]
    )
    assert (forward, backward) == (1, 0)
    assert metric("jaccard").score([("a b b", "b c")]) == [1 / 3]


def test_sacrebleu_metrics_are_those_of_the_library() -> None:
    from sacrebleu import sentence_bleu, sentence_chrf

    a, b = "O gato dorme no sofá da sala.", "O cão dorme não sofá da sala."
    assert metric("bleu").score([(a, b)]) == [sentence_bleu(b, [a]).score]
    assert metric("chrf").score([(a, b)]) == [sentence_chrf(b, [a]).score]
    zh = ("我爱北京天安门。", "我很爱北京天安门。")
    assert metric("bleu").score([zh]) == [sentence_bleu(zh[1], [zh[0]], tokenize="zh").score]
    longer, shorter = (
        sentence_bleu("a b c d e f", ["a b c d"]),
        sentence_bleu("a b c d", ["a b c d e f"]),
    )
    both = metric("bleu-symmetric").score([("a b c d", "a b c d e f")])
    assert both == [max(longer.score, shorter.score) / 100]


def test_a_metric_of_sacrebleu_without_it_says_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(catalogue, "version", absent)
    catalogue.sacrebleu_scorer.cache_clear()
    for asked in (lambda: metric("chrf").score([("a", "b")]), lambda: metric("bleu").signature):
        with pytest.raises(Missing, match=r"sacrebleu is not installed.*install"):
            asked()
    assert metric("lcs").score([("a", "a")]) == [1.0]


def test_character_bleu_is_the_plain_product_of_precisions() -> None:
    # abcde against abcdf: 4/5, 3/4, 2/3 and 1/2 of the n-grams match, and the lengths are equal.
    expected = (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert metric("bleu-char").score([("abcde", "abcdf")]) == pytest.approx([expected])
    assert metric("bleu-char").score([("abc", "xyz"), ("ab", "")]) == [0.0, 0.0]


def test_diff_bleu_halves_what_an_unmatched_order_counts() -> None:
    # 我爱你 against 我恨你: 2 of 3 units match; of 2 pairs and 1 triple none, which count as 1/2
    # and 1/4 matches; there is no order 4.
    expected = (2 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** 0.25
    assert metric("bleu-diff").score([("我爱你", "我恨你")]) == pytest.approx([expected], rel=1e-6)


def test_rouge_counts_shared_words_pairs_and_the_longest_common_subsequence() -> None:
    from polyglitch.compare.metrics.catalogue import rouge_1, rouge_2, rouge_l

    pair = ("The police killed the gunman.", "the gunman police killed")
    scores = [round(metric.score([pair])[0], 4) for metric in (rouge_1, rouge_2, rouge_l)]
    # 4 words of 5 and 4; "police killed" and "the gunman" of 4 and 3 pairs; "the police killed" of 5 and 4.
    assert scores == [round(8 / 9, 4), round(4 / 7, 4), round(6 / 9, 4)]
    assert rouge_2.score([("one", "two"), ("one", "One!"), ("", "")]) == [0.0, 1.0, 1.0]
