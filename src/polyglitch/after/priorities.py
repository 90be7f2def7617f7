"""How well each rank would have ordered the cases of a run: joins the store, the system and the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from polyglitch.errors import NothingToTest, UsageError
from polyglitch.evaluate.fault_curve import Order, evaluate_orders
from polyglitch.history import History
from polyglitch.protocols import Inspection, System, Tools, WhiteBox
from polyglitch.rank.cases import CASE_RANKS, EMBEDDING, INSPECTING, Scene
from polyglitch.records import Case, Verdict
from polyglitch.registry import suggest
from polyglitch.store.outputs import output_key

KEPT = "inspection/1"


def evaluate_priority(
    history: History,
    tools: Tools,
    ranks: Sequence[str],
    *,
    system: System | None = None,
    method: str = "qaqa",
    shuffles: int = 20,
) -> tuple[list[Order], int, int]:
    """The orders by each rank with the initial and the ideal one, and how many cases and faults there are."""
    for name in ranks:
        if name not in CASE_RANKS:
            raise UsageError(f"no case rank is called {name!r}{suggest(name, tuple(CASE_RANKS))}")
    judged = decided(history, method)
    failed = [verdict.outcome == "violated" for _, verdict in judged]
    if not any(failed):
        raise NothingToTest(
            f"run {history.run_id}: {len(judged)} decided cases of {method} and no violation among "
            "them; there is nothing to put first"
        )
    scenes = make_scenes(history, [case for case, _ in judged])
    if set(ranks) & set(INSPECTING):
        scenes = inspected(history, scenes, opened(system, history), tools)
    embedder = None
    if set(ranks) & set(EMBEDDING):
        embedder = tools.embedder("minilm", history.definition["languages"][0] or "en")
    scores = {name: CASE_RANKS[name](scenes, embedder) for name in ranks}
    return evaluate_orders(failed, scores, shuffles, tools.seed), len(failed), sum(failed)


def decided(history: History, method: str) -> list[tuple[Case, Verdict]]:
    """The cases of a method that have a verdict for or against, in their first order."""
    pairs = history.store.verdicts(history.run_id, method)
    return [(case, verdict) for case, verdict in pairs if verdict.outcome != "undecided"]


def make_scenes(history: History, cases: Sequence[Case]) -> list[Scene]:
    """The cases with the answers that were there before their follow-ups."""
    return [Scene(case, history.trial(case).outputs[:-1]) for case in cases]


def opened(system: System | None, history: History) -> WhiteBox:
    """The system to look into, if it is the one of the run."""
    if system is None:
        raise UsageError(
            f"ranks {', '.join(INSPECTING)} look into the system; name it with --system"
        )
    if not isinstance(system, WhiteBox):
        raise UsageError(f"system {system.signature} cannot be looked into; leave out gri and wali")
    tested = history.definition["systems"][0]
    if system.signature != tested:
        raise UsageError(f"--system is {system.signature}, the run is of {tested}; name that one")
    return system


def inspected(
    history: History, scenes: Sequence[Scene], system: WhiteBox, tools: Tools
) -> list[Scene]:
    """The scenes with a look at each seed; what was seen is kept, since it is dear."""
    keys = [output_key(system.signature, scene.case.inputs[0]) for scene in scenes]
    known = tools.remember(KEPT, list(dict.fromkeys(keys)))
    found: list[Scene] = []
    for key, scene in zip(keys, scenes, strict=True):
        if key not in known:
            first = scene.answers[0]
            seen = system.inspect([scene.case.inputs[0]], [first.label or first.text])[0]
            known[key] = to_json(seen)
            tools.keep(KEPT, {key: known[key]})
        found.append(Scene(scene.case, scene.answers, from_json(known[key])))
    return found


def to_json(seen: Inspection) -> dict[str, Any]:
    """An inspection as plain lists."""
    fields = msgspec.structs.asdict(seen)
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
    }


def from_json(value: dict[str, Any]) -> Inspection:
    """An inspection from plain lists."""
    tokens = ("source_tokens", "target_tokens")
    fields: dict[str, Any] = {name: tuple(value[name]) for name in tokens}
    fields["source_spans"] = tuple((start, end) for start, end in value["source_spans"])
    for name, items in value.items():
        if name not in fields and items is not None:
            fields[name] = np.asarray(items, np.float32)
    return Inspection(**fields)
