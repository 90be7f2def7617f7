"""Texts as counts of labels, parsed once and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.compare.oracles.two_outputs import count_distance, label_count_distance
from polyglitch.errors import Missing
from polyglitch.represent.structures import constituents, dependencies
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

ENGLISH = ["The dog sees a cat.", "The dog sees a big cat in the park."]


def test_the_root_is_not_counted_and_phrases_are() -> None:
    short, long = dependencies(ENGLISH, Toolbox(), "en")
    assert short == {"det": 2, "nsubj": 1, "dobj": 1, "punct": 1}
    assert count_distance(short, long) == 4  # amod, prep, pobj and its det
    one, two = constituents(ENGLISH, Toolbox(), "en")
    assert one == {"S": 1, "NP": 2, "VP": 1}
    assert two["PP"] == 1


def test_a_text_is_parsed_once_in_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(tmp_path / "s.sqlite"))
    first = dependencies(ENGLISH, Toolbox(store), "en")
    tools = Toolbox(store)
    parsed: list[str] = []
    parser = tools.parser("en")
    monkeypatch.setattr(type(parser), "parse", lambda self, texts: parsed.extend(texts) or [])
    assert dependencies(ENGLISH, tools, "en") == first
    assert parsed == []
    store.close()


def test_the_language_is_that_of_the_campaign_and_a_missing_parser_is_named() -> None:
    oracle = label_count_distance(dependencies)
    assert "representation=dependencies" in oracle.signature
    with pytest.raises(Missing, match="ko_core_news_sm"):
        Toolbox(languages=("en", "ko")).check("parser:target", "en", "ko")
