"""SECURITY.md says what is promised and which test holds it; the tests it names are there."""

from __future__ import annotations

import ast
import re

import pytest

from tests.conftest import ROOT


def test_every_test_that_holds_a_promise_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) >= 10
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.slow
def test_no_model_brings_code_of_its_own() -> None:
    found, silent = 0, []
    for folder in ("src", "recipes", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "from_pretrained"
                ):
                    said = {word.arg: ast.unparse(word.value) for word in node.keywords}
                    found += 1
                    if said.get("trust_remote_code") != "False":
                        silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found >= 5
    assert silent == []
