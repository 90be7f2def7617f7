"""Trees in brackets: traces and function tags go, words stay."""

from __future__ import annotations

from polyglitch.nlp.parsers.trees import read_brackets, whole

TREE = """
( (S (NP-SBJ-1 (DT The) (NN plan) ) (VP (VBD was) (VP (VBN dropped) (NP (-NONE- *-1) )))
  (. .) ))
( (NP (NNP Mr.) (NNP Smith)) )
"""


def test_a_treebank_is_read_without_traces() -> None:
    first, second = read_brackets(TREE)
    assert first.words == ("The", "plan", "was", "dropped", ".")
    assert first.tree.label == "S"
    assert [child.label for child in first.tree.children] == ["NP", "VP", "."]
    inner = first.tree.children[1].children[1]
    assert (inner.label, inner.start, inner.end, len(inner.children)) == ("VP", 3, 4, 1)
    assert second.tree.label == "NP" and second.words == ("Mr.", "Smith")


def test_sentences_of_one_text_are_joined_only_if_their_words_fit() -> None:
    two = "(S (NP (PRP We)) (VP (VBP go)) (. .)) (S (VP (VB Stay)) (. .))"
    tree = whole(two, 5)
    assert tree is not None and tree.label == "TOP"
    assert [(child.start, child.end) for child in tree.children] == [(0, 3), (3, 5)]
    assert whole(two, 6) is None
