"""What commands print of other people's text: nothing in it drives the terminal."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from polyglitch.files.foreign import is_hidden, spelled_out

BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")


def say(text: str, *, err: bool = False) -> None:
    """Print a text, hidden characters in writing."""
    click.echo(spelled_out(text), err=err)


def say_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON, hidden characters as JSON's own escapes: read back they are the same."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    click.echo(BEYOND_ASCII.sub(lambda found: escaped(found[0]), text))


def escaped(char: str) -> str:
    """A character, or its escape where it cannot be seen."""
    return json.dumps(char)[1:-1] if is_hidden(char) else char
