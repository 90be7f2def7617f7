"""Small real programs that misbehave on given words, for the tests to talk to."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

# An honest answer is the line in upper case between brackets; each word below breaks a rule.
MISBEHAVING = r"""
import os, sys, time
buffered = "--buffer" in sys.argv
out = open(1, "wb", buffering=1 << 16)  # buffers even where PYTHONUNBUFFERED is set
say, flush = out.write, out.flush
for raw in sys.stdin.buffer:
    line = raw.decode().rstrip("\n")
    answer = f"<{line.upper()}>\n".encode()
    if "drop" in line:
        continue
    if "die" in line:
        print("cannot bear", line, file=sys.stderr, flush=True)
        os._exit(3)
    if "abort" in line:
        os.abort()
    if "hang" in line:
        time.sleep(600)
    if "bytes" in line:
        answer = b"<\xff\xfe>\n"
    if "empty" in line:
        answer = b"\n"
    if "flood" in line:
        for _ in range(200):
            sys.stderr.write("x" * 1023 + "\n")
        sys.stderr.flush()
    if "double" in line:
        answer *= 2  # written at once, so that no pause of the scheduler parts the two lines
    say(answer)
    if not buffered:
        flush()
    if "late" in line:
        time.sleep(0.3)  # longer than any pause after an answer
        say(answer)
        flush()
    if "stall" in line:
        time.sleep(600)
    if "leave" in line:
        flush()
        os._exit(0)
"""


def write_program(folder: Path, source: str = MISBEHAVING, name: str = "program.py") -> Path:
    """The program as a file."""
    path = folder / name
    path.write_text(source)
    return path


def command(path: Path, *options: str) -> str:
    """The command line that runs it."""
    return shlex.join([sys.executable, "-S", str(path), *options])


def honest(text: str) -> str:
    """What the program answers to a text without a bad word."""
    return f"<{text.upper()}>"
