"""Workers that ask, judge and keep, one of them or their foreman disturbed at every write in turn, in many orders.

Whatever happened: every case has one verdict, the one of an undisturbed run; who was taken for lost keeps none behind
the back of a foreman that ended; no more is sent than the limit allows, by all workers together; and nothing is asked
again but what somebody disturbed had in hand.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator

import pytest

from polyglitch.errors import LimitReached, SystemFailed
from polyglitch.store.leases import Leases
from tests.simulation.crew import Crew
from tests.simulation.test_schedules import LIMIT, SETUPS, VERDICTS, ignore_limits
from tests.simulation.world import KINDS, LEASE, SEEDS, Schedule

OF_WORKER = ("kill", "kill after", "fail", "stop", "lost", "lost after", "cut off")
LEAST = 1_500


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    corpus = tmp_path_factory.mktemp("crew") / "seeds.txt"
    corpus.write_text("\n".join(SEEDS) + "\n")
    made = Crew(corpus)
    gc.disable()
    with made.in_the_flow():
        yield made
    gc.enable()


def play(crew: Crew, schedule: Schedule, of_worker: bool) -> bool:
    """Run a schedule to its end and look at what came of it; whether it was disturbed at all."""
    crew.reset(schedule)
    crew.of_worker = of_worker
    foremen = [crew.start(f"foreman {n}", schedule.limit) for n in range(schedule.processes)]
    if not of_worker:
        crew.victim = foremen[0]
    crew.scheduler.run()
    for foreman in foremen:
        check_end(crew, foreman)
    if schedule.processes == 1 and crew.kept_at_end:
        behind = crew.rows("select seed, reason from verdicts")
        assert behind == crew.kept_at_end[0], "a verdict came in after its foreman ended"
    if schedule.limit:
        assert crew.characters <= schedule.limit, "more was sent than the limit allows"
    if not any(foreman.finished and foreman.ended is None for foreman in foremen):
        last = crew.start("last")
        crew.scheduler.run()
        assert last.ended is None and last.finished, last.ended
    check_store(crew)
    return crew.done


def check_end(crew: Crew, foreman: object) -> None:
    """A foreman ends as it must after what happened to it, or to a worker."""
    ended, kind = foreman.ended, crew.schedule.kind if crew.done else ""  # type: ignore[attr-defined]
    if kind.startswith("kill") and foreman is crew.victim:
        assert not foreman.finished  # type: ignore[attr-defined]
    elif kind == "interrupt" and ended is not None:
        assert isinstance(ended, KeyboardInterrupt | LimitReached), repr(ended)
    elif kind == "fail":
        assert isinstance(ended, SystemFailed | LimitReached | None), repr(ended)
    elif crew.schedule.limit:
        assert isinstance(ended, LimitReached), repr(ended)
    else:
        assert ended is None, repr(ended)


def check_store(crew: Crew) -> None:
    """One verdict a case, no claim left, and asked once but for what was in hand."""
    assert crew.rows(VERDICTS) == crew.undisturbed[False][0]
    for text, count in Counter(text for _, text in crew.asked).items():
        assert count <= 1 + (text in crew.in_flight), f"{text!r} was asked {count} times"
    assert crew.rows("select count(*) from outputs") == [(2,)]
    left = crew.rows("select count(*), max(expires) from leases")[0]
    if not crew.done or crew.schedule.kind in ("lost", "lost after", "cut off", "stop"):
        assert not left[0], "a lease is left by somebody who ended"
    assert not left[0] or left[1] <= crew.scheduler.now + LEASE
    assert crew.rows("select count(*) from claims") == [(0,)], "something is left claimed"
    sent = crew.rows("select sum(characters + reserved_characters) from spending")[0][0] or 0
    assert sent >= crew.characters, "the account lacks what was sent"


def undisturbed(crew: Crew) -> None:
    """What every schedule must come to."""
    crew.reset(Schedule(0, whole=False))
    alone = crew.start("alone")
    crew.scheduler.run()
    assert alone.ended is None, repr(alone.ended)
    crew.undisturbed[False] = (crew.rows(VERDICTS), [])
    assert len(crew.undisturbed[False][0]) == 2


def play_all(crew: Crew, seed: int) -> Counter[str]:
    """Every kind of disturbance at every write of a foreman and of a worker, in the order that a seed gives."""
    played = Counter[str]()
    for of_worker in (False, True):
        for processes, remote, limit in SETUPS:
            for kind in OF_WORKER if of_worker else KINDS:
                at = 1
                schedule = Schedule(seed, kind, at, processes, remote, limit, whole=False)
                while disturbed(crew, schedule, of_worker):
                    played[f"{'worker' if of_worker else 'foreman'}: {kind}"] += 1
                    at += 1
                    schedule = Schedule(seed, kind, at, processes, remote, limit, whole=False)
                assert at > 2, "there is hardly a write to disturb"
    return played


def disturbed(crew: Crew, schedule: Schedule, of_worker: bool) -> bool:
    """Play a schedule; a failure names it, so that it can be played again alone."""
    try:
        return play(crew, schedule, of_worker)
    except BaseException as error:
        raise AssertionError(f"{error!r}\nplay(crew, {schedule}, {of_worker})") from error


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_disturbance_of_foreman_and_worker(crew: Crew) -> None:
    undisturbed(crew)
    played, seed = Counter[str](), 0
    while sum(played.values()) < LEAST:
        played += play_all(crew, seed)
        seed += 1
        gc.collect()
    print(f"{sum(played.values())} schedules: {dict(played)}")
    assert len(played) == len(KINDS) + len(OF_WORKER)


def no_fence(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leases, "fence", lambda *_: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "seen"),
    [(no_fence, "after its foreman ended"), (ignore_limits, "more was sent than the limit|None")],
)
def test_the_simulation_sees_what_is_broken(crew: Crew, broken: object, seen: str) -> None:
    undisturbed(crew)
    assert LIMIT < 42
    with pytest.MonkeyPatch.context() as patch, pytest.raises(AssertionError, match=seen):
        broken(patch)  # type: ignore[operator]
        for seed in range(5):
            play_all(crew, seed)
