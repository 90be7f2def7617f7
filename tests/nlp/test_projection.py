"""Phrases from dependencies: what a reader of the Penn Treebank would expect."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.parsers.constituents import project, sound, tree_of
from polyglitch.records import Parse, Token, Tree

RELATIONS = ["nsubj", "dobj", "prep", "pobj", "conj", "cc", "punct", "amod", "relcl", "aux", "mark"]
UNIVERSAL = [
    "nsubj",
    "obj",
    "case",
    "nmod",
    "conj",
    "cc",
    "punct",
    "cop",
    "acl:relcl",
    "aux",
    "obl",
]
PARTS = ["NOUN", "VERB", "ADJ", "ADV", "ADP", "PUNCT", "CCONJ", "PRON", "NUM", "AUX", "DET"]


def shown(tree: Tree, tokens: tuple[Token, ...]) -> str:
    """A tree in brackets, its words as leaves."""
    if not tree.children:
        return tokens[tree.start].text
    return f"({tree.label} {' '.join(shown(child, tokens) for child in tree.children)})"


def bracketed(text: str, language: str = "en") -> str:
    parse = open_spacy(language).parse([text])[0]
    tree = tree_of(parse)
    assert tree is not None
    return shown(tree, parse.tokens)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The old man has often seen the small dog in the park.",
            "(S (NP The old man) (VP has (ADVP often) (VP seen (NP (NP the small dog) (PP in (NP the park))))) .)",
        ),
        (
            "She said that the two boys who live here want to leave.",
            "(S (NP She) (VP said (SBAR that (S (NP (NP the two boys) (SBAR (WHNP who) (S (VP live (ADVP here)))))"
            " (VP want (S (VP to (VP leave))))))) .)",
        ),
        (
            "The price of oil rose and the banks lost money",
            "(S (S (NP (NP The price) (PP of (NP oil))) (VP rose)) and (S (NP the banks) (VP lost (NP money))))",
        ),
    ],
)
def test_english_sentences_get_penn_brackets(text: str, expected: str) -> None:
    assert bracketed(text) == expected


def test_universal_arcs_are_turned_so_that_prepositions_and_copulas_govern() -> None:
    words = [
        ("A", "DET", 1, "det"),
        ("casa", "NOUN", 3, "nsubj"),
        ("é", "AUX", 3, "cop"),
        ("bonita", "ADJ", 3, "root"),
        ("na", "ADP", 5, "case"),
        ("primavera", "NOUN", 3, "obl"),
        (".", "PUNCT", 3, "punct"),
    ]
    parse = made(words)
    assert shown(project(parse, universal=True), parse.tokens) == (
        "(S (NP A casa) (VP é (ADJP bonita (PP na (NP primavera)))) .)"
    )


def made(words: list[tuple[str, str, int, str]]) -> Parse:
    tokens, place = [], 0
    for text, pos, head, relation in words:
        tokens.append(Token(text, place, place + len(text), pos, pos, text, head, relation))
        place += len(text) + 1
    return Parse(" ".join(word[0] for word in words), tuple(tokens))


@st.composite
def parses(draw: st.DrawFn, relations: list[str]) -> Parse:
    """Any tree over up to nine words, crossing arcs and nonsense relations included."""
    size = draw(st.integers(1, 9))
    order = draw(st.permutations(range(size)))
    heads = {order[0]: order[0]}
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return made(
        [
            (f"w{i}", draw(st.sampled_from(PARTS)), heads[i], draw(st.sampled_from(relations)))
            for i in range(size)
        ]
    )


@pytest.mark.slow
@given(parse=parses(RELATIONS))
def test_whatever_the_arcs_brackets_never_cross(parse: Parse) -> None:
    tree = project(parse)
    assert sound(tree) and (tree.start, tree.end) == (0, len(parse.tokens))


@pytest.mark.slow
@given(parse=parses(UNIVERSAL))
def test_nor_do_they_for_universal_arcs(parse: Parse) -> None:
    tree = project(parse, universal=True)
    assert sound(tree) and (tree.start, tree.end) == (0, len(parse.tokens))


@pytest.mark.slow
def test_the_treebank_agrees_with_most_brackets(shared_data: Path) -> None:
    from benchmarks.constituents import brackets, gold_trees, places_of, projected

    golds = gold_trees(shared_data / "trees" / "ptb_sample_nltk.zip")[::40]
    right = wanted = found = 0
    for gold, tree in zip(golds, projected(golds), strict=True):
        places = places_of(gold)
        want, have = brackets(gold.tree, places), brackets(tree, places)
        right += (want & have).total()
        wanted += want.total()
        found += have.total()
    assert 2 * right / (wanted + found) > 0.8
