"""What the edit touched, what two outputs share, and who stands for whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyglitch.compare.oracles.aligned.lexicon import learn
from polyglitch.compare.oracles.aligned.links import (
    NONE,
    LinkedBlock,
    link,
    match,
    pair_off,
    read_plain,
    runs,
    shared_form,
)

keys = st.lists(st.sampled_from("abcde"), max_size=12)


@given(keys, keys)
def test_matches_are_one_to_one_and_between_equals(one: list[str], other: list[str]) -> None:
    ahead, back = match(one, other)
    for index, partner in enumerate(ahead):
        if partner != NONE:
            assert one[index] == other[partner]
            assert back[partner] == index
    # No word stays alone on both sides: order does not matter for being there.
    alone = {one[i] for i, p in enumerate(ahead) if p == NONE}
    assert not alone & {other[i] for i, p in enumerate(back) if p == NONE}


def test_a_changed_block_knows_what_faces_it() -> None:
    here, there = match(["he", "will", "not", "go", "home"], ["he", "goes", "home"])
    assert runs(here, there)[1:4] == [LinkedBlock(1, 4, 1, 2)] * 3
    assert runs(there, here)[1] == LinkedBlock(1, 2, 1, 4)


def test_the_edit_is_what_the_sources_do_not_share() -> None:
    sentences = [
        read_plain(text, "")
        for text in ("the old mayor left", "the new mayor left", "o velho saiu", "o novo saiu")
    ]
    linked = link(
        *sentences,
        learn([(s.keys, t.keys) for s, t in zip(sentences[:2], sentences[2:], strict=False)]),
    )
    assert [i for i, m in enumerate(linked.first.source_match) if m == NONE] == [1]
    assert linked.first.changed == [1]
    assert linked.second.changed == [1]


def test_another_form_of_the_word_is_its_partner() -> None:
    texts = ("a b", "a c", "the mayor resigned yesterday", "the mayor resigns yesterday")
    sentences = [read_plain(text, "en") for text in texts]
    linked = link(*sentences, learn([]))
    pairing = pair_off(linked.first, linked.second, learn([]), None)
    assert pairing.partner[2][0] == 2
    assert pairing.turned().partner == {2: (2, pairing.partner[2][1])}


def test_forms_are_compared_by_beginning_or_by_characters() -> None:
    assert shared_form("decision", "decided") > 0.4
    assert shared_form("cat", "dog") == 0
    assert shared_form("选举", "大选") == 0.5
    assert shared_form("правительство", "приветствовал") == 0  # letters, whatever their script
    assert shared_form("não", "nação") == 0
    assert shared_form("решение", "решения") > 0.8
