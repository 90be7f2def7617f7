"""Minimising: what is left still fails, fails in the same way, and nothing more can go."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.two_outputs import raw_distance
from polyglitch.errors import UsageError
from polyglitch.nlp.parsers.choose import open_parser
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.repair.minimise import AT_ONCE, Judged, median_share, minimise, minimise_run
from polyglitch.repair.pair import contained_pair, plain_parse, swapped_pair
from polyglitch.repair.shrink import ShrinkableSentence, same_bug, still_a_sentence, words_less
from polyglitch.report.html import html_report
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import open_history
from polyglitch.results.reopened import Reopened
from polyglitch.results.summary import groups_of, summarise
from polyglitch.tools import Toolbox

MUSEUM = "The museum will reopen in the autumn of next year with a new wing for modern art."


def judged(one: str, other: str) -> Judged:
    case = Case("c", "s", "similar", (Input("a"), Input("b")), "sit")
    trial = Trial(case, ((Output(one),), (Output(other),)))
    return trial, raw_distance(above=0)([trial], Toolbox())[0]


@given(st.sets(st.integers(0, 11)), st.integers(0, 11))
def test_only_what_the_failure_needs_is_left(needed: set[int], edited: int) -> None:
    words = [f"w{n}" for n in range(12)]
    first = " ".join(words)
    second = first.replace(f"w{edited} ", "x ") if edited < 11 else first.replace("w11", "x")
    pair = swapped_pair(plain_parse(first), first, second)

    def judge(options: Sequence[frozenset[int]]) -> list[Judged | None]:
        case = Case("c", "s", "similar", (), "sit")
        return [
            (Trial(case, ()), Verdict("c", "violated" if needed <= option else "holds"))
            for option in options
        ]

    everything = frozenset(range(12))
    found = minimise(
        everything, lambda kept: words_less(pair, kept), judge, lambda _: True, lambda: 99
    )
    assert found.kept == needed | {edited}


def test_a_shorter_pair_keeps_capitals_marks_and_the_swapped_word() -> None:
    first, second = "In May, an old man left.", "In May, a young man left."
    pair = swapped_pair(plain_parse(first), first, second)
    assert pair.render(frozenset(range(len(pair.units)))) == (first, second)
    kept = frozenset(n for n, unit in enumerate(pair.units) if unit.texts[0] not in ("In", "May"))
    assert pair.render(kept) == ("An old man left.", "A young man left.")


def test_a_phrase_and_its_sentence_shrink_together() -> None:
    whole, part = "We saw the old harbour bridge in May.", "the old harbour bridge"
    pair = contained_pair(plain_parse(whole), whole, part)
    kept = frozenset(
        n for n, unit in enumerate(pair.units) if unit.texts[0] not in ("old", "in", "May")
    )
    assert pair.render(kept) == ("We saw the harbour bridge.", "the harbour bridge")


def test_what_may_go_is_a_clause_or_a_phrase() -> None:
    parse = open_parser("en").parse([MUSEUM])[0]
    pair = swapped_pair(parse, MUSEUM, MUSEUM.replace("autumn", "spring"))
    texts = [
        pair.render(kept)[0]
        for kept in ShrinkableSentence(parse, pair).smaller(frozenset(range(len(pair.units))))
    ]
    assert "The museum will reopen in the autumn of next year." in texts
    assert "The autumn of next year" in texts
    assert all("autumn" in text for text in texts)
    vaccine = "The vaccine, which is kept in the fridge, must be used within five days."
    parse = open_parser("en").parse([vaccine])[0]
    pair = swapped_pair(parse, vaccine, vaccine.replace("fridge", "freezer"))
    texts = [
        pair.render(kept)[0]
        for kept in ShrinkableSentence(parse, pair).smaller(frozenset(range(len(pair.units))))
    ]
    assert "The vaccine is kept in the fridge." in texts


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Fica não outono.", "Fica na primavera.", True),
        ("Fica no outono.", "Fica na primavera.", False),  # the negation is gone: another matter
        ("Fechou no outono.", "Abriu na primavera.", False),
    ],
)
def test_another_bug_does_not_pass_for_the_first(one: str, other: str, same: bool) -> None:
    before = judged("O museu reabre não outono.", "O museu reabre na primavera.")
    assert same_bug(before, judged(one, other), ["outono", "primavera"]) is same


def test_endings_that_follow_a_new_noun_are_no_bug_to_hold_on_to() -> None:
    before = judged("Será que o novo plano vai?", "A nova linha vai?")
    assert not same_bug(
        before, judged("O novo plano vai?", "A nova linha vai?"), ["plano", "linha"]
    )


def test_firefox_s_bug_in_a_few_words(firefox_store: str) -> None:
    history = open_history(f"{firefox_store}:")
    opened = Reopened(history)
    largest = len(groups_of(history)[0].issue_ids)
    done = minimise_run(history, opened, budget=40)
    opened.close()
    assert done
    assert len(groups_of(history)[0].issue_ids) >= largest  # no bug falls apart for being looked at
    assert median_share(done) <= 0.7
    assert min(each.words_after / each.words_before for each in done) < 0.5
    assert all(each.queries <= 40 + 2 * AT_ONCE for each in done)  # the last batch may go over
    denied = 0
    for finding in history.findings():
        if finding.minimised is None:
            continue
        trial, verdict = finding.minimised
        assert verdict.outcome == "violated"
        if finding.issue.kind == "negation":
            denied += 1
            assert any("não" in output.text.lower().split() for output in trial.outputs)
    assert denied
    assert "The smallest pair" in "".join(
        html_report(summarise(history), history.findings(), ReportLimits())
    )
    again = Reopened(history)
    minimise_run(history, again, budget=40)
    assert again.asker.queries == 0  # all of it is in the store
    again.close()


def test_a_run_is_only_opened_with_its_own_system(firefox_store: str) -> None:
    with pytest.raises(UsageError, match="tested"):
        Reopened(open_history(f"{firefox_store}:"), "firefox:pt-en")


@pytest.mark.parametrize(
    ("before", "after", "reads"),
    [
        ("The picture was sold for twice the price.", "The picture was sold for.", False),
        ("He sang and she danced.", "He sang and.", False),
        ("No more than forty cars may cross.", "No than forty cars may cross.", False),
        ("Adults read at least one book.", "Least one book", False),
        ("The old bridge over the river is safe.", "The bridge is safe.", True),
    ],
)
def test_a_shorter_sentence_leaves_no_word_without_its_other_half(
    before: str, after: str, reads: bool
) -> None:
    whole, left = open_parser("en").parse([before, after])
    assert still_a_sentence(left, whole) == reads


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The hospital received one million dollars from a donor.", "one"),
        ("No more than forty cars may cross the bridge.", "more"),
        ("It is safe as long as nobody moves.", "as"),
        ("People who walk sleep better than those who drive.", "drive"),
    ],
)
def test_what_a_number_or_a_comparison_needs_stays(text: str, word: str) -> None:
    parse = open_parser("en").parse([text])[0]
    sentence = ShrinkableSentence(parse, swapped_pair(parse, text, text.replace("the ", "a ")))
    place = next(n for n, token in enumerate(parse.tokens) if token.text == word)
    assert not sentence.optional(place)
