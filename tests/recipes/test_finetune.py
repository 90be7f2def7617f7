"""Fine-tuning: a model made here learns the corrections it is given, and is tested as `hf:`."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipes.finetune import Settings, quality, read_pairs, tune
from recipes.tiny_translator import make_model, make_tokenizer, save, train

from polyglitch.repair.export import TrainingRow, write_rows

LESSONS = [
    (f"The {thing} is {colour}.", f"{article} {coisa} é {cor}.")
    for thing, article, coisa in (
        ("car", "O", "carro"),
        ("bird", "O", "pássaro"),
        ("book", "O", "livro"),
    )
    for colour, cor in (("white", "branco"), ("black", "preto"), ("new", "novo"))
]


@pytest.mark.slow
def test_a_small_model_learns_its_corrections(tmp_path: Path) -> None:
    tokenizer = make_tokenizer([text for pair in LESSONS for text in pair])
    model = make_model(tokenizer)
    train(model, tokenizer, LESSONS[:6] * 4, epochs=12, rate=3e-3)
    save(model, tokenizer, tmp_path / "base")
    before = quality(tmp_path / "base", LESSONS[6:])["exact"]
    assert before < 3
    fixes = tmp_path / "fixes.jsonl"
    write_rows(fixes, [TrainingRow(source, target) for source, target in LESSONS[6:]], ("en", "pt"))
    settings = Settings(epochs=40, rate=3e-3, replayed=2)
    tune(str(tmp_path / "base"), read_pairs(fixes), tmp_path / "new", LESSONS[:6], settings)
    assert quality(tmp_path / "new", LESSONS[6:])["exact"] > before
