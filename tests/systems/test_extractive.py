"""A reader that is trained here to answer from a context, opened by URI, asked, looked into, and tested by QAQA."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from polyglitch.protocols import WhiteBox
from polyglitch.records import Input
from polyglitch.tools import open_system
from tests.conftest import Cli

pytestmark = pytest.mark.needs("torch", "transformers")
THINGS = ("house", "car", "boat", "door", "chair")
COLOURS = ("red", "green", "blue", "white", "black")
FILL = ("the", "is", "what", "colour", "of", "and", "it", "was", "cold", "that", "day", "?", ".")
LENGTH = 48  # tokens that the model can see at once


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *FILL, *THINGS, *COLOURS]
    core = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, "[UNK]"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )  # fmt: skip


def rows(draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """A question about one thing, a context that tells its colour, or does not, and the answer."""
    while True:
        thing, colour = draw.choice(THINGS), draw.choice(COLOURS)
        before, after = (["it was cold that day ."] * draw.randrange(3) for _ in range(2))
        told = [f"the {thing} is {colour} ."] if draw.random() < 0.75 else []
        context = " ".join([*before, *told, *after]) or "it was cold that day ."
        yield f"what colour is the {thing} ?", context, colour if told else ""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny BERT that finds the colour, or the first token where none is told."""
    import torch
    from transformers import BertConfig, BertForQuestionAnswering

    torch.manual_seed(0)
    words, source = tokenizer(), rows(random.Random(0))
    model = BertForQuestionAnswering(
        BertConfig(
            vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=LENGTH,
        )
    )  # fmt: skip
    steps = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for _ in range(150):
        some = [next(source) for _ in range(16)]
        batch = words(
            [q for q, _, _ in some], [c for _, c, _ in some], padding=True, return_tensors="pt"
        )
        ids = words.convert_tokens_to_ids
        places = [
            row.tolist().index(ids(answer)) if answer else 0
            for row, (_, _, answer) in zip(batch["input_ids"], some, strict=True)
        ]
        wanted = torch.tensor(places)
        model(**batch, start_positions=wanted, end_positions=wanted).loss.backward()
        steps.step()
        steps.zero_grad()
    folder = tmp_path_factory.mktemp("reader")
    model.eval().save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)


def test_the_answer_is_a_piece_of_the_context_wherever_it_stands(reader: str) -> None:
    system = open_system(f"hf:{reader}?source=en")
    cold = "it was cold that day . "
    contexts = [f"{cold * n}the boat is green . {cold * (12 - n)}" for n in (0, 5, 12)]
    assert min(map(len, map(str.split, contexts))) > LENGTH  # several windows
    answers = system.ask([Input("what colour is the boat ?", text) for text in contexts])
    assert [answer.text for answer in answers] == ["green"] * 3
    assert all(0 < answer.scores["green"] <= 1 for answer in answers)


def test_a_reader_may_say_that_there_is_no_answer(reader: str) -> None:
    item = Input("what colour is the boat ?", "it was cold that day . it was cold that day .")
    assert open_system(f"hf:{reader}?no_answer=yes").ask([item])[0].text == "no answer"
    assert open_system(f"hf:{reader}").ask([item])[0].text in (item.context or "")
    told = Input("what colour is the boat ?", "it was cold that day . the boat is red .")
    assert open_system(f"hf:{reader}?no_answer=yes").ask([told])[0].text == "red"


def test_without_a_context_there_is_an_error_and_no_guess(reader: str) -> None:
    question = "what colour is the boat ?"
    outputs = open_system(f"hf:{reader}").ask([Input(question), Input(question, " \n ")])
    for output in outputs:
        assert output.status == "error" and "context" in output.error


def test_a_look_inside_shows_the_question_alone(reader: str) -> None:
    system = open_system(f"hf:{reader}")
    assert isinstance(system, WhiteBox)
    item = Input("what colour is the boat ?", "the boat is red .")
    (seen,) = system.inspect([item])
    covered = [item.text[a:b] for a, b in seen.source_spans if b > a]
    assert covered == item.text.split()
    assert len(seen.gradients) == len(seen.source_tokens) and (seen.gradients > 0).any()
    assert seen.target_tokens == ("red", "red") and (seen.probabilities > 0.5).all()
    np.testing.assert_allclose(seen.attention.sum(-1), 1, atol=1e-4)


def test_a_campaign_on_a_reader(reader: str, cli: Cli) -> None:
    done = cli(
        "run", "--system", f"hf:{reader}", "--corpus", "sample:qa", "--source-language", "en",
        "--method", "qaqa", "--param", "qaqa.relations=EC", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["cases"] > 20 and figures["errors"] == 0
