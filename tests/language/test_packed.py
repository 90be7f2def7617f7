"""Texts packed into one pass, and what follows them, come out as each does alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from polyglitch.language.packed import Strand, compute, first, log_odds, only, rows  # noqa: E402


@pytest.fixture(scope="module")
def model() -> Any:
    torch.manual_seed(0)
    shape = transformers.LlamaConfig(
        vocab_size=40,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    return transformers.LlamaForCausalLM(shape).eval()


def alone(model: Any, ids: tuple[int, ...]) -> Any:
    """The slow, obvious way: the last hidden states of one text."""
    return model.model(torch.tensor([ids])).last_hidden_state[0]


def same(one: Any, other: Any) -> bool:
    return bool(torch.allclose(one, other, atol=1e-4))


tokens = st.lists(st.integers(0, 39), min_size=2, max_size=9).map(tuple)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_what_is_packed_is_as_alone(model: Any, data: Any) -> None:
    stems = data.draw(st.lists(tokens, min_size=1, max_size=4))
    ends = [data.draw(st.integers(1, len(stem))) for stem in stems]
    grown = [data.draw(st.lists(tokens, min_size=1, max_size=3)) for _ in stems]
    short = [[text[: min(map(len, some))] for text in some] for some in grown]
    with torch.inference_mode():
        done = compute(model, [Strand((stem,)) for stem in stems])
        for stem, part in zip(stems, done, strict=True):
            assert same(part.states[0], alone(model, stem))
        pasts = [first(part.past, end) for part, end in zip(done, ends, strict=True)]
        more = compute(model, [Strand(t, (p,)) for t, p in zip(short, pasts, strict=True)])
        for stem, end, texts, part in zip(stems, ends, short, more, strict=True):
            for text, states in zip(texts, part.states, strict=True):
                assert same(states, alone(model, (*stem[:end], *text))[end:])
        # A third stretch after the last text of each alone: the others were dropped on the way.
        last = [only(part.past, [len(texts) - 1]) for part, texts in zip(more, short, strict=True)]
        third = compute(
            model, [Strand(((7, 8),), (p, q)) for p, q in zip(pasts, last, strict=True)]
        )
        for stem, end, texts, part in zip(stems, ends, short, third, strict=True):
            assert same(part.states[0], alone(model, (*stem[:end], *texts[-1], 7, 8))[-2:])


def test_odds_are_those_of_the_model(model: Any) -> None:
    ids = (1, 2, 3, 4)
    with torch.inference_mode():
        (done,) = compute(model, [Strand((ids[:-1],))])
        found = log_odds(model, done.states[0], ids[1:]).tolist()
        plain = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = [float(plain[place, ids[place + 1]]) for place in range(3)]
    assert found == pytest.approx(expected, abs=1e-4)


def test_a_row_is_filled_and_nothing_is_lost() -> None:
    items = ["ab" * 2, "abcde", "abc", "a" * 20, "b"]
    made = list(rows(items, len, limit=12))
    assert [len(row) for row in made] == [3, 1, 1]
    assert [item for row in made for item in row] == items
