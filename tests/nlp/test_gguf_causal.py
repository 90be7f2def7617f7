"""A causal model read from a GGUF file finds texts as likely as the same model in torch does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyglitch.errors import UsageError
from polyglitch.nlp.models.llama import printable_bytes
from polyglitch.nlp.models.model_files import KINDS
from polyglitch.records import Input
from polyglitch.tools import open_lens

needs_torch = pytest.mark.needs("torch", "transformers", "gguf")
TOKENS = list(printable_bytes().values())  # one token a byte, no merges
NAMES = {
    "embed_tokens": "token_embd",
    "norm": "output_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "o_proj": "attn_output",
    **{f"{letter}_proj": f"attn_{letter}" for letter in "qkv"},
    **{f"{part}_proj": f"ffn_{part}" for part in ("gate", "up", "down")},
}


def tiny_qwen() -> Any:
    import torch
    import transformers

    torch.manual_seed(1)
    shape = transformers.Qwen2Config(
        vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True,
    )  # fmt: skip
    model = transformers.Qwen2ForCausalLM(shape).eval()
    for part in model.parameters():  # larger than at the start of training, so that nothing hides
        part.data.uniform_(-0.5, 0.5)
    return model


def written(model: Any, path: Path, family: str = "qwen2") -> Path:
    from gguf import GGUFWriter

    config = model.config
    writer = GGUFWriter(str(path), family)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(float(config.rope_parameters["rope_theta"]))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(TOKENS)
    writer.add_token_merges(["a b"])
    for name, part in model.model.named_parameters():
        *block, last, kind = name.split(".")
        head = f"blk.{block[1]}." if len(block) > 1 else ""
        writer.add_tensor(f"{head}{NAMES[last]}.{kind}", part.detach().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@needs_torch
def test_a_translation_is_as_likely_as_in_torch_alone_or_with_others(tmp_path: Path) -> None:
    import torch

    model = tiny_qwen()
    lens = open_lens(f"gguf:{written(model, tmp_path / 'tiny.gguf')}")
    assert lens is not None and lens.signature.startswith("gguf:tiny.gguf|file=")
    pairs = [("Snow fell.", "Caiu neve."), ("The boat is old and small.", "O barco é velho.")]
    inputs = [Input(source, language="en") for source, _ in pairs]
    found = lens.score(inputs, [output for _, output in pairs], "pt")
    numbers = {token: number for number, token in enumerate(TOKENS)}
    for (source, output), scores in zip(pairs, found, strict=True):
        text = f"English: {source}\nPortuguese: {output}".encode()
        ids = torch.tensor([[numbers[printable_bytes()[byte]] for byte in text]])
        with torch.no_grad():
            odds = model(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
        seen = [n for n, byte in enumerate(output.encode()) if byte != 32]  # a blank is no word's
        wanted = odds[-len(output.encode()) :].numpy()[seen]
        assert np.allclose([one.log_probability for one in scores], wanted, atol=1e-4)
        assert {output[one.start : one.end] for one in scores} == set(output) - {" "}
    alone = [
        lens.score([item], [text], "pt")[0] for item, (_, text) in zip(inputs, pairs, strict=True)
    ]
    for one, other in zip(found, alone, strict=True):
        assert np.allclose(
            [s.log_probability for s in one], [s.log_probability for s in other], atol=1e-5
        )


@needs_torch
def test_a_model_of_another_family_is_refused_by_name(tmp_path: Path) -> None:
    lens = open_lens(f"gguf:{written(tiny_qwen(), tmp_path / 'other.gguf', 'mamba')}")
    assert lens is not None
    with pytest.raises(UsageError, match="family 'mamba'; read are llama, qwen2"):
        lens.score([Input("a")], ["b"])


def test_a_wrong_option_prompt_or_file_says_what_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"")
    with pytest.raises(UsageError, match="is no file"):
        open_lens("gguf:nowhere.gguf")
    with pytest.raises(UsageError, match="did you mean 'prompt'"):
        open_lens(f"gguf:{file}?promt=translate")
    with pytest.raises(UsageError, match="did you mean 'translate'"):
        open_lens(f"gguf:{file}?prompt=translat")


@needs_torch
@pytest.mark.parametrize("kind", [2, 3, 8, 12, 13, 14, 30])
def test_each_way_of_packing_is_unpacked_as_llama_cpp_does(kind: int) -> None:
    from gguf import GGMLQuantizationType, quants

    size, held, unpack = KINDS[kind]
    raw = np.random.default_rng(kind).integers(
        0, 56, (20, size), dtype=np.uint8
    )  # no infinite scales
    assert np.allclose(
        unpack(raw).ravel(), quants.dequantize(raw, GGMLQuantizationType(kind)).ravel()
    )
    assert unpack(raw).size == 20 * held if held > 1 else True
