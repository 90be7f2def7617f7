"""Text classifiers of Hugging Face as systems: a label with scores, and gradients of the chosen class.

Extractive question answering of Hugging Face as systems: the answer is a piece of the context.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Inspection
from polyglitch.records import Input, Output
from polyglitch.registry import suggest
from polyglitch.systems.answers import answer, failed
from polyglitch.systems.white_box import attributes, caught_embeddings, inside

LONGEST = 512  # tokens: what these models were trained on at most
LONGEST_PAIR = 384  # tokens of question and context together: what these models are trained on
STRIDE = 128  # tokens that two windows of a long context share
ANSWER = 30  # tokens of an answer at most
NOTHING = "no answer"


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


class FoundAnswer(NamedTuple):
    """A piece of one window: from token to token, and the log-probability that both are the answer's ends."""

    score: float
    window: int
    start: int
    end: int


NOWHERE = FoundAnswer(-math.inf, 0, 0, 0)


class Extractive:
    """A model with its tokenizer. With `no_answer` it may say so, as models of SQuAD 2.0 learn to."""

    batch_size = 16
    parallel = 1

    def __init__(
        self, tokenizer: Any, model: Any, signature: str, language: str | None, no_answer: bool
    ) -> None:
        self._tokenizer, self._model, self._lock = tokenizer, model, threading.Lock()
        self._longest = min(
            LONGEST_PAIR, getattr(model.config, "max_position_embeddings", LONGEST_PAIR)
        )
        self._no_answer = no_answer
        self.signature, self.languages = signature, (language, language)

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The likeliest piece of each context, with its probability within its window."""
        return [self._answer(item) for item in inputs]

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each question, with the ends of the model's own answer; others it cannot give."""
        return [self._look(item) for item in inputs]

    def close(self) -> None:
        """The model goes with the object."""

    def _answer(self, item: Input) -> Output:
        import torch

        context = item.context or ""
        if not context.strip():
            return failed("an extractive model answers from a context, and the input has none")
        windows = self._windows(item)
        with self._lock, torch.inference_mode():
            best = self._best(windows, self._ends(windows))
        if best == NOWHERE:
            return failed("the model's tokenizer finds no word in the context")
        probability = float(np.exp(best.score))
        if best.end == 0:
            return Output(NOTHING, scores={NOTHING: probability})
        offsets = windows["offset_mapping"][best.window]
        text = context[int(offsets[best.start][0]) : int(offsets[best.end][1])].strip()
        return Output(text, scores={text: probability}) if text else failed("empty answer")

    def _windows(self, item: Input) -> Any:
        """Question and context as one row a window."""
        return self._tokenizer(
            item.text,
            item.context,
            truncation="only_second",
            max_length=self._longest,
            stride=min(STRIDE, self._longest // 4),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=True,
            return_tensors="pt",
        )

    def _ends(self, windows: Any, **more: Any) -> Any:
        """What the model makes of the windows."""
        known = ("input_ids", "attention_mask", "token_type_ids")
        return self._model(**{name: windows[name] for name in known if name in windows}, **more)

    def _best(self, windows: Any, done: Any) -> FoundAnswer:
        """The best piece over all windows; the place of the first token stands for no answer."""
        found: list[FoundAnswer] = []
        nothing: list[FoundAnswer] = []
        for number in range(len(windows["input_ids"])):
            start = done.start_logits[number].log_softmax(-1).detach().numpy()
            end = done.end_logits[number].log_softmax(-1).detach().numpy()
            places = [n for n, part in enumerate(windows.sequence_ids(number)) if part == 1]
            if not places:  # signs that the tokenizer drops
                continue
            first, last = places[0], places[-1] + 1
            sums = start[first:last, None] + end[None, first:last]
            size = last - first
            fits = np.triu(np.ones((size, size), bool)) & ~np.triu(
                np.ones((size, size), bool), ANSWER
            )
            row, column = np.unravel_index(np.where(fits, sums, -np.inf).argmax(), sums.shape)
            found.append(
                FoundAnswer(float(sums[row, column]), number, first + int(row), first + int(column))
            )
            nothing.append(FoundAnswer(float(start[0] + end[0]), number, 0, 0))
        best = max(found, default=NOWHERE)
        return (
            max(best, min(nothing)) if self._no_answer and nothing else best
        )  # no window may hold an answer

    def _look(self, item: Input) -> Inspection:
        import torch

        windows = self._windows(item)
        with self._lock, torch.enable_grad():
            with caught_embeddings(self._model.get_input_embeddings()) as caught:
                done = self._ends(windows, output_attentions=True)
            best = self._best(windows, done)
            ends = (
                done.start_logits[best.window].log_softmax(-1)[best.start],
                done.end_logits[best.window].log_softmax(-1)[best.end],
            )
            (gradients,) = torch.autograd.grad(-(ends[0] + ends[1]), caught[0])
        norms, salience = attributes(gradients[best.window], caught[0][best.window])
        own = [part == 0 for part in windows.sequence_ids(best.window)]
        offsets = windows["offset_mapping"][best.window].tolist()
        spans = inside(offsets, item.text, 0, len(item.text))
        tokens = self._tokenizer.convert_ids_to_tokens(windows["input_ids"][best.window])
        # What both ends of the answer see, averaged over the heads of the last layer.
        attention = done.attentions[-1][best.window].mean(0)[[best.start, best.end]]
        return Inspection(
            source_tokens=tuple(tokens),
            source_spans=tuple(s if mine else (0, 0) for s, mine in zip(spans, own, strict=True)),
            gradients=norms,
            target_tokens=(tokens[best.start], tokens[best.end]),
            probabilities=np.asarray([float(end.detach().exp()) for end in ends], np.float32),
            attention=np.asarray(attention.detach().numpy(), np.float32),
            salience=salience,
        )
