"""The contracts between the parts. Nothing here is to be subclassed: fitting the shape is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec

from polyglitch.files.lazy_numpy import np, npt
from polyglitch.records import (
    Candidate,
    Case,
    Filling,
    FreeFilling,
    Gap,
    Input,
    Issue,
    OpenPlace,
    Output,
    Parse,
    Seed,
    Slot,
    Trial,
    Verdict,
)

if TYPE_CHECKING:
    from polyglitch.systems.spending import Limits, Meter, Spent

Floats: TypeAlias = "npt.NDArray[np.float32]"


@runtime_checkable
class System(Protocol):
    """Something under test: a batch of inputs in, as many outputs out, in order."""

    @property
    def signature(self) -> str:
        """Model, version and parameters: all that changes the output, and nothing else."""

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Source and target language as two-letter codes, where they are known."""

    @property
    def batch_size(self) -> int:
        """How many inputs a call should carry."""

    @property
    def parallel(self) -> int:
        """How many calls may be under way at once."""

    def ask(self, inputs: Sequence[Input]) -> Sequence[Output]:
        """Answer each input. Failures are outputs with a status, not exceptions."""

    def close(self) -> None:
        """Let go of processes and connections."""


@runtime_checkable
class Remote(System, Protocol):
    """A system over the network: it keeps its own time and limits, and gives each answer as it comes."""

    def limit(self, limits: Limits, meter: Meter) -> None:
        """Set how hard it may be asked, and which meter counts what is spent; before the first question."""

    def expected(self, item: Input) -> Spent:
        """What asking an input once will cost at most."""

    def stream(self, inputs: Sequence[Input]) -> Iterator[dict[int, Output]]:
        """Answers by the number of their input; ends with LimitReached where some are left unasked."""


class Inspection(msgspec.Struct, frozen=True):
    """What a white box shows of one input and one output."""

    source_tokens: tuple[str, ...]
    source_spans: tuple[tuple[int, int], ...]  # characters of the input text; (0, 0) for specials
    gradients: Floats  # one norm a source token
    target_tokens: tuple[str, ...]
    probabilities: Floats  # one a target token
    attention: Floats  # target x source
    salience: Floats | None = None  # gradient times input, where the system gives it
    context_spans: tuple[
        tuple[int, int], ...
    ] = ()  # characters of the context, as source_spans are of the text


@runtime_checkable
class WhiteBox(System, Protocol):
    """A system that can be looked into. One call serves both GRI and WALI."""

    def inspect(
        self, inputs: Sequence[Input], outputs: Sequence[str] | None = None
    ) -> Sequence[Inspection]:
        """Look into each input with the given outputs, or with the system's own."""


class TokenScore(NamedTuple):
    """How likely a model finds a piece of a text, after all that stands before it."""

    start: int  # characters of the text
    end: int
    log_probability: float


@runtime_checkable
class Lens(Protocol):
    """A model that says how likely it finds any output for an input: its own, or another system's."""

    @property
    def signature(self) -> str:
        """Model, version and parameters."""

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> Sequence[Sequence[TokenScore]]:
        """The pieces of each output in order, each with its log-probability given the input and what came before.

        `language` is that of the outputs, for models that must be told."""


class ForcedReading(msgspec.Struct, frozen=True):
    """How likely a model finds the pieces of an output, and which of the input each looks at."""

    log_probabilities: Floats  # one a piece, the end of the output too
    source_spans: tuple[tuple[int, int], ...]  # characters of the input text; (0, 0) for specials
    attention: Floats  # pieces of the output x of the input


@runtime_checkable
class AligningLens(Lens, Protocol):
    """A lens that also shows what each piece of an output hangs on, without gradients."""

    def read(self, inputs: Sequence[Input], outputs: Sequence[str]) -> Sequence[ForcedReading]:
        """The pieces of each output, always the same ones for the same output."""


@runtime_checkable
class FocusedLens(Lens, Protocol):
    """A lens that saves work where only a few words of an output are asked about."""

    def score_at(
        self,
        inputs: Sequence[Input],
        outputs: Sequence[str],
        places: Sequence[Sequence[tuple[int, int]] | None],
        language: str | None = None,
    ) -> Sequence[Sequence[TokenScore]]:
        """The pieces that touch the given characters of each output, with the same numbers as `score`; all for None."""


class Adviser(Protocol):
    """A model that is asked for a second opinion, within a budget."""

    @property
    def signature(self) -> str:
        """Model, version and parameters."""

    def answers(self, questions: Sequence[str]) -> list[str | None]:
        """An answer to each question; nothing to those beyond the budget or that failed."""


class QualityEstimator(Protocol):
    """Says how good a translation of its source is: COMET-Kiwi, MetricX, a function of yours; higher is better."""

    @property
    def signature(self) -> str:
        """Model, version and parameters."""

    @property
    def noticed(self) -> float:
        """The difference of two estimates that a reader notices, so that estimators of any scale can be weighed."""

    def estimate(self, sources: Sequence[str], translations: Sequence[str]) -> Sequence[float]:
        """One number a translation."""


@runtime_checkable
class Parser(Protocol):
    """Tags and dependencies for the sentences of one language."""

    @property
    def signature(self) -> str:
        """Name and version of the model."""

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse each text, batched."""

    def skim(self, texts: Sequence[str]) -> list[Parse]:
        """Tags and dependencies of each text, without the rest where that is cheaper."""


@runtime_checkable
class Proposer(Protocol):
    """Words that fit a slot, best first, without the word that stands there."""

    @property
    def signature(self) -> str:
        """Name, version and parameters."""

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` candidates for each slot."""


@runtime_checkable
class PhraseFiller(Protocol):
    """A proposer that can also put several words where there were none."""

    def fill(
        self, gaps: Sequence[Gap], allowed: Callable[[str, str], bool], top: int
    ) -> list[list[Filling]]:
        """At most `top` fillings for each gap, the best first."""


@runtime_checkable
class FreeFiller(Protocol):
    """A proposer that can put any words it knows where a grammar has a phrase more."""

    def fill_places(
        self,
        asked: Sequence[tuple[str, Sequence[OpenPlace]]],
        allowed: Callable[[str, str], bool],
    ) -> list[list[list[FreeFilling]]]:
        """For each text and each of its places some fillings, the best first."""


@runtime_checkable
class Embedder(Protocol):
    """Texts as unit vectors whose dot product is their similarity."""

    @property
    def signature(self) -> str:
        """Name and version of the model."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text."""


@runtime_checkable
class WordEmbedder(Embedder, Protocol):
    """An embedder that knows words as they stand in their texts."""

    def embed_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[Floats]:
        """For each text one unit row a span of characters."""


@runtime_checkable
class Metric(Protocol):
    """Two texts in, a number out."""

    @property
    def name(self) -> str:
        """As `measure --metric` knows it."""

    @property
    def direction(self) -> Literal["similarity", "distance"]:
        """Whether higher means more alike or further apart."""

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest value."""

    @property
    def signature(self) -> str:
        """Name, version and parameters, in the manner of sacreBLEU."""

    def score(self, pairs: Iterable[tuple[str, str]]) -> list[float]:
        """One number a pair."""


class Tools(Protocol):
    """The language resources of a campaign: loaded on first use, chosen by name and language."""

    @property
    def seed(self) -> int:
        """Where every random choice starts."""

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """Source and target language of the campaign, where they are known."""

    @property
    def white_box(self) -> WhiteBox | None:
        """The system under test, where it runs here and can be looked into."""

    @property
    def lens(self) -> Lens | None:
        """The model that is asked how likely an output is: the one named, else the system itself where it tells."""

    @property
    def lens_is_own(self) -> bool:
        """Whether the lens is the system that wrote the outputs, as far as is known."""

    @property
    def back_lens(self) -> Lens | None:
        """A model of the other direction that says how likely it finds a source after its translation.

        The one named, else the other direction of the system itself where it is the lens and has one.
        """

    @property
    def judge(self) -> Adviser | None:
        """The language model that is asked where other witnesses are unsure."""

    @property
    def quality(self) -> QualityEstimator | None:
        """What says how good a translation of its source is."""

    def parser(self, language: str | None) -> Parser:
        """The parser for a language."""

    def words(self, language: str | None) -> Parser:
        """The parser for a language, or its bare words where none is installed."""

    def proposer(self, name: str, language: str | None) -> Proposer:
        """A proposer by its registered name."""

    def embedder(self, name: str, language: str | None) -> Embedder:
        """An embedder by its registered name."""

    def corpus(self) -> Iterable[Seed]:
        """All seeds of the campaign, for methods that draw on more than the seed at hand."""

    def word_ranks(self, seeds: Sequence[Seed], parses: Sequence[Parse]) -> list[Floats] | None:
        """How promising each word of each seed is to change, or nothing when no rank was chosen."""

    def ask(self, uri: str, text: str) -> str | None:
        """What another system than the one under test says to a text, asked once; nothing where it fails."""

    def ask_all(self, uri: str, texts: Sequence[str]) -> list[str | None]:
        """The same of several texts, in batches."""

    def remember(self, kind: str, keys: Sequence[str]) -> dict[str, Any]:
        """What was kept under these keys in this or an earlier run."""

    def keep(self, kind: str, values: dict[str, Any]) -> None:
        """Keep JSON values for later runs: parses, proposals, whatever is dear to compute."""


class Mutate(Protocol):
    """Makes cases from seeds, lazily, all cases of a seed one after the other."""

    @property
    def signature(self) -> str:
        """Name and arguments."""

    def __call__(self, seeds: Sequence[Seed], tools: Tools, /) -> Iterator[Case]:
        """Cases for some seeds."""


class Oracle(Protocol):
    """Says of each trial whether the relation holds."""

    @property
    def signature(self) -> str:
        """Name and arguments."""

    def __call__(self, trials: Sequence[Trial], tools: Tools, /) -> list[Verdict]:
        """One verdict a trial, in order; undecided with a reason where it cannot tell."""


class IssueBuilder(Protocol):
    """Turns the violations of one seed into what a person looks at."""

    @property
    def signature(self) -> str:
        """Name and arguments."""

    def __call__(self, seed: Seed, violations: Sequence[tuple[Trial, Verdict]], /) -> list[Issue]:
        """The issues of a seed, none if nothing was violated."""


# What the factories of these parts write; `part` adds the signature that makes them fit the protocols.
Mutation = Callable[[Sequence[Seed], Tools], Iterator[Case]]
Comparison = Callable[[Sequence[Trial], Tools], list[Verdict]]
IssueRule = Callable[[Seed, Sequence[tuple[Trial, Verdict]]], list[Issue]]
