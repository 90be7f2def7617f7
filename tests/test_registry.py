"""The registry: every name loads, and a wrong one is answered with the right one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyglitch import registry
from polyglitch.errors import UsageError


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_registered_name_can_be_imported(kind: str) -> None:
    for name in registry.entries(kind):
        assert registry.load(kind, name) is not None


def test_a_wrong_name_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'transrepair'"):
        registry.load("methods", "transrepare")
    with pytest.raises(UsageError, match=r"available: .*sit"):
        registry.load("methods", "zzz")
    with pytest.raises(UsageError, match="did you mean 'methods'"):
        registry.entries("method")


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with three ranks: one with a docstring, one with `about`, one that is broken."""
    (tmp_path / "rankings.py").write_text(
        'def longest(words):\n    """Long words first.\n\n    More."""\n'
        "class Plain:\n    about = 'as they come'\n    def __call__(self, words): ...\nplain = Plain()\n"
    )
    (tmp_path / "broken_ranking.py").write_text("import no_such_module\n")
    info = tmp_path / "rankings-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rankings\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[polyglitch.ranks]\nlongest = rankings:longest\nplain = rankings:plain\nlost = broken_ranking:x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    looked_up = (registry.entries, registry.installed_points)
    for one in looked_up:
        one.cache_clear()
    yield
    for one in looked_up:
        one.cache_clear()
    sys.modules.pop("rankings", None)


def test_a_part_of_another_package_says_what_it_is(other_package: None) -> None:
    assert {"longest", "plain", "lost"} < set(registry.entries("ranks"))
    assert "rankings" not in sys.modules, "nothing is imported before it is asked for"
    assert registry.about("ranks", "longest") == "Long words first. (from rankings)"
    assert registry.about("ranks", "plain") == "as they come (from rankings)"
    assert "cannot be imported: ModuleNotFoundError" in registry.about("ranks", "lost")
    assert registry.about("ranks", "none") == registry.entries("ranks")["none"].about
