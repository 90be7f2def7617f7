"""Gemma in numpy: what torch makes of the same weights, and texts cut as its own tokenizer cuts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.models.gemma import (
    GemmaWeights,
    QuickGemma,
    SentencePieces,
    kept_pieces,
    shape_of,
    unpacked,
)
from polyglitch.nlp.models.llama_eight_bits import quick_tensors
from polyglitch.nlp.models.model_files import GgufFile
from polyglitch.nlp.models.packed import PackedPool, PackedText

BLANK = SentencePieces.blank
LETTERS = "abcdehlotw,.'"
PIECES = [
    "<pad>",
    "<eos>",
    "<bos>",
    "<0x00>",
    "he",
    "th",
    "the",
    f"{BLANK}the",
    "lo",
    "Θλ",
    f"{BLANK}t",
]
PIECES += [BLANK, *LETTERS, *(f"<0x{one:02X}>" for one in range(1, 256))]
LAYERS, WIDTH, HEADS, HEAD, INNER = 7, 32, 4, 16, 48


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, GgufFile]:
    """A Gemma of a few thousand weights, as torch has it and as a file such as llama.cpp makes of it."""
    torch, gguf = pytest.importorskip("torch"), pytest.importorskip("gguf")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(7)
    config = transformers.Gemma3TextConfig(
        vocab_size=len(PIECES),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=1,
        head_dim=HEAD,
        query_pre_attn_scalar=HEAD,
        sliding_window=512,
    )
    model = transformers.Gemma3ForCausalLM(config).eval()
    for name, one in model.named_parameters():
        one.data.normal_(0.0, 0.3 if "norm" in name else 0.2)
    path = tmp_path_factory.mktemp("gemma") / "small.gguf"
    writer = gguf.GGUFWriter(path, "gemma3")
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_token_list(PIECES)
    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "self_attn.q_norm": "attn_q_norm",
        "self_attn.k_norm": "attn_k_norm",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "post_attention_norm",
        "pre_feedforward_layernorm": "ffn_norm",
        "post_feedforward_layernorm": "post_ffw_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    for name, tensor in model.model.state_dict().items():
        numbers = tensor.float().numpy() + (
            "norm" in name
        )  # torch keeps how far a norm is from one
        if name.startswith("layers."):
            _, layer, rest = name.removesuffix(".weight").split(".", 2)
            writer.add_tensor(f"blk.{layer}.{names[rest]}.weight", numbers)
        else:
            known = {
                "embed_tokens.weight": "token_embd.weight",
                "norm.weight": "output_norm.weight",
            }
            writer.add_tensor(known[name], numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model, GgufFile(path)


@pytest.fixture
def weights(
    small: tuple[Any, GgufFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GemmaWeights:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    _, file = small
    chosen = kept_pieces(file.settings["tokenizer.ggml.tokens"])
    return GemmaWeights(unpacked(file, chosen, {"model": "small"}), shape_of(file))


IDS = [0, *np.random.default_rng(3).integers(2, 200, 20).tolist()]


@pytest.mark.needs("torch", "transformers", "gguf")
def test_states_and_odds_are_torchs(small: tuple[Any, GgufFile], weights: GemmaWeights) -> None:
    import torch

    model, file = small
    chosen = kept_pieces(file.settings["tokenizer.ggml.tokens"])
    with torch.inference_mode():
        wanted = model(torch.tensor([[chosen[one] for one in IDS]])).logits[0].numpy()[:, chosen]
    pool = PackedPool(weights)
    (first,) = pool.compute([PackedText(IDS[:9])])
    (rest,) = pool.compute([PackedText(IDS[9:], first.places)])  # in two goes, as words are
    states = np.concatenate([first.states, rest.states])
    assert np.abs(pool.scores(states) - wanted).max() < 1e-3 * np.abs(wanted).max()


@pytest.mark.needs("torch", "transformers", "gguf", "onnxruntime")
def test_in_eight_bits_it_says_nearly_the_same(weights: GemmaWeights) -> None:
    quick = QuickGemma(weights, quick_tensors(weights, IDS))
    exact, rounded = (
        PackedPool(one).compute([PackedText(IDS)])[0].states for one in (weights, quick)
    )
    cosines = (
        (exact * rounded).sum(1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(rounded, axis=1)
    )
    assert cosines.min() > 0.97
    alone = PackedPool(quick).compute([PackedText(IDS)])[0].states
    together = PackedPool(quick).compute([PackedText(IDS[:4]), PackedText(IDS), PackedText([0, 5])])
    assert np.array_equal(alone, together[1].states)


def test_pieces_are_joined_the_commonest_pair_first() -> None:
    pieces = SentencePieces([PIECES[i] for i in kept_pieces(PIECES)])
    names = {number: piece for piece, number in pieces.vocabulary.items()}

    def cut(text: str) -> list[str]:
        return [names[token.number] for token in pieces.encode(text)]

    assert cut("the cat, the") == ["the", BLANK, "c", "a", "t", ",", f"{BLANK}the"]
    assert cut("hello") == ["he", "l", "lo"]
    assert cut("é") == ["<0xC3>", "<0xA9>"]  # a character that is no token is its bytes
    assert "Θλ" not in pieces.vocabulary and "<pad>" not in pieces.vocabulary


@given(st.text(alphabet=LETTERS + " \nxé☃", max_size=40))
def test_tokens_cover_a_text_from_its_start_to_its_end(text: str) -> None:
    tokens = SentencePieces([PIECES[i] for i in kept_pieces(PIECES)]).encode(text)
    assert [token.start for token in tokens] == [0, *(token.end for token in tokens)][: len(tokens)]
    assert not tokens or tokens[-1].end == len(text)
