"""Any masked language model in a folder: a tiny one, made and trained here, proposes what it has seen."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.models

from polyglitch.errors import SystemFailed, UsageError  # noqa: E402
from polyglitch.nlp.proposers.masked_lm import open_masked_lm, whole_word  # noqa: E402
from polyglitch.protocols import Proposer  # noqa: E402
from polyglitch.records import Parse, Slot, Token  # noqa: E402
from polyglitch.tools import Toolbox  # noqa: E402

ANIMALS, METALS = ("dog", "cat", "horse"), ("iron", "copper", "silver")
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "ran",
    "is",
    "hard",
    "##s",
    *ANIMALS,
    *METALS,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has read two kinds of sentences: animals run, metals are hard."""
    place = tmp_path_factory.mktemp("tiny-bert")
    (place / "vocab.txt").write_text("\n".join(PIECES))
    tokenizer = transformers.BertTokenizer(str(place / "vocab.txt"))
    torch.manual_seed(0)
    shape = transformers.BertConfig(
        vocab_size=len(PIECES),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=16,
        hidden_dropout_prob=0.0,
    )
    model = transformers.BertForMaskedLM(shape)
    texts = [f"the {word} ran" for word in ANIMALS] + [f"the {word} is hard" for word in METALS]
    whole = tokenizer(texts, padding=True, return_tensors="pt")
    hidden = whole["input_ids"].clone()
    hidden[:, 2] = tokenizer.mask_token_id
    labels = whole["input_ids"].clone()
    labels[hidden != tokenizer.mask_token_id] = -100
    steps = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        loss = model(input_ids=hidden, attention_mask=whole["attention_mask"], labels=labels).loss
        steps.zero_grad()
        loss.backward()
        steps.step()
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


def slot(text: str, word: str) -> Slot:
    start = text.index(word)
    return Slot(
        Parse(text, (Token(word, start, start + len(word), "NN", "NOUN", word, 0, "ROOT"),)), 0
    )


def test_the_model_proposes_what_fits_and_not_the_word_itself(folder: Path) -> None:
    proposer = Toolbox().proposer(f"masked-lm:{folder}", "en")
    assert isinstance(proposer, Proposer)
    animal, metal = proposer.propose(
        [slot("the dog ran", "dog"), slot("the iron is hard", "iron")], 2
    )
    assert {one.word for one in animal} == {"cat", "horse"}
    assert {one.word for one in metal} == {"copper", "silver"}
    assert animal[0].score >= animal[1].score


def test_parts_of_words_and_function_words_are_never_proposed(folder: Path) -> None:
    (found,) = open_masked_lm("en", str(folder)).propose([slot("the dog ran", "dog")], 50)
    assert not {one.word for one in found} & {"the", "is", "##s", "s", "dog"}


def test_a_missing_model_says_so() -> None:
    with pytest.raises(UsageError, match="masked-lm:roberta-base"):
        open_masked_lm("en")
    with pytest.raises(SystemFailed, match="no-such-folder"):
        open_masked_lm("en", "/no-such-folder")


@pytest.mark.parametrize(
    ("piece", "marked", "word"),
    [
        ("Ġdog", True, "dog"),
        ("▁dog", True, "dog"),
        ("dog", True, ""),
        ("dog", False, "dog"),
        ("##s", False, ""),
        ("Dog", False, ""),
    ],
)
def test_whole_words_by_the_marks_of_the_vocabulary(piece: str, marked: bool, word: str) -> None:
    assert whole_word(piece, marked) == word
