"""Groups: issues that are one bug come together, and two swaps that merely look alike do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.campaign import make_campaign
from polyglitch.compare.oracles.two_outputs import raw_distance
from polyglitch.flow import run
from polyglitch.issues.groups import Violations, group_issues, unasked_negation
from polyglitch.records import Case, Edit, Input, Issue, Output, Trial
from polyglitch.results.history import open_history
from polyglitch.results.summary import groups_of, summarise
from polyglitch.tools import Toolbox

EN_PT = ("en", "pt")
Pair = tuple[str, str]


def issue(name: str, sources: Pair, outputs: Pair, edit: Pair) -> tuple[Issue, Violations]:
    at = sources[0].index(edit[0])
    change = Edit("swap", at, at + len(edit[0]), *edit)
    case = Case(name, f"seed of {sources[0]}", "similar", tuple(map(Input, sources)), "sit", change)
    trial = Trial(case, tuple((Output(text),) for text in outputs))
    verdict = raw_distance(above=0)([trial], Toolbox())[0]
    return Issue(name, case.seed_id, "sit", (name,), 1.0, "words changed"), [(trial, verdict)]


def titles(found: list[tuple[Issue, Violations]]) -> dict[str, set[str]]:
    return {group.title: set(group.issue_ids) for group in group_issues(found, EN_PT)}


FRIDGE = issue(
    "fridge",
    ("It is in the fridge.", "It is in the freezer."),
    ("Está na geladeira.", "Está não congelador."),
    ("fridge", "freezer"),
)
HARBOUR = issue(
    "harbour",
    ("The boats stayed in the harbour.", "The ships stayed in the harbour."),
    ("Os barcos ficaram não porto.", "Os navios permaneceram não porto."),
    ("boats", "ships"),
)


def test_a_made_up_negation_is_one_bug_whether_or_not_it_is_what_differs() -> None:
    (group,) = group_issues([HARBOUR, FRIDGE], EN_PT)
    assert group.issue_ids == ("fridge", "harbour")  # the one where it differs is looked at first
    assert group.kind == "negation"
    assert "não" in group.title


def test_a_negation_that_the_source_asks_for_is_no_fault() -> None:
    assert unasked_negation("She did not come.", "Ela não veio.", EN_PT) == ""
    assert unasked_negation("He has yet to sign.", "Ele ainda não assinou.", EN_PT) == ""
    assert unasked_negation("It isn’t on the table.", "Não está não balcão.", EN_PT) == "não"


def test_the_same_change_under_different_swaps_is_one_bug() -> None:
    one = issue(
        "1",
        ("A dog is missing.", "A cat is missing."),
        ("Falta um cão.", "Sumiu um gato."),
        ("dog", "cat"),
    )
    other = issue(
        "2",
        ("A key is missing.", "A pen is missing."),
        ("Falta uma chave.", "Sumiu uma caneta."),
        ("key", "pen"),
    )
    assert {"1", "2"} in titles([one, other]).values()


def test_the_same_swap_in_two_sentences_is_not_one_bug() -> None:
    swap = ("dog", "cat")
    one = issue(
        "1", ("The dog ran off.", "The cat ran off."), ("O cão fugiu.", "O gato escapou."), swap
    )
    other = issue("2", ("I saw a dog.", "I saw a cat."), ("Vi um cão.", "Eu vi um gato."), swap)
    assert sorted(map(len, titles([one, other]).values())) == [1, 1]


WORDS = st.lists(st.sampled_from(["não", "o", "a", "cão", "gato", "na"]), min_size=1, max_size=5)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS, st.sampled_from(["cat", "pen"])), max_size=8))
def test_every_issue_is_in_one_group(drawn: list[tuple[list[str], list[str], str]]) -> None:
    found = [
        issue(f"{n}", ("a dog", f"a {new}"), (" ".join(one), " ".join(other)), ("dog", new))
        for n, (one, other, new) in enumerate(drawn)
    ]
    groups = group_issues(found, EN_PT)
    members = [name for group in groups for name in group.issue_ids]
    assert sorted(members) == sorted(each.id for each, _ in found)
    assert [len(group.issue_ids) for group in groups] == sorted(
        len(group.issue_ids) for group in groups
    )[::-1]


@pytest.mark.slow
def test_firefox_writes_nao_for_no_and_that_is_one_group(tmp_path: Path) -> None:
    """A known bug of the bundled translator: “no” (in the) comes out as “não” (not)."""
    corpus = tmp_path / "seeds.txt"
    corpus.write_text(
        "The museum will reopen in the autumn of next year with a new wing for modern art.\n"
        "Had the warning come an hour earlier, dozens of boats would have stayed in the harbour.\n"
        "The vaccine, which is kept in the fridge, must be used within five days.\n"
        "Tourists were asked to leave the beach after a shark had been spotted close to the shore.\n"
    )
    where = str(tmp_path / "runs.sqlite")
    options = {
        "system": "firefox:en-pt",
        "corpus": str(corpus),
        "methods": ["transrepair"],
        "store": where,
    }
    options["parameters"] = {"transrepair": {"proposer": "vectors", "per_seed": 12}}
    run(make_campaign(options))
    history = open_history(f"{where}:")
    texts = {
        f.issue.id: " ".join(o.text for t, _ in f.violations for o in t.outputs)
        for f in history.findings()
    }
    wrong = {name for name, text in texts.items() if " não " in text}
    assert len(wrong) >= 2
    (group,) = [group for group in groups_of(history) if "não" in group.title]
    assert set(group.issue_ids) == wrong
    assert summarise(history).bugs[0].title == group.title
