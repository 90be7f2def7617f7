"""Names of parts, looked up lazily: built-in ones from data files, others from entry points.

A kind (`methods`, `systems`, ...) has a file in `resources/registry/` with a table for each name: `target` is
`module:attribute`, `about` a line for `list`. Another package adds its own with an entry point in the group
`polyglitch.KIND`. Nothing is imported before it is asked for. What such a part is, `list` reads from the object: its
`about` if it has one, else the first line of its docstring.

Factories whose products remember their name and arguments, so that a log can rebuild what ran.

A method: a composition of parts that turns seeds into cases, and trials into verdicts and issues.

The oracle of a method by name: the one published with it, or any that `list oracles` shows.

On labelled pairs `witnesses` is better than the oracle published with each method (docs/explanation/oracle.md), so it
is what they use unless told otherwise; a setting of the published one, such as a threshold, asks for that one.
"""

from __future__ import annotations

import inspect
import tomllib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial, wraps
from importlib import import_module
from importlib.resources import files
from inspect import signature
from typing import Any, Generic, Literal, ParamSpec, TypeVar, get_type_hints

import msgspec
from msgspec.structs import replace

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.protocols import IssueBuilder, Mutate, Oracle, Tools
from polyglitch.records import Trial, Verdict

KINDS = (
    "methods", "systems", "metrics", "parsers", "proposers", "embedders", "ranks", "oracles", "changes",
    "lenses",
)  # fmt: skip
P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
PUBLISHED, WITNESSES, ALIGNED = "published", "witnesses", "aligned"
THRESHOLD = "threshold"
ATTENTION = "links=attention"


class Entry(msgspec.Struct, frozen=True):
    """A registered name: where it is found and what it is."""

    name: str
    target: str
    about: str
    data: dict[str, Any] = {}


@cache
def entries(kind: str) -> dict[str, Entry]:
    """All names of a kind, built-in ones first."""
    if kind not in KINDS:
        raise UsageError(f"no kind of part is called {kind!r}{suggest(kind, KINDS)}")
    found: dict[str, Entry] = {}
    table = files("polyglitch").joinpath("resources", "registry", f"{kind}.toml")
    if table.is_file():
        for name, row in tomllib.loads(table.read_text("utf-8")).items():
            more = {key: row[key] for key in row if key not in ("target", "about")}
            found[name] = Entry(name, row["target"], row["about"], more)
    for point in installed_points():
        if point.group != f"polyglitch.{kind}":
            continue
        if point.name in found and found[point.name].target != point.value:
            raise UsageError(
                f"{kind}: {point.name!r} is registered twice, as {found[point.name].target} and as "
                f"{point.value}; uninstall one of the packages or rename its entry point"
            )
        found[point.name] = Entry(point.name, point.value, "")
    return found


@cache
def installed_points() -> tuple[Any, ...]:
    """The entry points of all installed packages, looked through once, not once a kind."""
    from importlib.metadata import entry_points  # a fifth of what `--help` took

    found: Any = entry_points()
    if not hasattr(found, "values"):
        return tuple(found)
    with (
        warnings.catch_warnings()
    ):  # up to Python 3.11 they come by group, which has no other way to all
        warnings.simplefilter("ignore", DeprecationWarning)
        return tuple(point for some in found.values() for point in some)


def about(kind: str, name: str) -> str:
    """A line for `list`: built-in parts have it in their file, those of other packages say it themselves."""
    found = entry(kind, name)
    if found.about:
        return found.about
    package = f"from {found.target.partition(':')[0].partition('.')[0]}"
    try:
        made = load(kind, name)
    except Exception as error:
        return f"{package}, which cannot be imported: {type(error).__name__}: {error}"
    own = made if callable(made) else type(made)
    said = getattr(made, "about", None) or inspect.getdoc(own) or ""
    line = str(said).strip().partition("\n")[0]
    return f"{line} ({package})" if line else package


def entry(kind: str, name: str) -> Entry:
    """One registered name, or an error that says what was probably meant."""
    known = entries(kind)
    if name not in known:
        raise UsageError(f"no {kind[:-1]} is called {name!r}{suggest(name, tuple(known))}")
    return known[name]


def load(kind: str, name: str) -> Any:
    """Import what a name stands for."""
    target = entry(kind, name).target
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def suggest(name: str, known: tuple[str, ...]) -> str:
    """The tail of an error message: the nearest known name and all there are."""
    from rapidfuzz import process

    if not known:
        return "; none is registered"
    near = process.extractOne(name.lower(), known, score_cutoff=60)
    meant = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{meant} available: {', '.join(sorted(known))}"


@dataclass(frozen=True)
class Component(Generic[Q, T]):
    """A callable with a signature: the name of its factory and the arguments it was made with."""

    name: str
    arguments: dict[str, Any]
    call: Callable[Q, T]
    begin: Callable[Q, Callable[[], T]] | None = None  # to go on with something else meanwhile

    def __call__(self, *args: Q.args, **kwargs: Q.kwargs) -> T:
        return self.call(*args, **kwargs)

    @property
    def signature(self) -> str:
        """`name(key=value,...)`, arguments sorted."""
        return (
            f"{self.name}({','.join(f'{k}={show(v)}' for k, v in sorted(self.arguments.items()))})"
        )


def component(factory: Callable[P, Callable[Q, T]]) -> Callable[P, Component[Q, T]]:
    """Make a factory return `Part`s."""
    shape = inspect.signature(factory)

    @wraps(factory)
    def make(*args: P.args, **kwargs: P.kwargs) -> Component[Q, T]:
        bound = shape.bind(*args, **kwargs)
        bound.apply_defaults()
        return Component(factory.__name__, dict(bound.arguments), factory(*args, **kwargs))

    return make


def show(value: object) -> str:
    """An argument as it stands in a signature: the same for equal values, whatever their order."""
    if isinstance(value, (set, frozenset)):
        return "+".join(sorted(map(show, value)))
    if isinstance(value, (list, tuple)):
        return "+".join(map(show, value))
    if isinstance(value, dict):
        return "+".join(f"{key}:{show(value[key])}" for key in sorted(value))
    signature = getattr(value, "signature", None)
    if isinstance(signature, str):
        return signature
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return str(value)


Task = Literal["translation", "question answering", "classification"]


@dataclass(frozen=True)
class Method:
    """What `methods/` is made of; built by a factory whose arguments are the method's parameters."""

    name: str
    task: Task
    mutate: Mutate
    compare: Oracle
    issues: IssueBuilder
    needs: tuple[str, ...] = ()  # "parser", "parser:target", "proposer:NAME", "embedder:NAME";
    # "words:RELATION, ..." names what is left out where no parser is installed;
    # "data:METHOD:FILE" wants a file of the source language
    route: Literal["direct", "round trip"] = "direct"
    language: str | None = None  # of its tests, where the method says it
    capabilities: tuple[
        str, ...
    ] = ()  # the names that a limit may be set for, where they are known

    @property
    def signature(self) -> str:
        """Name and parts, each with its arguments."""
        parts = (self.mutate.signature, self.compare.signature, self.issues.signature)
        return f"{self.name}[{'|'.join(parts)}|route={self.route}]"

    def judge(self, trials: Sequence[Trial], tools: Tools) -> list[Verdict]:
        """What the oracle says of some trials, each verdict with its reason."""
        return self.begin(trials, tools)()

    @property
    def begins(self) -> bool:
        """Whether its oracle leaves part of the work to others once it has begun."""
        return getattr(self.compare, "begin", None) is not None

    def begin(self, trials: Sequence[Trial], tools: Tools) -> Callable[[], list[Verdict]]:
        """Begin to judge: what a model is asked about goes on beside, and the verdicts are there when called for."""
        begin = getattr(self.compare, "begin", None)
        later = begin(trials, tools) if begin else partial(self.compare, trials, tools)
        return lambda: [with_reason(*pair) for pair in zip(trials, later(), strict=True)]


def with_reason(trial: Trial, verdict: Verdict) -> Verdict:
    """The verdict, violated where a follow-up breaks the form that the original's answer kept; never without a reason.

    Left undecided, a system would pass the better the more often it breaks its format.
    """
    if verdict.outcome == "undecided" and (why := trial.out_of_form):
        return Verdict(verdict.case_id, "violated", why, reasons=(why,))
    if verdict.outcome != "violated" or (verdict.reason and verdict.reasons):
        return verdict
    passed = (
        ""
        if verdict.score is None
        else f" (score {verdict.score:g}, limit {verdict.threshold or 0:g})"
    )
    reason = verdict.reason or "; ".join(verdict.reasons) or f"the relation does not hold{passed}"
    return replace(verdict, reason=reason, reasons=verdict.reasons or (reason,))


def choose_oracle(name: str | None, **settings: Any) -> str:
    """The oracle by the name given, else the published one if any of its own settings was given, else `witnesses`."""
    given = [key for key, value in settings.items() if value is not None and value is not False]
    if name is None:
        return PUBLISHED if given else WITNESSES
    if name != PUBLISHED and given:
        raise UsageError(
            f"{given[0]}={settings[given[0]]!r} is a setting of the published oracle, and oracle={name!r} is given; "
            f"leave one of the two out, or give a threshold of its own as oracle={WITNESSES}:0.5"
        )
    return name


def named_oracle(name: str, published: Oracle | None = None) -> Oracle:
    """`published`, or a registered oracle; its settings follow a colon: `aligned:0.5+links=attention`."""
    if name == PUBLISHED and published is not None:
        return published
    registered, _, settings = name.partition(":")
    if registered not in registry.entries("oracles"):
        hint = registry.suggest(registered, (PUBLISHED, *registry.entries("oracles")))
        raise UsageError(f"no oracle is called {registered!r}{hint}")
    factory = registry.load("oracles", registered)
    made: Oracle = factory(**dict(setting(name, factory, text) for text in parts(settings)))
    return made


def oracle_needs(name: str) -> tuple[str, ...]:
    """What an oracle by this name must find in a campaign before it starts."""
    return (f"white box:{ATTENTION}",) if ATTENTION in parts(name.partition(":")[2]) else ()


def with_threshold(oracle: Oracle, threshold: float) -> str | None:
    """How to name an oracle with another threshold, all else as it was made; nothing for those of the papers."""
    if not isinstance(oracle, Component) or oracle.name not in (WITNESSES, ALIGNED):
        return None
    links = oracle.arguments.get("links")
    usual = signature(registry.load("oracles", ALIGNED)).parameters["links"].default
    return f"{oracle.name}:{threshold}" + ("" if links in (None, usual) else f"+links={links}")


def parts(settings: str) -> list[str]:
    """The settings of an oracle, one by one."""
    return settings.split("+") if settings else []


def setting(name: str, factory: Callable[..., Any], text: str) -> tuple[str, Any]:
    """A setting as key and value; a bare number is the threshold."""
    key, value = text.split("=", 1) if "=" in text else (THRESHOLD, text)
    known = signature(factory).parameters
    if key not in known:
        hint = registry.suggest(key, tuple(known)) if known else ""
        raise UsageError(f"oracle={name!r}: no {key}{hint}; leave {text!r} out")
    try:
        return key, msgspec.convert(value, get_type_hints(factory)[key], strict=False)
    except msgspec.ValidationError:
        remedy = "a threshold such as aligned:0.5" if key == THRESHOLD else "another value"
        raise UsageError(
            f"oracle={name!r}: {value!r} is no {'number' if key == THRESHOLD else key}; give {remedy}"
        ) from None
