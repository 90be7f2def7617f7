"""Products in whole numbers are what they should be, whatever stands beside a row, and a model keeps its meaning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("onnxruntime")

from polyglitch.nlp.models import eight_bits as module
from polyglitch.nlp.models.eight_bits import LARGEST, QuickProduct, eight_bits
from polyglitch.nlp.models.llama import LlamaShape, Weights, arranged_shapes
from polyglitch.nlp.models.llama_eight_bits import BEGINNING, QuickWeights, quick_tensors
from polyglitch.nlp.models.packed import PackedPool, PackedText
from polyglitch.protocols import Floats


def drawn(seed: int, *shape: int) -> Floats:
    """Numbers of a network's kind."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def slow_product(rows: Floats, matrix: Floats) -> Floats:
    """The obvious way, in whole numbers of 64 bits."""
    made = eight_bits(matrix)
    largest = np.maximum(np.abs(rows).max(1, keepdims=True), np.float32(1e-12))
    whole = np.rint(rows / largest * np.float32(LARGEST)).astype(np.int64)
    found: Floats = (whole @ made.whole.astype(np.int64)) * (made.scale / LARGEST) * largest
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 80), st.integers(1, 48))
def test_a_product_is_that_of_whole_numbers(seed: int, rows: int, inner: int, width: int) -> None:
    x, matrix = drawn(seed, rows, inner), drawn(seed + 1, inner, width)
    found, wanted = QuickProduct(eight_bits(matrix))(x), slow_product(x, matrix)
    # A number may lie between two whole ones; then both are right.
    step = np.abs(matrix).max() * np.abs(x).max(1, keepdims=True) / LARGEST
    assert np.all(np.abs(found - wanted) <= 1.01 * step)
    assert np.abs(found - wanted).mean() <= 0.05 * step.mean()


def test_a_row_says_the_same_whatever_stands_beside_it() -> None:
    x, quick = drawn(3, 70, 96), QuickProduct(eight_bits(drawn(4, 96, 130)))
    x[5] *= 1000
    together = quick(x)
    for some in (slice(0, 1), slice(5, 6), slice(3, 40), slice(69, 70)):
        assert np.array_equal(quick(x[some]), together[some])


def test_a_row_of_nothing_gives_nothing() -> None:
    x = drawn(5, 3, 16)
    x[1] = 0
    found = QuickProduct(eight_bits(drawn(6, 16, 8)))(x)
    assert not found[1].any() and found[0].any() and np.isfinite(found).all()


@pytest.mark.parametrize("exactly", [True, False])
def test_bytes_with_and_without_a_sign_give_the_same_sums(
    monkeypatch: pytest.MonkeyPatch, exactly: bool
) -> None:
    """Processors without the newer instructions add bytes without signs; their words must be the same."""
    if exactly and not module.adds_exactly():
        pytest.skip("this processor adds bytes with a sign with an overflow")
    matrix, x = drawn(7, 64, 32), drawn(8, 20, 64)
    matrix[:, 0], x[0] = 9.0, 9.0  # the largest sums that there are
    monkeypatch.setattr(module, "adds_exactly", lambda: exactly)
    found = QuickProduct(eight_bits(matrix))(x)
    assert found[0, 0] == pytest.approx(81 * 64, rel=1e-5)
    assert np.abs(found - slow_product(x, matrix)).max() < 1e-2 * np.abs(found).max()


SHAPE = LlamaShape(3, 4, 2, 16, 1e-5, 10_000.0)
WORDS = 60


@pytest.fixture(scope="module")
def weights() -> Weights:
    """A small model, of which one column is far larger than the others, as large models have some."""
    shapes = arranged_shapes(64, 96, WORDS, SHAPE)
    made = {
        name: drawn(number, *shape) * np.float32(shape[0] ** -0.5 if len(shape) > 1 else 1.0)
        for number, (name, shape) in enumerate(shapes.items())
    }
    made["words"] *= 8
    made["words"][:, 3] *= 30
    made["words"][BEGINNING] *= 10
    return Weights(made, SHAPE)


@pytest.fixture(scope="module")
def quick(weights: Weights) -> QuickWeights:
    text = np.random.default_rng(1).integers(1, WORDS, 200).tolist()
    return QuickWeights(weights, quick_tensors(weights, [BEGINNING, *text]))


def texts(count: int) -> list[list[int]]:
    draw = np.random.default_rng(2)
    return [[BEGINNING, *draw.integers(1, WORDS, 3 + n % 17).tolist()] for n in range(count)]


def states(weights: Weights, some: list[list[int]]) -> list[Floats]:
    """The last states of texts that are computed together."""
    return [one.states for one in PackedPool(weights).compute([PackedText(ids) for ids in some])]


def test_a_model_in_whole_numbers_says_nearly_the_same(
    weights: Weights, quick: QuickWeights
) -> None:
    some = texts(12)
    for exact, near in zip(states(weights, some), states(quick, some), strict=True):
        likeness = (exact * near).sum(1)
        likeness /= np.linalg.norm(exact, axis=1) * np.linalg.norm(near, axis=1)
        assert likeness.min() > 0.99
    exact, near = states(weights, some)[0][:1], states(quick, some)[0][:1]
    assert np.allclose(exact, near, rtol=1e-4), "the mark that begins a text is not rounded"


def test_a_text_says_the_same_alone_and_among_others(quick: QuickWeights) -> None:
    """Else the words of a campaign would depend on where it was stopped, and on how many cores there are."""
    some = texts(40)  # enough for two passes at once
    together = states(quick, some)
    for ids, one in zip(some, together, strict=True):
        assert np.array_equal(states(quick, [ids])[0], one)
    again = states(quick, some[::-1])[::-1]
    assert all(np.array_equal(one, other) for one, other in zip(again, together, strict=True))


def test_what_goes_on_from_a_text_is_as_in_one_piece(quick: QuickWeights) -> None:
    pool, text = PackedPool(quick), texts(20)[16]
    (begun,) = pool.compute([PackedText(text[:5])])
    (rest,) = pool.compute([PackedText(text[5:], begun.places)])
    assert np.array_equal(rest.states, states(quick, [text])[0][5:])


def test_scores_are_those_of_the_words(weights: Weights, quick: QuickWeights) -> None:
    state = states(weights, texts(3))[2]
    exact, near = weights.scores(state), quick.scores(state)
    assert near.shape == exact.shape and quick.scores(state, 20).shape == (len(state), 20)
    assert np.abs(exact - near).max() < 0.02 * np.abs(exact).max()
    assert np.allclose(near[:, :20], quick.scores(state, 20))


@pytest.mark.parametrize("size", [1.0, 20.0, 5000.0])
def test_shares_are_those_of_the_plain_way_however_large_scores_are(
    weights: Weights, quick: QuickWeights, size: float
) -> None:
    scores = drawn(9, 2, 3, 4, 7).astype(np.float64) * size
    unseen = drawn(10, 2, 1, 4, 7) > 1
    unseen[..., 0] = False
    found, wanted = scores.copy(), scores.copy()
    quick.share_out(found, np.where(unseen, quick.unseen, 0.0))
    weights.share_out(wanted, np.where(unseen, weights.unseen, 0.0))
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-80)
