"""Trains a small tagger and parser of a language on treebanks: what `polyglitch get parser-CODE --treebank` does.

spaCy's small CNN, one for tagger and parser. Its own tokeniser cuts the text, so that the model sees in training what
it will see in use; lemmas are looked up. Where `spacy-lookups-data` knows classes of the language's words (clusters by
distribution, or the parts of speech a form may have), each frequent word is known by its class too: a few hundred
sentences say little of words that are not in them.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polyglitch.errors import Missing
from polyglitch.files.lazy_numpy import np
from polyglitch.languages import language as language_of
from polyglitch.nlp.models.downloads import PARSER_VERSION
from polyglitch.nlp.parsers.choose import SpacyParser, torch_left_alone
from polyglitch.nlp.parsers.treebanks import (
    LICENCES,
    Sentence,
    Treebanks,
    lemma_table,
    measure,
    treebanks,
)

SEED = 0
STEPS = 800
BATCH = {"start": 400, "stop": 1000, "compound": 1.002}  # words: of fewer a step costs as much
DROPOUT = 0.2  # the treebanks are small
HIDDEN = 64  # of the parser's states
TOGETHER = 3  # sentences a document, so that the parser also meets text that goes on
# Rows for a word's class, form, first letter, last three letters and shape, of width 96: under 4 MB, packed.
ROWS = {"NORM": 1500, "LOWER": 2000, "PREFIX": 500, "SUFFIX": 1500, "SHAPE": 1000}
CLASSED = 40_000  # words whose class is kept, the most frequent: 0.4 MB
CAPITALISED = 5_000  # of them that are also kept as they begin a sentence
DROPPED = 13  # bits at the end of a 32-bit weight: ten of its fraction are left
WEIGHTED = ("tok2vec", "tagger", "parser")
CLASSES = "polyglitch.word_classes"
LOOKUPS = "spacy_lookups_data"
NOTICE = (
    ("# Share-alike", "This pipeline is an adaptation of these treebanks and lists of words:", ""),
    (
        "",
        "It is under CC BY-SA 4.0 too (https://creativecommons.org/licenses/by-sa/4.0/). Changes: contractions were",
        "merged to one token, and a small network was trained on the sentences by `polyglitch get`.",
    ),
)


def train_parser(
    language: str, named: Sequence[Path], folder: Path, steps: int = STEPS
) -> dict[str, Any]:
    """Part the treebanks, train, measure on the test set, write to a folder; what the pipeline says of itself."""
    if not find_spec("spacy"):
        raise Missing("spaCy", "training a parser", "pip install 'polyglitch[nlp]'")
    banks = treebanks(language, named)
    with TemporaryDirectory() as scratch, torch_left_alone():
        pipeline = trained(banks, language, steps, Path(scratch))
        figures = measure(SpacyParser(pipeline), banks.test) if banks.test else {}
        about = described(language, banks, figures)
        write(pipeline, folder, about)
    return about


def word_classes(language: str) -> dict[str, str]:
    """What class the frequent words of a language are of, where lists of that are installed."""
    if not find_spec(LOOKUPS):
        return {}
    if clusters := table(language, "lexeme_cluster"):
        likely = table(language, "lexeme_prob")
        known = [word for word in clusters if word in likely and not word.isdigit()]
        known.sort(key=lambda word: (-likely[word], word))
        return {word: f"C{clusters[word]}" for word in known[:CLASSED]}
    parts: dict[str, set[str]] = defaultdict(set)
    for one in sorted(data_folder().glob(f"{language}_lemma_lookup_*.json.gz")):
        part = one.name.removeprefix(f"{language}_lemma_lookup_").removesuffix(".json.gz")
        for word in table(language, f"lemma_lookup_{part}"):
            parts[word].add(part.upper())
    if not parts or not find_spec("wordfreq"):
        return {}
    from wordfreq import top_n_list

    frequent = [word for word in top_n_list(language, 4 * CLASSED) if word in parts]
    found = {word: "|".join(sorted(parts[word])) for word in frequent[:CLASSED]}
    return {word.capitalize(): found[word] for word in frequent[:CAPITALISED]} | found


def data_folder() -> Path:
    """Where the lists of words are."""
    return Path(str(files(LOOKUPS))) / "data"


def table(language: str, name: str) -> dict[str, Any]:
    """A list of words, or nothing."""
    path = data_folder() / f"{language}_{name}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else {}


def blank(language: str) -> Any:
    """An empty pipeline that cuts text; words of Chinese are cut by jieba, as in the rest of this package."""
    import spacy

    made = spacy.blank(language)
    if hasattr(made.tokenizer, "segmenter") and find_spec("jieba"):
        return spacy.blank(language, config={"nlp": {"tokenizer": {"segmenter": "jieba"}}})
    return made


def documents(sentences: Sequence[Sentence], pipeline: Any, together: int) -> list[Any]:
    """Gold documents, of so many sentences each."""
    starts = range(0, len(sentences), together)
    return [joined(sentences[start : start + together], pipeline) for start in starts]


def joined(sentences: Sequence[Sentence], pipeline: Any) -> Any:
    """Some sentences as one document."""
    from spacy.tokens import Doc

    words: Sentence = []
    heads: list[int] = []
    starts: list[bool | int | None] = []
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


def configuration(pipeline: Any, steps: int, classed: bool) -> Any:
    """spaCy's small CNN (width 96, four layers, no vectors), one for tagger and parser."""
    from spacy.cli.init_config import init_config

    config = init_config(lang=pipeline.lang, pipeline=["tagger", "parser"], optimize="efficiency")
    config["nlp"]["tokenizer"] = pipeline.config["nlp"]["tokenizer"]
    rows = {name: size for name, size in ROWS.items() if classed or name != "LOWER"}
    config["components"]["tok2vec"]["model"]["embed"] |= {
        "attrs": list(rows),
        "rows": list(rows.values()),
    }
    config["components"]["parser"]["model"]["hidden_width"] = HIDDEN
    config["training"]["batcher"]["size"] |= BATCH
    config["training"] |= {
        "seed": SEED,
        "dropout": DROPOUT,
        "max_steps": steps,
        "eval_frequency": min(100, steps),
        "patience": 0,
        "score_weights": {"tag_acc": 0.4, "dep_uas": 0.2, "dep_las": 0.4},
    }
    config["initialize"]["lookups"] = {"@misc": CLASSES}
    return config


def trained(banks: Treebanks, language: str, steps: int, scratch: Path) -> Any:
    """The best pipeline of a training."""
    from spacy.cli.train import train
    from spacy.lookups import Lookups
    from spacy.tokens import DocBin
    from spacy.util import registry

    empty, classes = blank(language), word_classes(language)
    gold = [doc for size in (1, TOGETHER) for doc in documents(banks.train, empty, size)]
    DocBin(docs=gold).to_disk(scratch / "train.spacy")
    DocBin(docs=documents(banks.choose, empty, 1)).to_disk(scratch / "dev.spacy")

    def lookups() -> Any:
        # spaCy knows a word by its form and its "norm"; what a small model takes for the norm is free.
        made = Lookups()
        if classes:
            made.add_table("lexeme_norm", classes)
        return made

    registry.misc.register(CLASSES, func=lookups)
    configuration(empty, steps, bool(classes)).to_disk(scratch / "config.cfg")
    paths = {f"paths.{part}": str(scratch / f"{part}.spacy") for part in ("train", "dev")}
    with own_products():
        train(scratch / "config.cfg", scratch / "model", overrides=paths)
    tags = {word.tag for sentence in banks.train for word in sentence}
    return finish(scratch / "model" / "model-best", lemma_table(banks.train), tags)


@contextmanager
def own_products() -> Iterator[None]:
    """Products by spaCy's own library: a pipeline that was loaded before may have chosen numpy's for the process.

    The two differ in the last digit, and the same sentences should give the same weights.
    """
    from thinc.api import get_current_ops

    ops = get_current_ops()
    before, ops.use_blis = ops.use_blis, True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        ops.use_blis = before  # type: ignore[attr-defined]


def finish(folder: Path, lemmas: dict[str, str], tags: set[str]) -> Any:
    """The trained pipeline with universal parts of speech and lemmas, both looked up."""
    import spacy

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
    config = folder / "config.cfg"  # names the folder it was trained in, and what filled its tables
    text = re.sub(r'(?m)^(train|dev) = ".*"$', r"\1 = null", config.read_text("utf-8"))
    text = re.sub(r"\[initialize\.lookups\]\n@misc = .*\n\n?", "", text)
    config.write_text(text, "utf-8")
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
    if word_classes(language):
        lists = f"spacy-lookups-data {version('spacy-lookups-data')}, classes of words"
        terms = "MIT" + ("; " + credit(language) if credit(language) else "")
        url = "https://github.com/explosion/spacy-lookups-data"
        sources.append({"name": lists, "license": terms, "url": url})
    return {
        "name": "polyglitch_ud",
        "version": PARSER_VERSION,
        "description": f"Tags, dependencies and lemmas of {name}, from {' and '.join(banks.sources).upper()}.",
        "license": "CC BY-SA 4.0",
        "sources": sources,
        "performance": {"measured on": banks.measured, **figures},
    }


def credit(language: str) -> str:
    """Whose the lists of words are, where they say so themselves."""
    path = data_folder() / f"{language}_license.txt"
    said = path.read_text("utf-8") if path.is_file() else ""
    lines = [" ".join(line.split()) for line in said.splitlines()]
    return " ".join(
        dict.fromkeys(line for line in lines if "licensed under" in line or "Copyright" in line)
    )
