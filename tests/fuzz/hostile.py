"""What the fuzz tests share: how much, which files, and what every command owes a bad one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from polyglitch.cli.main import main

EXAMPLES = int(os.environ.get("POLYGLITCH_FUZZ", "60"))  # a long campaign: POLYGLITCH_FUZZ=20000
SLOWEST = 10.0  # seconds of computing for one small input, however busy the machine; a hang takes for ever

F = TypeVar("F", bound=Callable[..., Any])


def fuzz(test: F, share: float = 1.0) -> F:
    """As many examples as asked for; the test's folder is used again for each."""
    return settings(
        max_examples=max(1, int(EXAMPLES * share)),
        deadline=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
        ],
    )(test)


texts = st.text(max_size=60) | st.sampled_from(
    ["", " ", "\0", "\ud800", "\u2028", "../../etc/passwd", "/dev/zero", "a" * 70_000, "{text}", "${HOME}",
     "!!python/object/apply:os.system", "__import__('os')", "-", "=cmd|' /C calc'!A0", "\ufeff", "NaN"]
)  # fmt: skip
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)
)


def mutated(whole: bytes) -> st.SearchStrategy[bytes]:
    """A good file with some bytes changed, cut out or repeated."""

    def change(draw: st.DrawFn) -> bytes:
        raw = whole
        for _ in range(draw(st.integers(1, 4))):
            start = draw(st.integers(0, max(0, len(raw) - 1)))
            end = min(len(raw), start + draw(st.integers(0, 12)))
            new = draw(st.binary(max_size=8) | st.just(raw[start:end] * 3) | st.just(b""))
            raw = raw[:start] + new + raw[end:]
        return raw

    return st.composite(change)()


def refused(
    arguments: Sequence[str], capsys: pytest.CaptureFixture[str], *, naming: str = ""
) -> tuple[int, str]:
    """Run a command in this process: it ends in time, by an exit code of ours, and with a message if it fails."""
    started = time.process_time()
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert time.process_time() - started < SLOWEST
    told = capsys.readouterr()
    code = int(ended.value.code or 0)
    assert code in (0, 1, 2, 3, 5), told.err
    assert "Traceback" not in told.err + told.out
    if code == 2 and naming:
        assert naming in told.err, told.err
    return code, told.err


def write(path: Path, raw: bytes) -> Path:
    """A file with these bytes."""
    path.write_bytes(raw)
    return path
