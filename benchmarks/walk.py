"""The walk of one seed through the project: which files and functions run, and what is done more than once.

    python -m benchmarks.walk [options of polyglitch run]

Counts functions that were called, not module bodies that were imported.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import polyglitch

HOME = Path(polyglitch.__file__).parent
ONCE = {
    "summary": ("results/summary.py", "summarise"),
    "store": ("store/store.py", "Store.__init__"),
    "trials": ("results/history.py", "read_trials"),
}
DEFAULT = ["--system", "firefox:en-pt", "--source-language", "en", "--method", "sit"]
SEED = 11  # of the sample: one with cases and an issue

calls: Counter[tuple[str, str]] = Counter()


def note(frame: FrameType, event: str, _: Any) -> None:
    """Count a call into the project."""
    code = frame.f_code
    function = code.co_flags & inspect.CO_OPTIMIZED  # the body of a class or module is none
    if event == "call" and function and code.co_filename.startswith(str(HOME)):
        calls[(str(Path(code.co_filename).relative_to(HOME)), code.co_qualname)] += 1


def walk(arguments: list[str]) -> Counter[tuple[str, str]]:
    """Run one seed and count."""
    from polyglitch.cli.main import main

    with tempfile.TemporaryDirectory() as folder:
        sample = HOME / "resources" / "sample" / "news.en.txt"
        seed = sample.read_text("utf-8").splitlines()[SEED]
        Path(folder, "seed.txt").write_text(f"{seed}\n", "utf-8")
        more = [
            "--corpus",
            f"{folder}/seed.txt",
            "--store",
            f"{folder}/s.sqlite",
            "-o",
            f"{folder}/x.html",
        ]
        sys.argv = ["polyglitch", "run", *arguments, *more]
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            main()
        except SystemExit as ended:
            print("exit", ended.code)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]
    return calls


def main(arguments: list[str]) -> None:
    """Walk and tell."""
    found = walk(arguments or DEFAULT)
    files = Counter(name for name, _ in found)
    print(f"{len(files)} files, {len(found)} functions, {sum(found.values()):,} calls")
    for name, (file, function) in ONCE.items():
        times = sum(n for (f, q), n in found.items() if f == file and q.endswith(function))
        print(f"{name}: {times} times")
    for name, count in sorted(files.items()):
        print(f"  {name}: {count} functions")


if __name__ == "__main__":
    main(sys.argv[1:])
