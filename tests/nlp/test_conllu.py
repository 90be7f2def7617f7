"""Treebanks read as surface tokens: a contraction is one token."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.errors import UsageError
from polyglitch.nlp.parsers.conllu import read_parses, read_sentences
from polyglitch.nlp.parsers.constituents import tree_of

# "Moro no Porto e dou-lho" in the format of Universal Dependencies; the last token is a verb with two pronouns.
ROWS = """# text = Moro no Porto e dou-lho
1 Moro morar VERB _ _ 0 root _ _
2-3 no _ _ _ _ _ _ _ _
2 em em ADP _ _ 4 case _ _
3 o o DET _ _ 4 det _ _
4 Porto _ PROPN _ _ 1 obl _ _
5 e e CCONJ _ _ 6 cc _ _
6-8 dou-lho _ _ _ _ _ _ _ SpaceAfter=No
6 dou dar VERB _ _ 1 conj _ _
7 lhe ele PRON _ _ 6 iobj _ _
8 o o PRON _ _ 6 obj _ _
"""


def test_contractions_and_clitics_are_one_token_each(tmp_path: Path) -> None:
    path = tmp_path / "small.conllu"
    lines = [line if line[0] == "#" else line.replace(" ", "\t") for line in ROWS.splitlines()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    (sentence,) = read_sentences(path)
    assert [word.text for word in sentence] == ["Moro", "no", "Porto", "e", "dou-lho"]
    assert [word.tag for word in sentence] == [
        "VERB",
        "ADP+DET",
        "PROPN",
        "CCONJ",
        "VERB+PRON+PRON",
    ]
    assert [(word.head, word.relation) for word in sentence] == [
        (0, "root"),
        (2, "case"),
        (0, "obl"),
        (4, "cc"),
        (0, "conj"),
    ]
    assert [word.lemma for word in sentence] == ["morar", "", "", "e", ""]
    assert [word.space for word in sentence] == [True, True, True, True, False]


def test_sentences_become_parses_with_constituents(tmp_path: Path) -> None:
    path = tmp_path / "cat.conllu"
    rows = ["1 The the DET DT _ 2 det _ _", "2 cat cat NOUN NN _ 3 nsubj _ _"]
    rows += ["3 sleeps sleep VERB VBZ _ 0 root _ SpaceAfter=No", "4 . . PUNCT . _ 3 punct _ _"]
    path.write_text("\n".join(row.replace(" ", "\t") for row in rows), "utf-8")
    (universal,), (own,) = read_parses(path), read_parses(path, own_tags=True)
    assert universal.text == "The cat sleeps."
    assert [universal.text[t.start : t.end] for t in universal.tokens] == [
        "The",
        "cat",
        "sleeps",
        ".",
    ]
    assert [token.tag for token in universal.tokens] == ["DET", "NOUN", "VERB", "PUNCT"]
    tree = tree_of(own)
    assert tree is not None and tree.label == "S"
    noun_phrase = tree.children[0]
    assert [noun_phrase.label, *(part.label for part in noun_phrase.children)] == ["NP", "DT", "NN"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 The the DET\n", ":1: 4 columns"),
        ("# a\n1 a a DET _ _ 9 det _ _\n", ":2: the sentence that ends here"),
        ("1-x no _ _ _ _ _ _ _ _\n", ":1: the sentence that ends here"),
    ],
)
def test_a_broken_treebank_is_told_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text(text.replace(" ", "\t"), "utf-8")
    with pytest.raises(UsageError) as error:
        list(read_sentences(path))
    assert message in str(error.value)
