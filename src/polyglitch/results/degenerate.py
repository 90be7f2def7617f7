"""Whether a system answers at all: one answer to everything, the input given back, or refusals.

Relations compare a system with itself, and who always says the same agrees with himself: without this look at the
answers, such a system passes every test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from polyglitch.compare.metrics.units import letters_only
from polyglitch.compare.oracles.labels import ANSWERED, read_label
from polyglitch.languages import DEFAULT
from polyglitch.records import Case, Input, Output
from polyglitch.represent.claims.answer import read_answer
from polyglitch.results.history import History
from polyglitch.systems.answers import refuses

LIMIT = 0.2  # one answer in five that is none: well above what names and set phrases bring about
LOOKED_AT = 20_000  # inputs: the share is known to a percent, and memory stays bounded
AT_ONCE = 500  # cases read together
FEWEST = 3  # inputs below which nothing can be said
LABEL_WORDS = 3  # an answer of so few words may be a label: few different ones are normal
SENTENCE_WORDS = 4  # names and terms are often the same in another language, sentences are not
UNSPACED = 8  # letters that make a sentence of sorts where words are not set apart
MOST_LABELS = 12  # different short answers: more are no labels
FLIPPING = (
    "flipped",
    "opposite answer",
    "differs",
    "follows",
)  # relations that ask for another answer


TAKEN_OUT = "differs"
NO_ANSWER = ("unknown", "refusal")
PARTS = (("p50", 0.5), ("p95", 0.95))  # of the answers, by how long they took


class Degenerate(msgspec.Struct, frozen=True):
    """How many of the different inputs got no answer of their own, and in which way."""

    inputs: int = 0
    distinct: int = 0  # different answers
    alike: int = 0
    copied: int = 0
    refused: int = 0
    share: float = 0.0
    found: bool = False
    example: str = ""  # the answer that was given most often

    @property
    def sentence(self) -> str:
        """What a report says first, or nothing."""
        if not self.found:
            return ""
        ways = {
            f"answered alike (answers in all: {self.distinct:,})": self.alike,
            "answered with the input itself": self.copied,
            "refused": self.refused,
        }
        told = ", ".join(f"{count:,} were {way}" for way, count in ways.items() if count)
        return (
            f"The system is degenerate: of {self.inputs:,} different inputs {told}. "
            "What holds says nothing about it."
        )


class AnswerGroup(msgspec.Struct):
    """An answer: how many inputs got it, of which seeds."""

    inputs: int
    seeds: set[str]  # three tell enough
    text: str


class Look(msgspec.Struct):
    """What is gathered of the answers of a run."""

    translation: set[str]  # methods that test translators
    questions: set[str]  # methods that test who answers questions
    languages: tuple[str | None, str | None]
    inputs: int = 0
    copied: int = 0
    refused: int = 0
    texts: dict[int, AnswerGroup] = {}  # by a hash: the texts themselves may be long
    labels: Counter[str] = msgspec.field(default_factory=Counter)
    seeds: set[str] = set()  # three tell enough
    expected: set[str] | None = None  # labels that would do for every test
    several: bool = False  # more than one label is asked for
    asked: bool = False  # questions that yes and no do not answer
    pairs: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)  # label said, wanted
    seconds: list[float] = []  # that each answer took
    tokens: tuple[int, int] = (0, 0)  # read and written, where the service tells

    def add(self, case: Case, item: Input, output: Output) -> None:
        """Count the answer to an input that was not seen before."""
        self.inputs += 1
        remember(self.seeds, case.seed_id)
        if output.ok:
            self.seconds.append(output.seconds)
        read, written = output.tokens or (0, 0)
        self.tokens = self.tokens[0] + read, self.tokens[1] + written
        if rightly_unknown(case, item, output):
            self.inputs -= 1
        elif output.status == "refused" or (self.reads_refusals(case) and refuses(output.said)):
            self.refused += 1
        elif not output.ok:
            self.inputs -= 1
        elif self.is_copy(item, output, case.method):
            self.copied += 1
        elif case.method not in self.translation and label_like(output):
            self.labels[read_label(output)[0].casefold()] += 1
        else:
            self.add_text(case, output.said)

    def add_text(self, case: Case, text: str) -> None:
        """Count an answer in free text."""
        key = hash(letters_only(text))
        group = self.texts.setdefault(key, AnswerGroup(0, set(), text[:200]))
        group.inputs += 1
        remember(group.seeds, case.seed_id)

    def add_wanted(self, case: Case, output: Output) -> None:
        """Note what a case asks for."""
        self.several |= case.relation.partition(":")[0] in FLIPPING
        self.asked |= case.method in self.questions
        if not case.expected:
            return
        wanted = set(case.expected)
        self.expected = wanted if self.expected is None else self.expected & wanted
        self.several |= not self.expected
        if output.ok and label_like(output) and len(wanted) == 1:
            self.pairs[output.said.strip(), case.expected[0]] += 1

    def reads_refusals(self, case: Case) -> bool:
        """Whether a refusal can be told from an answer: a translator into English may rightly say "I am sorry"."""
        return case.method not in self.translation or self.languages[1] not in (None, DEFAULT)

    def is_copy(self, item: Input, output: Output, method: str) -> bool:
        """Whether a translator between two languages gave a sentence back, or a question is answered with itself."""
        source, target = self.languages
        if method in self.questions:
            source, target = "question", "answer"
        if (
            method not in self.translation | self.questions
            or not source
            or not target
            or source == target
        ):
            return False
        words = item.text.split()
        letters = letters_only(item.text)
        sentence = len(words) >= SENTENCE_WORDS or (
            len(words) == 1 and not item.text.isascii() and len(letters) >= UNSPACED
        )
        return sentence and letters == letters_only(output.text)

    def alike(self) -> int:
        """Inputs whose answer others got that ask for another one."""
        across = max(2, min(len(self.seeds), 3)) if not self.translation else 2
        only = len(self.texts) == 1 and bool(self.translation)
        found = sum(g.inputs for g in self.texts.values() if len(g.seeds) >= across or only)
        return found + (sum(self.labels.values()) if self.one_label() else 0)

    def one_label(self) -> bool:
        """Whether one label came back for everything where more are asked for."""
        if len(self.labels) != 1 or self.texts:
            return False
        (said,) = self.labels
        names_a_thing = said not in ("yes", "no") and self.asked and len(self.seeds) >= FEWEST
        return self.several or names_a_thing

    def result(self) -> Degenerate:
        """The figure."""
        if self.inputs < FEWEST:
            return Degenerate(self.inputs)
        alike = self.alike()
        share = (alike + self.copied + self.refused) / self.inputs
        most = max(self.texts.values(), key=lambda group: group.inputs, default=None)
        example = most.text if most and most.inputs > 1 else next(iter(self.labels), "")
        return Degenerate(
            self.inputs,
            len(self.texts) + len(self.labels),
            alike,
            self.copied,
            self.refused,
            round(share, 4),
            share >= LIMIT,
            example if alike else "",
        )

    def effort(self) -> dict[str, dict[str, Any]]:
        """What the answers took: seconds of the middle one and of one in twenty, and tokens in all."""
        ordered = sorted(self.seconds)
        if not ordered:
            return {"latency": {}, "tokens": {}}
        at = {
            name: ordered[min(len(ordered) - 1, int(part * len(ordered)))] for name, part in PARTS
        }
        read, written = self.tokens
        return {
            "latency": {name: round(value, 4) for name, value in at.items()},
            "tokens": {"read": read, "written": written} if read or written else {},
        }

    def proposal(self) -> dict[str, str]:
        """Names for labels of which no test knows one, by what was wanted when each was said most often."""
        wanted = {name for _, name in self.pairs}
        said = {name for name, _ in self.pairs}
        known = {ANSWERED.get(name.casefold(), name) for name in said}
        if not said or len(said) > MOST_LABELS or known & wanted:
            return {}
        found: dict[str, str] = {}
        for (name, label), _ in self.pairs.most_common():
            if name not in found and label not in found.values():
                found[name] = label
        return dict(sorted(found.items()))


def rightly_unknown(case: Case, item: Input, output: Output) -> bool:
    """Whether "not known" is what was asked for: the answer was taken out of the input."""
    taken_out = case.relation.partition(":")[0] == TAKEN_OUT and item != case.inputs[0]
    return taken_out and output.ok and read_answer(output.said).stance in NO_ANSWER


def spoken(item: Input) -> list[str]:
    """What an input says beside its text."""
    context = [item.context] if item.context else []
    return [*context, *(turn.text for turn in item.turns), *item.values.values()]


def remember(some: set[str], name: str) -> None:
    """Add a name to a set of a few."""
    if len(some) < FEWEST:
        some.add(name)


def label_like(output: Output) -> bool:
    """Whether an answer is a label, or as short as one."""
    return output.label is not None or len(output.text.split()) <= LABEL_WORDS


def look_at_answers(
    history: History, tasks: Mapping[str, str]
) -> tuple[Degenerate, dict[str, str], dict[str, dict[str, Any]]]:
    """Whether the system of a run is degenerate, names for labels that no test knows, and what answers took."""
    look = Look(
        translation={name for name, task in tasks.items() if task == "translation"},
        questions={name for name, task in tasks.items() if task == "question answering"},
        languages=(history.definition["languages"][0], history.definition["languages"][1]),
    )
    look.several = history.store.cases.labels_differ(history.run_id)
    seen: set[int] = set()
    for case, outputs in answered(history):
        look.add_wanted(case, outputs[-1])
        for item, output in zip(case.inputs, outputs, strict=True):
            key = hash(tuple(letters_only(part) for part in (item.text, *spoken(item))))
            if key not in seen:
                seen.add(key)
                look.add(case, item, output)
        if len(seen) >= LOOKED_AT:
            break
    return look.result(), look.proposal(), look.effort()


def answered(history: History) -> Iterator[tuple[Case, tuple[Output, ...]]]:
    """The judged cases of a run, each with what the system under test answered."""
    cases = history.store.cases.judged(history.run_id)
    while some := list(islice(cases, AT_ONCE)):
        for case, trial in zip(some, history.trials(some), strict=True):
            yield case, tuple(chain[0] for chain in trial.chains)
