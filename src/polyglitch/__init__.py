"""Polyglitch finds where language software breaks, without labelled references.

    import polyglitch as pg

    result = pg.run("firefox:en-pt", "sample", methods=["sit"])
    print(result.holds, "of the cases hold")
    result.report("report.html")

Everything here is imported when it is used: `import polyglitch` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyglitch.api.result import Result as Result
    from polyglitch.api.run import run as run
    from polyglitch.errors import PolyglitchError as PolyglitchError
    from polyglitch.protocols import Embedder as Embedder
    from polyglitch.protocols import Metric as Metric
    from polyglitch.protocols import Mutate as Mutate
    from polyglitch.protocols import Oracle as Oracle
    from polyglitch.protocols import Parser as Parser
    from polyglitch.protocols import Proposer as Proposer
    from polyglitch.protocols import System as System
    from polyglitch.protocols import Tools as Tools
    from polyglitch.protocols import WhiteBox as WhiteBox
    from polyglitch.records import Case as Case
    from polyglitch.records import Edit as Edit
    from polyglitch.records import Input as Input
    from polyglitch.records import Issue as Issue
    from polyglitch.records import Label as Label
    from polyglitch.records import Output as Output
    from polyglitch.records import Seed as Seed
    from polyglitch.records import Trial as Trial
    from polyglitch.records import Verdict as Verdict
    from polyglitch.registry import Component as Component
    from polyglitch.registry import Method as Method
    from polyglitch.registry import component as component
    from polyglitch.testing.check import check as check

__version__ = "0.2.0"

_WHERE = {
    "api.result": ("Result",),
    "api.run": ("run",),
    "registry": ("Component", "Method", "component"),
    "errors": ("PolyglitchError",),
    "protocols": (
        "Embedder", "Metric", "Mutate", "Oracle", "Parser", "Proposer", "System", "Tools", "WhiteBox",
    ),
    "records": ("Case", "Edit", "Input", "Issue", "Label", "Output", "Seed", "Trial", "Verdict"),
    "testing.check": ("check",),
}  # fmt: skip
_PLACES: dict[str, str] = {}
for _module, _names in _WHERE.items():
    _PLACES |= dict.fromkeys(_names, _module)

__all__ = [*_PLACES, "__version__"]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is used first."""
    if name not in _PLACES:
        raise AttributeError(f"module 'polyglitch' has no attribute {name!r}")
    return getattr(import_module(f"polyglitch.{_PLACES[name]}"), name)


class _FrontDoor(ModuleType):
    """Keeps a public name where a folder or module has the same: importing `polyglitch.run.plan` sets `run`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _PLACES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
