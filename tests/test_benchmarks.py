"""What benchmarks compute from their measurements, and that peers' scripts stay apart from this project."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from benchmarks.__main__ import kept_and_missed
from benchmarks.environments import Environment, Peer, run_script
from benchmarks.memory import slope
from benchmarks.peers import PEERS, beside, compared
from benchmarks.results import beside_bar, lines

pytestmark = pytest.mark.slow

DRIVERS = Path(__file__).parents[1] / "benchmarks" / "drivers"


@pytest.mark.parametrize("power", [1.0, 2.0, 0.5])
def test_the_slope_is_the_power_that_time_grows_by(power: float) -> None:
    assert slope({n: 3 * n**power for n in (10, 100, 1000)}) == pytest.approx(power)


def test_a_figure_is_told_with_its_bar(tmp_path: Path) -> None:
    told = list(lines("automata", {"pairs": 500, "pairs_per_second": 950.0}))
    assert told == ["pairs: 500", "pairs_per_second: 950 (bar >= 10000: MISSED)"]
    assert beside_bar(1.2, "<= 1.35") == "(bar <= 1.35: kept)"
    (tmp_path / "automata.json").write_text('{"pairs_per_second": 12000.0}')
    found = list(kept_and_missed(tmp_path))
    assert "automata: pairs_per_second 1.2e+04 (bar >= 10000: kept)" in found
    assert "memory: slope not measured (bar <= 1.1)" in found


def test_a_peer_is_measured_by_what_it_made_not_by_what_it_was_asked() -> None:
    ours = {"templates": {"strings": 10, "distinct": 10, "seconds": 1.0}}
    theirs = {"templates": {"strings": 10, "distinct": 5, "seconds": 1.0}}
    assert beside(ours, theirs)["templates"]["over_polyglitch"] == 2.0


def test_values_of_a_metric_are_laid_beside_ours() -> None:
    ours = {"edits": {"values": [1.0, 2.0, 3.0, 4.0], "seconds": 1.0}}
    theirs = {"edits: other": {"values": [1.0, 5.0], "seconds": 2.0}, "process_seconds": 9.0}
    found = compared(ours, theirs)["edits: other"]
    assert found == {"over_polyglitch": 4.0, "largest_difference": 3.0, "equal_share": 0.5}


def test_what_does_not_install_is_said(tmp_path: Path) -> None:
    peer = Peer(("./there-is-no-such-folder",), ("python", "--version"))
    found = Environment("absent", peer, tmp_path).install()
    assert "there-is-no-such-folder" in found["skipped"]


def test_a_script_that_fails_is_told_by_its_last_line(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text("import sys\nraise SystemExit('no such thing')\n")

    assert run_script([sys.executable, str(script)]) == {"failed": "no such thing"}


def test_peers_work_without_this_project() -> None:
    for name in {peer.work for peer in PEERS.values() if peer.work}:
        tree = ast.parse((DRIVERS / f"{name}.py").read_text("utf-8"))
        imported = {
            alias.name.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in (
                [ast.alias(node.module or "")] if isinstance(node, ast.ImportFrom) else node.names
            )
        }
        assert not imported & {"polyglitch", "benchmarks"}
