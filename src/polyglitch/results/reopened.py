"""A finished run opened again: its system, methods and tools, so that new cases can be asked and judged as before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import msgspec

from polyglitch.campaign import acting, find_file, make_method, read_file
from polyglitch.errors import UsageError
from polyglitch.files.foreign import one_line
from polyglitch.files.settings import is_trusted
from polyglitch.records import Case, Input, Issue, Output, Trial, Verdict
from polyglitch.registry import Method
from polyglitch.results.history import History
from polyglitch.run.asking import Asker
from polyglitch.systems.answers import relabelled
from polyglitch.tools import Toolbox, open_back_lens, open_lens, open_system

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

    def __init__(
        self,
        history: History,
        system: str | None = None,
        timeout: float = 60.0,
        *,
        parser: str | None = None,
        parameters: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        self.history, definition = history, history.definition
        kept = kept_parameters(history, parameters)
        lens = kept_setting(history, "lens", definition.get("opened", {}).get("lens"))
        back = kept_setting(history, "back", definition.get("opened", {}).get("back"))
        parser = parser or kept_setting(history, "parser", definition.get("parser"))
        opened = definition.get("opened", {}).get("system")
        self.uri = system or kept_setting(history, "system", opened) or ""
        self.methods = {row["name"]: open_method(row, kept) for row in definition["methods"]}
        self.system = self._open_system(timeout)
        source, target = definition["languages"]
        self.languages: tuple[str | None, str | None] = (source, target)
        self.tools = Toolbox(
            history.store,
            definition["seed"],
            self.languages,
            parser,
            system=self.system,
            lens=partial(open_lens, lens) if lens else None,
            back=partial(open_back_lens, back) if back else None,
            foreign_lens=lens not in (None, self.uri),
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


def kept_setting(history: History, name: str, value: Any) -> str | None:
    """What a store says of a system or parser, where that may be opened on a store's word."""
    refuse_acting(history, {name: value}, f"--{name}")
    return str(value) if value else None


def kept_parameters(
    history: History, given: dict[str, dict[str, Any]] | None = None
) -> dict[str, dict[str, Any]]:
    """The parameters of a run's methods, those given on the command line over those in the store."""
    opened = history.definition.get("opened", {}).get("parameters", {})
    kept = msgspec.convert(opened, dict[str, dict[str, Any]])
    left = {
        method: {
            key: value for key, value in values.items() if key not in (given or {}).get(method, {})
        }
        for method, values in kept.items()
    }
    refuse_acting(history, {"parameters": left}, "--param METHOD.KEY=VALUE")
    names = kept.keys() | (given or {}).keys()
    return {name: kept.get(name, {}) | (given or {}).get(name, {}) for name in names}


def refuse_acting(history: History, settings: dict[str, Any], option: str) -> None:
    """A store is data: what it names is opened only where it is bundled, or the user named the same."""
    for name, value in acting(settings, reach=("bundled",)).items():
        if value != locally_named(name):
            raise UsageError(
                f"the store says of run {history.run_id}: {one_line(name)} = {one_line(value)!r}; a store is data, and "
                f"nothing that it names is run, read or connected to: name it yourself with {option}"
            )


def locally_named(name: str) -> str | None:
    """What the polyglitch.toml here says of a setting, if its folder is trusted."""
    file = find_file()
    keys = read_file(file) if file else {}
    if file is None or not is_trusted(file, acting(keys)):
        return None
    return acting(keys, reach=("bundled",)).get(name)


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
