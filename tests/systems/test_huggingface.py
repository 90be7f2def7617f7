"""Hugging Face models: tiny ones of each family, built here, saved, opened by URI and looked into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.protocols import Lens, WhiteBox
from polyglitch.records import Input
from polyglitch.systems.huggingface.open import parse
from polyglitch.systems.white_box import inside, walk
from polyglitch.tools import open_system

needs_torch = pytest.mark.needs("torch", "transformers")
WORDS = ("the", "cat", "sees", "a", "dog", "o", "gato", "vê", "um", "cão", ".", "translate", ":")
SIZES = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "vocab_size": 24}
HEADS = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
FEED = {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 64}
ENDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 1}
TEXT = "the cat sees a dog ."


def tokenizer() -> Any:
    """Whole words, with an end after each sentence and the languages some families ask for."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    names = ["<pad>", "</s>", "<unk>", "pt_XX", *WORDS]
    core = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, "<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=["pt_XX"],
    )  # fmt: skip


def seq2seq(family: str) -> Any:
    import transformers as t

    if family == "t5":
        config: Any = t.T5Config(
            vocab_size=24, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
            pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
        )  # fmt: skip
        return t.T5ForConditionalGeneration(config)
    common = SIZES | HEADS | FEED | ENDS | {"scale_embedding": True, "init_std": 0.5}
    if family == "marian":
        return t.MarianMTModel(t.MarianConfig(**common, decoder_start_token_id=0))
    if family == "mbart":
        return t.MBartForConditionalGeneration(t.MBartConfig(**common))
    return t.M2M100ForConditionalGeneration(t.M2M100Config(**common, decoder_start_token_id=1))


def saved(model: Any, folder: Path) -> str:
    model.eval().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return str(folder)


@needs_torch
@pytest.mark.parametrize("family", ["marian", "t5", "mbart", "nllb"])
def test_each_family_answers_and_shows_the_gradient_of_its_own_loss(
    family: str, tmp_path: Path
) -> None:
    import torch

    torch.manual_seed(3)
    model = seq2seq(family).eval()
    system = open_system(f"hf:{saved(model, tmp_path)}?source=en&target=pt")
    assert isinstance(system, WhiteBox) and system.languages == ("en", "pt")
    item, output = Input(TEXT), "o gato vê um cão ."
    assert system.ask([item, item])[0].status == system.ask([item])[0].status
    seen = system.inspect([item], [output])[0]
    assert [TEXT[a:b] for a, b in seen.source_spans] == [*TEXT.split(), ""]
    assert seen.target_tokens == (*output.split(), "</s>")
    assert seen.attention.shape == (7, 7)
    np.testing.assert_allclose(seen.attention.sum(-1), 1, atol=1e-4)

    # An ordinary call with ids and labels, and the slope of its loss when one word's vector moves.
    ids = torch.tensor([tokenizer()(TEXT)["input_ids"]])
    labels = torch.tensor([tokenizer()(output)["input_ids"]])
    table = model.get_encoder().get_input_embeddings()

    def loss(step: Any = 0.0) -> float:
        first = []

        def move(_: Any, __: Any, out: Any) -> Any:
            first.append(out)
            return out + step if len(first) == 1 else out

        hook = table.register_forward_hook(move)
        with torch.no_grad():
            found = float(model(input_ids=ids, labels=labels).loss) * labels.shape[1]
        hook.remove()
        return found

    assert -np.log(seen.probabilities).sum() == pytest.approx(loss(), rel=1e-3)
    assert isinstance(system, Lens)
    short, whole = system.score([Input("a dog"), item], ["um cão", output])
    assert [output[one.start : one.end] for one in whole] == output.split() and len(short) == 2
    chances = np.log(seen.probabilities[:-1])
    np.testing.assert_allclose([one.log_probability for one in whole], chances, atol=1e-4)
    vector = torch.zeros(1, 7, 16)
    vector[0, 1] = table(ids)[0, 1].detach()
    slope = (loss(vector * 1e-3) - loss(vector * -1e-3)) / 2e-3
    assert seen.salience is not None
    assert abs(slope) == pytest.approx(float(seen.salience[1]), rel=0.05, abs=1e-3)


@needs_torch
def test_labels_are_shifted_right_so_that_no_word_sees_itself(tmp_path: Path) -> None:
    system: Any = open_system(f"hf:{saved(seq2seq('marian'), tmp_path)}")
    one, other = system.inspect([Input(TEXT)] * 2, ["o gato", "o cão"])
    assert one.probabilities[0] == pytest.approx(other.probabilities[0], rel=1e-5)
    assert one.probabilities[2] != pytest.approx(other.probabilities[2], rel=1e-5)


@needs_torch
def test_a_prompt_and_a_target_language_are_used(tmp_path: Path) -> None:
    folder = saved(seq2seq("mbart"), tmp_path / "m")
    prompt = tmp_path / "p.toml"
    prompt.write_text('user = "translate : {text}"\nanswer_tokens = 4')
    system: Any = open_system(f"hf:{folder}?prompt={prompt}&target_token=pt_XX")
    seen = system.inspect([Input(TEXT)], ["o gato"])[0]
    assert [TEXT[a:b] for a, b in seen.source_spans] == ["", "", *TEXT.split(), ""]
    with pytest.raises(UsageError, match="target_token='xx' is no token"):
        open_system(f"hf:{folder}?target_token=xx")


@needs_torch
def test_a_classifier_shows_what_its_label_hangs_on(tmp_path: Path) -> None:
    import torch
    import transformers as t

    torch.manual_seed(1)
    config = t.BertConfig(
        vocab_size=24, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, num_labels=3, initializer_range=0.5,
        id2label={0: "bad", 1: "fair", 2: "good"}, label2id={"bad": 0, "fair": 1, "good": 2},
    )  # fmt: skip
    system = open_system(f"hf:{saved(t.BertForSequenceClassification(config), tmp_path)}?source=en")
    assert isinstance(system, WhiteBox)
    found = system.ask([Input(TEXT), Input("a dog", context="the cat")])
    assert set(found[0].scores) == {"bad", "fair", "good"}
    assert found[0].label == max(found[0].scores, key=lambda name: found[0].scores[name])
    own, pair = system.inspect([Input(TEXT), Input("a dog", context="the cat")])
    assert own.target_tokens == (found[0].label,)
    assert own.probabilities[0] == pytest.approx(found[0].scores[str(found[0].label)], rel=1e-4)
    assert [TEXT[a:b] for a, b in own.source_spans] == [*TEXT.split(), ""]
    assert [span for span in pair.source_spans if span != (0, 0)] == [(0, 1), (2, 5)]
    with pytest.raises(UsageError, match="no label 'goood'; did you mean 'good'"):
        system.inspect([Input(TEXT)], ["goood"])


@needs_torch
def test_a_causal_model_is_put_behind_a_prompt(tmp_path: Path) -> None:
    import transformers as t

    config = t.GPT2Config(
        vocab_size=24, n_embd=16, n_layer=2, n_head=2, n_positions=64, eos_token_id=1
    )
    prompt = tmp_path / "p.toml"
    prompt.write_text('user = "translate : {text}"\nanswer_tokens = 4')
    folder = saved(t.GPT2LMHeadModel(config), tmp_path / "gpt")
    system: Any = open_system(f"hf:{folder}?prompt={prompt}")
    seen = system.inspect([Input(TEXT)], ["o gato"])[0]
    assert list(seen.source_tokens) == TEXT.split()
    assert seen.attention.shape == (2, 6)
    scores = system.score([Input(TEXT)], ["o gato"])[0]
    assert [(one.start, one.end) for one in scores] == [(0, 1), (2, 6)]
    chances = np.log(seen.probabilities)
    np.testing.assert_allclose([one.log_probability for one in scores], chances, atol=1e-4)
    assert system.score([Input(TEXT)], [""]) == [[]]


@pytest.mark.slow
def test_options_and_names_that_are_wrong_say_so(tmp_path: Path) -> None:
    assert parse("org/m?prompt=qa&source=en") == ("org/m", {"prompt": "qa", "source": "en"})
    with pytest.raises(UsageError, match="did you mean 'prompt'"):
        parse("org/m?promt=qa")
    with pytest.raises(SystemFailed, match="its config cannot be loaded"):
        open_system(f"hf:{tmp_path}")


def test_spans_of_a_tokenizer_that_keeps_none() -> None:
    text = "It’s a café, no?"
    pieces = ["▁It", "<0xE2>", "s", "▁a", "▁ca", "fé", ",", "▁no", "?", ""]
    found = [text[a:b] for a, b in walk(pieces, text)]
    assert found == ["It", "", "s", "a", "ca", "fé", ",", "no", "?", ""]
    assert inside([(0, 4), (4, 9), (9, 12)], "say: word it", 5, 12) == [(0, 0), (0, 4), (5, 7)]


QA_PROMPT = 'user = "{text} : {context}"\nanswer_tokens = 4'


@needs_torch
def test_a_reader_is_given_its_context_which_is_cut_before_the_question_is(tmp_path: Path) -> None:
    prompt = tmp_path / "qa.toml"
    prompt.write_text(QA_PROMPT)
    folder = saved(seq2seq("marian"), tmp_path / "m")
    bare: Any = open_system(f"hf:{folder}")
    lost = bare.ask([Input("a cat", context="the dog")])[0]
    assert "add ?prompt=unifiedqa" in lost.error and not bare.reads_context
    system: Any = open_system(f"hf:{folder}?prompt={prompt}")
    one, other = Input("a cat", context="the dog"), Input("a cat", context="the cat sees")
    texts = [system._fill(item)[0] for item in (one, other)]
    assert texts == ["a cat : the dog", "a cat : the cat sees"]
    long = Input("a cat", context="dog " * 100)
    text, start = system._fill(long)
    assert (text[:5], start) == ("a cat", 0) and len(tokenizer()(text)["input_ids"]) == 64
    assert "tokens" not in system.ask([long])[0].error
    seen = system.inspect([long], ["o gato"])[0]
    assert [s for s in seen.source_spans if s != (0, 0)] == [(0, 1), (2, 5)]
    found, fine = system.ask([Input("dog " * 100, context="the cat"), one])
    assert found.error == "the input has 102 tokens, and the model reads 64"
    assert "tokens" not in fine.error


@needs_torch
def test_the_search_is_the_models_own_unless_another_is_asked_for(tmp_path: Path) -> None:
    model = seq2seq("t5").eval()
    model.generation_config.num_beams, model.generation_config.max_new_tokens = 3, 5
    folder = saved(model, tmp_path / "t5")
    seen: list[dict[str, Any]] = []

    def asked(uri: str) -> dict[str, Any]:
        system: Any = open_system(uri)
        generate = system._model.generate

        def spy(**given: Any) -> Any:
            config, _ = system._model._prepare_generation_config(None, **given)
            seen.append(config.to_dict())
            return generate(**given)

        system._model.generate = spy
        system.ask([Input(TEXT)])
        return seen[-1]

    own = asked(f"hf:{folder}")
    assert (own["num_beams"], own["max_new_tokens"], own["do_sample"]) == (3, 5, False)
    assert asked(f"hf:{folder}?beams=4")["num_beams"] == 4
    signatures = {open_system(f"hf:{folder}{more}").signature for more in ("", "?beams=4")}
    assert len(signatures) == 2
    with pytest.raises(UsageError, match="beams='many' is no number from 1 to 64"):
        open_system(f"hf:{folder}?beams=many")


def test_unified_qa_is_asked_in_its_own_layout() -> None:
    from polyglitch.systems.prompts import load_prompt, lowered

    item = Input("Is İzmir a port?", context="İzmir is a port in TURKEY.")
    text, start = load_prompt("unifiedqa").fill(item)
    assert text == "is İzmir a port? \\n İzmir is a port in turkey." and start == 0
    assert len(lowered("İZMİR")) == 5
