"""Vectors of sentences, and of words in their sentence: from all-MiniLM-L6-v2, in numpy, out of its PyPI wheel, or from
any encoder in a folder as transformers saves it, `hf:FOLDER`; and the nearest sentences by them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from polyglitch.errors import Missing, UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.embedders.bert import Bert
from polyglitch.nlp.models.downloads import cache_folder, known_downloads, require
from polyglitch.protocols import Embedder, Floats
from polyglitch.records import digest

if TYPE_CHECKING:
    from polyglitch.nlp.embedders.bert import States

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

    def first_pieces(self, texts: Sequence[str]) -> Floats:
        """The state of the piece before each text, [CLS], which classifiers of BERT's kind read."""
        rows = np.zeros((len(texts), self._encoder.width), np.float32)
        for chosen, states in self._batches(texts):
            rows[chosen] = states.vectors[:, 0]
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
    if "minilm" not in language_of(language).embedders:
        raise Missing(
            f"an embedder for {language!r}",
            "sentence similarity",
            "name one with --embedder hf:FOLDER",
        )
    folder = require("minilm", "the embedder 'minilm'") / "model"
    return MiniLm(Bert(folder), f"all-MiniLM-L6-v2-{known_downloads()['minilm'].version}")


class Folder:
    """A tokenizer and a model of transformers as what `MiniLm` pools."""

    def __init__(self, folder: str) -> None:
        import transformers

        self._tokenizer = transformers.AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
        self._model = transformers.AutoModel.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        ).eval()
        self.width: int = self._model.config.hidden_size

    def states(self, texts: Sequence[str]) -> States:
        """The texts in one batch, padded to the longest."""
        import torch

        from polyglitch.nlp.embedders.bert import LONGEST, States

        batch = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=LONGEST,
            return_tensors="pt",
            return_offsets_mapping=True,
        )
        spans = batch.pop("offset_mapping").numpy()
        with torch.inference_mode():
            vectors = self._model(**batch).last_hidden_state.numpy()
        return States(vectors, spans, batch["attention_mask"].bool().numpy())


@cache
def open_hf_embedder(language: str, folder: str = "") -> MiniLm:
    """The encoder of a folder; whether it knows the language is the user's word."""
    for name in ("torch", "transformers"):
        if not find_spec(name):
            raise Missing(name, f"the embedder 'hf:{folder}'", "pip install 'polyglitch[torch]'")
    if not folder or not Path(folder).is_dir():
        raise UsageError(f"hf:{folder}: no such folder; name one with config.json and weights")
    return MiniLm(Folder(folder), f"hf:{Path(folder).name}")


QUERIES_AT_ONCE = 64  # bounds the table of scores: 64 x 100,000 floats are 26 MB


class SentenceIndex:
    """Unit vectors of some sentences, a row each."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = np.ascontiguousarray(vectors, np.float32)

    def search(self, queries: Floats, top: int) -> list[list[tuple[int, float]]]:
        """The `top` nearest sentences of each query with their similarity, the nearest first."""
        found: list[list[tuple[int, float]]] = []
        top = min(top, len(self.vectors))
        if not top:
            return [[] for _ in queries]
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            scores = queries[start : start + QUERIES_AT_ONCE] @ self.vectors.T
            nearest = np.argpartition(-scores, top - 1, axis=1)[:, :top]
            for row, places in zip(scores, nearest, strict=True):
                ordered = sorted(places.tolist(), key=lambda place: (-row[place], place))
                found.append([(place, float(row[place])) for place in ordered])
        return found


def open_index(sentences: Sequence[str], embedder: Embedder) -> SentenceIndex:
    """The index of some sentences, from the cache folder if they were encoded before."""
    path = cache_folder() / "sentences" / f"{digest([embedder.signature, *sentences], 32)}.npy"
    if path.is_file():
        vectors = np.load(path, allow_pickle=False)
        if vectors.shape[0] == len(sentences):
            return SentenceIndex(vectors)
    vectors = embedder.embed(sentences)
    _save(path, vectors)
    return SentenceIndex(vectors)


def _save(path: Path, vectors: Floats) -> None:
    """Whole or not at all: another process may read at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.tmp")
    with draft.open("wb") as file:
        np.save(file, vectors, allow_pickle=False)
    draft.replace(path)
