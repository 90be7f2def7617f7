"""What a campaign works with, opened on first use: language resources by name and language; systems by URI,
`scheme:rest`, the scheme a registered name, the rest for its factory; and by URI too the models that witnesses ask: a
lens, which says how likely an output is, one of the way back, and a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from typing import Any, Protocol
from urllib.parse import quote

from polyglitch import registry
from polyglitch.errors import LimitReached, Missing, UsageError
from polyglitch.languages import having
from polyglitch.languages import language as language_of
from polyglitch.protocols import (
    Adviser,
    Embedder,
    Floats,
    Lens,
    Parser,
    Proposer,
    QualityEstimator,
    System,
    Tools,
    WhiteBox,
)
from polyglitch.records import Input, Parse, Seed
from polyglitch.registry import about, entries, entry, load

ASKED = "asked of helpers"  # where the store keeps what other systems said


def open_system(uri: str, timeout: float = 60.0) -> System:
    """Open the system a URI names; `timeout` is how many seconds an answer may take."""
    scheme, _, rest = uri.strip().partition(":")
    if not scheme:
        raise UsageError(f"system {uri!r} has no scheme; for example python:my_module:translate")
    found = entry("systems", scheme)
    if not rest.strip() and not found.data.get("bare"):
        example = found.data.get("example") or about("systems", scheme)
        raise UsageError(
            f"system {uri!r} says nothing after {scheme + ':'!r}; for example {example}"
        )
    if timeout <= 0:
        raise UsageError(f"timeout is {timeout:g}; give a number of seconds above 0")
    system = load("systems", scheme)(rest.strip(), timeout=timeout)
    if not isinstance(system, System):
        raise UsageError(
            f"system {uri!r}: {found.target} returned {type(system).__name__}, which lacks "
            f"{', '.join(_lacking(system))}; a system has the shape of polyglitch.protocols.System"
        )
    return system


def with_prompt(uri: str, prompt: str) -> str:
    """The URI of a system that is told a prompt file."""
    scheme, _, rest = uri.strip().partition(":")
    way = entry("systems", scheme).data.get("prompt") if scheme else None
    if way == "option":
        if "prompt=" in rest.partition("?")[2]:
            raise UsageError(f"--prompt {prompt!r}: the system {uri!r} names a prompt already")
        return f"{uri.strip()}{'&' if '?' in rest else '?'}prompt={quote(prompt, safe='/')}"
    if way == "name":
        return f"{scheme}:{prompt}"
    able = [name for name, known in entries("systems").items() if known.data.get("prompt")]
    raise UsageError(
        f"--prompt {prompt!r}: the system {uri!r} takes no prompt; those that do are {', '.join(able)}"
    )


def _lacking(system: object) -> list[str]:
    shape = ("signature", "languages", "batch_size", "parallel", "ask", "close")
    return [name for name in shape if not hasattr(system, name)]


NONE = "none"  # `--lens none`, `--back none`: outputs are judged without one


@cache
def open_lens(uri: str, timeout: float = 60.0) -> Lens | None:
    """The lens that a URI names, opened once a process; nothing for `none`."""
    if uri == NONE:
        return None
    scheme, _, rest = uri.strip().partition(":")
    if scheme in registry.entries("lenses"):
        lens: Lens = registry.load("lenses", scheme)(rest.strip(), timeout=timeout)
        return lens
    system = open_system(uri, timeout)
    if not isinstance(system, Lens):
        system.close()
        raise UsageError(
            f"--lens {uri!r}: this system does not say how likely it finds an output; those that do are firefox:, "
            "bergamot:, gguf: and hf: (translators and language models)"
        )
    system.score([], [])  # loads what it needs, so that a missing package shows before the run
    return system


@cache
def open_back_lens(uri: str) -> Lens | None:
    """The system of the way back as a lens; nothing where it only translates, and for `none`."""
    if uri == NONE:
        return None
    if uri.strip().partition(":")[0] in registry.entries("lenses"):
        return open_lens(uri)
    return own_lens(open_system(uri))


def own_lens(system: System | None) -> Lens | None:
    """The system under test as its own lens, where it says how likely an output is and what that needs is installed."""
    if not isinstance(system, Lens):
        return None
    try:
        system.score([], [])
    except Missing:
        return None
    return system


def lens_elsewhere(named: str | None, system: str) -> Lens | None:
    """The lens of a campaign where its system is not at hand: the one named, else the system opened again."""
    if named:
        return open_lens(named)
    found = open_system(system)
    lens = own_lens(found)
    if lens is None:
        found.close()
    return lens


class BudgetedJudge:
    """A language model that is asked for its opinion, so many times at most."""

    def __init__(self, system: System, budget: int) -> None:
        self._system, self.left = system, budget
        self.signature = system.signature

    def answers(self, questions: Sequence[str]) -> list[str | None]:
        """An answer to each question; nothing to those beyond the budget or that failed."""
        found: list[str | None] = [None] * len(questions)
        count = min(self.left, len(questions))
        size = max(1, self._system.batch_size)
        for start in range(0, count, size):
            some = questions[start : min(start + size, count)]
            self.left -= len(some)
            try:
                outputs = self._system.ask([Input(text) for text in some])
            except LimitReached:
                break  # of characters or cost: what is left stays without an opinion
            for place, output in enumerate(outputs, start):
                found[place] = output.said if output.ok else None
        return found


class WordRank(Protocol):
    """Scores words for a campaign; `rank/` has those that can be named."""

    def scores(self, seeds: Sequence[Seed], parses: Sequence[Parse], tools: Tools) -> list[Floats]:
        """A score for each word of each seed, larger first."""


class Notes(Protocol):
    """What was dear to compute, by its kind and key."""

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What was kept under these keys."""

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values."""


class Keeper(Protocol):
    """A store, or who stands for the one that another process has open."""

    @property
    def outputs(self) -> Notes:
        """Where notes are."""


class Toolbox:
    """Fits `protocols.Tools`; what it computes dearly it keeps in the store."""

    def __init__(
        self,
        store: Keeper | None = None,
        seed: int = 0,
        languages: tuple[str | None, str | None] = (None, None),
        parser: str | None = None,
        corpus: Iterable[Seed] = (),
        system: System | None = None,
        lens: Callable[[], Lens | None] | None = None,
        back: Callable[[], Lens | None] | None = None,
        judge: Adviser | None = None,
        foreign_lens: bool = False,
        quality: QualityEstimator | None = None,
    ) -> None:
        self.seed, self.languages = seed, languages
        self.white_box = system if isinstance(system, WhiteBox) else None
        self._system, self._open_lens, self._open_back = system, lens, back
        self._parser, self._corpus = parser, corpus
        self.judge, self._foreign_lens = judge, foreign_lens
        self.quality = quality
        self.rank: WordRank | None = None
        self._store = store
        self._made: dict[tuple[str, str, str], Any] = {}

    @cached_property
    def lens(self) -> Lens | None:
        """The model that is asked how likely an output is: the one named, else the system itself where it tells."""
        return self._open_lens() if self._open_lens else own_lens(self._system)

    @property
    def lens_is_own(self) -> bool:
        """Whether the lens is the system that wrote the outputs; one that cannot write is not."""
        return not self._foreign_lens and isinstance(self.lens, System)

    @cached_property
    def back_lens(self) -> Lens | None:
        """The model named for it, which says how likely it finds a source after its translation."""
        return self._open_back() if self._open_back else None

    def parser(self, language: str | None) -> Parser:
        """The parser for a language."""
        from polyglitch.nlp.parsers.choose import RememberingParser, open_parser

        known = self._known(language, "parser")
        place = ("parsers", self._parser or "", known)
        if place not in self._made:
            self._made[place] = RememberingParser(open_parser(known, self._parser), known)
        return self._made[place]  # type: ignore[no-any-return]

    def words(self, language: str | None) -> Parser:
        """The parser for a language, or its bare words where none is installed."""
        from polyglitch.nlp.parsers.choose import RememberingParser, open_parser_or_words

        known = self._known(language, "parser")
        place = ("words", self._parser or "", known)
        if place not in self._made:
            opened = open_parser_or_words(known, self._parser)
            self._made[place] = RememberingParser(opened, known)
        return self._made[place]  # type: ignore[no-any-return]

    def proposer(self, name: str, language: str | None) -> Proposer:
        """A proposer by its registered name; what follows a colon is its argument: `masked-lm:FOLDER`."""
        return self._get("proposers", name, language)  # type: ignore[no-any-return]

    def embedder(self, name: str, language: str | None) -> Embedder:
        """An embedder by its registered name."""
        return self._get("embedders", name, language)  # type: ignore[no-any-return]

    def corpus(self) -> Iterable[Seed]:
        """All seeds of the campaign, read from the start."""
        return self._corpus

    def word_ranks(self, seeds: Sequence[Seed], parses: Sequence[Parse]) -> list[Floats] | None:
        """How promising each word of each seed is to change, or nothing when no rank was chosen."""
        return self.rank.scores(seeds, parses, self) if self.rank else None

    def ask(self, uri: str, text: str) -> str | None:
        """What a system that helps to make cases says to a text; asked once, and kept."""
        return self.ask_all(uri, [text])[0]

    def ask_all(self, uri: str, texts: Sequence[str]) -> list[str | None]:
        """The same of several texts, in batches of the system's size."""
        from polyglitch.store.cases import output_key  # brings a library that few helpers need

        place = ("systems", uri, "")
        if place not in self._made:
            self._made[place] = open_system(uri)
        system: System = self._made[place]
        keys = [output_key(system.signature, Input(text)) for text in texts]
        known = self.remember(ASKED, list(dict.fromkeys(keys)))
        todo = {key: Input(text) for key, text in zip(keys, texts, strict=True) if key not in known}
        left, size = list(todo.items()), max(1, system.batch_size)
        for some in (left[start : start + size] for start in range(0, len(left), size)):
            outputs = system.ask([item for _, item in some])
            new = {
                key: output.text if output.ok else ""
                for (key, _), output in zip(some, outputs, strict=True)
            }
            self.keep(ASKED, new)
            known |= new
        return [known[key] or None for key in keys]

    def opened_once(self, place: tuple[str, str, str], make: Callable[[], Any]) -> Any:
        """Something made of these tools, the same for all that is judged with them."""
        if place not in self._made:
            self._made[place] = make()
        return self._made[place]

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What was kept under these keys in this or an earlier run."""
        return self._store.outputs.remember(kind, keys) if self._store else {}

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values for later runs."""
        if self._store:
            self._store.outputs.keep(kind, values)

    def check(self, need: str, source: str | None, target: str | None) -> None:
        """Load what a method says it needs, so that a missing piece shows before the run."""
        kind, _, name = need.partition(":")
        if kind == "parser":
            if name == "target":
                self._check_target(target)
            else:
                self.parser(source)
        elif kind == "proposer":
            self.proposer(name, source)
        elif kind == "embedder":
            self.embedder(name, source)
        elif kind == "data":
            check_data(name, source)
        elif kind == "white box" and self.white_box is None:
            raise UsageError(
                f"{name} looks inside the system, and this one does not show it; the systems that do are "
                "firefox:, bergamot: and hf: in this process (not with --engine ray)"
            )

    def _check_target(self, target: str | None) -> None:
        """The parser of the outputs; whoever lacks it can still compare them as text."""
        from polyglitch.nlp.parsers.choose import how_to_install

        try:
            if getattr(self.parser(target), "tags_only", False):
                what = f"a parser with dependencies for the language {target!r}"
                raise Missing(what, "the structure of its sentences", how_to_install(target or ""))
        except Missing as error:
            other = (
                f"{error.install}; or --param sit.oracle=aligned, or sit.structure=raw (plain text)"
            )
            raise Missing(error.what, error.needed_for, other) from None

    def _get(self, kind: str, name: str, language: str | None) -> Any:
        known = self._known(language, f"{kind[:-1]} {name!r}")
        place = (kind, name, known)
        if place not in self._made:
            registered, _, argument = name.partition(":")
            factory = registry.load(kind, registered)
            more = {"tools": self} if getattr(factory, "wants_tools", False) else {}
            told = (known, argument) if argument else (known,)
            self._made[place] = factory(*told, **more)
        return self._made[place]

    def _known(self, language: str | None, what: str) -> str:
        if language is None:
            raise UsageError(
                f"the {what} must know the language of the text, and the system does not tell; "
                "add --source-language (and --target-language), such as en"
            )
        return language


def check_data(need: str, source: str | None) -> None:
    """Refuse a language that a method cannot read: it has no word list of it, and every case would stay undecided."""
    method, _, file = need.partition(":")
    known = ", ".join(language_of(code).name for code in having(file))
    if source is None:
        raise UsageError(
            f"{method} reads {known} only, and the system does not tell the language of the text; "
            "add --source-language, such as en"
        )
    if language_of(source).file(file) is None:
        raise UsageError(
            f"{method} reads {known} only, and the sentences are in {source!r}, whose folder has no {file}: every case "
            "would stay undecided. Methods that need none of it: rti, sit, facts, relations"
        )
