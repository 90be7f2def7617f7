"""A method: a composition of parts that turns seeds into cases, and trials into verdicts and issues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyglitch.protocols import IssueBuilder, Mutate, Oracle

Task = Literal["translation", "question answering", "classification"]


@dataclass(frozen=True)
class Method:
    """What `methods/` is made of; built by a factory whose arguments are the method's parameters."""

    name: str
    task: Task
    mutate: Mutate
    compare: Oracle
    issues: IssueBuilder
    needs: tuple[str, ...] = ()  # "parser", "parser:target", "proposer:NAME", "embedder:NAME"
    route: Literal["direct", "round trip"] = "direct"

    @property
    def signature(self) -> str:
        """Name and parts, each with its arguments."""
        parts = (self.mutate.signature, self.compare.signature, self.issues.signature)
        return f"{self.name}[{'|'.join(parts)}|route={self.route}]"
