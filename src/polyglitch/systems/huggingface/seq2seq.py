"""Encoder-decoder models of Hugging Face as systems: Marian, T5, mBART, NLLB and their kin."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from polyglitch.protocols import Inspection, TokenScore
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed
from polyglitch.systems.embedding_gradients import Span, attributes, caught_embeddings, inside, walk
from polyglitch.systems.prompts import Prompt

LONGEST = 512  # tokens: what these models were trained on at most
UNSAID = 20  # the max_length of a configuration that says none


class Seq2Seq:
    """A model with its tokenizer. One call at a time: torch uses the cores by itself."""

    batch_size = 16
    parallel = 1

    def __init__(
        self,
        tokenizer: Any,
        model: Any,
        signature: str,
        languages: tuple[str | None, str | None] = (None, None),
        prompt: Prompt | None = None,
        first_token: int | None = None,
        beams: int | None = None,
    ) -> None:
        self._tokenizer, self._model, self._lock = tokenizer, model, threading.Lock()
        self._prompt = prompt or Prompt("{text}", answer_tokens=256)
        self.reads_context = "context" in self._prompt.places
        # Models with learned or tabled positions know no longer texts; others are bounded all the same.
        self._longest = min(LONGEST, getattr(model.config, "max_position_embeddings", LONGEST))
        self._room = min(self._prompt.answer_tokens, self._longest - 1)
        self._decoding = decoding(model.generation_config, prompt, self._room, beams)
        if first_token is not None:  # the target language, for models that know several
            self._decoding["forced_bos_token_id"] = first_token
        self.signature, self.languages = signature, languages

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input, by the search that the model's own configuration names; never by chance."""
        import torch

        troubles = [self._trouble(item) for item in inputs]
        outputs = [failed(trouble) for trouble in troubles]
        fit = [number for number, trouble in enumerate(troubles) if not trouble]
        if not fit:
            return outputs
        texts = [self._fill(inputs[number])[0] for number in fit]
        batch = self._tokenizer(texts, padding=True, return_tensors="pt")
        batch.pop("token_type_ids", None)
        with self._lock, torch.inference_mode():
            rows = self._model.generate(**batch, **self._decoding)
        written = self._tokenizer.batch_decode(rows, skip_special_tokens=True)
        for number, text in zip(fit, written, strict=True):
            outputs[number] = answer(text.strip())
        return outputs

    def _trouble(self, item: Input) -> str:
        """Why an input cannot be asked, or nothing."""
        if item.context and not self.reads_context:
            return (
                "the input has a context, and nothing says where this model reads it; add ?prompt=unifiedqa, or a "
                "prompt of your own with {context}"
            )
        length = len(self._coded(self._fill(item)[0], whole=True)[0])
        if length > self._longest:
            return f"the input has {length} tokens, and the model reads {self._longest}"
        return ""

    def _fill(self, item: Input) -> tuple[str, int]:
        """What the model reads, and where the input's text starts; too much is cut off the end of the context."""
        text, start = self._prompt.fill(item)
        context = (item.context or "") if self.reads_context else ""
        while context:
            over = len(self._coded(text, whole=True)[0]) - self._longest
            if over <= 0:
                break
            spans = self._coded(context, whole=True)[1]
            ends = [end for _, end in spans if end]
            context = context[: ends[-over - 1]] if len(ends) > over else ""
            item = replace(item, context=context)
            text, start = self._prompt.fill(item)
        return text, start

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given outputs, or with the model's own."""
        if outputs is None:
            outputs = [output.text for output in self.ask(inputs)]
        return [self._look(item, text) for item, text in zip(inputs, outputs, strict=True)]

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        """How likely the model finds each piece of an output."""
        found: list[list[TokenScore]] = []
        for start in range(0, len(inputs), self.batch_size):
            some = slice(start, start + self.batch_size)
            found += self._score(inputs[some], outputs[some])
        return found

    def _score(self, inputs: Sequence[Input], outputs: Sequence[str]) -> list[list[TokenScore]]:
        import torch

        texts = [self._fill(item)[0] for item in inputs]
        options = {"truncation": True, "max_length": self._longest}
        batch = self._tokenizer(texts, padding=True, return_tensors="pt", **options)
        batch.pop("token_type_ids", None)
        coded = [self._coded(output, target=True) for output in outputs]
        width = max(len(ids) for ids, _ in coded)
        pad = (
            self._tokenizer.pad_token_id or 0
        )  # what comes after the end changes nothing before it
        wanted = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in coded])
        with self._lock, torch.inference_mode():
            logits = self._model(**batch, labels=wanted).logits
            chosen = logits.log_softmax(-1).gather(2, wanted[:, :, None])[:, :, 0]
        return [
            [
                TokenScore(*span, one)
                for span, one in zip(inside(spans, output, 0, len(output)), row, strict=False)
                if span != (0, 0)
            ]
            for output, (_, spans), row in zip(outputs, coded, chosen.tolist(), strict=True)
        ]

    def close(self) -> None:
        """The model goes with the object."""

    def _look(self, item: Input, output: str) -> Inspection:
        import torch

        text, start = self._fill(item)
        ids, spans = self._source(text, start, len(item.text))
        target: list[int] = self._tokenizer(text_target=output)["input_ids"]
        wanted = torch.tensor([target])
        with self._lock, torch.enable_grad():
            with caught_embeddings(self._model.get_encoder().get_input_embeddings()) as caught:
                # Given labels, every family shifts them right by its own rule for the first token.
                done = self._model(
                    input_ids=torch.tensor([ids]), labels=wanted, output_attentions=True
                )
            chosen = done.logits[0].log_softmax(-1).gather(1, wanted[0][:, None])[:, 0]
            (gradients,) = torch.autograd.grad(-chosen.sum(), caught[0])
        norms, salience = attributes(gradients[0], caught[0][0])
        # The layer before the last aligns best, averaged over its heads (Garg et al., EMNLP 2019).
        layers = done.cross_attentions
        attention = layers[max(0, len(layers) - 2)][0].mean(0)
        return Inspection(
            source_tokens=tuple(self._tokenizer.convert_ids_to_tokens(ids)),
            source_spans=tuple(spans),
            gradients=norms,
            target_tokens=tuple(self._tokenizer.convert_ids_to_tokens(target)),
            probabilities=np.asarray(chosen.detach().exp().numpy(), np.float32),
            attention=np.asarray(attention.detach().numpy(), np.float32),
            salience=salience,
        )

    def _source(self, text: str, start: int, length: int) -> tuple[list[int], list[Span]]:
        """The tokens of a source and where they stand in the input's text; slow tokenizers do not tell."""
        ids, offsets = self._coded(text)
        return ids, inside(offsets, text, start, start + length)

    def _coded(
        self, text: str, target: bool = False, whole: bool = False
    ) -> tuple[list[int], list[Span]]:
        """The tokens of a text of the source or the target language, and where they stand in it."""
        options: dict[str, Any] = {} if whole else {"truncation": True, "max_length": self._longest}
        options |= {"text_target": text} if target else {"text": text}
        if self._tokenizer.is_fast:
            coded = self._tokenizer(return_offsets_mapping=True, **options)
            return coded["input_ids"], coded["offset_mapping"]
        ids = self._tokenizer(**options)["input_ids"]
        special = set(self._tokenizer.all_special_tokens)
        pieces = self._tokenizer.convert_ids_to_tokens(ids)
        return ids, walk(["" if piece in special else piece for piece in pieces], text)


def decoding(own: Any, prompt: Prompt | None, room: int, beams: int | None) -> dict[str, Any]:
    """How to search: as the model's generation_config says, but for what was asked for and never by chance."""
    chosen: dict[str, Any] = {"do_sample": False}
    if beams is not None:
        chosen["num_beams"] = beams
    bounded = own.max_new_tokens or (own.max_length or UNSAID) != UNSAID
    if prompt is not None or not bounded:
        chosen["max_new_tokens"] = room
    return chosen
