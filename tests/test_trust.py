"""Trust is asked for: a store is data, and a stranger's polyglitch.toml runs and connects to nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from polyglitch.campaign import acting, configured_store, make_campaign
from polyglitch.errors import UsageError
from polyglitch.files.settings import register
from polyglitch.flow import run
from polyglitch.results.history import open_history
from polyglitch.results.reopened import Reopened
from tests.conftest import Cli


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions of a test stay in its folder."""
    monkeypatch.setenv("POLYGLITCH_CONFIG", str(tmp_path / "settings"))


def written(folder: Path, text: str) -> Path:
    path = folder / "polyglitch.toml"
    path.write_text(text)
    return path


ACTING = [
    ('system = "cmd:touch pwned"', "system"),
    ('system = " cmd:touch pwned"', "system"),
    ('system = "cmd-once:touch pwned"', "system"),
    ('system = "python:evil.py:run"', "system"),
    ('system = "http:request.toml"', "system"),
    ('system = "openai:m@http://evil.example/v1"', "system"),
    ('system = "hf:stranger/model"', "system"),
    ('system = "hotfix:fixes.jsonl,cmd:touch pwned"', "system"),
    ('system = "repaired:cmd:touch pwned"', "system"),
    ('system = "of-another-package:x"', "system"),
    ('back = "cmd:touch pwned"', "back"),
    ('store = "postgresql://evil.example/x"', "store"),
    ('store = "../elsewhere.sqlite"', "store"),
    ('output = ["page.html", "/home/you/.config/settings.json"]', "output"),
    ('output = ["../../package.json"]', "output"),
    ('engine = "ray:evil.example:6379"', "engine"),
    ('parser = "spacy:evil"', "parser"),
    ('[parameters.semmt]\ncross_back = "cmd:touch pwned"', "parameters.semmt.cross_back"),
    ('[parameters.semmt]\ncross = "firefox:en-pt, cmd:touch pwned"', "parameters.semmt.cross"),
    ('[parameters.cat]\nproposer = "masked-lm:stranger/model"', "parameters.cat.proposer"),
]


@pytest.mark.parametrize(("text", "name"), ACTING)
def test_what_executes_or_connects_needs_a_trusted_folder(
    tmp_path: Path, text: str, name: str
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(UsageError, match=r"polyglitch trust ") as refused:
        make_campaign({}, file)
    assert f"{name} = " in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        'system = "firefox:en-pt"\nback = "firefox:pt-en"\nstore = "a.sqlite"\nengine = "ray"',
        'system = "replay:outputs.jsonl"\nparser = "stanza"',
        'output = ["page.html", "out/cases.jsonl"]\nstore = "out/runs.sqlite"',
        '[parameters.sit]\noracle = "aligned:0.1"\n[parameters.cat]\nproposer = "in-context:smollm"',
    ],
)
def test_what_only_reads_needs_no_trust(tmp_path: Path, text: str) -> None:
    make_campaign({}, written(tmp_path, text))


def test_the_command_line_is_always_taken(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'system = "cmd:evil"\n[parameters.semmt]\ncross_back = "cmd:evil"\nk = 0.4\n'
    )
    mine: dict[str, Any] = {"system": "cmd:cat", "parameters": {"semmt": {"cross_back": "cmd:cat"}}}
    campaign = make_campaign(mine, file)
    assert campaign.system == "cmd:cat"
    assert campaign.parameters == {"semmt": {"cross_back": "cmd:cat", "k": 0.4}}
    with pytest.raises(UsageError, match=r"parameters\.semmt\.cross_back"):
        make_campaign({"system": "cmd:cat"}, file)


@pytest.mark.slow
def test_trust_holds_for_what_the_file_named_and_no_more(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path, 'system = "cmd:cat"\nlimit = 3\n')
    said = cli("trust").stdout
    assert "system = cmd:cat" in said
    assert make_campaign({}, file).system == "cmd:cat"
    assert register().stat().st_mode & 0o077 == 0
    written(tmp_path, 'system = "cmd:cat"\nlimit = 9\n')
    assert make_campaign({}, file).limit == 9
    written(tmp_path, 'system = "cmd:cat /etc/passwd"\n')
    with pytest.raises(UsageError, match="polyglitch trust"):
        make_campaign({}, file)
    written(tmp_path, 'system = "cmd:cat"\n')
    cli("trust", "--forget")
    with pytest.raises(UsageError, match="polyglitch trust"):
        make_campaign({}, file)


def test_a_store_of_a_strangers_file_is_not_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, 'system = "cmd:evil"\nstore = "mine.sqlite"\n')
    monkeypatch.chdir(tmp_path)
    assert configured_store() == str(tmp_path / "mine.sqlite")  # the system is not needed to report
    written(tmp_path, 'store = "postgresql://evil.example/x"\n')
    with pytest.raises(UsageError, match="store = 'postgresql"):
        configured_store()


def changed(path: Path, **opened: Any) -> None:
    """Somebody else's store: what opens its parts again says something else."""
    with sqlite3.connect(path) as connection:
        (text,) = connection.execute("select definition from runs").fetchone()
        definition = json.loads(text)
        definition["parser"] = opened.pop("parser", definition["parser"])
        definition["opened"] |= opened
        connection.execute("update runs set definition = ?", [json.dumps(definition)])


@pytest.fixture(scope="module")
def made_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a small run of `cmd:cat`."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "seeds.txt").write_text("The film is good.\nThe plot is bad.\n")
    options = {"system": "cmd:cat", "corpus": str(folder / "seeds.txt"), "methods": ["relations"]}
    run(make_campaign(options | {"source_language": "en", "store": str(folder / "x.sqlite")}))
    return folder / "x.sqlite"


@pytest.mark.parametrize(
    "opened",
    [
        {"system": "cmd:sh -c 'touch pwned; cat'"},
        {"system": "python:evil.py:say"},
        {"system": "replay:evil.jsonl"},
        {"parser": "spacy:evil"},
        {"parameters": {"relations": {"relations": "x", "cross": "cmd:touch pwned"}}},
    ],
)
def test_a_store_opens_nothing(
    tmp_path: Path, made_store: Path, monkeypatch: pytest.MonkeyPatch, opened: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('pwned', 'w')\n")
    (tmp_path / "evil.jsonl").write_text("{}\n")
    store = Path(shutil.copy(made_store, tmp_path / "polyglitch.sqlite"))
    changed(store, **opened)
    with pytest.raises(UsageError, match="a store is data"):
        Reopened(open_history("", str(store)), None if "system" in opened else "cmd:cat")
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", [["minimise"], ["repair"], ["explain", "--run", "last"]])
def test_no_command_runs_what_a_store_names(
    cli: Cli, tmp_path: Path, made_store: Path, command: list[str]
) -> None:
    store = Path(shutil.copy(made_store, tmp_path / "polyglitch.sqlite"))
    changed(store, system="cmd:sh -c 'touch pwned; cat'")
    assert "a store is data" in cli(*command, code=2).stderr
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
def test_the_signature_is_compared_before_a_program_starts(
    cli: Cli, tmp_path: Path, made_store: Path
) -> None:
    shutil.copy(made_store, tmp_path / "polyglitch.sqlite")
    refused = cli("minimise", "--system", "cmd:sh -c 'touch started; cat'", code=2)
    assert "name that one" in refused.stderr
    assert not (tmp_path / "started").exists()
    assert "issues" in cli("minimise", "--system", "cmd:cat").stdout


@pytest.mark.slow
def test_a_trusted_folder_may_name_what_the_store_names(
    cli: Cli, tmp_path: Path, made_store: Path
) -> None:
    shutil.copy(made_store, tmp_path / "polyglitch.sqlite")
    written(tmp_path, 'system = "cmd:cat"\n')
    assert "a store is data" in cli("minimise", code=2).stderr
    cli("trust")
    assert "issues" in cli("minimise").stdout


def test_every_scheme_is_harmless_only_where_the_table_says_so() -> None:
    assert acting({"system": "anything-new:x"})
    assert not acting({"system": "vader"}, reach=("bundled",))
    assert acting({"system": "replay:x"}, reach=("bundled",))
