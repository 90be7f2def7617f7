"""The bundled Portuguese pipeline on the test sets of UD Portuguese: tags, heads and labels.

    python -m benchmarks.portuguese [TREES]

Every surface token counts, punctuation too; relations without subtypes, as in the CoNLL shared tasks. "gold" gives the
parser the treebank's tokens, "raw" the text: there a token is right if its place, its head's place and its label are.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks.constituents import reference_data
from benchmarks.results import record
from polyglitch.nlp.parsers.conllu import TreebankWord, read_sentences
from polyglitch.nlp.parsers.spacy import bundled, load_pipeline

SETS = ("ud_pt_gsd_dev", "ud_pt_gsd_test", "ud_pt_bosque_test")
Arc = tuple[int, int, int, int, str, str]  # place of the token, place of its head, relation, tag


def gold_arcs(sentence: list[TreebankWord]) -> tuple[str, list[Arc]]:
    """The text of a sentence and its arcs by character places."""
    text, places = "", []
    for word in sentence:
        places.append((len(text), len(text) + len(word.text)))
        text += word.text + (" " if word.space else "")
    arcs = [
        (*place, *places[word.head], plain(word.relation), word.tag)
        for word, place in zip(sentence, places, strict=True)
    ]
    return text.rstrip(), arcs


def found_arcs(doc: Any) -> list[Arc]:
    """The same of a spaCy document."""
    return [
        (*place(token), *place(token.head), plain(token.dep_), token.tag_)
        for token in doc
        if not token.is_space
    ]


def place(token: Any) -> tuple[int, int]:
    """Where a token stands."""
    return token.idx, token.idx + len(token.text)


def plain(relation: str) -> str:
    """A relation without its subtype."""
    return relation.lower().split(":")[0]


def measure(pipeline: Any, sentences: list[list[TreebankWord]], raw: bool) -> dict[str, float]:
    """Shares of tokens that are right, in percent (F1, which is accuracy for gold tokens)."""
    from spacy.tokens import Doc

    golds = [gold_arcs(sentence) for sentence in sentences]
    inputs = (
        [text for text, _ in golds]
        if raw
        else [
            Doc(pipeline.vocab, [w.text for w in sentence], [w.space for w in sentence])
            for sentence in sentences
        ]
    )
    right = {"tokens": 0, "tags": 0, "UAS": 0, "LAS": 0}
    total = 0
    for (_, gold), doc in zip(golds, pipeline.pipe(inputs), strict=True):
        found = found_arcs(doc)
        total += len(gold) + len(found)
        known = {arc[:2]: arc for arc in found}
        for arc in gold:
            other = known.get(arc[:2])
            if other is not None:
                right["tokens"] += 1
                right["tags"] += arc[5] == other[5]
                right["UAS"] += arc[2:4] == other[2:4]
                right["LAS"] += arc[2:5] == other[2:5]
    return {name: round(200 * count / total, 1) for name, count in right.items()}


def main() -> None:
    """Print the figures of every set."""
    trees = Path(sys.argv[1]) if len(sys.argv) > 1 else reference_data() / "trees"
    if not trees.is_dir():
        print(f"skipped: no reference data at {trees}; set POLYGLITCH_SHARED")
        return
    folder = bundled("pt")
    if folder is None:
        raise SystemExit("the Portuguese pipeline is not bundled")
    pipeline = load_pipeline(str(folder))
    told = {}
    for name in SETS:
        sentences = list(read_sentences(trees / f"{name}.conllu.gz"))
        for raw in (False, True):
            figures = measure(pipeline, sentences, raw)
            told[f"{name}, {'raw' if raw else 'gold'}"] = figures
            shown = "  ".join(f"{key} {value:.1f}" for key, value in figures.items())
            print(f"{name:<18} {'raw ' if raw else 'gold'}  {shown}")
    record("portuguese", told)


if __name__ == "__main__":
    main()
