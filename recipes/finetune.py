"""Fine-tune a Hugging Face translator on the corrected outputs that `polyglitch repair -o` or a person wrote.

    python -m recipes.finetune tune MODEL FIXES.jsonl NEW_MODEL [--replay OLD.jsonl]     # any seq2seq model, any set
    python -m recipes.finetune experiment FOLDER [--choose]     # all of it on a model made here, in minutes

The experiment is SIT's (He, Meister, Su, ICSE 2020, 5.2): 105 buggy sentences are corrected, the model is trained on
them with a falling rate, and all are translated right afterwards. Here the teacher's translation stands in for the
person's correction, and `compare` shows what else was fixed and what broke. `--choose` tries settings first, on other
buggy sentences than the 105.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.campaign import make_campaign
from polyglitch.corpus.read import open_corpus
from polyglitch.evaluate.regression import compare_outcomes
from polyglitch.flow import run
from polyglitch.records import Input
from polyglitch.repair.export import TrainingRow, write_rows
from polyglitch.results.history import open_history
from polyglitch.tools import open_system
from recipes.tiny_translator import Pairs, make_model, make_tokenizer, save, teach_pairs, train

SENTENCES = 105  # as in the paper
TEACHER = "firefox:en-pt"
LANGUAGES = ("en", "pt")


class Settings(NamedTuple):
    """How to fine-tune. Old pairs, replayed beside each new one, hold back the forgetting of what was right."""

    epochs: int = 10
    rate: float = 1e-3
    replayed: int = 4
    batch: int = 8  # small, so that a hundred sentences make enough steps


CHOICES = [Settings(rate=rate, replayed=old) for rate in (5e-4, 1e-3) for old in (0, 4)]


def read_pairs(path: Path) -> Pairs:
    """Sources and targets of a JSONL file, as `repair -o` and `repair --augment` write it."""
    rows = map(json.loads, filter(None, path.read_text("utf-8").splitlines()))
    return [(row["source"], row["target"]) for row in rows]


def tune(model_folder: str, pairs: Pairs, out: Path, old: Pairs, settings: Settings) -> None:
    """Train a model further on corrected outputs, and on some it knew already."""
    from polyglitch.systems.huggingface.open import load, load_model

    model = load_model("AutoModelForSeq2SeqLM", model_folder)
    tokenizer = load("AutoTokenizer", model_folder)
    train(model, tokenizer, pairs, settings.epochs, settings.rate, old, *settings[2:])
    save(model, tokenizer, out)


class Lessons(NamedTuple):
    """What the small translator is taught (bundled sentences, mutants of each, how often), and how it is tested."""

    sentences: int = 110
    per_seed: int = 12
    epochs: int = 12
    tested: int = 6  # mutants a sentence in SIT's campaigns
    distance: int = 3  # characters that outputs may be apart
    reported: int = 6  # violations of an issue that are corrected


def make_base(folder: Path, lessons: Lessons) -> tuple[Pairs, Pairs]:
    """Teach the small translator; the pairs it learned from and those that were kept from it."""
    teacher = open_system(TEACHER)
    seeds = list(islice(open_corpus("sample", language="en"), lessons.sentences))
    pairs = teach_pairs(seeds, teacher, lessons.per_seed)
    random.Random(0).shuffle(pairs)
    kept = len(pairs) // 10
    held_out, learned = pairs[:kept], pairs[kept:]
    if (folder / "config.json").is_file():  # an experiment that was stopped goes on
        return learned, held_out
    tokenizer = make_tokenizer([text for pair in learned for text in pair])
    model = make_model(tokenizer)
    started = time.monotonic()
    loss = train(model, tokenizer, learned, lessons.epochs, 2e-3)
    seconds = time.monotonic() - started
    print(f"{len(learned)} pairs, {lessons.epochs} epochs, {seconds:.0f} s, loss {loss:.3f}")
    save(model, tokenizer, folder)
    return learned, held_out


def test(model: Path, store: str, lessons: Lessons) -> str:
    """A campaign of SIT on a model; its run id."""
    options = {
        "system": f"hf:{model}?source=en&target=pt",
        "corpus": "sample",
        "methods": ["sit"],
        # Words that it was mostly taught: of one that it has never met it says nothing, and nothing changes.
        "parameters": {
            "sit": {
                "proposer": "vectors",
                "structure": "raw",
                "per_seed": lessons.tested,
                "threshold": lessons.distance,
                "report": lessons.reported,
            }
        },
        "limit": lessons.sentences,
        "store": store,
    }
    return run(make_campaign(options))[0]


def correct(store: str, run_id: str) -> list[TrainingRow]:
    """The sentences of the issues that the teacher translates otherwise, with its translations."""
    teacher, rows = open_system(TEACHER), dict[str, TrainingRow]()
    for finding in open_history(f"{store}:{run_id}").findings():
        for trial, _ in finding.violations:
            for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
                right = teacher.ask([Input(item.text)])[0].text
                if right != output.text:
                    rows[item.text] = TrainingRow(item.text, right, output.text, finding.issue.id)
    found = list(rows.values())
    random.Random(2).shuffle(found)
    return found


def quality(model: Path, pairs: Pairs) -> dict[str, float]:
    """BLEU against the teacher, and how many sentences are translated exactly as by it."""
    import sacrebleu

    system = open_system(f"hf:{model}?source=en&target=pt")
    found: list[str] = []
    for start in range(0, len(pairs), system.batch_size):
        some = pairs[start : start + system.batch_size]
        found += [output.text for output in system.ask([Input(source) for source, _ in some])]
    right = [target for _, target in pairs]
    exact = sum(a == b for a, b in zip(found, right, strict=True))
    bleu = sacrebleu.corpus_bleu(found, [right]).score
    return {"sentences": len(pairs), "exact": exact, "BLEU": round(bleu, 1)}


def experiment(folder: Path, lessons: Lessons, choosing: bool) -> dict[str, Any]:
    """Teach, test, correct, tune, test again; the figures."""
    folder.mkdir(parents=True, exist_ok=True)
    store, base, fixes = str(folder / "runs.sqlite"), folder / "base", folder / "fixes.jsonl"
    learned, held_out = make_base(base, lessons)
    practice, kept = held_out[::2], held_out[1::2]  # settings are chosen on the one half only
    before = test(base, store, lessons)
    found = correct(store, before)
    count = write_rows(fixes, found[:SENTENCES], LANGUAGES)
    if not count:
        raise SystemExit("SIT found nothing to correct: teach the model for fewer epochs")
    wrong = read_pairs(fixes)
    told: dict[str, Any] = {"buggy sentences": len(found), "corrected": count}
    told["base"] = {"held out": quality(base, kept), "corrected": quality(base, wrong)}
    settings = Settings()
    others = [(row.source, row.target) for row in found[SENTENCES:][:SENTENCES]]
    if choosing and others:
        told["tried"] = try_settings(base, folder / "tried", others, practice, learned)
    for name, how in (
        ("tuned", settings._replace(replayed=0)),
        ("tuned with replay", settings),
    ):
        out, started = folder / name.replace(" ", "-"), time.monotonic()
        tune(str(base), wrong, out, learned, how)
        seconds = round(time.monotonic() - started)
        after = test(out, store, lessons)
        told[name] = {
            **how._asdict(),
            "seconds": seconds,
            "held out": quality(out, kept),
            "corrected": quality(out, wrong),
            **compared(store, before, after),
        }
    return told


def compared(store: str, before: str, after: str) -> dict[str, Any]:
    """What a run fixed and broke against an earlier one."""
    one, two = (open_history(f"{store}:{each}") for each in (before, after))
    found = compare_outcomes(
        one.store.verdicts.case_outcomes(before), two.store.verdicts.case_outcomes(after)
    )
    names = ("fixed", "broken", "still_broken", "still_fine")
    command = f"polyglitch compare --store {store} {before} {after}"
    return {name: getattr(found, name) for name in names} | {"command": command}


def try_settings(
    base: Path, out: Path, others: Pairs, practice: Pairs, learned: Pairs
) -> list[dict[str, Any]]:
    """Each setting on buggy sentences that are not in the experiment, and on sentences it must not forget."""
    told = []
    for settings in CHOICES:
        tune(str(base), others, out, learned, settings)
        row = {"corrected": quality(out, others), "held out": quality(out, practice)}
        told.append(settings._asdict() | row)
        print(json.dumps(told[-1]), flush=True)
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
    tuning.add_argument("--replay", type=Path, help="what it has right, as --augment writes it")
    for name, value in Settings()._asdict().items():
        tuning.add_argument(f"--{name}", type=type(value), default=value)
    whole = commands.add_parser("experiment")
    whole.add_argument("folder", type=Path)
    whole.add_argument("--choose", action="store_true", help="try settings first")
    for name, value in Lessons()._asdict().items():
        whole.add_argument(f"--{name.replace('_', '-')}", type=int, default=value)
    given = parser.parse_args()
    if given.command == "tune":
        pairs, old = read_pairs(given.fixes), read_pairs(given.replay) if given.replay else []
        settings = Settings(given.epochs, given.rate, given.replayed, given.batch)
        tune(given.model, pairs, given.out, old, settings)
        print(f"{len(pairs)} corrections: {given.out}")
    else:
        lessons = Lessons(*(getattr(given, name) for name in Lessons._fields))
        print(json.dumps(experiment(given.folder, lessons, given.choose), indent=1))


if __name__ == "__main__":
    main()
