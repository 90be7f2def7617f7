"""Environments that benchmarks install peers into: seconds, megabytes, and how long the peer takes to start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE = 900  # seconds an installation may take
STARTS = 3  # the best counts


class Peer(NamedTuple):
    """What is installed, step by step, what starting it means, and the script that does its work."""

    steps: tuple[str, ...]  # arguments of `pip install`, or of `npm install`
    start: tuple[str, ...]  # a command of the environment, or `-c` and code for its Python
    work: str = ""
    npm: bool = False
    why: str = ""  # of pins


class Environment:
    """A folder with one peer in it. What was measured at its installation is kept there."""

    def __init__(self, name: str, peer: Peer, folder: Path) -> None:
        self.name, self.peer, self.folder = name, peer, folder / name
        self.note = self.folder / "installed.json"

    def install(self) -> dict[str, Any]:
        """Install the peer, from nothing and without a cache, unless that was done; what it took."""
        if self.note.is_file():
            found: dict[str, Any] = json.loads(self.note.read_text("utf-8"))
            return found
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if self.peer.npm and not shutil.which("npm"):
            return {"skipped": "there is no npm here"}
        if not self.peer.npm:
            subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
        empty, start = size(self.folder), time.perf_counter()
        for step in self.peer.steps:
            try:
                done = subprocess.run(
                    [*self.installer(), *step.split()],
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE,
                    cwd=self.folder,
                    env=self.surroundings(),
                )
            except subprocess.TimeoutExpired:
                return {"skipped": f"not installed after {PATIENCE} s"}
            if done.returncode:
                lines = (done.stderr or done.stdout).strip().splitlines()
                said = [line for line in lines if "rror" in line] or lines or ["no word why"]
                return {"skipped": f"does not install: {said[0].strip()[:200]}"}
        seconds = time.perf_counter() - start
        found = {"install_seconds": seconds, "install_mb": (size(self.folder) - empty) / 1e6}
        self.note.write_text(json.dumps(found), "utf-8")
        return found

    def installer(self) -> list[str]:
        """The command that installs."""
        if self.peer.npm:
            return ["npm", "install", "--no-fund", "--no-audit", "--loglevel=error"]
        return [str(self.python), "-m", "pip", "install", "-q", "--no-cache-dir"]

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.folder / "bin" / "python"

    def starting(self) -> dict[str, Any]:
        """The least seconds of some starts, the first not counted (it writes bytecode); or why there is none."""
        head, *rest = self.peer.start
        times = []
        for _ in range(1 + STARTS):
            start = time.perf_counter()
            command = [str(self.programs / head), *rest]
            done = subprocess.run(command, capture_output=True, env=self.surroundings())
            times.append(time.perf_counter() - start)
            if done.returncode:
                lines = done.stderr.decode(errors="replace").strip(" *\n").splitlines()
                said = [line.strip() for line in lines if "rror" in line or "not found" in line]
                return {"does_not_start": (said or lines or ["no word why"])[0][:200]}
        return {"start_seconds": min(times[1:])}

    @property
    def programs(self) -> Path:
        """Where its commands are."""
        return self.folder / ("node_modules/.bin" if self.peer.npm else "bin")

    def surroundings(self) -> dict[str, str]:
        """The variables of its processes: its own programs come first, as a Node that came with it."""
        path = os.pathsep.join([str(self.programs), os.environ.get("PATH", "")])
        return clean() | {"PATH": path}

    def work(self, task: Path, script: str = "", **more: str) -> dict[str, Any]:
        """What the peer's script prints last, and the seconds of the whole process."""
        file = Path(__file__).parent / "drivers" / f"{script or self.peer.work}.py"
        python = sys.executable if self.peer.npm else str(self.python)
        return run_script([python, str(file), str(task)], self.surroundings() | more)


def run_script(command: list[str], surroundings: dict[str, str] | None = None) -> dict[str, Any]:
    """What a script prints last, as JSON, and the seconds from its start to its end."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=surroundings or clean())
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return {"failed": said[-1] if said else f"exit {done.returncode}"}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found | {"process_seconds": time.perf_counter() - start}


def clean() -> dict[str, str]:
    """The surroundings, without this project's modules and without what would send figures elsewhere."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quiet = ("DEEPEVAL_TELEMETRY_OPT_OUT", "PROMPTFOO_DISABLE_TELEMETRY", "GSK_DISABLE_ANALYTICS")
    more = {"PROMPTFOO_DISABLE_UPDATE": "1", "DEEPEVAL_DISABLE_PROGRESS_BAR": "1"}
    return kept | dict.fromkeys(quiet, "1") | more | {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES"}


def size(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
