"""The language resources of a campaign: loaded on first use, by name and language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

from polyglitch import registry
from polyglitch.errors import Missing, UsageError
from polyglitch.languages import having
from polyglitch.languages import language as language_of
from polyglitch.protocols import (
    Adviser,
    Embedder,
    Floats,
    Lens,
    Parse,
    Parser,
    Proposer,
    System,
    Tools,
    WhiteBox,
)
from polyglitch.records import Input, Seed
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store
from polyglitch.systems.uri import own_lens

ASKED = "asked of helpers"  # where the store keeps what other systems said


class WordRank(Protocol):
    """Scores words for a campaign; `rank/` has those that can be named."""

    def scores(self, seeds: Sequence[Seed], parses: Sequence[Parse], tools: Tools) -> list[Floats]:
        """A score for each word of each seed, larger first."""


class Toolbox:
    """Fits `protocols.Tools`; what it computes dearly it keeps in the store."""

    def __init__(
        self,
        store: Store | None = None,
        seed: int = 0,
        languages: tuple[str | None, str | None] = (None, None),
        parser: str | None = None,
        corpus: Iterable[Seed] = (),
        system: System | None = None,
        lens: Callable[[], Lens | None] | None = None,
        back: Callable[[], Lens | None] | None = None,
        judge: Adviser | None = None,
        foreign_lens: bool = False,
    ) -> None:
        self.seed, self.languages = seed, languages
        self.white_box = system if isinstance(system, WhiteBox) else None
        self._system, self._open_lens, self._open_back = system, lens, back
        self._parser, self._corpus = parser, corpus
        self.judge, self._foreign_lens = judge, foreign_lens
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
        """A model of the other direction that says how likely it finds a source after its translation."""
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
        from polyglitch.systems.uri import open_system

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
        from polyglitch.nlp.parsers.spacy import how_to_install

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
