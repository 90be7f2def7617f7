"""The same methods on the same sentences with different ranks: campaigns to be compared test by test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any

import msgspec

from polyglitch.campaign import Campaign, make_method
from polyglitch.compare.oracles.similarity import METRICS
from polyglitch.errors import UsageError
from polyglitch.evaluate import efficiency as figures
from polyglitch.evaluate.efficiency import (
    Test,
    Violation,
    by_metric,
    found_at_budget,
    judged_by,
    metrics_at_fault,
    with_bugs,
)
from polyglitch.flow import run
from polyglitch.issues.groups import Languages
from polyglitch.rank.cached_rank import check_rank
from polyglitch.records import Case, Parse, Verdict
from polyglitch.results.history import History
from polyglitch.run.budget import Watch, in_order
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox, open_system

UNBOUNDED = (
    10**9
)  # a budget that never runs out; having one puts the most promising sentences first
BASELINE = "random"


class RankComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared: a campaign but for its methods and ranks, and how often chance is drawn."""

    campaign: Campaign
    methods: tuple[str, ...]
    ranks: tuple[str, ...]
    draws: Annotated[int, msgspec.Meta(ge=1)] = 5
    per_seed: Annotated[int, msgspec.Meta(ge=1)] = 5


def compare_ranks(
    comparison: RankComparison, watch: Watch = lambda _: None, say: Callable[[str], None] = print
) -> Iterator[Test]:
    """Run every method with every rank and give the decided tests in the order of the runs."""
    check(comparison)
    for method, some in groupby(campaigns(comparison), lambda campaign: campaign.methods[0]):
        tests: list[Test] = []
        found: list[Violation] = []
        languages: Languages = (None, None)
        for campaign in some:
            run_id, figures = run(campaign, watch)
            unclear = (
                f", {figures['undecided']} undecided and left out" if figures["undecided"] else ""
            )
            say(f"{method} {campaign.rank} {campaign.seed}: {figures['cases']} tests{unclear}")
            more, violated, languages = tests_of(campaign, run_id)
            tests += more
            found += violated
        made = make_method(method, comparison.campaign.parameters.get(method))
        yield from with_bugs(tests, found, made, languages)


def check(comparison: RankComparison) -> None:
    """Refuse what cannot run before anything does: a wrong name, or a rank that the system cannot serve."""
    for method in comparison.methods:
        make_method(method, {"per_seed": comparison.per_seed})
    system = open_system(comparison.campaign.system, comparison.campaign.timeout)
    try:
        for rank in comparison.ranks:
            check_rank(rank, system, lens=bool(comparison.campaign.lens))
    finally:
        system.close()


def campaigns(comparison: RankComparison) -> Iterator[Campaign]:
    """One campaign a method and rank; as many as there are draws where the rank is chance."""
    base = comparison.campaign
    for method in comparison.methods:
        given: dict[str, Any] = {"per_seed": comparison.per_seed}
        parameters = {method: given | base.parameters.get(method, {})}
        for rank in comparison.ranks:
            for draw in range(comparison.draws if rank == BASELINE else 1):
                yield msgspec.structs.replace(
                    base,
                    methods=(method,),
                    parameters=parameters,
                    rank=rank,
                    seed=base.seed + draw,
                    budget=base.budget or UNBOUNDED,
                )


def tests_of(campaign: Campaign, run_id: str) -> tuple[list[Test], list[Violation], Languages]:
    """The decided tests of a run in the order they were asked, and its violations; tests must replace a word."""
    store, method = Store(campaign.store), campaign.methods[0]
    try:
        pairs = store.verdicts.get(run_id, method)
        order = in_order(store, run_id, [case for case, _ in pairs])
        decided = [pairs[n] for n in order if pairs[n][1].outcome != "undecided"]
        history = History(store, run_id)
        trials = history.trials([case for case, _ in decided])
        found = [
            (store.cases.seed(run_id, case.seed_id), trial, verdict)
            for trial, (case, verdict) in zip(trials, decided, strict=True)
            if verdict.outcome == "violated"
        ]
        source, target = history.definition["languages"]
        faulted = metrics_at_fault(trials, target, Toolbox())
    finally:
        store.close()
    if any(case.edit is None for case, _ in decided):
        raise UsageError(
            f"method {method!r} does not replace words, so a rank has nothing to choose"
        )
    texts = list(dict.fromkeys(case.inputs[0].text for case, _ in decided))
    language = decided[0][0].inputs[0].language if decided else None
    parses = Toolbox().parser(language).parse(texts) if decided else []
    known = dict(zip(texts, parses, strict=True))
    tests = [
        test_of(campaign, case, verdict, known[case.inputs[0].text], faulted[case.id])
        for case, verdict in decided
    ]
    return tests, found, (source, target)


def test_of(
    campaign: Campaign, case: Case, verdict: Verdict, parse: Parse, faulted: tuple[str, ...]
) -> Test:
    """What is counted of one case."""
    edit = case.edit
    start, word = (edit.start, edit.old) if edit else (0, "")
    pos = next((token.pos for token in parse.tokens if token.start == start), "X")
    return Test(
        method=campaign.methods[0],
        rank=campaign.rank,
        draw=campaign.seed,
        seed_id=case.seed_id,
        start=start,
        word=word,
        pos=pos,
        length=len(parse.tokens),
        violated=verdict.outcome == "violated",
        faulted=faulted,
    )


def summarise(
    tests: Sequence[Test], ranks: Sequence[str], budget: int | None, bugs: int
) -> dict[str, Any]:
    """The figures of one method as plain data, one row a rank.

    Ranks are compared over the same number of tests, `budget`: a run has its most promising tests first, so that
    its first tests are what a budget of so many would have bought.
    """
    budget = budget or figures.half_of_the_shortest(tests)
    bought = figures.first_tests(tests, budget)
    rows = {rank: rank_row(tests, bought, rank, bugs) for rank in ranks}
    shared = {"+".join(key): n for key, n in figures.shared_tokens(bought).items()}
    return {"budget": budget, "bugs": bugs, "ranks": rows, "shared_words": shared}


def rank_row(tests: Sequence[Test], bought: Sequence[Test], rank: str, bugs: int) -> dict[str, Any]:
    """The figures of one rank: over all its tests, and over those that the budget bought."""
    own, first = ([test for test in some if test.rank == rank] for some in (tests, bought))
    draws = figures.by_draw(own)
    return {
        "tests": [len(draw) for draw in draws],
        "success": [round(figures.success_rate(draw), 4) for draw in draws],
        "ratio": ratio_to_chance(own, tests),
        "bugs_at_budget": [sum(t.violated for t in draw) for draw in figures.by_draw(first)],
        "success_at_budget": [
            round(figures.success_rate(draw), 4) for draw in figures.by_draw(first)
        ],
        "ratio_at_budget": ratio_to_chance(first, bought),
        "found": found_at_budget(bought, rank),
        "by_metric": by_metric(bought, rank),
        "success_by_metric": {
            name: round(figures.success_rate([judged_by(test, name) for test in own]), 4)
            for name in METRICS
        },
        "tests_needed": [figures.tests_for(draw, bugs) for draw in draws],
        "by_pos": figures.by_part_of_speech(own),
        "by_length": figures.by_length(own),
        "length_rho": figures.number_or_none(figures.length_effect(own)) if own else None,
    }


def ratio_to_chance(own: Sequence[Test], all_of_them: Sequence[Test]) -> figures.Interval | None:
    """Success rate over that of random words with its interval, where there is something to divide."""
    baseline = [test for test in all_of_them if test.rank == BASELINE]
    return figures.ratio(own, baseline) if baseline and own else None
