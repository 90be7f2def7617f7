"""A BERT encoder read from its folder with torch alone: importing transformers costs longer than judging a page.

A module of its own, imported when an encoder is opened: what asks for MiniLM's name has to work without torch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from polyglitch.protocols import Floats

LONGEST = 256  # word pieces: what MiniLM was trained on


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
        self._weights = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()

    def states(self, texts: Sequence[str]) -> States:
        """The texts in one batch, padded to the longest."""
        coded = self._tokenizer.encode_batch(list(texts))
        ids = torch.tensor([item.ids for item in coded])
        mask = torch.tensor([item.attention_mask for item in coded], dtype=torch.bool)
        with torch.inference_mode():
            vectors = self._forward(ids, mask).numpy()
        return States(vectors, np.array([item.offsets for item in coded]), mask.numpy())

    def _forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        table = self._weights
        x = table["embeddings.word_embeddings.weight"][ids]
        x = x + table["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._normal(x + table["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}"
            seen = self._attend(x, mask[:, None, None, :], f"{name}.attention.self")
            x = self._normal(
                x + self._dense(seen, f"{name}.attention.output.dense"), f"{name}.attention.output"
            )
            wide = functional.gelu(self._dense(x, f"{name}.intermediate.dense"))
            x = self._normal(x + self._dense(wide, f"{name}.output.dense"), f"{name}.output")
        return x

    def _attend(self, x: Tensor, mask: Tensor, name: str) -> Tensor:
        query, key, value = (
            self._dense(x, f"{name}.{part}").unflatten(-1, (self._heads, -1)).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return seen.transpose(1, 2).flatten(2)

    def _dense(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normal(self, x: Tensor, name: str) -> Tensor:
        name = f"{name}.LayerNorm"
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(x, (self.width,), weight, bias, self._epsilon)
