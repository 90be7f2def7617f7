"""Many continuations of many texts in one pass of a causal language model.

The linear layers, which are nearly all of the work, see the tokens of all texts as one matrix, without padding;
attention stays inside each text. Keys and values are kept, so that a continuation costs its own tokens and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

# Tokens a pass: fewer leave the processor's caches half used, more gain nothing.
ROW = 384
T = TypeVar("T")
Past = list[tuple[Any, Any]]  # for each layer keys and values: texts x heads x tokens x width


class Strand(msgspec.Struct, frozen=True):
    """Texts of equal length: their tokens, and the stretches before them, of one text for all or of one each."""

    ids: Sequence[Sequence[int]]
    pasts: tuple[Past, ...] = ()

    @property
    def size(self) -> int:
        """Tokens to compute."""
        return sum(map(len, self.ids))

    @property
    def before(self) -> int:
        """Tokens that came before."""
        return sum(int(past[0][0].shape[2]) for past in self.pasts)


class Computed(msgspec.Struct, frozen=True):
    """The last hidden states of a strand, texts x tokens x width, and its stretch of keys and values."""

    states: Any
    past: Past


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


def first(past: Past, tokens: int) -> Past:
    """The first tokens of a stretch."""
    return [(keys[:, :, :tokens], values[:, :, :tokens]) for keys, values in past]


def only(past: Past, texts: Sequence[int]) -> Past:
    """Some of the texts of a stretch."""
    return [(keys[list(texts)], values[list(texts)]) for keys, values in past]


def compute(model: Any, strands: Sequence[Strand]) -> list[Computed]:
    """Run a model of the Llama family over all strands in one pass."""
    import torch
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    body = model.model
    ids = [one for strand in strands for text in strand.ids for one in text]
    hidden = body.embed_tokens(torch.tensor([ids]))
    turns = body.rotary_emb(hidden, torch.tensor([places(strands)]))
    kept: list[Past] = [[] for _ in strands]
    for number, layer in enumerate(body.layers):
        inner, normed = layer.self_attn, layer.input_layernorm(hidden)
        query, key, value = (
            made(normed).view(1, len(ids), -1, inner.head_dim).transpose(1, 2)
            for made in (inner.q_proj, inner.k_proj, inner.v_proj)
        )
        query, key = apply_rotary_pos_emb(query, key, *turns)
        seen, start = [], 0
        for strand, past in zip(strands, kept, strict=True):
            here = slice(start, start + strand.size)
            asked, keys, values = (apart(one[0, :, here], strand) for one in (query, key, value))
            before = [stretch[number] for stretch in strand.pasts]
            seen.append(attend(asked, keys, values, before).reshape(strand.size, -1))
            past.append((keys, values))
            start = here.stop
        hidden = hidden + inner.o_proj(torch.cat(seen)[None])
        hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
    states = body.norm(hidden)[0].split([strand.size for strand in strands])
    return [
        Computed(part.view(len(strand.ids), -1, part.shape[-1]), past)
        for strand, part, past in zip(strands, states, kept, strict=True)
    ]


def places(strands: Sequence[Strand]) -> list[int]:
    """The place of each token in its text."""
    return [
        place
        for strand in strands
        for text in strand.ids
        for place in range(strand.before, strand.before + len(text))
    ]


def apart(packed: Any, strand: Strand) -> Any:
    """Heads x all tokens as texts x heads x tokens of a text."""
    return packed.view(len(packed), len(strand.ids), -1, packed.shape[-1]).transpose(0, 1)


def attend(query: Any, key: Any, value: Any, before: Sequence[tuple[Any, Any]]) -> Any:
    """Attention of the texts of a strand, each to itself and to what came before it; texts x tokens x heads x width."""
    import torch

    texts, heads, length, _ = query.shape
    keys, values = (
        torch.cat(
            [*(stretch[side].expand(texts, -1, -1, -1) for stretch in before), new], 2
        ).repeat_interleave(heads // new.shape[1], 1)
        for side, new in enumerate((key, value))
    )
    visible = torch.ones(length, keys.shape[2], dtype=torch.bool).tril(keys.shape[2] - length)
    mixed = torch.nn.functional.scaled_dot_product_attention(query, keys, values, attn_mask=visible)
    return mixed.transpose(1, 2)


def log_odds(model: Any, states: Any, wanted: Sequence[int]) -> Any:
    """The log-probability of one next token after each state."""
    import torch

    logits = model.lm_head(states)
    ids = torch.tensor(list(wanted), dtype=torch.long)
    return logits.gather(1, ids[:, None])[:, 0] - logits.logsumexp(1)
