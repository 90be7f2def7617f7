"""A finished run opened again: its system, methods and tools, so that new cases can be asked and judged as before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from polyglitch.campaign import make_method
from polyglitch.component import Method
from polyglitch.errors import UsageError
from polyglitch.records import Case, Input, Issue, Output, Trial, Verdict
from polyglitch.results.history import History
from polyglitch.run.asking import Asker
from polyglitch.systems.answers import relabelled
from polyglitch.systems.uri import open_system
from polyglitch.tools import Toolbox

Done = TypeVar("Done")


def issue_by_issue(
    history: History,
    limit: int | None,
    work: Callable[[Issue], Done],
    watch: Callable[[Done], None],
) -> list[Done]:
    """What comes of each issue of a run, the worst first; the watcher is told of one after the other."""
    done: list[Done] = []
    for issue in islice(history.store.verdicts.issues(history.run_id), limit):
        done.append(work(issue))
        watch(done[-1])
    return done


class Reopened:
    """The parts of a run at work again; answers go through its store, where nothing is asked twice."""

    def __init__(self, history: History, system: str | None = None, timeout: float = 60.0) -> None:
        self.history, definition = history, history.definition
        opened = definition.get("opened", {})
        self.uri = system or opened.get("system", "")
        self.system = self._open_system(timeout)
        self.methods = {
            row["name"]: open_method(row, opened.get("parameters", {}))
            for row in definition["methods"]
        }
        source, target = definition["languages"]
        self.languages: tuple[str | None, str | None] = (source, target)
        self.tools = Toolbox(
            history.store,
            definition["seed"],
            self.languages,
            definition.get("parser"),
            system=self.system,
        )
        self.asker = Asker(self.system, history.store, timeout=timeout)

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        """The system's answers, from the store where it has them."""
        answers = self.asker.gather(self.asker.submit(inputs))
        names = self.history.definition.get("labels", {})
        return [relabelled(answers[self.asker.key(item)], names) for item in inputs]

    def judge(self, cases: Sequence[Case]) -> list[tuple[Trial, Verdict]]:
        """New cases of one method with what its oracle says of them."""
        if not cases:
            return []
        outputs = iter(self.ask([item for case in cases for item in case.inputs]))
        trials = [Trial(case, tuple((next(outputs),) for _ in case.inputs)) for case in cases]
        return list(zip(trials, self.verdicts(trials), strict=True))

    def verdicts(self, trials: Sequence[Trial]) -> list[Verdict]:
        """What the oracle of the trials' method says of them."""
        return self.methods[trials[0].case.method].judge(trials, self.tools) if trials else []

    def close(self) -> None:
        """Let go of the system; the store stays open."""
        self.asker.close()
        self.system.close()

    def _open_system(self, timeout: float) -> Any:
        if not self.uri:
            raise UsageError(
                f"run {self.history.run_id} does not say how to open its system; name it with --system"
            )
        system = open_system(self.uri, timeout)
        wanted = self.history.definition["systems"][0]
        if system.signature != wanted:
            system.close()
            raise UsageError(
                f"--system {self.uri!r} is {system.signature}, and run {self.history.run_id} tested "
                f"{wanted}; name that one, or run the campaign again on this one"
            )
        return system


def open_method(row: dict[str, Any], parameters: dict[str, dict[str, Any]]) -> Method:
    """A method as it was in a run; refused where this version would judge otherwise."""
    method = make_method(row["name"], parameters.get(row["name"]))
    if method.signature != row["signature"]:
        raise UsageError(
            f"method {row['name']!r} of the run was {row['signature']}, and is {method.signature} now; "
            "run the campaign again"
        )
    return method


def with_inputs(case: Case, texts: Sequence[str], **more: Any) -> Case:
    """A case with other texts, everything else as it was."""
    inputs = tuple(
        msgspec.structs.replace(item, text=text)
        for item, text in zip(case.inputs, texts, strict=True)
    )
    return msgspec.structs.replace(case, inputs=inputs, **more)
