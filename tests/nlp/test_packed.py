"""Texts packed into one pass, and what follows them, come out as each does alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.models

from polyglitch.nlp.models import packed  # noqa: E402
from polyglitch.nlp.models.llama import (  # noqa: E402
    LlamaShape,
    Weights,
    arranged,
    arranged_shapes,
)
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows  # noqa: E402

# How GGUF files name what transformers calls so.
NAMES = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_output": "self_attn.o_proj",
    **{f"attn_{letter}": f"self_attn.{letter}_proj" for letter in "qkv"},
    **{f"ffn_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}


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
    made = transformers.LlamaForCausalLM(shape).eval()
    for name, part in made.named_parameters():
        if "norm" in name:  # all ones otherwise, which would hide a norm that is left out
            part.data.uniform_(0.5, 1.5)
    made.lm_head.weight = made.model.embed_tokens.weight
    return made


@pytest.fixture(scope="module")
def weights(model: Any) -> Weights:
    shape = LlamaShape(2, 4, 2, 4, model.config.rms_norm_eps, 10_000.0)
    own = {name: part.detach().numpy() for name, part in model.model.named_parameters()}

    def tensor(name: str) -> Any:
        *block, part, kind = name.split(".")
        return own[".".join([*(["layers", block[1]] if block else []), NAMES[part], kind])]

    shapes = arranged_shapes(16, 32, 40, shape)
    made = {name: np.ascontiguousarray(arranged(name, tensor, shape)) for name in shapes}
    assert {name: part.shape for name, part in made.items()} == shapes
    return Weights(made, shape)


def alone(model: Any, ids: tuple[int, ...]) -> Any:
    """The slow, obvious way: the last hidden states of one text."""
    with torch.inference_mode():
        return model.model(torch.tensor([ids])).last_hidden_state[0].numpy()


def same(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, atol=1e-4))


tokens = st.lists(st.integers(0, 39), min_size=1, max_size=9).map(tuple)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_what_is_packed_is_as_alone(model: Any, weights: Weights, data: Any) -> None:
    whole = data.draw(st.lists(tokens, min_size=1, max_size=4))
    pool = PackedPool(weights)
    known = list(zip(whole, pool.compute([PackedText(ids) for ids in whole]), strict=True))
    for ids, done in known:
        assert same(done.states, alone(model, ids))
    # Twice, some beginnings of what is known are continued, each as often as it is drawn.
    for _ in range(2):
        drawn = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=5))
        cuts = [data.draw(st.integers(0, len(ids))) for ids, _ in drawn]
        more = [data.draw(tokens) for _ in drawn]
        texts = [
            PackedText(new, done.places[:cut])
            for new, cut, (_, done) in zip(more, cuts, drawn, strict=True)
        ]
        grown = pool.compute(texts)
        known = []
        for new, cut, (ids, _), done in zip(more, cuts, drawn, grown, strict=True):
            assert same(done.states, alone(model, (*ids[:cut], *new))[cut:])
            known.append(((*ids[:cut], *new), done))


def test_a_pool_is_used_again_with_its_room(model: Any, weights: Weights) -> None:
    pool = PackedPool(weights)
    pool.compute([PackedText((1, 2, 3)), PackedText((4, 5))])
    room = pool._kept
    pool.clear()
    (done,) = pool.compute([PackedText((6, 7))])
    assert pool.size == 2 and pool._kept is room
    assert done.places == (0, 1) and same(done.states, alone(model, (6, 7)))


def test_odds_are_those_of_the_model(model: Any, weights: Weights) -> None:
    ids = (1, 2, 3, 4)
    pool = PackedPool(weights)
    (done,) = pool.compute([PackedText(ids[:-1])])
    found = pool.log_odds(done.states, ids[1:])
    gains = pool.gains(done.states[0], 2, (5, 39))
    with torch.inference_mode():
        plain = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    assert found == pytest.approx([float(plain[i, ids[i + 1]]) for i in range(3)], abs=1e-4)
    assert gains == pytest.approx([float(plain[0, new] - plain[0, 2]) for new in (5, 39)], abs=1e-4)
    assert pool.size == 3


def test_odds_are_among_the_common_tokens_and_the_one_asked_about(
    model: Any, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "COMMON", 8)
    pool = PackedPool(weights)
    (done,) = pool.compute([PackedText((1, 2))])
    found = pool.log_odds(done.states, (3, 30))
    with torch.inference_mode():
        logits = model(torch.tensor([(1, 2)])).logits[0]
    common = logits[0, 3] - logits[0, :8].logsumexp(0)
    rare = logits[1, 30] - logits[1, [*range(8), 30]].logsumexp(0)
    assert found == pytest.approx([float(common), float(rare)], abs=1e-4)


def test_a_row_is_filled_and_nothing_is_lost() -> None:
    items = ["ab" * 2, "abcde", "abc", "a" * 20, "b"]
    made = list(rows(items, len, limit=12))
    assert [len(row) for row in made] == [3, 1, 1]
    assert [item for row in made for item in row] == items
