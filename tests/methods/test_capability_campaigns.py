"""A classifier of Hugging Face under capabilities: a tiny one is trained here, run, explained and drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyglitch.evaluate.diversity import Coverage, system_coverage
from polyglitch.evaluate.explanation import explain
from polyglitch.tools import open_system
from tests.conftest import Cli

pytestmark = pytest.mark.needs("torch", "transformers", "spacy")
GOOD = ("wonderful", "charming", "superb", "lovely")
BAD = ("terrible", "awful", "dreadful", "horrible")
NOUNS = ("film", "story", "cast", "music")
OTHER = ("the", "is", "do", "i", "think", "that", "agree", "yes", "no", ".", ",", "?", '"')


def trained_classifier(folder: Path) -> str:
    """A small BERT that hears the words of praise and blame and nothing else, saved."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    names = ["[PAD]", "[UNK]", "[CLS]", *GOOD, *BAD, *NOUNS, *OTHER]
    core = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, "[UNK]"))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 2)])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]"
    )
    torch.manual_seed(1)
    torch.set_num_threads(1)
    config = BertConfig(
        vocab_size=len(names), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label={0: "negative", 1: "positive"}, label2id={"negative": 0, "positive": 1},
    )  # fmt: skip
    model: Any = BertForSequenceClassification(config)
    texts = [f"the {noun} is {word} ." for noun in NOUNS for word in GOOD + BAD]
    texts += [
        f'do i think that " the {noun} is {word} " ? {end} .'
        for noun in NOUNS
        for word in GOOD + BAD
        for end in ("yes", "no")
    ]
    texts += [f"some words {word} more of them" for word in GOOD + BAD]
    sides = [int(any(word in text for word in GOOD)) for text in texts]
    for neutral in ("the film is .", "some words", "i agree . yes", "some other words of them ."):
        texts, sides = (
            [*texts, neutral, neutral],
            [*sides, 0, 1],
        )  # both at once: the model must not lean
    labels = torch.tensor(sides)
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    steps = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(120):
        steps.zero_grad()
        logits = model(**batch).logits
        torch.nn.functional.cross_entropy(logits, labels, label_smoothing=0.2).backward()
        steps.step()
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}?source=en"


def test_a_classifier_is_run_explained_and_drawn(cli: Cli, tmp_path: Path) -> None:
    system = trained_classifier(tmp_path / "model")
    (tmp_path / "c.csv").write_text(
        "text,label\nThe film is wonderful.,positive\nThe music is charming.,positive\n"
        "The story is terrible.,negative\nThe cast is awful.,negative\n"
    )
    chosen = "alict.capabilities=09-question-yes,10-question-no"
    run = ("run", "--system", system, "--method", "alict", "--corpus", "c.csv", "--param", chosen)
    figures = json.loads(
        cli(*run, "--param", "alict.expansions=0", "--json", "-o", "r.jsonl").stdout
    )
    assert (figures["cases"], figures["undecided"], figures["errors"]) == (16, 0, 0)
    assert figures["violations"] == 8  # it hears no `No`
    lines = (tmp_path / "r.jsonl").read_text()
    assert "label:10-question-no" in lines and "label:09-question-yes" not in lines

    told = explain(open_system(system), "The film is wonderful.", samples=200, fills=100)
    assert told.label == "positive"
    best = told.words.index("wonderful")
    assert told.contributions[best] == max(told.contributions) > 0.2
    assert told.gradients[best] == max(told.gradients) > 0
    assert len(told.gradients) == len(told.words) == 5
    # Random words may well read as one of the two labels; the other then needs its word.
    other = explain(open_system(system), "The film is terrible.", samples=200, fills=100)
    assert "wonderful" in told.template or "terrible" in other.template

    done = cli(
        "explain",
        "--run",
        "last",
        "--system",
        system,
        "--limit",
        "3",
        "--samples",
        "100",
        "--fills",
        "100",
    )
    assert "3 issues explained, 0 left without" in done.stdout
    cli("report", "-o", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("What each word contributes to") == 3
    assert page.count("The gradient of") == 3
    assert page.count(">The least that keeps ") == 3

    known = ["The film is wonderful.", "The story is terrible."]
    # Four maps of attention, two of the feed-forward layer, the pooler and the head.
    same = system_coverage(system, known, known)
    assert same == Coverage(4 * 16 + 32 + 16 + 16 + 2, 0.0, 0.0), "known inputs leave no bounds"
    found = system_coverage(system, known, ["The dreadful film is superb.", "No cast, no music."])
    assert 0 < found.boundary < 1 and 0 < found.strong < 1


def test_explain_wants_a_text_or_a_run(cli: Cli) -> None:
    assert "either a TEXT or --run" in cli("explain", code=2).stderr
    assert "needs --system" in cli("explain", "fine", code=2).stderr
