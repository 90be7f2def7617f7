"""Translating and looking inside with a Bergamot network: words to pieces, pieces to words, in batches.

Which target words may follow from which source words stands in Marian's binary lexical shortlist. Six u64 (magic,
checksum, first, best, number of offsets, number of entries), the offsets (u64) and the entries (u32): the candidates of
source word w are entries[offsets[w]:offsets[w + 1]].
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np, npt
from polyglitch.protocols import Floats, Inspection
from polyglitch.systems.bergamot.batches import END
from polyglitch.systems.bergamot.forced import only, read_model
from polyglitch.systems.bergamot.network import Network
from polyglitch.systems.embedding_gradients import attributes, inside

MAGIC = 0xF11A48D5013417F5
HEADER = struct.Struct("<6Q")
STEP = 8  # the native engine multiplies matrices whose width is a multiple of this

Ids: TypeAlias = "npt.NDArray[np.int64]"


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
