"""The small version of benchmarks/chaos.py: faults of every kind, the process killed, nothing lost or asked again."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.chaos import chaos

pytestmark = pytest.mark.slow


def test_a_campaign_that_is_failed_and_killed_ends_as_if_undisturbed(tmp_path: Path) -> None:
    found = chaos(tmp_path, cases=200, kills=2)
    assert found["killed"] == 2
    assert found["share_failed"] > 0.2
    assert len(found["faults"]) >= 7
    assert found["cases_with_one_verdict"] == 200
    assert found["cases_lost"] == found["asked_again_after_stored"] == 0
    assert found["redirects_followed"] == found["errors"] == 0
    assert found["violations"] == found["violations_without_faults"] > 0
    assert found["same_figures"]
    assert found["same_verdicts"]
