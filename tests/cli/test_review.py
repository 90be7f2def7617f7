"""`polyglitch review`: what it refuses before anything listens."""

from __future__ import annotations

import pytest

from tests.conftest import Cli
from tests.review.samples import fill


@pytest.mark.slow
def test_a_store_that_is_not_there_is_named(cli: Cli) -> None:
    assert "no such file" in cli("review", "--store", "none.sqlite", code=2).stderr


@pytest.mark.slow
def test_other_machines_are_not_let_in_without_a_password(
    cli: Cli, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLYGLITCH_PASSWORD", raising=False)
    fill(tmp_path / "runs.sqlite", 2).close()
    refused = cli("review", "--store", "runs.sqlite", "--host", "0.0.0.0", "--port", "0", code=2)
    assert "POLYGLITCH_PASSWORD" in refused.stderr
