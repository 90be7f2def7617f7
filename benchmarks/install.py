"""What the core costs to install and to start: megabytes, seconds from a warm index, and `--help`.

    python -m benchmarks.install

A wheel of this state goes into two new environments with pip, the first of which fills pip's cache. Megabytes are those
of all installed packages with the bytecode that pip writes, without pip and setuptools. Seconds are given by the clock
and as processor time, which a busy machine changes less.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.environments import clean, size
from benchmarks.results import record

ROOT = Path(__file__).parents[1]
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel")
STARTS = 10


def main() -> None:
    """Install twice, start some times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        spent(install(folder / "first", wheel))
        clock, processor = spent(install(folder / "second", wheel))
        place = next((folder / "second" / "lib").glob("python*/site-packages"))
        command = [str(folder / "second" / "bin" / "polyglitch"), "--help"]
        starts = [spent(command) for _ in range(1 + STARTS)][1:]
        record(
            "install",
            {
                "core_mb": megabytes(place),
                "core_mb_without_bytecode": megabytes(place, bytecode=False),
                "packages": sum(1 for _ in place.glob("*.dist-info")) - 2,
                "install_seconds": clock,
                "install_cpu_seconds": processor,
                "help_cpu_seconds": min(processor for _, processor in starts),
                "help_seconds": min(clock for clock, _ in starts),
            },
        )


def build(folder: Path) -> Path:
    """A wheel of what is in git, made from a copy so that nothing is left here."""
    copy = folder / "source"
    copy.mkdir()
    for entry in ("src", "pyproject.toml", "README.md", "LICENSE"):
        source = ROOT / entry
        if source.is_dir():
            shutil.copytree(source, copy / entry, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / entry)
    spent([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(copy)])
    return next(folder.glob("*.whl"))


def install(environment: Path, wheel: Path) -> list[str]:
    """An empty environment, and the command that installs the wheel into it."""
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    return [str(environment / "bin" / "python"), "-m", "pip", "install", "-q", str(wheel)]


def spent(command: Sequence[str]) -> tuple[float, float]:
    """Seconds by the clock and of processor time that a command takes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=clean(), cwd=os.sep)
    clock = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def megabytes(place: Path, bytecode: bool = True) -> float:
    """The size of the installed packages."""
    total = 0
    for entry in place.iterdir():
        if entry.name.split("-")[0].split(".")[0] in NOT_OURS:
            continue
        total += size(entry) if entry.is_dir() else entry.stat().st_size
        if not bytecode:
            total -= sum(file.stat().st_size for file in entry.rglob("*.pyc"))
    return total / 1e6


if __name__ == "__main__":
    main()
