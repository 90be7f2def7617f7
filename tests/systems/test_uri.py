"""A system is named by a URI, and a wrong one is answered with the right one."""

from __future__ import annotations

import pytest

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.registry import entries
from polyglitch.tools import open_system


def test_a_uri_opens_a_system_of_the_agreed_shape() -> None:
    system = open_system("cmd:cat")
    assert isinstance(system, System)
    assert system.signature == "cmd:cat"
    system.close()


def test_a_misspelt_scheme_is_corrected() -> None:
    with pytest.raises(UsageError, match=r"'aperitum'; did you mean 'apertium'"):
        open_system("aperitum:eng-spa")


@pytest.mark.parametrize(
    "scheme", sorted(name for name, entry in entries("systems").items() if "bare" not in entry.data)
)
def test_a_scheme_alone_is_answered_with_an_example(scheme: str) -> None:
    for uri in (scheme, f"{scheme}:", f"{scheme}:  "):
        with pytest.raises(UsageError, match=f"says nothing after.*for example {scheme}:"):
            open_system(uri)


def test_a_uri_without_scheme_or_a_timeout_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="no scheme"):
        open_system(":cat")
    with pytest.raises(UsageError, match="timeout is 0"):
        open_system("cmd:cat", timeout=0)
