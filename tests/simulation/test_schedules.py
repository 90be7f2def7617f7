"""A run stopped, killed, interrupted or failed at every write of its store in turn, then continued, in many orders.

Whatever happened: every case has one verdict, the one of an undisturbed run; nothing is left claimed; no more is sent
than the limit allows, and nothing is asked again but what a disturbed process had in hand.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import select

from polyglitch.errors import LimitReached, SystemFailed
from polyglitch.store import leases, rows
from polyglitch.store import schema as s
from polyglitch.store.leases import Leases
from polyglitch.systems.spending import Spent
from tests.simulation.scheduler import Process
from tests.simulation.world import ENDING, KINDS, LEASE, SEEDS, Schedule, World

LIMIT = 25  # characters, of 42 that the campaign sends
SETUPS = (  # processes, over the network, limit
    (1, True, None),
    (1, True, LIMIT),
    (2, True, None),
    (2, True, LIMIT),
    (1, False, None),
    (2, False, None),
)
CUT_SHORT = ("kill", "kill after", *ENDING)  # also in the write that ends a lease
WHOLE = (
    (1, True, None),
    (2, True, LIMIT),
    (2, False, None),
)  # of the whole flow, which takes longer
LEAST = 3_000
VERDICTS = 'select method, "case", outcome, severity, reason, record from verdicts order by 1, 2'
ISSUES = "select id, position, record from issues order by 1"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    corpus = tmp_path_factory.mktemp("simulation") / "seeds.txt"
    corpus.write_text("\n".join(SEEDS) + "\n")
    made = World(corpus)
    gc.disable()  # thousands of small worlds: collecting what is shared by all takes a quarter of the time
    with made.in_the_flow():
        yield made
    gc.enable()


def play(world: World, schedule: Schedule) -> bool:
    """Run a schedule to its end and look at what came of it; whether it was disturbed at all."""
    world.reset(schedule)
    world.victim = world.start("first", schedule.limit)
    processes = [world.victim]
    processes += [world.start(f"other {n}", schedule.limit) for n in range(1, schedule.processes)]
    world.scheduler.run()
    for process in processes:
        check_end(world, process)
    if schedule.limit and schedule.whole:
        again = world.start("again", schedule.limit)
        world.scheduler.run()
        assert isinstance(again.ended, LimitReached), again.ended
    if schedule.limit:
        assert world.characters <= schedule.limit, "more was sent than the limit allows"
    if schedule.limit or not any(p.finished and p.ended is None for p in processes):
        last = world.start("last")
        world.scheduler.run()
        assert last.ended is None and last.finished, last.ended
    check_store(world)
    return world.done


def check_end(world: World, process: Process) -> None:
    """A process ends as it must after what happened to it."""
    disturbed = process is world.victim and world.done
    kind = world.schedule.kind if disturbed else ""
    if kind.startswith("kill"):
        assert not process.finished
    elif kind == "interrupt" and process.ended is not None:
        assert isinstance(process.ended, KeyboardInterrupt | LimitReached), process.ended
    elif kind == "fail":
        assert isinstance(process.ended, SystemFailed | LimitReached | None), process.ended
    elif world.schedule.limit:
        assert isinstance(process.ended, LimitReached), process.ended
    else:
        assert process.ended is None, process.ended


def check_store(world: World) -> None:
    """One verdict a case, no claim left, and asked once but for what was in hand."""
    whole = world.schedule.whole
    assert (world.rows(VERDICTS), world.rows(ISSUES)) == world.undisturbed[whole]
    assert world.rows("select count(*) from cases") == [(2 * whole,)]
    assert world.rows("select state from runs") == [("done",)] * whole
    times = Counter(text for _, text in world.asked)
    for text, count in times.items():
        assert count <= 1 + (text in world.in_flight), f"{text!r} was asked {count} times"
    assert world.rows("select count(*) from outputs") == [(2 + whole,)]
    now = world.scheduler.now
    left = world.rows("select count(*), max(expires) from leases")[0]
    cut_short = world.done and world.schedule.kind in CUT_SHORT
    assert left[0] <= cut_short, "a lease is left by somebody who ended"
    assert not left[0] or left[1] <= now + LEASE, "a lease that nobody renews lives on"
    assert world.rows("select count(*) from claims") == [(0,)], "something is left claimed"
    sent = world.rows("select sum(characters + reserved_characters) from spending")[0][0] or 0
    assert sent >= world.characters, "the account lacks what was sent"


def undisturbed(world: World, whole: bool) -> None:
    """What every schedule must come to."""
    world.reset(Schedule(0, whole=whole))
    alone = world.start("alone")
    world.scheduler.run()
    assert alone.ended is None, repr(alone.ended)
    world.undisturbed[whole] = (world.rows(VERDICTS), world.rows(ISSUES))
    outcomes = Counter(row[2] for row in world.undisturbed[whole][0])
    assert outcomes == ({"violated": 1, "holds": 1} if whole else {"holds": 2})


def play_all(world: World, seed: int, whole: bool) -> Counter[str]:
    """Every kind of disturbance at every write of every setup, in the order that a seed gives."""
    played = Counter[str]()
    for processes, remote, limit in WHOLE if whole else SETUPS:
        for kind in KINDS:
            at = 1
            while disturbed(world, Schedule(seed, kind, at, processes, remote, limit, whole)):
                played[kind] += 1
                at += 1
            assert at > 3, "there is hardly a write to disturb"
    return played


def disturbed(world: World, schedule: Schedule) -> bool:
    """Play a schedule; a failure names it, so that it can be played again alone."""
    try:
        return play(world, schedule)
    except BaseException as error:
        raise AssertionError(f"{error!r}\nplay(world, {schedule})") from error


@pytest.mark.slow
@pytest.mark.timeout(1200)  # a minute of computing takes many on a busy machine
def test_every_disturbance_at_every_write(world: World) -> None:
    started, played, seed = time.process_time(), Counter[str](), 0
    for whole in (True, False):
        undisturbed(world, whole)
    played += play_all(world, 0, whole=True)
    while sum(played.values()) < LEAST:
        played += play_all(world, seed, whole=False)
        seed += 1
        gc.collect()
    seconds = time.process_time() - started
    print(f"{sum(played.values())} schedules in {seconds:.0f} s of CPU: {dict(played)}")
    assert set(played) == set(KINDS)


def ignore_limits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leases, "_spent", lambda *_: Spent())  # every process has the limit for itself


def ignore_claims(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leases, "_claim", lambda _, connection, token, keys, now: set(keys))


def give_up_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rows, "PATIENCE", 0.0)


def leave_leases(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leases, "end", lambda *_: None)


def never_expire(patch: pytest.MonkeyPatch) -> None:
    living = select(s.leases.c.token).where(s.leases.c.expires > -leases.NOW)
    patch.setattr(leases, "CLAIMED", select(s.claims).where(s.claims.c.token.in_(living)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "seen"),
    [
        (ignore_limits, "more was sent than the limit|None"),
        (ignore_claims, "was asked 2 times"),
        (give_up_at_once, "the server went away"),
        (leave_leases, "a lease is left"),
        (never_expire, "this never ends"),
    ],
)
def test_the_simulation_sees_what_is_broken(
    world: World, broken: Callable[[pytest.MonkeyPatch], None], seen: str
) -> None:
    undisturbed(world, whole=False)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(AssertionError, match=seen):
        broken(patch)
        for seed in range(3):
            play_all(world, seed, whole=False)
