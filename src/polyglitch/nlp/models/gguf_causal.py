"""Any causal language model of the Llama or Qwen2 family from a GGUF file: how likely it finds texts.

The weights stay as they are in the file, and each layer is unpacked when it is its turn, for all texts of a pass:
a model of a billion weights needs no more memory than its file and one layer. That is slow for writing, a token a pass,
and cheap for reading, hundreds of tokens a pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.llama import (
    CUTS,
    BytePairs,
    LlamaShape,
    TextToken,
    Weights,
    arranged,
    log_sum,
)
from polyglitch.nlp.models.model_files import GgufFile
from polyglitch.nlp.models.packed import PackedPool, PackedText, rows
from polyglitch.nlp.models.smollm import halves
from polyglitch.protocols import Floats

PASS = 2048  # tokens: enough that unpacking a layer costs little beside computing with it
VOCABULARY_AT_ONCE = 16_384  # rows of the last matrix: 100 MB of a model 1,536 wide
FAMILIES = ("llama", "qwen2")


class TextToRead(NamedTuple):
    """A text to be read: its tokens, and the first of them whose likelihood is asked for."""

    tokens: Sequence[TextToken]
    first: int


class GgufCausal:
    """A model in a file; nothing is unpacked before it is needed."""

    def __init__(self, path: Path) -> None:
        self._file = GgufFile(path)
        said = self._file.settings
        self.family = str(said.get("general.architecture"))
        if self.family not in FAMILIES:
            raise UsageError(
                f"{path} holds a model of the family {self.family!r}; read are {', '.join(FAMILIES)}"
            )
        cut = str(said.get("tokenizer.ggml.pre", "default"))
        if said.get("tokenizer.ggml.model") != "gpt2" or cut not in CUTS:
            raise UsageError(
                f"{path}: its way of cutting words, {cut!r}, is not among {', '.join(CUTS)}"
            )
        self.name = str(said.get("general.name", path.stem))
        self.tokenizer = BytePairs(
            said["tokenizer.ggml.tokens"], said["tokenizer.ggml.merges"], cut
        )
        self._weights = Weights(FileTensors(self._file, self._shape()), self._shape())
        self._last = (
            "output.weight" if "output.weight" in self._file.tensors else "token_embd.weight"
        )

    def log_probabilities(self, texts: Sequence[TextToRead]) -> list[list[float]]:
        """Of each text the log-probabilities of its tokens from the first asked for, given all before."""
        found: list[list[float]] = []
        for some in rows(texts, lambda text: len(text.tokens), PASS):
            found += self._read(some)
        return found

    def _read(self, texts: Sequence[TextToRead]) -> list[list[float]]:
        packed = [PackedText([token.number for token in text.tokens]) for text in texts]
        computed = PackedPool(self._weights).compute(packed)
        states = np.concatenate(
            [one.states[text.first - 1 : -1] for one, text in zip(computed, texts, strict=True)]
        )
        wanted = [token.number for text in texts for token in text.tokens[text.first :]]
        scores = iter(self.log_odds(states, np.asarray(wanted, np.int64)).tolist())
        return [[next(scores) for _ in text.tokens[text.first :]] for text in texts]

    def pool(self) -> PackedPool:
        """The model with nothing computed yet, for texts that share their beginnings."""
        return PackedPool(self._weights)

    def scores(self, state: Floats, tokens: Sequence[int]) -> Floats:
        """The unnormalised log-probabilities of some next tokens after a state; their differences are what counts."""
        found: Floats = self._file.rows(self._last, list(tokens)) @ state
        return found

    def log_odds(self, states: Floats, wanted: Any) -> Floats:
        """The log-probability of one next token after each state, among the whole vocabulary."""
        own = np.empty(len(wanted), np.float32)
        every = np.full(len(wanted), -np.inf, np.float32)
        size = self._file.tensors[self._last].shape[0]
        for start in range(0, size, VOCABULARY_AT_ONCE):
            part = self._file.rows(self._last, slice(start, start + VOCABULARY_AT_ONCE))
            scores = states @ part.T
            here = np.flatnonzero((wanted >= start) & (wanted < start + len(part)))
            own[here] = scores[here, wanted[here] - start]
            every = np.logaddexp(every, log_sum(scores))
        found: Floats = own - every
        return found

    def _shape(self) -> LlamaShape:
        said, name = self._file.settings, self.family
        heads = said[f"{name}.attention.head_count"]
        return LlamaShape(
            layers=said[f"{name}.block_count"],
            heads=heads,
            key_heads=said.get(f"{name}.attention.head_count_kv", heads),
            head_width=said[f"{name}.embedding_length"] // heads,
            epsilon=said[f"{name}.attention.layer_norm_rms_epsilon"],
            turn_base=said.get(f"{name}.rope.freq_base", 10_000.0),
            biased="blk.0.attn_q.bias" in self._file.tensors,
        )


class FileTensors(Mapping[str, Any]):
    """The weights of a model as they are used, each made of the file's own when it is asked for."""

    def __init__(self, file: GgufFile, shape: LlamaShape) -> None:
        self._file, self._shape = file, shape
        self._paired = file.settings.get("general.architecture") == "llama"

    def __getitem__(self, name: str) -> Any:
        if name == "words":
            return FileRows(self._file, "token_embd.weight")
        return arranged(name, self._tensor, self._shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.tensors)

    def __len__(self) -> int:
        return len(self._file.tensors)

    def _tensor(self, name: str) -> Floats:
        found = self._file.tensor(name)
        # Files of the Llama family have the pairs that are turned side by side; here one half follows the other.
        if self._paired and name.endswith(("attn_q.weight", "attn_k.weight")):
            return halves(found, self._shape.head_width)
        return found


class FileRows:
    """The rows of a matrix, unpacked as they are asked for."""

    def __init__(self, file: GgufFile, name: str) -> None:
        self._file, self._name = file, name

    def __getitem__(self, chosen: Sequence[int]) -> Floats:
        return self._file.rows(self._name, chosen)
