"""`apertium:eng-spa`: Debian's rule-based translator, one run a batch.

Apertium translates its input as running text: words of a line without a full stop are moved across
its end into the next. Only an empty line is a sentence end for it whatever stands before, so
inputs are set apart by one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.languages import two_letters
from polyglitch.records import Input
from polyglitch.registry import suggest
from polyglitch.systems.command.child import Languages, Once, as_line, fingerprint

MODE = re.compile(r"[a-z]{2,3}(_\w+)?-[a-z]{2,3}(_\w+)?")
CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")  # a NUL would flush the pipeline mid-batch
FRAME = b"\n\n"


def open_apertium(rest: str, timeout: float) -> Once:
    """The translator for an installed mode such as eng-spa."""
    if not MODE.fullmatch(rest):
        raise UsageError(f"apertium: {rest!r} is no mode; for example apertium:eng-spa")
    program = shutil.which("apertium")
    if program is None:
        raise Missing("apertium", f"apertium:{rest}", _install(rest))
    modes = tuple(_ask_program(program, "-l").split())
    if rest not in modes:
        near = suggest(rest, modes)
        raise Missing(f"the Apertium mode {rest!r}", f"apertium:{rest}", f"{_install(rest)}{near}")
    return Once(
        [program, "-u", rest],
        _signature(Path(program), rest),
        timeout,
        languages=two_letter_codes(rest),
        batch_size=100,
        separator=FRAME,
        line=_line,
    )


def _line(item: Input) -> bytes:
    return CONTROLS.sub(b" ", as_line(item))


def _install(mode: str) -> str:
    pair = re.sub(r"_\w+?(?=-|$)", "", mode)
    return f"apt-get install apertium apertium-{pair}"


def _ask_program(program: str, option: str) -> str:
    try:
        done = subprocess.run([program, option], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemFailed(
            f"apertium {option} does not run ({error}); reinstall apertium"
        ) from error
    return done.stdout or done.stderr


def two_letter_codes(mode: str) -> Languages:
    """Two-letter codes of source and target, where they have one."""
    source, target = mode.split("-")
    return two_letters(source), two_letters(target)


def _signature(program: Path, mode: str) -> str:
    """Version of the engine and a digest of the dictionaries and rules that the mode uses."""
    version = _ask_program(str(program), "-V").split()
    signature = f"apertium:{mode}|apertium={version[-1] if version else 'unknown'}"
    pipeline = program.resolve().parent.parent / "share" / "apertium" / "modes" / f"{mode}.mode"
    if not pipeline.is_file():
        return signature
    named = re.findall(r"'([^']+)'", pipeline.read_text("utf-8"))
    parts = [pipeline, *(Path(name) for name in named if Path(name).is_file())]
    return f"{signature}#{fingerprint(parts)}"
