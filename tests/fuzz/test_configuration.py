"""polyglitch.toml and the other files of settings, as hostile as they come: an error, never a traceback or a deed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polyglitch.campaign import Campaign, make_campaign, make_method
from polyglitch.errors import PolyglitchError, UsageError
from polyglitch.mutate.capabilities.spec import load_suite, read_capability
from polyglitch.run.plan import open_plan
from polyglitch.systems.prompts import read_prompt
from tests.conftest import ROOT
from tests.fuzz.hostile import fuzz, mutated, refused, texts, values, write

KEYS = tuple(Campaign.__struct_fields__)
SAFE = {"system": "replay:answers.jsonl", "corpus": "sample", "methods": ["suite"], "limit": 1}
GOOD = b"""system = "replay:answers.jsonl"
corpus = "sample"
methods = ["suite"]
limit = 2
timeout = 5.5
fail_under = 0.9
[parameters.suite]
labels = "words"
report = 3
"""


def toml(value: object) -> str:
    """A value as TOML has it; what TOML has not, as JSON would."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text('{"input": "x", "output": "y"}\n')
    return tmp_path


@pytest.mark.slow
@fuzz
@given(st.binary(max_size=200) | mutated(GOOD) | st.text(max_size=100).map(str.encode))
@example(b"a = " + b"[" * 5000)
@example(b"a" + b".a" * 5000 + b" = 1")
@example(b"parameters = " + b"{a=" * 3000)
@example(b"limit = 9999999999999999999999999999")
@example(b"timeout = inf\nfail_under = nan")
@example(b"timeout = nan")
@example(b"seed = 99999999999999999999999999")
@example(b"limit = 0x" + b"f" * 5000)
@example(b"limit = 1" + b"0" * 5000)
@example(b"store = ''\n")
@example(b"\xff\xfe")
def test_any_bytes_as_configuration(
    folder: Path, capsys: pytest.CaptureFixture[str], raw: bytes
) -> None:
    file = write(folder / "polyglitch.toml", raw)
    refused(["run", "--config", str(file), "-q"], capsys)


@pytest.mark.slow
@fuzz
@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=5))
def test_any_value_under_any_key(
    folder: Path, capsys: pytest.CaptureFixture[str], keys: dict[str, object]
) -> None:
    keys = SAFE | keys
    if not isinstance(keys["system"], str) or ":" in keys["system"]:
        keys["system"] = SAFE["system"]  # a system may be a program: naming one is asking for it
    text = "".join(f"{key} = {toml(value)}\n" for key, value in keys.items())
    file = write(folder / "polyglitch.toml", text.encode("utf-8", "surrogatepass"))
    try:
        plan = open_plan(make_campaign({}, file))
    except PolyglitchError as error:
        assert str(error)
    else:
        for system in plan.systems:
            system.close()


def test_the_line_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line, bad in (
        (4, b"limit = 0"),
        (5, b"timeout = -1"),
        (3, b"methods = 7"),
        (2, b"corpse = 1"),
    ):
        lines = GOOD.split(b"\n")
        lines[line - 1] = bad
        file = write(folder / "polyglitch.toml", b"\n".join(lines))
        code, told = refused(["run", "--config", str(file)], capsys)
        assert code == 2 and f"polyglitch.toml:{line}:" in told, told


@pytest.mark.slow
@fuzz
@given(
    st.sampled_from(["sit", "suite", "semmt", "qaqa"]), st.dictionaries(texts, values, max_size=3)
)
def test_any_parameters(name: str, parameters: dict[str, object]) -> None:
    with pytest.raises(UsageError) if parameters else pytest.MonkeyPatch.context():
        make_method(name, parameters)


@fuzz
@given(texts)
@example("../../../../etc/passwd")
@example("en/../../x")
@example("AA_0")
@example("zh_Hans")
def test_a_language_is_a_code_and_no_path(folder: Path, language: str) -> None:
    first, *regions = re.split("[-_]", language)
    letters = first.isascii() and first.isalpha() and 2 <= len(first) <= 3
    if letters and len(regions) <= 3 and all(r.isascii() and r.isalnum() for r in regions):
        return  # a code, perhaps with a region: no character of it can lead to another folder
    with pytest.raises(UsageError):
        make_campaign(SAFE | {"source_language": language})


CAPABILITY = next((ROOT / "src/polyglitch/resources/capabilities/sentiment").glob("*.toml"))
PROMPT = next((ROOT / "src/polyglitch/resources/prompts").glob("*.toml"))


@fuzz
@given(mutated(CAPABILITY.read_bytes()))
def test_any_capability_file(folder: Path, raw: bytes) -> None:
    path = write(folder / "c.toml", raw)
    try:
        read_capability(path)
    except UsageError as error:
        assert str(error).startswith(f"{path}")


@fuzz
@given(mutated(PROMPT.read_bytes()).map(lambda raw: raw.decode("utf-8", "replace")))
def test_any_prompt(text: str) -> None:
    try:
        read_prompt(text, "p.toml")
    except UsageError as error:
        assert "p.toml" in str(error)


def test_a_suite_does_not_leave_its_folder(folder: Path) -> None:
    inside, secret = folder / "suite", folder / "secret.toml"
    inside.mkdir()
    secret.write_text(CAPABILITY.read_text())
    (inside / "good.toml").write_text(CAPABILITY.read_text())
    assert len(load_suite(str(inside))) == 1
    (inside / "link.toml").symlink_to(secret)
    with pytest.raises(UsageError, match="leads out of"):
        load_suite(str(inside))


def test_a_capability_cannot_name_a_file_as_its_language(folder: Path) -> None:
    path = write(folder / "c.toml", CAPABILITY.read_bytes() + b"")
    text = path.read_text()
    path.write_text(
        'language = "../../secret"\n'
        + "\n".join(line for line in text.splitlines() if not line.startswith("language"))
    )
    with pytest.raises(UsageError, match="language"):
        read_capability(path)


def test_toml_and_json_make_nothing_but_values() -> None:
    """No reader of the project builds objects from a file: of YAML plain values alone, no pickle, no eval."""
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    for word in (
        "yaml.load",
        "yaml.unsafe",
        "yaml.full",
        "import pickle",
        "import marshal",
        "import shelve",
        "joblib.load",
    ):
        assert not [text for text in sources if word in text], word
    assert msgspec.json.decode(b'{"a": 1}') == {"a": 1}
