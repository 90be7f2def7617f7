"""Saved answers are found again by input, and a bad file is refused with the line that is bad."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from polyglitch.errors import UsageError
from polyglitch.records import Input, Output
from polyglitch.tools import open_system

SAVED = """\
{"input": "Good morning.", "output": "Bom dia."}
{"input": {"text": "Who came?", "context": "Ana came.", "language": "en"}, "output": "Ana"}
{"input": {"text": "Who came?", "context": "Rui came."}, "output": "Rui"}

{"text": "Lovely!", "label": "positive", "scores": {"positive": 0.9, "negative": 0.1}}
{"source": "The cat.", "target": "O gato."}
{"text": "Silence", "output": ""}
"""


@pytest.mark.parametrize("zipped", [False, True])
def test_every_way_to_write_a_line_is_read(tmp_path: Path, zipped: bool) -> None:
    path = tmp_path / "saved.jsonl"
    path.write_bytes(gzip.compress(SAVED.encode()) if zipped else SAVED.encode())
    system = open_system(f"replay:{path}")
    outputs = system.ask(
        [
            Input("The cat."),
            Input("Who came?", context="Rui came."),
            Input("Who came?", context="Ana came."),
            Input("Lovely!"),
            Input("Good morning."),
            Input("Who came?"),
            Input("Silence"),
        ]
    )
    assert [output.text for output in outputs[:3]] == ["O gato.", "Rui", "Ana"]
    assert outputs[3] == Output(label="positive", scores={"positive": 0.9, "negative": 0.1})
    assert outputs[4].text == "Bom dia."
    assert (outputs[5].status, outputs[5].error) == ("error", "not in saved.jsonl")
    assert outputs[6].error == "empty answer"


def test_the_signature_is_that_of_the_content(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl.gz", "c.jsonl")]
    paths[0].write_text(SAVED)
    paths[1].write_bytes(gzip.compress(SAVED.encode()))
    paths[2].write_text(SAVED.replace("Bom dia", "Boa noite"))
    first, same, other = (open_system(f"replay:{path}").signature for path in paths)
    assert first == same != other


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2: not JSON"),
        ("[1]", "line 2: list instead of a JSON object"),
        ('{"output": "x"}', "line 2: no input"),
        ('{"input": 3, "output": "x"}', "line 2: no input"),
        ('{"input": "x"}', "line 2: no answer"),
        ('{"input": "x", "context": 1, "output": "y"}', "line 2: 'context' is int"),
        ('{"input": "first", "output": "other"}', "line 2: 'first' has another answer"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"input": "first", "output": "one"}\n' + line + "\n")
    with pytest.raises(UsageError, match=f"bad.jsonl, {message}"):
        open_system(f"replay:{path}")


def test_no_file_and_half_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        open_system(f"replay:{tmp_path / 'nowhere.jsonl'}")
    half = tmp_path / "half.jsonl.gz"
    half.write_bytes(gzip.compress(SAVED.encode())[:60])
    with pytest.raises(UsageError, match="line 1: the gzip data ends too early"):
        open_system(f"replay:{half}")
