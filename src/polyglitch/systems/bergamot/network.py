"""The network of a Bergamot "tiny" student in torch: transformer encoder, SSRU decoder, tied embeddings.

Written from the architecture that Marian's options name: each sub-layer's output is added to its input and normalised,
nothing comes before; the decoder's self-attention is replaced by a simple recurrent unit, so that a step costs the
same at every length. Differentiable from the source embeddings to the probabilities.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from polyglitch.systems.bergamot.forced import EPSILON, ModelFile, check


class Memory:
    """The encoded source as the decoder sees it: keys and values of each layer, and the mask."""

    def __init__(self, keys: list[Tensor], values: list[Tensor], mask: Tensor) -> None:
        self.keys, self.values = keys, values
        self.hidden = hide(mask)

    def only(self, rows: Tensor) -> Memory:
        """The memory of some sentences of the batch."""
        chosen = Memory.__new__(Memory)
        chosen.keys = [key[rows] for key in self.keys]
        chosen.values = [value[rows] for value in self.values]
        chosen.hidden = self.hidden[rows]
        return chosen


class Network:
    """The weights and what is computed with them."""

    def __init__(self, file: ModelFile) -> None:
        check(file)
        self.heads = file.number("transformer-heads")
        self.encoder_depth, self.decoder_depth = file.number("enc-depth"), file.number("dec-depth")
        self.width = file.number("dim-emb")
        self._weights = {name: torch.from_numpy(array) for name, array in file.arrays.items()}
        self.embeddings = self._weights["Wemb"]

    def embed(self, ids: Tensor) -> Tensor:
        """Scaled embeddings of some words, without their positions."""
        return self.embeddings[ids] * math.sqrt(self.width)

    def encode(self, embedded: Tensor, mask: Tensor) -> Memory:
        """Read the source: batch x length x width, `mask` true where there is a word."""
        hidden = hide(mask)
        x = embedded + positions(0, embedded.shape[1], self.width)
        for layer in range(1, self.encoder_depth + 1):
            name = f"encoder_l{layer}_self"
            keys = self._split(self._dense(x, name, "k"))
            values = self._split(self._dense(x, name, "v"))
            x, _ = self._attend(x, name, keys, values, hidden)
            x = self._feed_forward(x, f"encoder_l{layer}_ffn")
        names = [f"decoder_l{layer}_context" for layer in range(1, self.decoder_depth + 1)]
        return Memory(
            [self._split(self._dense(x, name, "k")) for name in names],
            [self._split(self._dense(x, name, "v")) for name in names],
            mask,
        )

    def start(self, batch: int) -> list[Tensor]:
        """The decoder's state before the first word: one cell a layer."""
        return [torch.zeros(batch, self.width) for _ in range(self.decoder_depth)]

    def decode(
        self, embedded: Tensor, memory: Memory, cells: list[Tensor], place: int
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Read target words from `place` on: their states, the cells after them, each layer's attention."""
        x = embedded + positions(place, embedded.shape[1], self.width)
        after: list[Tensor] = []
        attention: list[Tensor] = []
        for layer in range(self.decoder_depth):
            name = f"decoder_l{layer + 1}"
            x, cell = self._recur(x, f"{name}_rnn", cells[layer])
            x, seen = self._attend(
                x, f"{name}_context", memory.keys[layer], memory.values[layer], memory.hidden
            )
            x = self._feed_forward(x, f"{name}_ffn")
            after.append(cell)
            attention.append(seen)
        return x, after, attention

    def logits(self, states: Tensor, words: Tensor | None = None) -> Tensor:
        """The scores of the given target words, or of all, after each state."""
        table, bias = self.embeddings, self._weights["decoder_ff_logit_out_b"][0]
        if words is not None:
            table, bias = table[words], bias[words]
        return functional.linear(states, table, bias)

    def _dense(self, x: Tensor, block: str, which: str) -> Tensor:
        weight = f"{block}_W{which}"
        y = x @ self._weights[weight]
        bias = self._weights.get(f"{block}_b{which}")
        return y if bias is None else y + bias

    def _split(self, x: Tensor) -> Tensor:
        """Batch x length x width as batch x heads x length x a head's width."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _attend(
        self, x: Tensor, name: str, keys: Tensor, values: Tensor, hidden: Tensor
    ) -> tuple[Tensor, Tensor]:
        queries = self._split(self._dense(x, name, "q"))
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
        weights = (scores + hidden).softmax(-1)
        mixed = (weights @ values).transpose(1, 2).flatten(-2)
        return self._normal(x + self._dense(mixed, name, "o"), f"{name}_Wo"), weights

    def _feed_forward(self, x: Tensor, name: str) -> Tensor:
        inner = self._dense(x, name, "1").relu()
        return self._normal(x + self._dense(inner, name, "2"), f"{name}_ffn")

    def _recur(self, x: Tensor, name: str, cell: Tensor) -> tuple[Tensor, Tensor]:
        """The simple recurrent unit: the matrices for all words at once, the cell word by word."""
        forget = torch.sigmoid(self._dense(x, name, "f"))
        update = (1 - forget) * self._dense(x, name, "")
        cells: list[Tensor] = []
        for place in range(x.shape[1]):
            cell = forget[:, place] * cell + update[:, place]
            cells.append(cell)
        return self._normal(x + torch.stack(cells, 1).relu(), f"{name}_ffn"), cell

    def _normal(self, x: Tensor, name: str) -> Tensor:
        scale, bias = self._weights[f"{name}_ln_scale"][0], self._weights[f"{name}_ln_bias"][0]
        return functional.layer_norm(x, (self.width,), scale, bias, EPSILON)


def hide(mask: Tensor) -> Tensor:
    """What is added to attention scores, batch x heads x target x source: nothing, or minus infinity."""
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)[:, None, None, :]


def positions(start: int, length: int, width: int) -> Tensor:
    """Sinusoidal positions: sines in the first half, cosines in the second."""
    half = width // 2
    rates = torch.exp(torch.arange(half) * (-math.log(10000.0) / (half - 1)))
    angles = torch.arange(start, start + length)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)
