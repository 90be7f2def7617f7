"""Many continuations of many texts in one pass of a causal language model.

The linear layers, which are nearly all of the work, see the tokens of all texts as one matrix, without padding. Keys
and values stay in a pool; a text says which tokens of the pool came before it, so that texts with a common beginning
share it, and a continuation costs its own tokens and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

# Tokens a pass: fewer leave the processor's caches half used, more gain nothing.
ROW = 384
T = TypeVar("T")


class Text(msgspec.Struct, frozen=True):
    """Tokens to compute, and where in the pool the tokens are that came before."""

    ids: Sequence[int]
    before: tuple[int, ...] = ()


class Computed(msgspec.Struct, frozen=True):
    """The last hidden states of a text, tokens x width, and where in the pool it is, with all that came before."""

    states: Any
    places: tuple[int, ...]


class Layout(msgspec.Struct, frozen=True):
    """How the texts of a pass lie side by side for attention, which alone is padded."""

    queries: Any  # texts x longest: which token of the pass
    keys: Any  # texts x longest with what came before: which token of the pool
    mask: Any  # what each query sees, to be added to its scores
    kept: Any  # texts x longest: which of the queries are real


def rows(items: Sequence[T], size: Callable[[T], int], limit: int = ROW) -> Iterator[list[T]]:
    """The items in order, as many together as a row holds."""
    row: list[T] = []
    filled = 0
    for item in items:
        if row and filled + size(item) > limit:
            yield row
            row, filled = [], 0
        row.append(item)
        filled += size(item)
    if row:
        yield row


class Pool:
    """A model of the Llama family with the keys and values of all that it has computed."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._layers: list[tuple[Any, Any]] = []  # tokens x heads x width
        self.size = 0

    def compute(self, texts: Sequence[Text]) -> list[Computed]:
        """Run the model over all texts in one pass."""
        import torch

        body = self._model.model
        hidden = body.embed_tokens(torch.tensor([[one for text in texts for one in text.ids]]))
        places = [len(text.before) + i for text in texts for i in range(len(text.ids))]
        turns = body.rotary_emb(hidden, torch.tensor([places]))
        layout = lay_out(texts, self.size)
        for number, layer in enumerate(body.layers):
            mixed = self._attend(number, layer, layer.input_layernorm(hidden), turns, layout)
            hidden = hidden + layer.self_attn.o_proj(mixed)
            hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
        states = body.norm(hidden)[0].split([len(text.ids) for text in texts])
        found = []
        for text, part in zip(texts, states, strict=True):
            found.append(Computed(part, (*text.before, *range(self.size, self.size + len(part)))))
            self.size += len(part)
        return found

    def _attend(self, number: int, layer: Any, normed: Any, turns: Any, layout: Layout) -> Any:
        """Attention of one layer, each text to itself and to what came before it."""
        import torch
        from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

        inner = layer.self_attn
        shape = (*normed.shape[:2], -1, inner.head_dim)
        query, key = inner.q_proj(normed).view(shape), inner.k_proj(normed).view(shape)
        query, key = apply_rotary_pos_emb(query, key, *turns, unsqueeze_dim=2)
        keys, values = self._grow(number, key[0], inner.v_proj(normed).view(shape)[0])
        texts, longest = layout.queries.shape
        heads = keys.shape[1]
        # The queries of the heads that share a key stand one after the other, so that no key is copied.
        asked = query[0][layout.queries].view(texts, longest, heads, -1, inner.head_dim)
        asked = asked.permute(0, 2, 3, 1, 4).reshape(texts, heads, -1, inner.head_dim)
        mixed = torch.nn.functional.scaled_dot_product_attention(
            asked,
            keys[layout.keys].transpose(1, 2),
            values[layout.keys].transpose(1, 2),
            attn_mask=layout.mask.repeat(1, 1, asked.shape[2] // longest, 1),
        )
        mixed = mixed.view(texts, heads, -1, longest, inner.head_dim).permute(0, 3, 1, 2, 4)
        return mixed.reshape(texts, longest, -1)[layout.kept][None]

    def _grow(self, number: int, key: Any, value: Any) -> tuple[Any, Any]:
        """The keys and values of a layer with new ones at the end."""
        import torch

        if number == len(self._layers):
            self._layers.append((key, value))
        else:
            keys, values = self._layers[number]
            self._layers[number] = torch.cat([keys, key]), torch.cat([values, value])
        return self._layers[number]

    def log_odds(self, states: Any, wanted: Sequence[int]) -> list[float]:
        """The log-probability of one next token after each state."""
        import torch

        logits = self._model.lm_head(states)
        ids = torch.tensor(list(wanted), dtype=torch.long)
        found: list[float] = (logits.gather(1, ids[:, None])[:, 0] - logits.logsumexp(1)).tolist()
        return found

    def all_odds(self, states: Any) -> Any:
        """The log-probability of every next token after each state."""
        return self._model.lm_head(states).log_softmax(1)


def lay_out(texts: Sequence[Text], size: int) -> Layout:
    """Where the tokens of a pass are that starts when the pool has so many."""
    import torch

    longest = max(len(text.ids) for text in texts)
    widest = max(len(text.before) + len(text.ids) for text in texts)
    queries = torch.zeros(len(texts), longest, dtype=torch.long)
    keys = torch.zeros(len(texts), widest, dtype=torch.long)
    kept = torch.zeros(len(texts), longest, dtype=torch.bool)
    start = 0
    for number, text in enumerate(texts):
        count, before = len(text.ids), len(text.before)
        queries[number, :count] = torch.arange(start, start + count)
        keys[number, :before] = torch.tensor(text.before, dtype=torch.long)
        keys[number, before : before + count] = queries[number, :count] + size
        kept[number, :count] = True
        start += count
    last = torch.tensor([len(text.before) for text in texts])[:, None] + torch.arange(longest)
    hidden = torch.arange(widest) > last[..., None]
    mask = torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)[:, None]
    return Layout(queries, keys, mask, kept)
