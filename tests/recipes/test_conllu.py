"""Treebanks read as surface tokens: a contraction is one token."""

from __future__ import annotations

from pathlib import Path

from recipes.conllu import read_sentences

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
