"""Text classifiers of Hugging Face as systems: a label with scores, and gradients of the chosen class."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Inspection
from polyglitch.records import Input, Output
from polyglitch.registry import suggest
from polyglitch.systems.answers import answer
from polyglitch.systems.embedding_gradients import attributes, caught_embeddings, inside

LONGEST = 512  # tokens: what these models were trained on at most


class Classifier:
    """A model with its tokenizer. An input with a context is given as a pair of texts."""

    batch_size = 16
    parallel = 1

    def __init__(self, tokenizer: Any, model: Any, signature: str, language: str | None) -> None:
        self._tokenizer, self._model, self._lock = tokenizer, model, threading.Lock()
        self._longest = min(LONGEST, getattr(model.config, "max_position_embeddings", LONGEST))
        names = model.config.id2label
        self._labels: tuple[str, ...] = tuple(str(names[n]) for n in range(len(names)))
        self.signature, self.languages = signature, (language, None)

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The label of each input, with the probability of every label."""
        import torch

        with self._lock, torch.inference_mode():
            rows = [
                self._model(**self._tokens(item)).logits[0].softmax(-1).tolist() for item in inputs
            ]
        return [answer({"scores": dict(zip(self._labels, row, strict=True))}) for row in rows]

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given labels, or with the labels that were chosen."""
        if outputs is None:
            outputs = [output.label or "" for output in self.ask(inputs)]
        return [self._look(item, label) for item, label in zip(inputs, outputs, strict=True)]

    @property
    def model(self) -> Any:
        """The torch model, for those who watch its neurons."""
        return self._model

    def close(self) -> None:
        """The model goes with the object."""

    def _look(self, item: Input, label: str) -> Inspection:
        import torch

        if label not in self._labels:
            raise UsageError(
                f"{self.signature} has no label {label!r}{suggest(label, self._labels)}"
            )
        batch = self._tokens(item, offsets=True)
        offsets = batch.pop("offset_mapping")[0].tolist()
        first = [
            part == 0 for part in batch.sequence_ids(0)
        ]  # not the context, not a special token
        with self._lock, torch.enable_grad():
            with caught_embeddings(self._model.get_input_embeddings()) as caught:
                done = self._model(**batch, output_attentions=True)
            chosen = done.logits[0].log_softmax(-1)[self._labels.index(label)]
            (gradients,) = torch.autograd.grad(-chosen, caught[0])
        norms, salience = attributes(gradients[0], caught[0][0])
        spans = inside(offsets, item.text, 0, len(item.text))
        # What the token that is classified sees, averaged over the heads of the last layer.
        attention = done.attentions[-1][0].mean(0)[:1].detach().numpy()
        return Inspection(
            source_tokens=tuple(self._tokenizer.convert_ids_to_tokens(batch["input_ids"][0])),
            source_spans=tuple(s if own else (0, 0) for s, own in zip(spans, first, strict=True)),
            gradients=norms,
            target_tokens=(label,),
            probabilities=np.asarray([chosen.detach().exp()], np.float32),
            attention=np.asarray(attention, np.float32),
            salience=salience,
        )

    def _tokens(self, item: Input, offsets: bool = False) -> Any:
        return self._tokenizer(
            *((item.text,) if item.context is None else (item.text, item.context)),
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
            return_offsets_mapping=offsets,
        )
