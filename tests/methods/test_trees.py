"""The methods that work on trees: what they need, and RTI and PatInv on a translator that loses words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polyglitch.campaign import make_campaign, make_method
from polyglitch.errors import Missing, UsageError
from polyglitch.flow import run
from polyglitch.results.history import History
from polyglitch.store.store import Store

# Upper case is its language. Alone, "steel" is another word; the word "quickly" it never says.
TRANSLATOR = """
def translate(text):
    text = " ".join(word for word in text.split() if word != "quickly")
    return (text.replace("steel", "iron") if len(text) < 45 else text).upper()
"""
TEXT = "The new owner quickly closed the large steel factory near the old river bridge.\n"


def ran(folder: Path, method: str, **more: Any) -> tuple[dict[str, Any], list[Any]]:
    (folder / "lossy.py").write_text(TRANSLATOR)
    (folder / "seeds.txt").write_text(TEXT)
    options = {
        "system": f"python:{folder / 'lossy.py'}:translate",
        "corpus": str(folder / "seeds.txt"),
        "methods": [method],
        "source_language": "en",
        "target_language": "en",
        "store": str(folder / "s.sqlite"),
    }
    run_id, figures = run(make_campaign(options | more))
    store = Store(options["store"])
    try:
        return figures, list(History(store, run_id).findings())
    finally:
        store.close()


@pytest.mark.slow
def test_rti_finds_the_phrase_that_is_another_alone(tmp_path: Path) -> None:
    figures, findings = ran(tmp_path, "rti", parameters={"rti": {"oracle": "published"}})
    assert figures["cases"] > 0 and len(findings) == 1
    trial, verdict = findings[0].violations[0]
    assert verdict.reasons == ("'IRON' is not in the translation of the whole",)
    assert trial.case.relation == "contained"


def test_patinv_finds_the_word_that_makes_no_difference(tmp_path: Path) -> None:
    parameters = {"patinv": {"mode": "remove"}}
    figures, findings = ran(tmp_path, "patinv", parameters=parameters)
    assert figures["violations"] == 1
    trial, verdict = findings[0].violations[0]
    assert trial.case.edit is not None and trial.case.edit.old == "quickly"
    assert verdict.reasons == ("'quickly' was removed, and the output is the same",)


def test_sit_as_published_compares_dependencies_unless_told_otherwise() -> None:
    published = make_method("sit", {"oracle": "published"})
    assert "parser:target" in published.needs
    assert "representation=dependencies" in published.signature
    assert (
        "representation=constituents" in make_method("sit", {"structure": "constituents"}).signature
    )
    raw = make_method("sit", {"structure": "raw"})
    assert "parser:target" not in raw.needs and "raw_distance(above=15" in raw.signature
    with pytest.raises(UsageError, match="structure"):
        make_method("sit", {"structure": "tree"})
    assert make_method("patinv", {"mode": "remove"}).needs == ("parser",)


def test_a_target_without_a_parser_is_told_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"ko_core_news_sm.*sit\.structure=raw"):
        ran(tmp_path, "sit", target_language="ko", parameters={"sit": {"oracle": "published"}})


@pytest.mark.slow
def test_a_named_parser_is_part_of_what_ran(tmp_path: Path) -> None:
    figures, _ = ran(tmp_path, "rti", parser="spacy")
    assert "|parser:spacy|" in figures["signature"]
    with pytest.raises(UsageError, match="did you mean 'spacy'"):
        ran(tmp_path, "rti", parser="spacyy")
