"""Stores of both kinds for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store goes: a file, then a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "runs.sqlite")
    url: str = request.getfixturevalue("postgres").new_database()
    return url
