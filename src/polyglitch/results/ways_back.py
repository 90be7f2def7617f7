"""The way back: what the second system makes of the outputs of the worst findings, for who reads the source only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from polyglitch import registry
from polyglitch.campaign import Campaign
from polyglitch.errors import LimitReached, PolyglitchError, SystemFailed
from polyglitch.protocols import Remote
from polyglitch.records import Input
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import History
from polyglitch.run.asking import Asker
from polyglitch.run.claimed_answers import Answers
from polyglitch.run.plan import Plan, limits_of
from polyglitch.systems.uri import open_system


def keep_ways_back(
    campaign: Campaign, plan: Plan, history: History, askers: Sequence[Asker]
) -> dict[str, Any]:
    """Have the outputs of the worst findings translated back; what a run notes of it, nothing where nobody can."""
    uri = campaign.back or turned_round(campaign.system or "")
    if not uri or uri.partition(":")[0] in registry.entries("lenses"):
        return {}
    worst = islice(history.findings(), ReportLimits().cards)
    rows = [row for found in worst for row in history.to_bring_back(found)]
    inputs = list({item.text: item for row in rows for item in row if item}.values())
    if not inputs:
        return {}
    try:
        if len(askers) > 1:  # a method makes round trips: the system is open
            signature = plan.systems[1].signature
            answers = askers[1].gather(askers[1].submit(inputs))
        else:
            answers, signature = ask_aside(uri, inputs, campaign, plan, history)
    except (SystemFailed, LimitReached):  # all is judged: what only helps to read ends no run
        return {"way_back": {"texts": 0, "of": len(inputs)}}
    except PolyglitchError:
        if campaign.back:
            raise
        return {}  # nobody asked for it: the other direction is not installed
    said = sum(output.ok for output in answers.values())
    return {"way_back": {"system": signature, "texts": said, "of": len(inputs)}}


def turned_round(uri: str) -> str:
    """The same translator in the other direction: firefox:pt-en of firefox:en-pt; nothing of one that has none."""
    scheme, _, rest = uri.strip().partition(":")
    known = registry.entries("systems").get(scheme)
    source, _, target = rest.partition("-")
    return f"{scheme}:{target}-{source}" if known and known.data.get("turned") and target else ""


def ask_aside(
    uri: str, inputs: Sequence[Input], campaign: Campaign, plan: Plan, history: History
) -> tuple[Answers, str]:
    """Ask a system that is no part of the tests, within the limits of the run; its answers and its signature."""
    system = open_system(uri, campaign.timeout)
    account = None
    if isinstance(system, Remote):
        system.limit(limits_of(campaign), plan.meter)
        account = history.store.leases.account(history.run_id, plan.meter)
    asker = Asker(system, history.store, campaign.jobs, campaign.timeout, account)
    try:
        return asker.gather(asker.submit(inputs)), system.signature
    finally:
        asker.close()
        system.close()
