"""A rank for a campaign: the system opened where it must be, and every score computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats, Inspection, Lens, System, Tools, WhiteBox
from polyglitch.rank.cases import CASE_RANKS, is_question, question_order
from polyglitch.rank.orders import CaseOrder, FixedOrder, in_turns
from polyglitch.rank.scores import LookAhead, Ranking, mean_score, stand_in
from polyglitch.records import Case, Input, Output, Parse, Seed, digest

Ask = Callable[[Sequence[Input]], Sequence[Output]]


class CachedRank:
    """The rank of a campaign. Answers come through `ask`, so that what is inspected is asked only once."""

    def __init__(self, name: str, system: System, ask: Ask) -> None:
        check_rank(name, system)
        self._ranking: Ranking = registry.load("ranks", name)()
        # By what is computed, not by name alone: another rank of this name must not be taken for it.
        entry = registry.entry("ranks", name)
        self._kind = f"rank:{name[:32]}:{digest([entry.target, str(entry.data.get('version', 1))])}"
        self._ask = ask
        self._system = system if needs_white_box(name) else None

    def scores(self, seeds: Sequence[Seed], parses: Sequence[Parse], tools: Tools) -> list[Floats]:
        """A score for each word of each seed, from the store where an earlier run computed it."""
        keys = [self._key(*pair, tools.seed) for pair in zip(seeds, parses, strict=True)]
        known = tools.remember(self._kind, keys)
        todo = [number for number, key in enumerate(keys) if key not in known]
        if todo:
            some = [seeds[n] for n in todo]
            found = self._ranking(some, [parses[n] for n in todo], self._look, tools)
            fresh = {keys[n]: scores.tolist() for n, scores in zip(todo, found, strict=True)}
            tools.keep(self._kind, fresh)
            known |= fresh
        return [np.asarray(known[key], np.float32) for key in keys]

    def _look(self, seeds: Sequence[Seed]) -> list[Inspection | None]:
        """What the system shows of each seed; nothing where it gave no answer to explain."""
        system = self._system
        if not isinstance(system, WhiteBox):
            raise TypeError("this rank was registered without `white_box`, yet it looks inside")
        wanted = [reference(seed) for seed in seeds]
        asked = [seed.input for seed, text in zip(seeds, wanted, strict=True) if not text]
        answers = iter(self._ask(asked))
        texts = [text or answer_text(next(answers)) for text in wanted]
        clear = [n for n, text in enumerate(texts) if text]
        seen = system.inspect([seeds[n].input for n in clear], [texts[n] for n in clear])
        shown = dict(zip(clear, seen, strict=True))
        return [shown.get(number) for number in range(len(seeds))]

    def _key(self, seed: Seed, parse: Parse, number: int) -> str:
        """Where the scores of a seed are kept: all of it that can change them, and nothing else."""
        about = self._system.signature if self._system else str(number)
        item = seed.input
        cuts = [f"{word.start}:{word.end}" for word in parse.tokens]
        whole = [about, *item.identity, reference(seed)]
        return digest([*whole, *cuts], 32)


def reference(seed: Seed) -> str:
    """The output that a seed's row says is right, where it has one."""
    return str(seed.data.get("reference") or "")


def answer_text(output: Output) -> str:
    """What there is to explain in an output: its text, or the label that was chosen."""
    return (output.text or output.label or "") if output.ok else ""


def needs_white_box(name: str) -> bool:
    """Whether a rank looks inside the system."""
    return bool(registry.entry("ranks", name).data.get("white_box"))


def ranks_cases(name: str) -> bool:
    """Whether a rank orders finished cases, rather than the words that are changed."""
    return bool(registry.entry("ranks", name).data.get("cases"))


def asks_first(name: str, tools: Tools) -> bool:
    """Whether a rank has the system answer all seeds before it chooses among their cases."""
    if ranks_cases(name) and not registry.entry("ranks", name).data.get("questions"):
        return tools.lens is not None and stand_in(tools) is None
    return ranks_cases(name) or needs_white_box(name)


def check_rank(name: str, system: System, lens: bool = False) -> None:
    """Refuse a rank that needs more than the system shows, naming the systems that show it; `lens`: one is named."""
    data = registry.entry("ranks", name).data
    known = registry.entries("systems").values()
    open_ones = ", ".join(
        sorted(f"{entry.name}:" for entry in known if entry.data.get("white_box"))
    )
    if data.get("white_box") and not isinstance(system, WhiteBox):
        raise UsageError(
            f"--rank {name} looks inside the model, and {system.signature} does not show it; the systems that "
            f"do are: {open_ones} (or use --rank adaptive or random)"
        )
    if data.get("lens") and not lens and not isinstance(system, Lens):
        raise UsageError(
            f"--rank {name} asks how likely an output is, and {system.signature} does not say; the systems that "
            f"do are: {open_ones}; name one with --lens to stand in for it, or use --rank adaptive"
        )


def open_order(
    name: str, seeds: Sequence[Seed], cases: Sequence[Case], tools: Tools, ask: Ask
) -> CaseOrder:
    """The order in which a rank has cases run."""
    questions = [case for case in cases if is_question(case)]
    if name in CASE_RANKS and questions:
        others = [case for case in cases if not is_question(case)]
        return FixedOrder([*question_order(name, questions, tools, ask), *others])
    if registry.entry("ranks", name).data.get("questions"):
        raise UsageError(
            f"--rank {name} orders cases of question answering that insert something (qaqa), and there are none; use "
            "--rank adaptive"
        )
    if ranks_cases(name):
        ahead = LookAhead(tools.lens, ask, tools) if tools.lens is not None else None
        order: CaseOrder = registry.load("ranks", name)(cases, ahead, tools)
        return order
    parses = tools.parser(seeds[0].input.language).parse([seed.input.text for seed in seeds])
    scores = tools.word_ranks(seeds, parses) or []
    promise = {seed.id: mean_score(row) for seed, row in zip(seeds, scores, strict=True)}
    # The cases of a seed come from its highest ranked word on.
    return FixedOrder(in_turns(cases, [0.0] * len(cases), promise))
