"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Data that is not part of the project: beside it, or where POLYGLITCH_SHARED says."""
    folder = Path(os.environ.get("POLYGLITCH_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set POLYGLITCH_SHARED to the folder that has it")
    return folder
