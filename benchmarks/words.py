"""How many sentences get a case, and how well the cases read: by method and register, on sentences of our own.

    python -m benchmarks.words [--half test] [--set 9 ...] [--method sit ...] [--show] [--param KEY=VALUE]
    python -m benchmarks.words --torch 200

The sentences stand in `readings/sentences.tsv`, some for tuning and some, `test`, that no limit was chosen on.
`--show` prints every case. What one reader called the cases of the test half stands in `readings/cases.tsv`; the
figures of that are printed last. `--torch` proposes words for so many sentences twice, with the model's passes in numpy
and in torch, and says how many slots get the same words, and tokens a second of both.
"""

from __future__ import annotations

import argparse
import csv
import resource
import time
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from benchmarks.results import record
from polyglitch.campaign import make_method
from polyglitch.files.lazy_numpy import one_thread
from polyglitch.nlp.models.packed import Computed, PackedPool, PackedText
from polyglitch.nlp.models.smollm import MIDDLE, open_smollm, open_torch_smollm
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR
from polyglitch.nlp.proposers.fitting_words import FittingWords, open_smollm_proposer
from polyglitch.nlp.proposers.slot_words import open_slots
from polyglitch.protocols import Floats
from polyglitch.records import Case, Edit, Input, Seed, Slot
from polyglitch.tools import Toolbox

FOLDER = Path(__file__).parent / "readings"
TORCH_BATCH = 32  # texts
METHODS = ("sit", "transrepair", "cat", "rti", "patinv")


def sentences(half: str, sets: Collection[str] = ()) -> dict[str, list[Seed]]:
    """The sentences of a half by register, or of it those of some sets."""
    found: dict[str, list[Seed]] = {}
    with (FOLDER / "sentences.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, row in enumerate(rows):
            if row["half"] == half and (not sets or row["set"] in sets):
                seed = Seed(f"{row['register']}-{number}", Input(row["sentence"], language="en"))
                found.setdefault(row["register"], []).append(seed)
    return found


def every(by_register: dict[str, list[Seed]]) -> list[Seed]:
    """All sentences."""
    return [seed for seeds in by_register.values() for seed in seeds]


def covered(name: str, by_register: dict[str, list[Seed]], cases: Sequence[Case]) -> list[str]:
    """A line a register: cases a sentence, and how many sentences have none."""
    made = Counter(case.seed_id for case in cases)
    lines = []
    for register, seeds in {**by_register, "all": every(by_register)}.items():
        none = sum(not made[seed.id] for seed in seeds)
        count = sum(made[seed.id] for seed in seeds)
        lines.append(
            f"{name:12} {register:10} {count / len(seeds):5.2f} cases a sentence, "
            f"{none:3} of {len(seeds)} sentences without"
        )
    return lines


# What a case was called by its reader: what counts, among which. A cut is what RTI took out, a removal PatInv's.
QUESTIONS = {
    "natural": ({"other", "alike", "same", "natural"}, {"odd"}),
    "alike in meaning": ({"alike", "same"}, {"other"}),
    "rightly cut": ({"right"}, {"wrong"}),
    "grammatical": ({"sentence"}, {"broken"}),
}
# What is asked of a method's cases; PatInv's replacements must not be alike.
ASKED = {
    "sit": ("natural",),
    "transrepair": ("natural", "alike in meaning"),
    "cat": ("natural", "alike in meaning"),
    "rti": ("rightly cut",),
    "patinv": ("natural", "alike in meaning", "grammatical"),
}


def what_was_read() -> dict[str, float]:
    """What reading said of the cases of the test half, by method, and by register where there are ten."""
    with (FOLDER / "cases.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    figures: dict[str, float] = {}
    for method, questions in ASKED.items():
        for question in questions:
            good, bad = QUESTIONS[question]
            for register in [*sorted({row["register"] for row in rows}), "all"]:
                labels = [
                    row["label"]
                    for row in rows
                    if row["method"] == method
                    and register in (row["register"], "all")
                    and row["label"] in good | bad
                ]
                if labels and (len(labels) >= 10 or register == "all"):
                    share = sum(label in good for label in labels) / len(labels)
                    print(
                        f"{method:12} {register:10} {question}: {share:.0%} of {len(labels)} read"
                    )
                    if register == "all":
                        figures[f"{method} {question}"] = share
    return figures


class TorchPasses:
    """The passes of SmolLM2 in torch, each text from its beginning: slow, and plain to see that they are right."""

    def __init__(self) -> None:
        self._model = open_torch_smollm().model
        self.tokens, self.seconds = 0, 0.0

    def compute(self, pool: PackedPool, texts: Sequence[PackedText]) -> list[Computed]:
        """What `PackedPool.compute` gives; the pool's own keys and values stay empty."""
        import torch

        known: list[int] = pool.__dict__.setdefault("ids", [])
        del known[pool.size :]  # a pool is used again
        wholes = [[known[place] for place in text.before] + list(text.ids) for text in texts]
        # Texts of one length go together, so that torch has large products too and nothing is padded.
        same: dict[int, list[int]] = {}
        for number, whole in enumerate(wholes):
            same.setdefault(len(whole), []).append(number)
        states: dict[int, tuple[Floats, Floats]] = {}
        for some in same.values():
            for first in range(0, len(some), TORCH_BATCH):
                batch = some[first : first + TORCH_BATCH]
                start = time.process_time()
                with torch.inference_mode():
                    passed = self._model.model(
                        torch.tensor([wholes[number] for number in batch]),
                        output_hidden_states=True,
                        use_cache=False,
                    )
                self.seconds += time.process_time() - start
                self.tokens += sum(len(wholes[number]) for number in batch)
                last = passed.last_hidden_state.numpy()
                middle = passed.hidden_states[MIDDLE + 1].numpy()
                states |= {n: (last[i].copy(), middle[i].copy()) for i, n in enumerate(batch)}
        found = []
        for number, text in enumerate(texts):
            places = (*text.before, *range(pool.size, pool.size + len(text.ids)))
            known += text.ids
            pool.size += len(text.ids)
            own = slice(len(text.before), None)
            found.append(Computed(states[number][0][own], places, states[number][1][own]))
        return found


def peak_memory() -> float:
    """The most memory that the process has had so far, in MB; mapped files count as far as they were read."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def same_as_torch(count: int) -> dict[str, float]:
    """Whether numpy and torch propose the same words, how fast each is and what memory it takes; one thread each."""
    seeds = every(sentences("tune"))[:count]
    parses = Toolbox(languages=("en", None)).parser("en").parse([one.input.text for one in seeds])
    slots = [
        Slot(parse, place) for parse in parses for place in open_slots(parse, ("NOUN", "ADJ"), True)
    ]
    plain = FittingWords(open_smollm(exact=True), "en", asked_for=ASKED_FOR)
    with one_thread():
        start = time.process_time()
        ours = plain.propose(slots, 10)
        spent, used = time.process_time() - start, peak_memory()
        start = time.process_time()
        quick = open_smollm_proposer("en").propose(slots, 10)
        quickly = time.process_time() - start
    import torch

    torch.set_num_threads(1)
    passes, packed = TorchPasses(), PackedPool.compute
    PackedPool.compute = lambda pool, texts: passes.compute(pool, texts)  # type: ignore[method-assign,assignment]
    try:
        theirs = FittingWords(open_smollm(exact=True), "en", asked_for=ASKED_FOR).propose(slots, 10)
    finally:
        PackedPool.compute = packed  # type: ignore[method-assign]
    pairs = list(zip(ours, theirs, strict=True))
    same = [{a.word for a in one} == {b.word for b in other} for one, other in pairs]
    apart = [
        abs(a.score - b.score) for one, other in pairs for a, b in zip(one, other, strict=False)
    ]
    taken, quickly_taken = (
        {(n, one.word) for n, some in enumerate(each) for one in some if one.accepted >= ASKED_FOR}
        for each in (ours, quick)
    )
    return {
        "sentences": len(seeds),
        "eight bits: words that both take": len(taken & quickly_taken),
        "eight bits: words that either takes": len(taken | quickly_taken),
        "eight bits: seconds": quickly,
        "slots": len(slots),
        "slots with words": sum(bool(one) for one in ours),
        "slots with the same words": sum(same),
        "largest difference of probability": max(apart, default=0.0),
        "numpy: tokens a second, all that is around the model included": plain.tokens / spent,
        "torch: tokens a second of its plain passes": passes.tokens / passes.seconds,
        "numpy: tokens": plain.tokens,
        "numpy: seconds": spent,
        "torch: tokens, each text from its beginning": passes.tokens,
        "torch: seconds of its passes": passes.seconds,
        "numpy: peak memory, MB": used,
        "both: peak memory, MB": peak_memory(),
    }


def main() -> None:
    """Print coverage, and what reading said."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--half", choices=("tune", "test", "phrases"), default="tune")
    options.add_argument("--register", action="append", help="only these")
    options.add_argument("--set", action="append", default=[], help="only these")
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--param", action="append", default=[])
    options.add_argument("--show", action="store_true")
    options.add_argument("--torch", type=int, metavar="SENTENCES")
    chosen = options.parse_args()
    if chosen.torch:
        record("words in torch", same_as_torch(chosen.torch))
        return
    parameters = dict(item.split("=", 1) for item in chosen.param)
    by_register = {
        register: seeds
        for register, seeds in sentences(chosen.half, chosen.set).items()
        if register in (chosen.register or [register])
    }
    seeds = every(by_register)
    figures: dict[str, float] = {}
    tools = Toolbox(languages=("en", None))
    for name in chosen.method or METHODS:
        cases = list(make_method(name, parameters).mutate(seeds, tools))
        for line in covered(name, by_register, cases):
            print(line)
        if chosen.show:
            for case in cases:
                edit = case.edit or Edit("", 0, 0, "", "")
                print(f"  {case.seed_id:12} {edit.old} > {edit.new}: {case.inputs[-1].text}")
        figures[f"{name} sentences without"] = 1 - len({c.seed_id for c in cases}) / len(seeds)
        figures[f"{name} cases a sentence"] = len(cases) / len(seeds)
    record("words", figures | what_was_read())


if __name__ == "__main__":
    main()
