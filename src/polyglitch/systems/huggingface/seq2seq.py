"""Encoder-decoder models of Hugging Face as systems: Marian, T5, mBART, NLLB and their kin."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Inspection, TokenScore
from polyglitch.records import Input, Output
from polyglitch.systems.answers import answer, failed
from polyglitch.systems.prompts import Prompt
from polyglitch.systems.white_box import (
    Span,
    attributes,
    caught_embeddings,
    in_batches,
    inside,
    walk,
)

LONGEST = 512  # tokens: what these models were trained on at most
INSPECTED = (
    1_000_000  # cells of attention a head that are looked at in one go: 4 texts of 512 tokens
)
NO_LABEL = -100  # what transformers takes for no token
UNSAID = 20  # the max_length of a configuration that says none


class SourceLook(NamedTuple):
    """One input to look into, with an output: their tokens, and where the input's stand."""

    source: list[int]
    target: list[int]
    spans: list[Span]
    context_spans: list[Span]


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
        """What the model reads, and where the input's text starts."""
        return self._prompt.fill(self._cut(item))

    def _cut(self, item: Input) -> Input:
        """The input as the model can read it: too much is cut off the end of the context."""
        context = (item.context or "") if self.reads_context else ""
        while context:
            over = len(self._coded(self._prompt.fill(item)[0], whole=True)[0]) - self._longest
            if over <= 0:
                break
            spans = self._coded(context, whole=True)[1]
            ends = [end for _, end in spans if end]
            context = context[: ends[-over - 1]] if len(ends) > over else ""
            item = replace(item, context=context)
        return item

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given outputs, or with the model's own."""
        if outputs is None:
            outputs = [output.text for output in self.ask(inputs)]
        looks = [self._prepared(*pair) for pair in zip(inputs, outputs, strict=True)]
        found: dict[int, Inspection] = {}
        for some in in_batches([len(look.source) for look in looks], INSPECTED):
            found |= zip(some, self._look([looks[number] for number in some]), strict=True)
        return [found[number] for number in range(len(looks))]

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

    def _look(self, looks: Sequence[SourceLook]) -> list[Inspection]:
        """Look into some inputs at once."""
        import torch

        pad = self._tokenizer.pad_token_id or 0
        source, mask = padded([look.source for look in looks], pad)
        wanted, there = padded([look.target for look in looks], 0)
        with self._lock, torch.enable_grad():
            with caught_embeddings(self._model.get_encoder().get_input_embeddings()) as caught:
                # Given labels, every family shifts them right by its own rule for the first token.
                done = self._model(
                    input_ids=source,
                    attention_mask=mask,
                    labels=wanted.masked_fill(there == 0, NO_LABEL),
                    output_attentions=True,
                )
            chosen = done.logits.log_softmax(-1).gather(2, wanted[:, :, None])[:, :, 0]
            (gradients,) = torch.autograd.grad(-(chosen * there).sum(), caught[0])
        # The layer before the last aligns best, averaged over its heads (Garg et al., EMNLP 2019).
        layers = done.cross_attentions
        attention = layers[max(0, len(layers) - 2)].mean(1)
        found: list[Inspection] = []
        for row, look in enumerate(looks):
            long, written = len(look.source), len(look.target)
            norms, salience = attributes(gradients[row, :long], caught[0][row, :long])
            likely = chosen[row, :written].detach().exp().numpy()
            seen = attention[row, :written, :long].detach().numpy()
            found.append(
                Inspection(
                    source_tokens=tuple(self._tokenizer.convert_ids_to_tokens(look.source)),
                    source_spans=tuple(look.spans),
                    gradients=norms,
                    target_tokens=tuple(self._tokenizer.convert_ids_to_tokens(look.target)),
                    probabilities=np.asarray(likely, np.float32),
                    attention=np.asarray(seen, np.float32),
                    salience=salience,
                    context_spans=tuple(look.context_spans),
                )
            )
        return found

    def _prepared(self, item: Input, output: str) -> SourceLook:
        """The tokens of an input, and where they stand in its text or its context."""
        item = self._cut(item)
        text, start = self._prompt.fill(item)
        ids, offsets = self._coded(text)
        spans = inside(offsets, text, start, start + len(item.text))
        place = self._prompt.place("context", item)
        long = len(item.context or "") if place >= 0 else 0
        around = inside(offsets, text, place, place + long)
        return SourceLook(ids, self._coded(output, target=True)[0], spans, around)

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


def padded(rows: Sequence[Sequence[int]], pad: int) -> tuple[Any, Any]:
    """Rows of tokens as one table, with a mask that is 1 where there are tokens."""
    import torch

    width = max(map(len, rows))
    table = torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return table, mask


def decoding(own: Any, prompt: Prompt | None, room: int, beams: int | None) -> dict[str, Any]:
    """How to search: as the model's generation_config says, but for what was asked for and never by chance."""
    chosen: dict[str, Any] = {"do_sample": False}
    if beams is not None:
        chosen["num_beams"] = beams
    bounded = own.max_new_tokens or (own.max_length or UNSAID) != UNSAID
    if prompt is not None or not bounded:
        chosen["max_new_tokens"] = room
    return chosen
