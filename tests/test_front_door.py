"""`import polyglitch as pg`: every public name is what it says, however often and in whatever order it is used."""

from __future__ import annotations

from types import ModuleType

import pytest

import polyglitch as pg
from polyglitch.component import Component
from polyglitch.run.plan import signature


@pytest.mark.parametrize("name", pg.__all__)
def test_no_folder_hides_a_public_name(name: str) -> None:
    assert callable(signature) and Component is pg.Component  # both modules are imported
    for _ in range(2):
        assert not isinstance(getattr(pg, name), ModuleType)


def test_a_private_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        pg.nothing  # noqa: B018
