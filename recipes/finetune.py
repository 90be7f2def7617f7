"""Fine-tune a Hugging Face translator on the corrected outputs that `polyglitch repair -o` or a person wrote.

    python -m recipes.finetune tune MODEL FIXES.jsonl NEW_MODEL     # any seq2seq model, any set
    python -m recipes.finetune experiment FOLDER                    # all of it on a model made here, in minutes

The experiment is SIT's (He, Meister, Su, ICSE 2020, 5.2): 105 buggy sentences are corrected, the model is trained on
them with a falling rate, and all are translated right afterwards. Here the teacher's translation stands in for the
person's correction, and `compare` shows what else was fixed and what broke.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from itertools import islice
from pathlib import Path
from typing import Any

from polyglitch.campaign import make_campaign
from polyglitch.corpus.read import open_corpus
from polyglitch.evaluate.regression import compare_outcomes
from polyglitch.flow import run
from polyglitch.history import open_history
from polyglitch.records import Input
from polyglitch.repair.export import Row, write_rows
from polyglitch.systems.uri import open_system
from recipes.tiny_translator import Pairs, make_model, make_tokenizer, save, teach_pairs, train

SENTENCES = 105  # as in the paper
TEACHER = "firefox:en-pt"
LANGUAGES = ("en", "pt")
EPOCHS, RATE = 20, 5e-4  # of fine-tuning
REPLAYED = 4  # old pairs a new one, where forgetting is to be held back


def tune(model_folder: str, fixes: Path, out: Path, replay: Pairs, epochs: int, rate: float) -> int:
    """Train a model further on corrected outputs, and on some it knew already; how many corrections there were."""
    from polyglitch.systems.huggingface import load, load_model

    rows = [json.loads(line) for line in fixes.read_text("utf-8").splitlines() if line]
    pairs = [(row["source"], row["target"]) for row in rows]
    model, tokenizer = (
        load_model("AutoModelForSeq2SeqLM", model_folder),
        load("AutoTokenizer", model_folder),
    )
    train(model, tokenizer, pairs + replay, epochs, rate)
    save(model, tokenizer, out)
    return len(pairs)


def make_base(folder: Path, sentences: int, epochs: int, per_seed: int) -> tuple[Pairs, Pairs]:
    """Teach the small translator; the pairs it learned from and those that were kept from it."""
    teacher = open_system(TEACHER)
    seeds = list(islice(open_corpus("sample", language="en"), sentences))
    pairs = teach_pairs(seeds, teacher, per_seed)
    random.Random(0).shuffle(pairs)
    kept = len(pairs) // 10
    held_out, learned = pairs[:kept], pairs[kept:]
    tokenizer = make_tokenizer([text for pair in learned for text in pair])
    model = make_model(tokenizer)
    started = time.monotonic()
    loss = train(model, tokenizer, learned, epochs, 2e-3)
    print(
        f"{len(learned)} pairs, {epochs} epochs, {time.monotonic() - started:.0f} s, loss {loss:.3f}"
    )
    save(model, tokenizer, folder)
    return learned, held_out


def test(model: Path, store: str, sentences: int) -> str:
    """A campaign of SIT on a model; its run id."""
    options = {
        "system": f"hf:{model}?source=en&target=pt",
        "corpus": "sample",
        "methods": ["sit"],
        # Words of another proposer than the model was taught with: what it has not seen is where it errs.
        "parameters": {
            "sit": {"proposer": "bundled", "per_seed": 6, "structure": "raw", "threshold": 5}
        },
        "limit": sentences,
        "store": store,
    }
    return run(make_campaign(options))[0]


def correct(store: str, run_id: str, fixes: Path) -> int:
    """The first sentences of the issues that the teacher translates otherwise, with its translations."""
    teacher, rows = open_system(TEACHER), dict[str, Row]()
    for finding in open_history(f"{store}:{run_id}").findings():
        for trial, _ in finding.violations:
            for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
                right = teacher.ask([Input(item.text)])[0].text
                if right != output.text and len(rows) < SENTENCES:
                    rows[item.text] = Row(item.text, right, output.text, finding.issue.id)
    return write_rows(fixes, rows.values(), LANGUAGES)


def quality(model: Path, pairs: Pairs) -> tuple[float, float]:
    """BLEU against the teacher, and the share of sentences translated exactly as by it."""
    import sacrebleu

    system = open_system(f"hf:{model}?source=en&target=pt")
    found: list[str] = []
    for start in range(0, len(pairs), system.batch_size):
        some = pairs[start : start + system.batch_size]
        found += [output.text for output in system.ask([Input(source) for source, _ in some])]
    right = [target for _, target in pairs]
    exact = sum(a == b for a, b in zip(found, right, strict=True)) / max(len(pairs), 1)
    return sacrebleu.corpus_bleu(found, [right]).score, exact


def experiment(folder: Path, sentences: int, epochs: int, per_seed: int) -> dict[str, Any]:
    """Teach, test, correct, tune, test again; the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    store, base, fixes = str(folder / "runs.sqlite"), folder / "base", folder / "fixes.jsonl"
    learned, held_out = make_base(base, sentences, epochs, per_seed)
    before = test(base, store, sentences)
    count = correct(store, before, fixes)
    if not count:
        raise SystemExit(
            "the model gave SIT nothing to report: teach it more sentences, or for fewer epochs"
        )
    wrong = [
        (row["source"], row["target"])
        for row in map(json.loads, fixes.read_text("utf-8").splitlines())
    ]
    told: dict[str, Any] = {"corrected": count, "held out": len(held_out)}
    told["base"] = {
        "held-out BLEU, exact": quality(base, held_out),
        "corrected BLEU, exact": quality(base, wrong),
    }
    for name, replayed in (("tuned", 0), ("tuned with replay", REPLAYED * count)):
        out = folder / name.replace(" ", "-")
        old = random.Random(1).sample(learned, min(replayed, len(learned)))
        tune(str(base), fixes, out, old, EPOCHS, RATE)
        after = test(out, store, sentences)
        one, two = (open_history(f"{store}:{each}") for each in (before, after))
        found = compare_outcomes(one.store.case_outcomes(before), two.store.case_outcomes(after))
        told[name] = {
            "held-out BLEU, exact": quality(out, held_out),
            "corrected BLEU, exact": quality(out, wrong),
            "fixed": found.fixed,
            "broken": found.broken,
            "still broken": found.still_broken,
            "still fine": found.still_fine,
            "compare": f"polyglitch compare --store {store} {before} {after}",
        }
    return told


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, dest="command")
    tuning = commands.add_parser("tune")
    tuning.add_argument("model")
    tuning.add_argument("fixes", type=Path)
    tuning.add_argument("out", type=Path)
    tuning.add_argument("--epochs", type=int, default=EPOCHS)
    tuning.add_argument("--rate", type=float, default=RATE)
    whole = commands.add_parser("experiment")
    whole.add_argument("folder", type=Path)
    whole.add_argument("--sentences", type=int, default=40, help="of the bundled ones")
    whole.add_argument("--epochs", type=int, default=40, help="of teaching")
    whole.add_argument("--per-seed", type=int, default=10, help="mutants a sentence to teach with")
    given = parser.parse_args()
    if given.command == "tune":
        count = tune(given.model, given.fixes, given.out, [], given.epochs, given.rate)
        print(f"{count} corrections: {given.out}")
    else:
        print(
            json.dumps(
                experiment(given.folder, given.sentences, given.epochs, given.per_seed), indent=1
            )
        )


if __name__ == "__main__":
    main()
