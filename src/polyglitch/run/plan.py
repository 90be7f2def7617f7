"""Before a run: everything a campaign names is opened and checked, the run gets its identity, and an engine to work on:
here, or spread over a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from polyglitch import __version__, registry
from polyglitch.campaign import Campaign, make_method
from polyglitch.corpus.read import Corpus, open_corpus
from polyglitch.errors import Missing, UsageError, as_works_here
from polyglitch.languages import DEFAULT, two_letters
from polyglitch.languages import language as language_of
from polyglitch.languages.record import guess_language
from polyglitch.mutate.capabilities.spec import GENERAL, load_suite
from polyglitch.mutate.without_case import reasons_without_case
from polyglitch.nlp.parsers.choose import choose, how_to_install
from polyglitch.protocols import Remote, System
from polyglitch.rank.cached_rank import check_rank
from polyglitch.records import Case, Seed, Trial, Verdict, digest, encode
from polyglitch.registry import Method, suggest
from polyglitch.run.workers import Foreman
from polyglitch.store.store import Store
from polyglitch.systems.prompts import Prompt, load_prompt
from polyglitch.systems.spending import Limits, Meter
from polyglitch.tools import (
    NONE,
    Toolbox,
    check_data,
    open_back_lens,
    open_lens,
    open_system,
    with_prompt,
)

GENERAL_METHOD = "relations"
READS = ("parser", "proposer:", "data:")  # needs of methods that read a language
LOOKED_AT = 50  # sentences by which a language is told: a few have all of its common words


@dataclass(frozen=True)
class Plan:
    """The opened parts of a campaign and what makes its runs the same or different."""

    methods: tuple[Method, ...]
    systems: tuple[System, ...]  # there, and back for a round trip
    languages: tuple[str | None, str | None]
    corpus: Corpus
    definition: dict[str, Any]
    meter: Meter  # of what is spent on systems over the network
    judge: System | None = None  # asked for a second opinion
    left_out: str = ""  # relations for which no parser is installed
    unspoken: str = ""  # relations for which the language has no words
    guessed: str = ""  # the language of the sentences, where nobody told it

    @property
    def remark(self) -> str:
        """What a person should know before the first question, and of the counts of a service."""
        told = []
        if self.guessed:
            name = language_of(self.guessed).name
            told = [f"the sentences are taken for {name}; --source-language tells another language"]
        if self.left_out:
            install = as_works_here(how_to_install(self.languages[0] or DEFAULT))
            told += [
                f"without a parser these relations are left out: {self.left_out}. For them: {install}"
            ]
        if self.unspoken:
            told.append(
                f"these relations have no words in {self.languages[0]!r} and are left out: {self.unspoken}. "
                "docs/how-to/add-a-language.md says how they get some"
            )
        return ". ".join(told) or self.meter.remark

    @property
    def run_id(self) -> str:
        """The name of the run: the same campaign goes on where it was."""
        content = self.definition | {"corpus": self.definition["corpus"]["digest"]}
        del content["opened"]
        return digest([encode(content)])


Open = Callable[[str, float], System]


def open_plan(campaign: Campaign, open_one: Open = open_system) -> Plan:
    """Open methods, systems and corpus, or say what is wrong with the first that is."""
    if not campaign.methods:
        raise UsageError(
            "no method to run; name one with --method, `polyglitch list methods` shows them"
        )
    if not campaign.corpus:
        raise UsageError("no corpus; name a file with --corpus, or `sample` for the bundled one")
    stray = set(campaign.parameters) - set(campaign.methods)
    if stray:
        raise UsageError(
            f"parameters for {', '.join(sorted(stray))}, which is not among the methods to run"
        )
    methods = tuple(make_method(name, campaign.parameters.get(name)) for name in campaign.methods)
    registry.entry("ranks", campaign.rank)  # a wrong name shows before any model is loaded
    systems = open_systems(campaign, methods, open_one)
    judge = open_one(campaign.judge, campaign.timeout) if campaign.judge else None
    meter = set_limits(campaign, (*systems, *((judge,) if judge else ())))
    if campaign.rank != "none":
        check_rank(campaign.rank, systems[0], lens=campaign.lens not in (None, NONE))
    source, target = systems[0].languages
    source = source or next((method.language for method in methods if method.language), None)
    told = campaign.source_language or source
    corpus, guessed = guessed_corpus(campaign, methods, told)
    languages = (told or guessed or None, campaign.target_language or target)
    refuse_lost_context(methods, systems[0], corpus)
    left_out = relations_left_out(campaign, methods, languages[0] or DEFAULT)
    unspoken = relations_unspoken(methods, languages[0] or DEFAULT)
    definition = define(campaign, methods, systems, languages, corpus)
    definition |= {"left_out": left_out} if left_out else {}
    if judge:
        definition["judge"] = f"{judge.signature}|budget={campaign.judge_budget}"
    guess = guessed if not told else ""
    return Plan(
        methods, systems, languages, corpus, definition, meter, judge, left_out, unspoken, guess
    )


def guessed_corpus(
    campaign: Campaign, methods: tuple[Method, ...], told: str | None
) -> tuple[Corpus, str]:
    """The corpus, and the language that its sentences are plainly in where a method reads languages; else nothing.

    A method that has word lists of one language alone refuses what is plainly in another, whatever was told.
    """
    corpus = campaign_corpus(campaign, told)
    reading = [need for method in methods for need in method.needs if need.startswith(READS)]
    lists = [need.partition(":")[2] for need in reading if need.startswith("data:")]
    if (told and not lists) or not reading:
        return corpus, ""
    texts = [seed.input.text for seed in islice(corpus, LOOKED_AT)]
    guessed = guess_language(texts)
    for need in lists if guessed and guessed != two_letters(told) else ():
        check_data(need, guessed)
    return (campaign_corpus(campaign, guessed), guessed) if guessed and not told else (corpus, "")


def relations_left_out(campaign: Campaign, methods: tuple[Method, ...], language: str) -> str:
    """The relations that only a parser could make, where there is none."""
    needs = [need for method in methods for need in method.needs if need.startswith("words:")]
    lacking = needs and campaign.parser is None and choose(language) is None
    named = (
        [name for need in needs for name in need.partition(":")[2].split(", ")] if lacking else []
    )
    unspoken = relations_unspoken(methods, language).split(", ")
    return ", ".join(name for name in named if name not in unspoken)


def relations_unspoken(methods: tuple[Method, ...], language: str) -> str:
    """The relations whose words nobody wrote down for a language."""
    named = {
        name for method in methods if method.name == GENERAL_METHOD for name in method.capabilities
    }
    if not named:
        return ""
    from polyglitch.mutate.relations import speaks

    made = [each for each in load_suite(GENERAL) if each.name in named]
    return ", ".join(each.name for each in made if not speaks(each.change, language))


def refuse_lost_context(methods: tuple[Method, ...], system: System, corpus: Corpus) -> None:
    """Refuse to ask questions of a model whose prompt leaves out the context they are about."""
    asking = [method.name for method in methods if method.task == "question answering"]
    if not asking or getattr(system, "reads_context", True):
        return
    first = next(iter(corpus), None)
    if first is not None and first.input.context:
        raise UsageError(
            f"{asking[0]} on {system.signature}: the questions have a context, and its prompt has no place for it; "
            "name one that has {context}, such as ?prompt=qa, or ?prompt=unifiedqa for a UnifiedQA model"
        )


def prompted(campaign: Campaign) -> Campaign:
    """The campaign with its prompt told to the system, and what it declares to the methods that ask."""
    if campaign.prompt is None:
        return campaign
    parts = feature_prompt(campaign.prompt).parts
    parameters = dict(campaign.parameters)
    for name in campaign.methods:
        if registry.entry("methods", name).data.get("parts") and parts:
            parameters[name] = {"parts": list(parts)} | parameters.get(name, {})
    system = with_prompt(campaign.system, campaign.prompt) if campaign.system else ""
    return replace(campaign, system=system, parameters=parameters)


def feature_prompt(name: str) -> Prompt:
    """A prompt with all that any system may understand of it."""
    from polyglitch.systems.http.openai import RemotePrompt

    return load_prompt(name, RemotePrompt)


def campaign_corpus(campaign: Campaign, language: str | None) -> Corpus:
    """The corpus of a campaign, read as its options say and its prompt asks."""
    variables = feature_prompt(campaign.prompt).variables if campaign.prompt else {}
    return open_corpus(
        campaign.corpus,
        text=campaign.text_column,
        label=campaign.label_column,
        context=campaign.context_column,
        fields=campaign.fields,
        format=campaign.format,
        encoding=campaign.encoding,
        language=language,
        variables=variables,
    )


def open_systems(
    campaign: Campaign, methods: tuple[Method, ...], open_one: Open = open_system
) -> tuple[System, ...]:
    """The system under test and, where a method makes a round trip, the one for the way back."""
    if not campaign.system:
        raise UsageError("no system to test; name one with --system, such as firefox:en-pt")
    uris = [campaign.system]
    trips = [method.name for method in methods if method.route == "round trip"]
    if trips:
        if not campaign.back or campaign.back == NONE:
            raise UsageError(f"{trips[0]} needs a system for the way back; name it with --back")
        uris.append(campaign.back)
    return tuple(open_one(uri, campaign.timeout) for uri in uris)


def limits_of(campaign: Campaign) -> Limits:
    """How hard a system over the network may be asked."""
    return Limits(
        concurrency=campaign.jobs or Limits().concurrency,
        rate=campaign.rate,
        char_rate=campaign.char_rate,
        retries=campaign.retries,
        price=campaign.price,
        max_chars=campaign.max_chars,
        max_cost=campaign.max_cost,
    )


def set_limits(campaign: Campaign, systems: tuple[System, ...]) -> Meter:
    """Tell systems over the network how hard they may be asked; the meter that they share."""
    limits = limits_of(campaign)
    meter = Meter(limits)
    remote = [system for system in systems if isinstance(system, Remote)]
    if meter.limited and not remote:
        raise UsageError(
            f"--max-chars and --max-cost are for systems over the network, and {campaign.system!r} runs here; "
            "--budget bounds the queries of any system"
        )
    for system in remote:
        system.limit(limits, meter)
    return meter


def define(
    campaign: Campaign,
    methods: tuple[Method, ...],
    systems: tuple[System, ...],
    languages: tuple[str | None, str | None],
    corpus: Corpus,
) -> dict[str, Any]:
    """All that can change a case or a verdict; and, apart from it, what opens the same parts again."""
    return {
        "version": __version__,
        "methods": [
            {"name": method.name, "signature": method.signature, "route": method.route}
            for method in methods
        ],
        "systems": [system.signature for system in systems],
        "languages": list(languages),
        "corpus": {
            "name": campaign.corpus,
            "digest": corpus.digest(limited=campaign.limit is not None),
        },
        "limit": campaign.limit,
        "budget": campaign.budget,
        "rank": campaign.rank,
        "parser": campaign.parser,
        "seed": campaign.seed,
        **({"repeat": campaign.repeat} if campaign.repeat > 1 else {}),
        **({"labels": campaign.labels} if campaign.labels else {}),
        **({"lens": lens_signature(campaign.lens)} if campaign.lens else {}),
        **({"back": back_signature(campaign.back)} if campaign.back and len(systems) < 2 else {}),
        "opened": {
            "system": campaign.system,
            "parameters": campaign.parameters,
            **{key: uri for key in ("lens", "back") if (uri := getattr(campaign, key))},
        },
    }


def lens_signature(uri: str) -> str:
    """The lens as it was opened; a wrong name shows here, before the run."""
    lens = open_lens(uri)
    return lens.signature if lens else uri


def back_signature(uri: str) -> str:
    """The way back as oracles may ask it, where no method makes a round trip; `none` if it only translates."""
    lens = open_back_lens(uri)
    return lens.signature if lens else NONE


def signature(definition: dict[str, Any]) -> str:
    """A definition in one line, in the manner of sacreBLEU."""
    parts = {
        "polyglitch": definition["version"],
        "methods": "+".join(method["signature"] for method in definition["methods"]),
        "systems": "+".join(definition["systems"]),
        "languages": "-".join(language or "?" for language in definition["languages"]),
        "corpus": definition["corpus"]["digest"],
    }
    parts |= {
        key: definition[key]
        for key in (
            "limit",
            "budget",
            "rank",
            "parser",
            "seed",
            "repeat",
            "left_out",
            "lens",
            "back",
            "judge",
        )
        if definition.get(key) is not None
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


ENGINES = ("local", "ray")

T = TypeVar("T")
Languages = tuple[str | None, str | None]
Later = Callable[[], T]  # a result that may still be under way; calling it waits


class Engine(Protocol):
    """Opens systems, makes cases and judges trials."""

    @property
    def ahead(self) -> int:
        """Pieces of work to be handed over before the first of them is waited for."""

    @property
    def grace(self) -> float:
        """Seconds beyond the timeout that an answer may take because a machine was lost."""

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test."""

    @property
    def loads_beside(self) -> bool:
        """Whether this process has nothing to do while what the methods need is loaded."""

    def start(self, methods: Sequence[Method], tools: Toolbox) -> Later[None]:
        """Get ready for these methods; calling it waits, and says what is missing."""

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases of some seeds."""

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """What the method's oracle says of some trials."""

    def without_case(self, method: Method, seeds: Sequence[Seed]) -> dict[str, int]:
        """How many of some seeds have no case for which reason."""

    def foreman(self, run: str, store: Store, languages: Languages) -> Foreman | None:
        """Who hands cases to workers that ask, judge and keep; nobody where all of that is done here."""

    def close(self) -> None:
        """Let go of machines and processes."""


class LocalEngine:
    """This process: everything when it is asked for, nothing ahead."""

    ahead = 0
    grace = 0.0
    loads_beside = False

    def open_system(self, uri: str, timeout: float) -> System:
        """The system under test."""
        return open_system(uri, timeout)

    def start(self, methods: Sequence[Method], tools: Toolbox) -> Later[None]:
        """Load what the methods need."""
        self._tools = tools
        for method in methods:
            for need in method.needs:
                tools.check(need, *tools.languages)
        return lambda: None

    def mutate(self, method: Method, seeds: Sequence[Seed]) -> Later[Iterable[Case]]:
        """The cases, made while they are walked through."""
        return lambda: method.mutate(seeds, self._tools)

    def compare(self, method: Method, trials: Sequence[Trial]) -> Later[list[Verdict]]:
        """The verdicts, begun now."""
        return method.begin(trials, self._tools)

    def without_case(self, method: Method, seeds: Sequence[Seed]) -> dict[str, int]:
        """Why no case came of some seeds."""
        return reasons_without_case(method.mutate, seeds, self._tools)

    def foreman(self, run: str, store: Store, languages: Languages) -> None:
        """This process is the only one."""

    def close(self) -> None:
        """Nothing is held."""


def open_engine(campaign: Campaign) -> Engine:
    """The engine that a campaign names: `local`, `ray`, or `ray:ADDRESS` of a cluster that runs already."""
    name, _, address = campaign.engine.partition(":")
    if name not in ENGINES:
        raise UsageError(f"--engine {campaign.engine!r}: no such engine{suggest(name, ENGINES)}")
    if name == "local":
        from polyglitch.run.second_process import started

        return started(campaign) or LocalEngine()
    if campaign.rank != "none":
        raise UsageError(
            f"--rank {campaign.rank} looks into a model in this process, and --engine ray has it elsewhere; "
            "leave one of the two out"
        )
    try:
        from polyglitch.run.ray_engine import RayEngine
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise Missing("ray", "--engine ray", "pip install 'polyglitch[ray]'") from None
    return RayEngine(campaign, address)
