"""What flows through a campaign. Frozen, typed, JSON both ways; the tag names record and version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import (
    Any,
    Literal,
    TypeVar,
)

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="record"):
    """Base of all records. Each gives its tag as `name/version`, so a stored line explains itself."""


Role = Literal["system", "user", "assistant", "tool"]
Part = Literal["examples", "tools", "labels"]


class Turn(Record, frozen=True, tag="turn/1"):
    """One message of a chat."""

    role: Role
    text: str


class Input(Record, frozen=True, tag="input/1"):
    """What a system is given: a text, or the last message of a chat after its earlier turns."""

    text: str
    context: str | None = None
    title: str | None = None
    language: str | None = None
    turns: tuple[Turn, ...] = ()
    values: dict[str, str] = {}  # of the prompt's variables
    reversed: tuple[Part, ...] = ()  # parts of the prompt that are shown in reverse order
    again: int = 0  # the same question once more, for an answer of its own

    def __hash__(self) -> int:  # the variables, a table, have none of their own
        return hash((self.text, self.context, self.language, self.turns, self.again))

    @property
    def identity(self) -> list[str | None]:
        """All that can change the answer, as strings; what an input does not have does not count."""
        parts = [self.text, self.context, self.title, self.language]
        if not (self.turns or self.values or self.reversed or self.again):  # nearly all there are
            return parts
        parts += [f"{turn.role}: {turn.text}" for turn in self.turns]
        parts += [f"{name}={value}" for name, value in sorted(self.values.items())]
        parts += [f"reversed {part}" for part in self.reversed]
        return [*parts, f"again {self.again}"] if self.again else parts


class Seed(Record, frozen=True, tag="seed/1"):
    """An input from a corpus, with its label if any and where it came from."""

    id: str
    input: Input
    label: str | None = None
    origin: str = ""
    data: dict[str, Any] = {}


class Edit(Record, frozen=True, tag="edit/1"):
    """What was done to the original: the span `start:end` of its text, `old`, became `new`."""

    kind: str
    start: int
    end: int
    old: str
    new: str


class Case(Record, frozen=True, tag="case/1"):
    """One test: its inputs (the original first where there is a pair) and what must hold of the outputs."""

    id: str
    seed_id: str
    relation: str
    inputs: tuple[Input, ...]
    method: str = ""
    edit: Edit | None = None
    expected: tuple[str, ...] = ()
    data: dict[str, Any] = {}

    @property
    def tested(self) -> str:
        """What is tested, in words where the case has them: the title of a capability, else the relation."""
        return str(self.data.get("title") or self.relation)


Status = Literal["ok", "error", "timeout", "refused", "cut off", "no label"]
# The system answered, and not as it was asked to: the answer's fault, where `error` and `timeout` may be the line's.
OUT_OF_FORM: tuple[Status, ...] = ("refused", "cut off", "no label")


class Output(Record, frozen=True, tag="output/1"):
    """What a system answered to one input: text, or a label with scores; or why it did not."""

    text: str = ""
    label: str | None = None
    scores: dict[str, float] = {}
    status: Status = "ok"
    error: str = ""
    seconds: float = 0.0
    tokens: tuple[int, int] | None = None  # read and written, where the service tells
    likelihood: float | None = None  # mean log-probability of its words, where the service tells

    @property
    def ok(self) -> bool:
        """Whether there is an answer to look at."""
        return self.status == "ok"

    @property
    def failure(self) -> str:
        """Why there is no answer, or nothing."""
        if self.ok:
            return ""
        return f"{self.status}: {self.error}" if self.error else self.status

    @property
    def said(self) -> str:
        """What a person reads of it: the label that was chosen, else the text, else why there is none."""
        if not self.ok:
            return f"[{self.failure}]"
        return self.text if self.label is None else self.label


# Characters of an answer that oracles compare. Some need time and memory in the square of it: here about a second.
LONGEST_COMPARED = 20_000


class Trial(Record, frozen=True, tag="trial/1"):
    """A case with what came back: for each input its chain of outputs, one a hop of the route."""

    case: Case
    chains: tuple[tuple[Output, ...], ...]

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The last output of each chain: what the relation is about."""
        return tuple(chain[-1] for chain in self.chains)

    @property
    def failure(self) -> str:
        """Why there is nothing to compare, or nothing."""
        for chain in self.chains:
            for output in chain:
                if not output.ok:
                    return output.failure
                if len(output.text) > LONGEST_COMPARED:
                    return f"an answer of more than {LONGEST_COMPARED:,} characters is not compared"
        return ""

    @property
    def out_of_form(self) -> str:
        """What is wrong with a follow-up's answer though the original's is as it should be, or nothing."""
        if len(self.chains) < 2 or not all(output.ok for output in self.chains[0]):
            return ""
        later = (output for chain in self.chains[1:] for output in chain)
        broken = next((output for output in later if output.status in OUT_OF_FORM), None)
        return f"the original is answered, the follow-up is not: {broken.failure}" if broken else ""


Outcome = Literal["holds", "violated", "undecided"]
UNSTABLE = "unstable"  # the reason of a case whose verdict changes from time to time
Direction = Literal["above", "below"]


class Span(Record, frozen=True, tag="span/1"):
    """A place at fault: which output of the trial, from where to where, why, and by what it was told."""

    output: int
    start: int
    end: int
    reason: str = ""
    witness: str = (
        ""  # "pair" for the other output, "source" for its own source, or a witness by name
    )


class Verdict(Record, frozen=True, tag="verdict/1"):
    """What the oracle said of a case. Violated means the score is past the threshold in `direction`."""

    case_id: str
    outcome: Outcome
    reason: str = ""
    score: float | None = None
    threshold: float | None = None
    direction: Direction = "above"
    details: dict[str, float] = {}
    reasons: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    drawn: dict[str, Any] = {}  # regexes, automata, heat: what a page can draw, as in a case's data

    @property
    def severity(self) -> float:
        """How far past the threshold, so that larger is worse whatever the direction."""
        if self.score is None:
            return 0.0
        distance = self.score - (self.threshold or 0.0)
        return distance if self.direction == "above" else -distance


class Issue(Record, frozen=True, tag="issue/1"):
    """What a person looks at: a seed with its worst violations in order."""

    id: str
    seed_id: str
    method: str
    case_ids: tuple[str, ...]
    severity: float
    kind: str = ""


class Group(Record, frozen=True, tag="group/1"):
    """Issues that are one bug: what they share, and which they are, the one to look at first."""

    id: str
    title: str
    issue_ids: tuple[str, ...]
    kind: str = ""
    methods: tuple[str, ...] = ()
    case_id: str = ""  # of the first issue, the case that shows it best


Wrong = Literal["", "original", "follow-up", "both"]


class Label(Record, frozen=True, tag="label/1"):
    """A person's word on an issue."""

    issue_id: str
    verdict: Literal["bug", "not a bug", "unsure"]
    who: str
    when: str
    kind: str = ""
    note: str = ""
    case: str = ""  # which of the issue's cases shows the bug; empty for the worst
    wrong: Wrong = ""  # which output has the bug, where the reviewer says
    also: tuple[str, ...] = ()  # further kinds of bugs in the same outputs

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds that were named, the first first."""
        return tuple(dict.fromkeys(name for name in (self.kind, *self.also) if name))


R = TypeVar("R")


def encode(record: Any) -> str:
    """The record as one line of JSON."""
    return msgspec.json.encode(record).decode()


def decode(line: str | bytes, kind: type[R]) -> R:
    """The record that `encode` wrote; raises `msgspec.ValidationError` naming the bad field."""
    return msgspec.json.decode(line, type=kind)


NOTHING = (1).to_bytes(8, "little") + b"\xff"  # in a digest: no text has this byte


def digest(parts: Iterable[str | None], length: int = 16) -> str:
    """A short stable name for some strings, the same on every machine and in every run."""
    pieces: list[bytes] = []
    for part in parts:
        if part is None:
            pieces.append(NOTHING)
        else:
            raw = part.encode("utf-8", "surrogatepass")
            pieces += len(raw).to_bytes(8, "little"), raw
    return hashlib.blake2b(b"".join(pieces), digest_size=length // 2).hexdigest()


def new_case(
    seed: Seed,
    relation: str,
    inputs: tuple[Input, ...],
    edit: Edit | None = None,
    expected: tuple[str, ...] = (),
    data: dict[str, Any] | None = None,
) -> Case:
    """A case named by what it asks and what must hold, so that two methods that make it share it."""
    parts: list[str | None] = [relation, *expected]
    for item in inputs:
        parts += item.identity
    return Case(digest(parts), seed.id, relation, inputs, "", edit, expected, data or {})


def undecided(trial: Trial) -> Verdict | None:
    """A verdict that says why the first two outputs cannot be compared, or nothing if they can."""
    reason = trial.failure
    if not reason and len(trial.chains) < 2:
        reason = f"two outputs are needed to compare, the case has {len(trial.chains)}"
    if not reason and not any(text.strip() for text in two_texts(trial)):
        reason = "both outputs are empty"
    return Verdict(trial.case.id, "undecided", reason) if reason else None


def two_texts(trial: Trial) -> tuple[str, str]:
    """The texts of the first two outputs."""
    first, second = trial.outputs[:2]
    return first.text, second.text


class Token(msgspec.Struct, frozen=True):
    """A word of a parsed sentence. `head` is an index into the tokens, its own for the root."""

    text: str
    start: int
    end: int
    tag: str  # of the language's own tag set (Penn for English)
    pos: str  # universal part of speech
    lemma: str
    head: int
    relation: str


class Tree(msgspec.Struct, frozen=True):
    """A constituent: label, token span and parts; a part of speech is a node without children."""

    label: str
    start: int
    end: int
    children: tuple[Tree, ...] = ()


class Parse(msgspec.Struct, frozen=True):
    """A sentence with its tokens and, where the parser has its own, its constituents; `tree_of` gives them of any."""

    text: str
    tokens: tuple[Token, ...]
    tree: Tree | None = None
    universal: bool = False  # whether the relations are those of Universal Dependencies
    language: str = ""  # code of the text's language, where the parser was told

    @property
    def tagged(self) -> bool:
        """Whether a parser said anything of its grammar, or its words are all that is known."""
        return any(token.tag for token in self.tokens)


class Slot(msgspec.Struct, frozen=True):
    """A word to be replaced, in its sentence."""

    parse: Parse
    index: int

    @property
    def token(self) -> Token:
        """The word itself."""
        return self.parse.tokens[self.index]


class Candidate(msgspec.Struct, frozen=True):
    """A word for a slot; higher scores fit better, on a scale of the proposer's own.

    `accepted` is the probability that a reader takes the sentence for a natural one, which says nearly the same or
    something else where that was asked for; 1 where nobody judged it.
    """

    word: str
    score: float
    accepted: float = 1.0


class Gap(msgspec.Struct, frozen=True):
    """A place between two words of a text, and the tags of the words that may go there, or what exactly may."""

    text: str
    at: int
    tags: tuple[str, ...]
    wordings: tuple[str, ...] = ()  # as they stand behind the word before, commas included


class Filling(msgspec.Struct, frozen=True):
    """Words for a gap, and how well they read there."""

    words: tuple[str, ...]
    score: float


class OpenPlace(msgspec.Struct, frozen=True):
    """Where any words may go in a text: behind which character, and as which strings of tags.

    `after` is what follows them, where that is not what stands there: ", the room ..." behind words that come first.
    """

    at: int
    tags: tuple[tuple[str, ...], ...]
    after: str = ""


class FreeFilling(msgspec.Struct, frozen=True):
    """Words with their tags, how likely each is, and what every word that follows loses by them.

    `odds` and `lost` are told by what stands before; `told_odds` and `told_lost` by a model that has read the whole
    sentence too, and examples of others that grew.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    odds: tuple[float, ...]
    lost: tuple[float, ...]
    told_odds: tuple[float, ...]
    told_lost: tuple[float, ...]

    @property
    def score(self) -> float:
        """How well they read: the mean likelihood of a word, with half of what the rest gains or loses."""
        return sum(self.odds) / len(self.odds) + sum(self.lost) / 2
