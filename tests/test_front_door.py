"""`import polyglitch as pg`: every public name is what it says, however often and in whatever order it is used."""

from __future__ import annotations

import ast
from types import ModuleType

import pytest

import polyglitch as pg
from polyglitch.registry import Component
from polyglitch.run.plan import signature
from tests.conftest import ROOT


@pytest.mark.parametrize("name", pg.__all__)
def test_no_folder_hides_a_public_name(name: str) -> None:
    assert callable(signature) and Component is pg.Component  # both modules are imported
    for _ in range(2):
        assert not isinstance(getattr(pg, name), ModuleType)


def test_a_private_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        pg.nothing  # noqa: B018


@pytest.mark.slow
def test_a_class_name_means_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "src" / "polyglitch").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(file.name)
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert len(found) > 300 and not twice
