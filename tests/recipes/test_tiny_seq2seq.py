"""Folders of opus-mt and T5 in small: opened by URI, asked, looked into, and tested as readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyglitch.errors import UsageError
from polyglitch.records import Input
from polyglitch.tools import open_system

pytestmark = [pytest.mark.needs("torch", "transformers", "sentencepiece"), pytest.mark.slow]
TEXT = "The old minister praised the soldiers."


def test_an_opus_mt_folder_searches_as_its_own_configuration_says(tmp_path: Path) -> None:
    from recipes.tiny_seq2seq import BEAMS, make_marian

    folder = make_marian(tmp_path / "opus-mt-en-pt")
    system: Any = open_system(f"hf:{folder}?source=en&target=pt")
    assert system._model.generation_config.num_beams == BEAMS and system._decoding == {
        "do_sample": False
    }
    assert system.ask([Input(TEXT)])[0].ok
    seen = system.inspect([Input(TEXT)], ["O ministro."])[0]
    assert "".join(TEXT[a:b] for a, b in seen.source_spans) == TEXT.replace(" ", "")
    again = system.ask([Input("soldiers " * 60)])[0]
    assert again.error.endswith("and the model reads 64")


def test_a_t5_folder_reads_a_question_with_its_context(tmp_path: Path) -> None:
    from recipes.tiny_seq2seq import make_t5

    from polyglitch.campaign import make_campaign
    from polyglitch.run.plan import open_plan

    folder = make_t5(tmp_path / "t5")
    system: Any = open_system(f"hf:{folder}?prompt=unifiedqa&beams=2")
    asked = Input("Who praised them?", context=TEXT)
    assert system._fill(asked)[0] == f"who praised them? \\n {TEXT.lower()}"
    one, other = system.inspect([asked, Input(asked.text, context="No one.")], ["minister"] * 2)
    assert one.probabilities.tolist() != other.probabilities.tolist()  # the context is read
    (tmp_path / "qa.jsonl").write_text(
        '{"text": "Who praised them?", "context": "The minister praised the soldiers. It rained."}\n'
    )
    given = {"corpus": str(tmp_path / "qa.jsonl"), "methods": ["qaqa"], "source_language": "en"}
    with pytest.raises(UsageError, match=r"no place for it; name one that has \{context\}"):
        open_plan(make_campaign(given | {"system": f"hf:{folder}"}))
