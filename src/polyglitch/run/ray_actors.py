"""What runs on the machines of a cluster: replicas of the system, and hands that make cases and judge.

Everything comes and goes as JSON of the project's own records; an error of ours goes back as its kind and message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from polyglitch import errors
from polyglitch.campaign import Campaign, make_method
from polyglitch.records import Case, Input, Output, Seed, Trial, Verdict
from polyglitch.systems.uri import BudgetedJudge, lens_elsewhere, open_back_lens, open_system
from polyglitch.tools import Toolbox

Reply = tuple[str, bytes]  # "ok" and JSON, or the kind of an error and its message


def replied(work: Callable[[], Any]) -> Reply:
    """The result of some work as it is sent back."""
    try:
        return "ok", msgspec.json.encode(work())
    except errors.PolyglitchError as error:
        return type(error).__name__, str(error).encode()
    except Exception as error:  # the system's own: told as it would be on one machine
        return f"!{type(error).__name__}", str(error).encode("utf-8", "backslashreplace")


def opened(reply: Reply, kind: Any) -> Any:
    """The result that a reply carries, or the error raised again."""
    name, raw = reply
    if name == "ok":
        return msgspec.json.decode(raw, type=kind)
    if name.startswith("!"):
        raise type(name[1:], (Exception,), {})(raw.decode())
    known = {"UsageError": errors.UsageError, "NothingToTest": errors.NothingToTest}
    raise known.get(name, errors.SystemFailed)(raw.decode())


class Replica:
    """One copy of the system under test."""

    def __init__(self, uri: str, timeout: float) -> None:
        self._uri, self._timeout = uri, timeout
        self._system: Any = None

    def describe(self) -> Reply:
        """Signature, languages and batch size; the first call opens the system."""
        return replied(self._describe)

    def ask(self, inputs: bytes) -> Reply:
        """The outputs of a batch."""

        def work() -> list[Output]:
            self._describe()
            return list(self._system.ask(msgspec.json.decode(inputs, type=list[Input])))

        return replied(work)

    def _describe(self) -> tuple[str, tuple[str | None, str | None], int]:
        if self._system is None:
            self._system = open_system(self._uri, self._timeout)
        return self._system.signature, self._system.languages, self._system.batch_size


class WholeCorpus:
    """The corpus for methods that draw on all of it, opened on the machine that needs it."""

    def __init__(self, campaign: Campaign, language: str | None) -> None:
        self._campaign, self._language = campaign, language

    def __iter__(self) -> Iterator[Seed]:
        from polyglitch.run.plan import campaign_corpus

        yield from campaign_corpus(self._campaign, self._language)


def judge_of(options: Campaign) -> BudgetedJudge | None:
    """The judge of a campaign as one of its actors asks it."""
    if not options.judge:
        return None
    return BudgetedJudge(open_system(options.judge, options.timeout), options.judge_budget)


class MethodActor:
    """Makes cases and judges trials with tools of its own."""

    def __init__(self, campaign: bytes, languages: tuple[str | None, str | None]) -> None:
        options = msgspec.json.decode(campaign, type=Campaign)
        self._languages = languages
        self._options = options
        self._methods: dict[str, Any] = {}
        corpus = WholeCorpus(options, languages[0])
        self._tools = Toolbox(
            None,
            options.seed,
            languages,
            options.parser,
            corpus,
            lens=partial(lens_elsewhere, options.lens, options.system),
            back=partial(open_back_lens, options.back) if options.back else None,
            judge=judge_of(options),
            foreign_lens=options.foreign_lens,
        )

    def describe(self) -> Reply:
        """Load what the methods need; the first call takes its time."""

        def work() -> list[str]:
            for name in self._options.methods:
                for need in self._method(name).needs:
                    self._tools.check(need, *self._languages)
            return list(self._methods)

        return replied(work)

    def mutate(self, name: str, seeds: bytes) -> Reply:
        """The cases of some seeds."""
        some = msgspec.json.decode(seeds, type=list[Seed])
        return replied(lambda: list(self._method(name).mutate(some, self._tools)))

    def compare(self, name: str, trials: bytes) -> Reply:
        """The verdicts on some trials."""
        some = msgspec.json.decode(trials, type=list[Trial])
        return replied(lambda: self._method(name).judge(some, self._tools))

    def _method(self, name: str) -> Any:
        if name not in self._methods:
            self._methods[name] = make_method(name, self._options.parameters.get(name))
        return self._methods[name]


CASES, VERDICTS, OUTPUTS = list[Case], list[Verdict], list[Output]
