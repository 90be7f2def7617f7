"""The network of a Bergamot "tiny" student in torch: transformer encoder, SSRU decoder, tied embeddings.

Written from the architecture that Marian's options name: each sub-layer's output is added to its input and normalised,
nothing comes before; the decoder's self-attention is replaced by a simple recurrent unit, so that a step costs the
same at every length. Differentiable from the source embeddings to the probabilities.

Translating and looking inside with a Bergamot network: words to pieces, pieces to words, in batches.

Which target words may follow from which source words stands in Marian's binary lexical shortlist. Six u64 (magic,
checksum, first, best, number of offsets, number of entries), the offsets (u64) and the entries (u32): the candidates of
source word w are entries[offsets[w]:offsets[w + 1]].
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np, npt
from polyglitch.protocols import Floats, Inspection
from polyglitch.systems.bergamot.model_file import END, EPSILON, ModelFile, check, only, read_model
from polyglitch.systems.white_box import attributes, inside

MAGIC = 0xF11A48D5013417F5
HEADER = struct.Struct("<6Q")
STEP = 8  # the native engine multiplies matrices whose width is a multiple of this

Ids: TypeAlias = "npt.NDArray[np.int64]"


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


@dataclass(frozen=True)
class Shortlist:
    """The candidates of each source word, and how many frequent words are always among them."""

    first: int
    offsets: npt.NDArray[Any]
    entries: npt.NDArray[Any]

    def candidates(self, source: Sequence[int]) -> Ids:
        """The target words that may be used for a sentence, sorted; the vocabulary is shared."""
        chosen = set(range(self.first)) | set(source)
        for word in set(source):
            if word + 1 < len(self.offsets):
                some = self.entries[self.offsets[word] : self.offsets[word + 1]]
                chosen.update(some.tolist())
        extra = self.first  # as the native engine fills up, so that it has the same choice
        while len(chosen) % STEP:
            chosen.add(extra)
            extra += 1
        return np.array(sorted(chosen), np.int64)


def read_shortlist(path: Path) -> Shortlist:
    """Read a shortlist, or say why it is none."""
    data = path.read_bytes()
    if len(data) < HEADER.size or HEADER.unpack_from(data)[0] != MAGIC:
        raise UsageError(f"{path} is no binary shortlist: it does not start with {MAGIC:#x}")
    _, _, first, _, words, entries = HEADER.unpack_from(data)
    if len(data) < HEADER.size + 8 * words + 4 * entries:
        raise UsageError(f"{path} is cut short: {words} words and {entries} entries do not fit")
    return Shortlist(
        first,
        np.frombuffer(data, "<u8", words, HEADER.size).astype(np.int64),
        np.frombuffer(data, "<u4", entries, HEADER.size + 8 * words),
    )


LENGTH_FACTOR = (
    2.5  # words of a translation for each of the source, as the models' configuration says
)
AT_ONCE = 16  # sentences a batch: more pads more than it saves on a few cores
# Marian trains one head to align (guided alignment): the first of the last layer.
ALIGNING = (-1, 0)


class Translator:
    """A model with its vocabulary and shortlist."""

    def __init__(self, network: Network, pieces: Any, shortlist: Shortlist | None) -> None:
        self.network, self.pieces, self.shortlist = network, pieces, shortlist

    def translate(self, texts: Sequence[str]) -> list[str]:
        """The translation of each text, greedily."""
        sources = [self.encode(text)[0] for text in texts]
        found: list[str] = [""] * len(texts)
        for some in by_length(sources):
            with torch.inference_mode():
                rows = self._greedy([sources[n] for n in some])
            for number, row in zip(some, rows, strict=True):
                found[number] = self.pieces.decode(row)
        return found

    def inspect(
        self,
        texts: Sequence[str],
        outputs: Sequence[str],
        aligning: tuple[int, int | None] = ALIGNING,
    ) -> list[Inspection]:
        """Gradients, probabilities and attention of each text with its output, teacher-forced.

        `aligning` is the decoder layer and head whose attention is shown; without a head, the mean of all.
        """
        sources = [self.encode(text) for text in texts]
        targets = [[*self.pieces.encode(output), END] for output in outputs]
        found: dict[int, Inspection] = {}
        for some in by_length([ids for ids, _ in sources]):
            shown = self._force([sources[n][0] for n in some], [targets[n] for n in some], aligning)
            for number, (norms, salience, chances, attention) in zip(some, shown, strict=True):
                ids, spans = sources[number]
                found[number] = Inspection(
                    source_tokens=tuple(map(self.pieces.id_to_piece, ids)),
                    source_spans=tuple(spans),
                    gradients=norms,
                    target_tokens=tuple(map(self.pieces.id_to_piece, targets[number])),
                    probabilities=chances,
                    attention=attention,
                    salience=salience,
                )
        return [found[number] for number in range(len(texts))]

    def encode(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Pieces of a text with the characters they stand for; the end of the sentence comes last."""
        coded = self.pieces.encode(text, return_type="offset_mapping")
        spans = inside(coded["offsets"], text, 0, len(text))
        return [*coded["ids"], END], [*spans, (0, 0)]

    def _greedy(self, sources: list[list[int]]) -> list[list[int]]:
        network = self.network
        ids, mask = padded(sources)
        memory = network.encode(network.embed(ids), mask)
        words, forbidden = self._choices(sources)
        rows: list[list[int]] = [[] for _ in sources]
        limits = [int(LENGTH_FACTOR * len(source)) for source in sources]
        alive = torch.arange(len(sources))
        cells = network.start(len(sources))
        last = torch.zeros(len(sources), 1, network.width)  # before the first word there is none
        for place in range(max(limits)):
            states, cells, _ = network.decode(last, memory, cells, place)
            scores = network.logits(states[:, 0], words)
            if forbidden is not None:
                scores = scores + forbidden[alive]
            chosen = scores.argmax(-1)
            chosen = chosen if words is None else words[chosen]
            going: list[int] = []
            for slot, (row, word) in enumerate(zip(alive.tolist(), chosen.tolist(), strict=True)):
                if word != END and place < limits[row]:
                    rows[row].append(word)
                    going.append(slot)
            if not going:
                break
            if len(going) < len(alive):
                kept = torch.tensor(going)
                alive, chosen, memory = alive[kept], chosen[kept], memory.only(kept)
                cells = [cell[kept] for cell in cells]
            last = network.embed(chosen)[:, None]
        return rows

    def _choices(self, sources: list[list[int]]) -> tuple[Tensor | None, Tensor | None]:
        """The words that any sentence of a batch may use, and minus infinity where another may not."""
        if self.shortlist is None:
            return None, None
        own = [self.shortlist.candidates(source) for source in sources]
        union: Ids = np.unique(np.concatenate(own))
        forbidden = np.full((len(sources), len(union)), -np.inf, np.float32)
        for row, words in enumerate(own):
            forbidden[row, np.searchsorted(union, words)] = 0.0
        return torch.from_numpy(union), torch.from_numpy(forbidden)

    def _force(
        self, sources: list[list[int]], targets: list[list[int]], aligning: tuple[int, int | None]
    ) -> list[tuple[Floats, Floats, Floats, Floats]]:
        network = self.network
        ids, mask = padded(sources)
        wanted, present = padded(targets)
        with torch.enable_grad():
            embedded = network.embed(ids).requires_grad_()
            chosen, layers = self._read(embedded, mask, wanted, present)
            (gradients,) = torch.autograd.grad(-chosen.sum(), embedded)
        layer, head = aligning
        attention = layers[layer].mean(1) if head is None else layers[layer][:, head]
        chances = torch.zeros(present.shape).masked_scatter(present, chosen.detach().exp())
        shown = []
        for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
            s, t = len(source), len(target)
            norms, salience = attributes(gradients[row, :s], embedded[row, :s])
            seen = attention[row, :t, :s].detach().numpy()
            shown.append((norms, salience, chances[row, :t].numpy(), seen))
        return shown

    def _read(
        self, embedded: Tensor, mask: Tensor, wanted: Tensor, present: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """The log-probabilities of all words that are wanted, row by row, and the attention of each layer."""
        network, batch = self.network, len(embedded)
        memory = network.encode(embedded, mask)
        # Shifted right: a word is read after it is wanted.
        start = torch.zeros(batch, 1, network.width)
        before = torch.cat([start, network.embed(wanted[:, :-1])], 1)
        states, _, layers = network.decode(before, memory, network.start(batch), 0)
        # Scores of the wanted words only where there is one: the vocabulary is the dear part.
        scores = network.logits(states[present])
        chosen = scores.gather(1, wanted[present][:, None])[:, 0] - scores.logsumexp(-1)
        return chosen, layers


def padded(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Rows of unequal length as one matrix, and where it holds a value."""
    width = max(map(len, rows))
    ids = torch.tensor([row + [END] * (width - len(row)) for row in rows])
    mask = torch.tensor([[True] * len(row) + [False] * (width - len(row)) for row in rows])
    return ids, mask


def by_length(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """The numbers of the rows in batches of like length, so that little padding is computed."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    return [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]


def load_translator(folder: Path, shortlist: bool = True) -> Translator:
    """The translator of a model's folder."""
    import sentencepiece

    found = read_shortlist(only(folder, "lex.*.bin")) if shortlist else None
    network = Network(read_model(only(folder, "model.*.bin")))
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(only(folder, "vocab.*.spm")))
    return Translator(network, pieces, found)
