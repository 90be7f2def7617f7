"""SIT, TransRepair and CAT as compositions: what they take, what they need, what they report."""

from __future__ import annotations

import pytest

from polyglitch.campaign import make_method
from polyglitch.errors import UsageError
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.tools import Toolbox


def trial(first: str, second: str) -> Trial:
    case = Case("c", "s", "similar", (Input("a"), Input("b")))
    return Trial(case, ((Output(first),), (Output(second),)))


@pytest.mark.parametrize("name", ["sit", "transrepair", "cat"])
def test_the_signature_names_proposer_and_filters(name: str) -> None:
    method = make_method(name, {"proposer": "masked-lm:folder"})
    assert "proposer=masked-lm:folder" in method.signature
    assert "not_in_idiom" in method.signature and "same_countability" in method.signature
    assert "proposer:masked-lm:folder" in method.needs


def test_transrepair_and_cat_want_the_same_place_and_sit_the_same_tags() -> None:
    assert "same_place" in make_method("transrepair").signature
    assert "same_place" in make_method("cat").signature
    assert "same_tags" in make_method("sit").signature


@pytest.mark.parametrize("name", ["transrepair", "cat"])
def test_a_word_that_only_vanishes_is_reported(name: str) -> None:
    lost = trial("o rio subiu muito ontem à noite", "o rio subiu ontem à noite")
    swapped = trial("o rio subiu muito ontem à noite", "o lago subiu muito ontem à noite")
    found = make_method(name, {"oracle": "published"}).compare([lost, swapped], Toolbox())
    assert [verdict.outcome for verdict in found] == ["violated", "holds"]


def test_votes_can_be_asked_of_fewer_metrics() -> None:
    assert "vote=2" in make_method("cat", {"vote": 2}).compare.signature
    with pytest.raises(UsageError, match="vote"):
        make_method("cat", {"vote": 9})
