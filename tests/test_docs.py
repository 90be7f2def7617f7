"""The documentation cannot rot: every method, command and option is written down somewhere."""

from __future__ import annotations

import os
import re

import pytest

from polyglitch import registry
from polyglitch.campaign import Campaign
from polyglitch.cli.main import COMMANDS
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PAGES = "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")) + README


@pytest.mark.parametrize("method", registry.entries("methods"))
def test_every_method_is_in_the_readme_and_has_a_page(method: str) -> None:
    row = re.search(rf"\[`{method}`\]\((docs/[\w/.-]+)\)", README)
    assert row
    assert method in (ROOT / row[1]).read_text("utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"polyglitch {command}\b|`{command}`", PAGES)


@pytest.mark.parametrize("key", ["system", "corpus", "methods", "store", "budget", "fail_under"])
def test_the_commented_configuration_knows_the_common_keys(key: str) -> None:
    text = (ROOT / "src/polyglitch/resources/polyglitch.toml").read_text("utf-8")
    assert re.search(rf"^#? ?{key} = ", text, re.MULTILINE)
    assert key in Campaign.__struct_fields__


MADE = {
    f"docs/{name}"
    for name in re.findall(
        r"(?:reference/\w+|how-to/add-a-\w+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8")
    )
}


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            place = os.path.relpath(page.parent / target, ROOT)
            # MADE: from the code, when the site is built
            assert place in MADE or (ROOT / place).exists(), f"{page.name}: {target}"


def test_pages_that_code_and_messages_name_are_there() -> None:
    named = re.compile(r"\bdocs/[\w/.-]+\.(?:md|png)")
    for folder in ("src", "recipes", "benchmarks", "examples", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".toml", ".md", ".ipynb", ".html", ".js"):
                for page in named.findall(path.read_text("utf-8")):
                    assert (ROOT / page).exists(), f"{path.relative_to(ROOT)}: {page}"
