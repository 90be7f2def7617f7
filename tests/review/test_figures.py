"""From the review to figures: what held can be labelled too, and a label can say which case shows the bug."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from starlette.testclient import TestClient

from polyglitch.records import Input, Seed, Verdict, new_case
from polyglitch.results.history import History
from polyglitch.results.judgements import Judgements
from polyglitch.review.access import Hosts, Sessions
from polyglitch.review.app import make_app
from polyglitch.review.evidence import Trees
from polyglitch.review.queue_view import QueueView
from polyglitch.store.labels import QueueFilter
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

from .samples import RUN, fill

BASE = "http://127.0.0.1:8765"


def reviewer(store: Store) -> tuple[TestClient, dict[str, str]]:
    """A client who has said their name, and what its writes must carry."""
    app = make_app(
        QueueView(store), Trees(Toolbox().parser), Hosts("127.0.0.1", 8765), Sessions(8765)
    )
    client = TestClient(app, base_url=BASE, cookies={"polyglitch_reviewer": "ann"})
    token = re.findall(r'name="token" content="([^"]+)"', client.get("/").text)[0]
    return client, {"origin": BASE, "x-polyglitch-token": token, "accept": "application/json"}


def test_what_held_can_be_looked_at_and_labelled(tmp_path: Path) -> None:
    store = fill(tmp_path / "s.sqlite", 4)
    seeds = [Seed(f"quiet-{n}", Input(f"A quiet sentence, number {n}.")) for n in range(3)]
    store.cases.add_seeds(RUN, 10**7, seeds)
    for place, seed in enumerate(seeds):
        made = [
            msgspec.structs.replace(
                new_case(seed, "similar", (seed.input, Input(f"Another {n} of {place}."))),
                method="sit",
            )
            for n in range(3)
        ]
        store.cases.add(RUN, "sit", 10**7 + 10 * place, made)
        pairs = [
            (c, Verdict(c.id, "holds", score=float(n), threshold=5.0)) for n, c in enumerate(made)
        ]
        store.verdicts.add(RUN, "sit", pairs)
    rows = store.queue.page(RUN, "ann", QueueFilter("held"))
    assert {row.seed for row in rows} == {seed.id for seed in seeds}, "one a sentence"
    assert {row.severity for row in rows} == {-3.0}, "the one nearest to its limit"
    client, headers = reviewer(store)
    assert "A quiet sentence" in client.get("/?shelf=held").text
    fields = {"issue": rows[0].id, "verdict": "bug", "kind": "under-translation"}
    assert client.post("/label", data=fields, headers=headers).status_code == 200
    figures = Judgements(History(store)).figures()["methods"]["sit"]
    assert figures["missed"] == 1 and figures["without_issue"]["sentences"] >= 3


def test_a_label_can_name_the_case_that_shows_the_bug_and_no_other(tmp_path: Path) -> None:
    store = fill(tmp_path / "s.sqlite", 4)
    issue = next(iter(store.verdicts.issues(RUN)))
    client, headers = reviewer(store)
    fields = {"issue": issue.id, "verdict": "bug", "case": "of another issue"}
    assert client.post("/label", data=fields, headers=headers).status_code == 400
    fields["case"] = issue.case_ids[1]
    assert client.post("/label", data=fields, headers=headers).status_code == 200
    top = Judgements(History(store)).figures()["methods"][issue.method]["top"]
    assert (top["1"]["found"], top["3"]["found"]) == (0, 1)
