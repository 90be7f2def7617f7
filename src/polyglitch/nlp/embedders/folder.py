"""Any encoder in a folder as transformers saves it: `hf:FOLDER`, for sentences and for words in their sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from polyglitch.errors import Missing, UsageError
from polyglitch.nlp.embedders.minilm import MiniLm

if TYPE_CHECKING:
    from polyglitch.nlp.embedders.bert import States


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
