"""Factories whose products remember their name and arguments, so that a log can rebuild what ran.

A method: a composition of parts that turns seeds into cases, and trials into verdicts and issues.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from msgspec.structs import replace

from polyglitch.protocols import IssueBuilder, Mutate, Oracle, Tools
from polyglitch.records import Trial, Verdict

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")


@dataclass(frozen=True)
class Component(Generic[Q, T]):
    """A callable with a signature: the name of its factory and the arguments it was made with."""

    name: str
    arguments: dict[str, Any]
    call: Callable[Q, T]

    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> T:
        return self.call(*args, **kwargs)

    @property
    def signature(self) -> str:
        """`name(key=value,...)`, arguments sorted."""
        return (
            f"{self.name}({','.join(f'{k}={show(v)}' for k, v in sorted(self.arguments.items()))})"
        )


def component(factory: Callable[P, Callable[Q, T]]) -> Callable[P, Component[Q, T]]:
    """Make a factory return `Part`s."""
    shape = inspect.signature(factory)

    @wraps(factory)
    def make(*args: P.args, **kwargs: P.kwargs) -> Component[Q, T]:
        bound = shape.bind(*args, **kwargs)
        bound.apply_defaults()
        return Component(factory.__name__, dict(bound.arguments), factory(*args, **kwargs))

    return make


def show(value: object) -> str:
    """An argument as it stands in a signature: the same for equal values, whatever their order."""
    if isinstance(value, (set, frozenset)):
        return "+".join(sorted(map(show, value)))
    if isinstance(value, (list, tuple)):
        return "+".join(map(show, value))
    if isinstance(value, dict):
        return "+".join(f"{key}:{show(value[key])}" for key in sorted(value))
    signature = getattr(value, "signature", None)
    if isinstance(signature, str):
        return signature
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return str(value)


Task = Literal["translation", "question answering", "classification"]


@dataclass(frozen=True)
class Method:
    """What `methods/` is made of; built by a factory whose arguments are the method's parameters."""

    name: str
    task: Task
    mutate: Mutate
    compare: Oracle
    issues: IssueBuilder
    needs: tuple[str, ...] = ()  # "parser", "parser:target", "proposer:NAME", "embedder:NAME";
    # "words:RELATION, ..." names what is left out where no parser is installed;
    # "data:METHOD:FILE" wants a file of the source language
    route: Literal["direct", "round trip"] = "direct"
    language: str | None = None  # of its tests, where the method says it
    capabilities: tuple[
        str, ...
    ] = ()  # the names that a limit may be set for, where they are known

    @property
    def signature(self) -> str:
        """Name and parts, each with its arguments."""
        parts = (self.mutate.signature, self.compare.signature, self.issues.signature)
        return f"{self.name}[{'|'.join(parts)}|route={self.route}]"

    def judge(self, trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        """What the oracle says of some trials, each verdict with its reason."""
        verdicts = self.compare(trials, tools)
        return [with_reason(*pair) for pair in zip(trials, verdicts, strict=True)]


def with_reason(trial: Trial, verdict: Verdict) -> Verdict:
    """The verdict, violated where a follow-up breaks the form that the original's answer kept; never without a reason.

    Left undecided, a system would pass the better the more often it breaks its format.
    """
    if verdict.outcome == "undecided" and (why := trial.out_of_form):
        return Verdict(verdict.case_id, "violated", why, reasons=(why,))
    if verdict.outcome != "violated" or (verdict.reason and verdict.reasons):
        return verdict
    passed = (
        ""
        if verdict.score is None
        else f" (score {verdict.score:g}, limit {verdict.threshold or 0:g})"
    )
    reason = verdict.reason or "; ".join(verdict.reasons) or f"the relation does not hold{passed}"
    return replace(verdict, reason=reason, reasons=verdict.reasons or (reason,))
