"""Seconds in each stage of a method that swaps words, against a real translator.

    SEEDS=FILE python -m benchmarks.methods [--cases 2000] [--method sit] [--system firefox:en-pt] [--param KEY=VALUE]
        [--store FILE]

With a store the proposals are kept there, as in a campaign: a second run shows what one on known sentences costs.
Prints wall and processor seconds of each stage, the tokens that the proposer's model computed, and whether all that
is not translation stays within the translation's time and a minute, for 2,000 cases. Seeds are those of `--corpus`,
else of the variable SEEDS, else the bundled sample (whose words come from data unless a proposer is named).
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from benchmarks.results import record
from polyglitch.campaign import make_method
from polyglitch.corpus.read import open_corpus
from polyglitch.files.lazy_numpy import one_thread
from polyglitch.flow import SEEDS_AT_ONCE
from polyglitch.nlp.models.gemma import open_gemma
from polyglitch.nlp.models.smollm import open_smollm
from polyglitch.nlp.proposers.fitting_words import open_fitting_words
from polyglitch.protocols import Parser
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.run.process_loop import COLLECTED
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox, open_system

CASES_AT_ONCE = 256
# The bar: seconds that all but the translation may take beyond it, for so many cases. The paper: 71 s on six cores.
ALLOWED, BAR_CASES = 60.0, 2000


class Clock:
    """Wall and processor seconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, list[float]] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add what happens inside to a stage."""
        wall, processor = time.monotonic(), time.process_time()
        try:
            yield
        finally:
            spent = self.stages.setdefault(stage, [0.0, 0.0])
            spent[0] += time.monotonic() - wall
            spent[1] += time.process_time() - processor

    def timed(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same call, its time added to a stage."""

        def run(*args: Any, **kwargs: Any) -> Any:
            with self(stage):
                return call(*args, **kwargs)

        return run


class TimedTools(Toolbox):
    """A toolbox whose parsers and proposers are timed; loading them is not counted."""

    def __init__(
        self, clock: Clock, languages: tuple[str | None, str | None], store: Store | None = None
    ) -> None:
        super().__init__(store, languages=languages)
        self._clock = clock

    def parser(self, language: str | None) -> Parser:
        """The parser for a language, timed."""
        fresh = len(self._made)
        made: Any = super().parser(language)
        if len(self._made) > fresh:
            for name in ("parse", "skim"):
                setattr(made, name, self._clock.timed("parse", getattr(made, name)))
        return made  # type: ignore[no-any-return]

    def _get(self, kind: str, name: str, language: str | None) -> Any:
        fresh = (kind, name, language) not in self._made
        made = super()._get(kind, name, language)
        if fresh and kind == "proposers":
            made.propose = self._clock.timed("propose", type(made).propose.__get__(made))
        return made


def tokens_computed() -> int:
    """What the language models that were opened have computed for their proposals."""
    opened = {
        "gemma": open_gemma.cache_info().currsize,
        "smollm": open_smollm.cache_info().currsize,
    }
    return sum(open_fitting_words("en", name, "").tokens for name, some in opened.items() if some)


def measure(
    method_name: str,
    system_uri: str,
    corpus: str,
    wanted: int,
    options: dict[str, Any],
    store: Store | None = None,
) -> dict[str, Any]:
    """Run mutate, translate and compare one after the other, on as many seeds as make so many cases."""
    clock = Clock()
    gc.set_threshold(*COLLECTED)  # as in a campaign
    method, system = make_method(method_name, options), open_system(system_uri, 60.0)
    tools = TimedTools(clock, system.languages, store)
    for need in method.needs:
        tools.check(need, *system.languages)
    seeds = iter(open_corpus(corpus, language=system.languages[0]))
    cases: list[Case] = []
    used = 0
    while len(cases) < wanted and (some := list(islice(seeds, SEEDS_AT_ONCE))):
        used += len(some)
        with clock("mutate"):
            cases += list(method.mutate(some, tools))
    answers: dict[Input, Output] = {}
    todo = list(dict.fromkeys(item for case in cases for item in case.inputs))
    with clock("translate"):
        for start in range(0, len(todo), system.batch_size):
            batch: Sequence[Input] = todo[start : start + system.batch_size]
            answers |= dict(zip(batch, system.ask(batch), strict=True))
    trials = [Trial(case, tuple((answers[item],) for item in case.inputs)) for case in cases]
    with clock("compare"), one_thread():  # as in a campaign
        for start in range(0, len(trials), CASES_AT_ONCE):
            method.compare(trials[start : start + CASES_AT_ONCE], tools)
    system.close()
    stages = {name: [round(value, 1) for value in spent] for name, spent in clock.stages.items()}
    return {
        "method": method_name,
        "seeds": used,
        "cases": len(cases),
        "proposer's tokens": tokens_computed(),
        "seconds [wall, processor]": stages,
        **against_bar(stages, len(cases)),
    }


def against_bar(stages: dict[str, list[float]], cases: int) -> dict[str, Any]:
    """All but the translation, as a ratio of it, and against the bar when scaled to its cases."""
    (rest, spent), (translation, asked) = (
        [sum(stages[name][i] for name in ("mutate", "compare")) for i in (0, 1)],
        stages["translate"],
    )
    scale = BAR_CASES / max(cases, 1)
    return {
        "rest / translation": round(rest / max(translation, 0.1), 2),
        "rest / translation, processor": round(spent / max(asked, 0.1), 2),
        f"rest, for {BAR_CASES} cases": round(rest * scale, 1),
        f"bar: rest <= translation + {ALLOWED:.0f}": round(translation * scale + ALLOWED, 1),
        "bar met": rest * scale <= translation * scale + ALLOWED,
    }


def main() -> None:
    """Print the stages of one method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="sit")
    parser.add_argument("--system", default="firefox:en-pt")
    parser.add_argument("--corpus", default=os.environ.get("SEEDS") or "sample")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--param", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--store", metavar="FILE")
    chosen = parser.parse_args()
    options = dict(pair.split("=", 1) for pair in chosen.param)
    corpus = chosen.corpus
    store = Store(chosen.store) if chosen.store else None
    record("methods", measure(chosen.method, chosen.system, corpus, chosen.cases, options, store))
    if store:
        store.close()


if __name__ == "__main__":
    main()
