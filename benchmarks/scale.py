"""What a case costs in store and time, to be multiplied: `python -m benchmarks.scale [CASES] [postgresql://...]`.

The system answers at once and the method compares labels, so that what is measured is Polyglitch itself: reading,
keeping, claiming, judging. Models come on top; benchmarks/overhead.py has them.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.results import record
from polyglitch.campaign import make_campaign
from polyglitch.flow import run
from polyglitch.store.store import Store

SYSTEM = "def answer(texts):\n    return ['positive'] * len(texts)\n\nanswer.batch, answer.batch_size = True, 256\n"
SENTENCE = "the committee said on Monday that river towns would pay more for clean water next year"
WORDS = SENTENCE.split()


def sentence(number: int) -> str:
    """Fifteen words or so, no two alike."""
    shift = number % len(WORDS)
    return " ".join([*WORDS[shift:], *WORDS[:shift], f"in case {number}."])


def size_of(where: str) -> int:
    """Bytes of a store with its indexes."""
    if "://" not in where:
        return Path(where).stat().st_size
    from sqlalchemy import text

    store = Store(where)
    with store.database.engine.connect() as connection:
        found = connection.scalar(text("select pg_database_size(current_database())"))
    store.close()
    return int(found or 0)


def measure(cases: int, where: str, folder: Path) -> dict[str, float]:
    """Run a campaign of so many cases into a store."""
    (folder / "system.py").write_text(SYSTEM)
    with (folder / "corpus.csv").open("w") as out:
        out.write("text,label\n")
        for number in range(cases):
            out.write(f"{sentence(number)},{('positive', 'negative')[number % 10 == 0]}\n")
    Store(where).close()
    empty = size_of(where)
    options = {
        "system": f"python:{folder / 'system.py'}:answer",
        "corpus": str(folder / "corpus.csv"),
        "methods": ["suite"],
        "store": where,
    }
    started = time.monotonic()
    _, figures = run(make_campaign(options))
    seconds = time.monotonic() - started
    if "://" not in where:
        store = Store(where)
        with store.database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        store.close()
    return {
        "cases": figures["cases"],
        "seconds": seconds,
        "cases_a_second": figures["cases"] / seconds,
        "store_bytes_a_case": (size_of(where) - empty) / figures["cases"],
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """SQLite, and PostgreSQL where an address is given."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as name:
        record("scale", measure(cases, str(Path(name) / "scale.sqlite"), Path(name)))
        if len(sys.argv) > 2:
            record("scale-postgresql", measure(cases, sys.argv[2], Path(name)))


if __name__ == "__main__":
    main()
