"""The registry: every name loads, and a wrong one is answered with the right one."""

from __future__ import annotations

import pytest

from polyglitch import registry
from polyglitch.errors import UsageError


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_registered_name_can_be_imported(kind: str) -> None:
    for name in registry.entries(kind):
        assert registry.load(kind, name) is not None


def test_a_wrong_name_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'transrepair'"):
        registry.load("methods", "transrepare")
    with pytest.raises(UsageError, match=r"available: .*sit"):
        registry.load("methods", "zzz")
    with pytest.raises(UsageError, match="did you mean 'methods'"):
        registry.entries("method")
