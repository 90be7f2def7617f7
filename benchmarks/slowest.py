"""Where the time of each kind of campaign goes, by a profiler: the bundled sentences, a system that costs nothing.

    python -m benchmarks.slowest [KIND...]

Prints for each kind who has the most time of its own, and the dearest of our functions with all that they call. Seconds
are those of the profiled run, which is slower than a plain one: read the shares.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.results import record
from polyglitch.campaign import make_campaign
from polyglitch.flow import run
from polyglitch.mutate.capabilities.rules import fill_template
from polyglitch.nlp.lexicons.terms import open_lexicon

SYSTEM = """\
def same(texts):
    return [text[:1] + text[1:].replace(" a ", " the ") for text in texts]

same.batch, same.batch_size = True, 256

def label(texts):
    return [("positive", "negative")[len(text) % 7 == 0] for text in texts]

label.batch, label.batch_size = True, 256
"""
LABELLED = "labelled.csv"  # sentences of a template, praise and blame
VECTORS = {"proposer": "vectors", "per_seed": 8}
KINDS: dict[str, dict[str, Any]] = {
    "sit": {"parameters": {"sit": VECTORS}},
    "transrepair": {"parameters": {"transrepair": VECTORS}},
    "cat": {"parameters": {"cat": VECTORS}},
    "patinv": {"parameters": {"patinv": {"proposer": "vectors"}}},
    "rti": {},
    "semmt": {"corpus": "sample:logic"},
    "alict": {"parameters": {"alict": {"suite": "sentiment"}}, "system": "label"},
    "relations": {"system": "label"},
}
TOP = 5
OURS = "/polyglitch/"


def write_labelled(path: Path, each: int = 50) -> None:
    """Short sentences with their labels, for methods that need some."""
    lexicon, rows = open_lexicon("en", ("bundled",)), ["text,label"]
    for side in ("positive", "negative"):
        texts = fill_template(f"The {{neutral noun}} is {{a:{side} adjective}} one.", lexicon)
        rows += [f"{text},{side}" for text in islice(texts, each)]
    path.write_text("\n".join(rows) + "\n")


def profiled(kind: str, folder: Path) -> pstats.Stats:
    """One campaign under the profiler, everything it needs loaded by a first, small one."""
    given = KINDS[kind]
    options = {
        "methods": [kind],
        "source_language": "en",
        "target_language": "en",
        **given,
        "corpus": str(folder / LABELLED) if kind == "alict" else given.get("corpus", "sample"),
        "system": f"python:{folder / 'nothing.py'}:{given.get('system', 'same')}",
        "back": f"python:{folder / 'nothing.py'}:same",
    }
    run(make_campaign(options | {"limit": 3, "store": str(folder / f"{kind}-first.sqlite")}))
    profile = cProfile.Profile(time.thread_time)  # waiting for the system is no work
    profile.enable()
    run(make_campaign(options | {"store": str(folder / f"{kind}.sqlite")}))
    profile.disable()
    return pstats.Stats(profile)


def owner(file: str) -> str:
    """The package or module that a function belongs to."""
    if OURS in file:
        return "polyglitch/" + file.split(OURS)[-1].removesuffix(".py")
    if "site-packages/" in file:
        return file.split("site-packages/")[-1].split("/")[0]
    return "Python"


def shares(stats: pstats.Stats) -> dict[str, Any]:
    """The total, who has the most time of its own, and which of our functions cost most in all."""
    table: dict[Any, Any] = stats.stats  # type: ignore[attr-defined]
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for (file, _, name), (_, _, inside, through, callers) in table.items():
        if file == "~":  # built in: on the account of those who call it
            for (caller, _, _), (_, _, part, _) in callers.items():
                own[owner(caller)] += part
        else:
            own[owner(file)] += inside
        if OURS in file and not name.startswith("<"):
            whole[f"{owner(file)}:{name}"] = through
    total = sum(own.values())
    return {
        "seconds": round(total, 2),
        "own": {name: f"{part / total:.0%}" for name, part in own.most_common(TOP)},
        "with_calls": {name: f"{part / total:.0%}" for name, part in whole.most_common(4 * TOP)},
    }


def main() -> None:
    """All kinds, or those named."""
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nothing.py").write_text(SYSTEM)
        write_labelled(folder / LABELLED)
        for kind in sys.argv[1:] or KINDS:
            figures[kind] = shares(profiled(kind, folder))
            print(kind, json.dumps(figures[kind], indent=1), flush=True)
    record("slowest", figures)


if __name__ == "__main__":
    main()
