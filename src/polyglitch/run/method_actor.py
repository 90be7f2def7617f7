"""Who makes cases and judges for a campaign in another process than the one that asks: with tools of its own, opened by
what the campaign names.

Everything comes and goes as JSON of the project's own records; an error of ours goes back as its kind and message.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from polyglitch import errors
from polyglitch.campaign import Campaign, make_method
from polyglitch.errors import LeaseLost
from polyglitch.mutate.without_case import reasons_without_case
from polyglitch.protocols import System
from polyglitch.records import Case, Seed, Trial, Verdict
from polyglitch.registry import Method, entry
from polyglitch.tools import (
    BudgetedJudge,
    Keeper,
    Toolbox,
    lens_elsewhere,
    open_back_lens,
    open_system,
)

Languages = tuple[str | None, str | None]
Reply = tuple[str, bytes]  # "ok" and JSON, or the kind of an error and its message
TRACE = "\0"  # between the message of an unexpected error and where it happened
KINDS: dict[str, type[errors.PolyglitchError]] = {
    "Missing": errors.UsageError,  # its message says what installs it
    "UsageError": errors.UsageError,
    "LimitReached": errors.LimitReached,
    "NothingToTest": errors.NothingToTest,
}


def replied(work: Callable[[], Any]) -> Reply:
    """The result of some work as it is sent back."""
    try:
        return "ok", msgspec.json.encode(work())
    except LeaseLost:
        return LeaseLost.__name__, b""
    except errors.PolyglitchError as error:
        return type(error).__name__, str(error).encode()
    except Exception as error:  # the system's own: told as it would be on one machine
        told = f"{error}{TRACE}{traceback.format_exc()}"
        return f"!{type(error).__name__}", told.encode("utf-8", "backslashreplace")


def opened(reply: Reply, kind: Any) -> Any:
    """The result that a reply carries, or the error raised again."""
    name, raw = reply
    if name == "ok":
        return msgspec.json.decode(raw, type=kind)
    if name.startswith("!"):
        message, _, trace = raw.decode().partition(TRACE)
        again: Exception = type(name[1:], (Exception,), {})(message)
        again.add_note(trace)  # where it happened
        raise again
    if name == LeaseLost.__name__:
        raise LeaseLost
    raise KINDS.get(name, errors.SystemFailed)(raw.decode())


def raised(error: Exception) -> Any:
    """Raise an error that was met before."""
    raise error


class WholeCorpus:
    """The corpus for methods that draw on all of it, opened on the machine that needs it."""

    def __init__(self, campaign: Campaign, language: str | None) -> None:
        self._campaign, self._language = campaign, language

    def __iter__(self) -> Iterator[Seed]:
        from polyglitch.run.plan import campaign_corpus

        yield from campaign_corpus(self._campaign, self._language)


def tools_of(
    options: Campaign, languages: Languages, judge: System | None, store: Keeper | None = None
) -> Toolbox:
    """The tools of a campaign as one of its actors has them."""
    return Toolbox(
        store,
        options.seed,
        languages,
        options.parser,
        WholeCorpus(options, languages[0]),
        lens=partial(lens_elsewhere, options.lens, options.system),
        back=partial(open_back_lens, options.back) if options.back else None,
        judge=BudgetedJudge(judge, options.judge_budget) if judge else None,
        foreign_lens=options.foreign_lens,
    )


def judge_of(options: Campaign) -> System | None:
    """The judge of a campaign, opened."""
    return open_system(options.judge, options.timeout) if options.judge else None


class MethodActor:
    """Makes cases and judges trials with tools of its own."""

    def __init__(self, campaign: bytes, languages: Languages, store: Keeper | None = None) -> None:
        options = msgspec.json.decode(campaign, type=Campaign)
        self._languages = languages
        self._options = options
        self._methods: dict[str, Method] = {}
        self._tools = tools_of(options, languages, judge_of(options), store)

    def describe(self) -> Reply:
        """Load what the methods need; the first call takes its time."""

        def work() -> None:
            for name in self._options.methods:
                for need in self._method(name).needs:
                    self._tools.check(need, *self._languages)

        return replied(work)

    def mutate(self, name: str, seeds: bytes) -> Reply:
        """The cases of some seeds."""
        some = msgspec.json.decode(seeds, type=list[Seed])
        return replied(lambda: list(self._method(name).mutate(some, self._tools)))

    def compare(self, name: str, trials: bytes) -> Reply:
        """The verdicts on some trials."""
        return self.begin(name, trials)()

    def begin(self, name: str, trials: bytes) -> Callable[[], Reply]:
        """The same, begun now: what a model is asked about goes on until the verdicts are called for."""
        some: Sequence[Trial] = msgspec.json.decode(trials, type=list[Trial])
        try:
            later = self._method(name).begin(some, self._tools)
        except Exception as error:
            return partial(replied, partial(raised, error))
        return partial(replied, later)

    def without_case(self, name: str, seeds: bytes) -> Reply:
        """Why a method makes no case of some seeds, counted."""
        some = msgspec.json.decode(seeds, type=list[Seed])
        return replied(lambda: reasons_without_case(self._method(name).mutate, some, self._tools))

    def asks_model(self, name: str) -> bool:
        """Whether a method takes its words from a model, whose large products gain by several threads."""
        kinds = (need.split(":")[:2] for need in self._method(name).needs if ":" in need)
        return any(
            kind == "proposer" and not entry("proposers", named).data.get("one_thread")
            for kind, named in kinds
        )

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            self._methods[name] = make_method(name, self._options.parameters.get(name))
        return self._methods[name]


CASES, VERDICTS, REASONS = list[Case], list[Verdict], dict[str, int]
