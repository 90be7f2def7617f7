"""The way back: what a translator of the other direction makes of the outputs of the worst findings, for who reads the
source only.

One that was named is asked at the end of the run. Where the translator under test knows the way back itself and may be
opened on a store's word, it is asked once somebody wants to read: a run that only gates a release needs none.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from polyglitch import registry
from polyglitch.campaign import Campaign
from polyglitch.errors import LimitReached, PolyglitchError, SystemFailed
from polyglitch.protocols import Remote
from polyglitch.records import Input
from polyglitch.results.findings import ReportLimits
from polyglitch.results.history import History
from polyglitch.run.asking import Asker
from polyglitch.run.plan import Plan, limits_of
from polyglitch.run.threads import Answers
from polyglitch.tools import NONE, open_system

NOTED = "way_back"  # among the figures of a run
TIMEOUT = 60.0  # seconds for one text


def keep_ways_back(
    campaign: Campaign, plan: Plan, history: History, askers: Sequence[Asker]
) -> dict[str, Any]:
    """Have the worst outputs translated back by the system that was named; what a run notes of it."""
    lens_alone = (campaign.back or NONE).partition(":")[0] in {NONE, *registry.entries("lenses")}
    if lens_alone:
        return {}
    inputs = worst_outputs(history)
    if not inputs:
        return {}
    try:
        if len(askers) > 1:  # a method makes round trips: the system is open
            signature = plan.systems[1].signature
            answers = askers[1].gather(askers[1].submit(inputs))
        else:
            answers, signature = ask_aside(campaign, plan, history, inputs)
    except (SystemFailed, LimitReached):  # all is judged: what only helps to read ends no run
        return {NOTED: {"texts": 0, "of": len(inputs)}}
    return noted(signature, answers, inputs)


def bring_back(history: History) -> None:
    """Have the same done now by the translator itself turned round, where it has not been done."""
    opened = history.definition.get("opened", {})
    uri = turned_round(str(opened.get("system") or ""))
    if not uri or opened.get("back") or history.back_system or not history.finished:
        return
    # Not installed, a store that cannot be written: what only helps to read ends no report.
    with suppress(PolyglitchError, SQLAlchemyError):
        if inputs := worst_outputs(history):
            found = asked_now(uri, history, inputs)
            history.store.runs.note(history.run_id, history.row["figures"] | found)
            history.reload()


def asked_now(uri: str, history: History, inputs: Sequence[Input]) -> dict[str, Any]:
    """Ask a translator of this machine; what a run notes of it."""
    system = open_system(uri, TIMEOUT)
    asker = Asker(system, history.store)
    try:
        return noted(system.signature, asker.gather(asker.submit(inputs)), inputs)
    finally:
        asker.close()
        system.close()


def worst_outputs(history: History) -> list[Input]:
    """The outputs that a report shows, as inputs of the other direction."""
    worst = islice(history.findings(), ReportLimits().cards)
    rows = [row for found in worst for row in history.to_bring_back(found)]
    return list({item.text: item for row in rows for item in row if item}.values())


def noted(signature: str, answers: Answers, inputs: Sequence[Input]) -> dict[str, Any]:
    """What a run notes of its ways back."""
    said = sum(output.ok for output in answers.values())
    return {NOTED: {"system": signature, "texts": said, "of": len(inputs)}}


def turned_round(uri: str) -> str:
    """The same translator in the other direction: firefox:pt-en of firefox:en-pt; nothing of one that has none.

    A store names it, on whose word only what is bundled is opened.
    """
    scheme, _, rest = uri.strip().partition(":")
    known = registry.entries("systems").get(scheme)
    source, _, target = rest.partition("-")
    if known is None or known.data.get("opens") != "bundled" or not known.data.get("turned"):
        return ""
    return f"{scheme}:{target}-{source}" if target else ""


def ask_aside(
    campaign: Campaign, plan: Plan, history: History, inputs: Sequence[Input]
) -> tuple[Answers, str]:
    """Ask a system that is no part of the tests, within the limits of the run; its answers and its signature."""
    system = open_system(campaign.back or "", campaign.timeout)
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
