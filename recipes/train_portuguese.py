"""How `resources/models/pt_ud_gsd` was made: a small spaCy pipeline trained on Universal Dependencies.

    python -m recipes.train_portuguese TREES OUT [--steps N]

TREES is a folder with `ud_pt_gsd_train.conllu.gz` and `ud_pt_gsd_dev.conllu.gz` (UD Portuguese-GSD, CC BY-SA 4.0);
OUT receives the pipeline. spaCy's own tokeniser cuts the text, so that the model sees in training what it will see
in use. Lemmas are looked up: the treebank leaves too many of them open to learn from.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin

from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences

SEED = 0
NAME, VERSION = "ud_gsd", "0.1.0"
TOGETHER = 3  # sentences a document, so that the parser also meets text that goes on


def documents(path: Path, pipeline: Any, together: int) -> list[Doc]:
    """The gold documents of a treebank."""
    sentences = list(read_sentences(path))
    return [
        joined(sentences[start : start + together], pipeline)
        for start in range(0, len(sentences), together)
    ]


def joined(sentences: list[list[TreebankWord]], pipeline: Any) -> Doc:
    """Some sentences as one document."""
    words, heads, starts = [], [], []
    for sentence in sentences:
        offset = len(words)
        words += [*sentence[:-1], sentence[-1]._replace(space=True)]
        heads += [word.head + offset for word in sentence]
        starts += [True] + [False] * (len(sentence) - 1)
    return Doc(
        pipeline.vocab,
        words=[word.text for word in words],
        spaces=[word.space for word in words],
        tags=[word.tag for word in words],
        pos=[word.tag.split("+")[0] for word in words],
        heads=heads,
        deps=[
            "ROOT" if words[i].relation == "root" else words[i].relation for i in range(len(words))
        ],
        sent_starts=starts,
    )


def lemma_table(path: Path) -> dict[str, str]:
    """The most frequent lemma of each form that differs from it."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in read_sentences(path):
        for word in sentence:
            if word.lemma and not word.tag.startswith("PROPN"):
                seen[word.text.lower()][word.lemma.lower()] += 1
    best = {form: lemmas.most_common(1)[0][0] for form, lemmas in seen.items()}
    return {form: lemma for form, lemma in sorted(best.items()) if form != lemma}


def configuration(steps: int) -> Any:
    """spaCy's small CNN (width 96, four layers, no vectors), one for tagger and parser."""
    config = init_config(lang="pt", pipeline=["tagger", "parser"], optimize="efficiency")
    config["training"] |= {
        "seed": SEED,
        "max_steps": steps,
        "eval_frequency": 400,
        "patience": 4000,
        "score_weights": {"tag_acc": 0.3, "dep_uas": 0.2, "dep_las": 0.5},
    }
    return config


def finish(folder: Path, lemmas: dict[str, str], tags: set[str]) -> Any:
    """The trained pipeline with universal parts of speech and lemmas, both looked up."""
    pipeline = spacy.load(folder)
    ruler = pipeline.add_pipe("attribute_ruler")
    ruler.add_patterns(  # type: ignore[attr-defined]
        [
            {"patterns": [[{"TAG": tag}]], "attrs": {"POS": tag.split("+")[0]}}
            for tag in sorted(tags)
        ]
    )
    lemmatizer = pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    lemmatizer.lookups.add_table("lemma_lookup", lemmas)  # type: ignore[attr-defined]
    pipeline.meta |= {
        "name": NAME,
        "version": VERSION,
        "description": "Tags, dependencies and lemmas of Portuguese, trained on UD Portuguese-GSD.",
        "license": "CC BY-SA 4.0",
        "sources": [{"name": "UD Portuguese-GSD", "license": "CC BY-SA 4.0"}],
    }
    return pipeline


def main() -> None:
    """Read, train, finish, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("trees", type=Path)
    options.add_argument("out", type=Path)
    options.add_argument("--steps", type=int, default=1_600)
    options.add_argument("--scratch", type=Path, default=Path("out/portuguese"))
    given = options.parse_args()
    given.scratch.mkdir(parents=True, exist_ok=True)
    blank = spacy.blank("pt")
    source = given.trees / "ud_pt_gsd_train.conllu.gz"
    gold = documents(source, blank, 1) + documents(source, blank, TOGETHER)
    DocBin(docs=gold).to_disk(given.scratch / "train.spacy")
    dev = documents(given.trees / "ud_pt_gsd_dev.conllu.gz", blank, 1)
    DocBin(docs=dev).to_disk(given.scratch / "dev.spacy")
    configuration(given.steps).to_disk(given.scratch / "config.cfg")
    paths = {f"paths.{part}": str(given.scratch / f"{part}.spacy") for part in ("train", "dev")}
    train(given.scratch / "config.cfg", given.scratch / "model", overrides=paths)
    tags = {token.tag_ for document in gold for token in document}
    pipeline = finish(given.scratch / "model" / "model-best", lemma_table(source), tags)
    shutil.rmtree(given.out, ignore_errors=True)
    write(pipeline, given.out, tags)


def write(pipeline: Any, folder: Path, tags: set[str]) -> None:
    """Save the pipeline, without the words it met in training: it knows words by their hashes."""
    pipeline.to_disk(folder)
    needed = tags | {"ROOT", *pipeline.get_pipe("parser").labels}
    strings = folder / "vocab" / "strings.json"
    known = json.loads(strings.read_text("utf-8"))
    kept = [text for text in known if text in needed or (text.isascii() and text.isupper())]
    strings.write_text(json.dumps(kept, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
