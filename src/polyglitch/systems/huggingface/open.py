"""`hf:NAME_OR_FOLDER?option=value&...`: a model of Hugging Face, by what its configuration says it is.

Options: `prompt` (a bundled name or a .toml file), `source` and `target` (two-letter codes), `target_token` (what a
model of several languages calls the target: `pt_XX`, `por_Latn`), `beams` (of an encoder-decoder's search, in place of
what its generation_config says), and `no_answer=yes` (a reader may find none).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.protocols import WhiteBox
from polyglitch.registry import suggest
from polyglitch.systems.command.child import fingerprint
from polyglitch.systems.prompts import load_prompt

OPTIONS = ("prompt", "source", "target", "source_token", "target_token", "beams", "no_answer")
MOST_BEAMS = 64  # more take memory, and find nothing better


def open_hf(rest: str, timeout: float) -> WhiteBox:
    """Load a model and make it the kind of system it is; it runs in process, where no timeout can stop it."""
    name, options = parse(rest)
    prompt = load_prompt(options["prompt"]) if "prompt" in options else None
    config, tokenizer = load("AutoConfig", name), load_tokenizer(name, options)
    signature = sign(name, config, options)
    languages = (options.get("source"), options.get("target"))
    kinds = getattr(config, "architectures", None) or [""]
    if config.is_encoder_decoder:
        from polyglitch.systems.huggingface.seq2seq import Seq2Seq

        model = load_model("AutoModelForSeq2SeqLM", name)
        return Seq2Seq(
            tokenizer,
            model,
            signature,
            languages,
            prompt,
            target_token(tokenizer, options),
            beams(name, options),
        )
    if kinds[0].endswith("ForSequenceClassification"):
        from polyglitch.systems.huggingface.encoders import Classifier

        model = load_model("AutoModelForSequenceClassification", name)
        return Classifier(tokenizer, model, signature, options.get("source"))
    if kinds[0].endswith("ForQuestionAnswering"):
        from polyglitch.systems.huggingface.encoders import Extractive

        model = load_model("AutoModelForQuestionAnswering", name)
        none = options.get("no_answer") == "yes"
        return Extractive(tokenizer, model, signature, options.get("source"), none)
    from polyglitch.systems.huggingface.causal import CausalSystem

    model = load_model("AutoModelForCausalLM", name)
    return CausalSystem(tokenizer, model, prompt or load_prompt("plain"), signature)


def parse(rest: str) -> tuple[str, dict[str, str]]:
    """The model's name and the options after the question mark."""
    name, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    for key in options:
        if key not in OPTIONS:
            raise UsageError(f"hf:{name}: no option is called {key!r}{suggest(key, OPTIONS)}")
    return name, options


def load(auto: str, name: str, **more: Any) -> Any:
    """Something of a model by one of transformers' `Auto` classes."""
    for package in ("torch", "transformers"):
        if not find_spec(package):
            raise Missing(package, f"hf:{name}", "pip install 'polyglitch[torch]'")
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        return getattr(transformers, auto).from_pretrained(name, trust_remote_code=False, **more)
    except (OSError, ValueError) as error:
        kind = auto.removeprefix("Auto").lower()
        raise SystemFailed(f"hf:{name}: its {kind} cannot be loaded: {error}") from None


def load_tokenizer(name: str, options: dict[str, str]) -> Any:
    """The tokenizer, told the source language where it knows several."""
    source = options.get("source_token")
    return load("AutoTokenizer", name, **({"src_lang": source} if source else {}))


def load_model(auto: str, name: str) -> Any:
    """A model in float32, ready to be used; `eager` attention is the kind that can be looked at."""
    return load(auto, name, attn_implementation="eager", dtype="float32").eval()


def target_token(tokenizer: Any, options: dict[str, str]) -> int | None:
    """The token that says which language to write."""
    if "target_token" not in options:
        return None
    name = options["target_token"]
    found = tokenizer.convert_tokens_to_ids(name)
    if found is None or found == tokenizer.unk_token_id:
        raise UsageError(f"hf: target_token={name!r} is no token of this model; such as por_Latn")
    tokenizer.tgt_lang = name  # so that outputs are read as being of that language
    return int(found)


def beams(name: str, options: dict[str, str]) -> int | None:
    """How many translations the search keeps, where the options say."""
    if "beams" not in options:
        return None
    if not options["beams"].isdecimal() or not 1 <= int(options["beams"]) <= MOST_BEAMS:
        raise UsageError(
            f"hf:{name}: beams={options['beams']!r} is no number from 1 to {MOST_BEAMS}; such as beams=4"
        )
    return int(options["beams"])


def sign(name: str, config: Any, options: dict[str, str]) -> str:
    """The name with what fixes the weights: the files of a folder, or the revision of the hub."""
    folder = Path(name)
    if folder.is_dir():
        files = sorted(path for path in folder.iterdir() if path.is_file())
        name, version = folder.name, f"files={fingerprint(files)}"
    else:
        version = f"revision={getattr(config, '_commit_hash', None) or 'unknown'}"
    chosen = [f"{key}={options[key]}" for key in sorted(options)]
    return "|".join([f"hf:{name}", version, *chosen])
