"""A bar while a run goes on: drawn in a notebook by itself, elsewhere only where it is asked for."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from markupsafe import Markup

from polyglitch.run.budget import Progress, Watch

SECONDS = 0.2  # between two drawings
BAR = Markup('<progress value="{done}" max="{total}" style="width:20em"></progress> {told}')


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this, which can draw; a terminal's IPython cannot."""
    shell = sys.modules.get("IPython")
    here = shell.get_ipython() if shell else None
    return here is not None and type(here).__name__ == "ZMQInteractiveShell"


def told(step: Progress) -> str:
    """How far a run is, in words."""
    of = f" of {step.seeds_total:,}" if step.seeds_total else ""
    errors = f", {step.errors:,} errors" if step.errors else ""
    counts = f"{step.cases:,} cases, {step.queries:,} queries, {step.violations:,} violated"
    return f"{step.seeds:,}{of} texts, {counts}{errors}"


@contextmanager
def progress_shown(wanted: bool | None) -> Iterator[Watch]:
    """A watcher that shows how far a run is; `None` shows it in a notebook only."""
    if wanted is False or (wanted is None and not in_notebook()):
        yield lambda _: None
    elif in_notebook():
        yield from _drawn()
    else:
        yield from _printed()


def _drawn() -> Iterator[Watch]:
    jupyter: Any = import_module("IPython.display")
    handle = jupyter.display(jupyter.HTML("starting"), display_id=True)
    last = 0.0

    def watch(step: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS:
            last = time.monotonic()
            html = BAR.format(done=step.seeds, total=step.seeds_total or 1, told=told(step))
            handle.update(jupyter.HTML(str(html)))

    try:
        yield watch
    finally:
        handle.update(jupyter.HTML(""))  # the result says it better


def _printed() -> Iterator[Watch]:
    """One line that is written over, and cleared at the end; in a pipe nothing."""
    terminal, last = sys.stderr.isatty(), 0.0

    def watch(step: Progress) -> None:
        nonlocal last
        if terminal and time.monotonic() - last >= SECONDS:
            last = time.monotonic()
            sys.stderr.write(f"\r\x1b[K{told(step)}")
            sys.stderr.flush()

    try:
        yield watch
    finally:
        if terminal:
            sys.stderr.write("\r\x1b[K")
