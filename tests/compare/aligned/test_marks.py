"""What is marked: words of meaning, what stands for them on the other side, small words only inside a phrase."""

from __future__ import annotations

from polyglitch.compare.oracles.aligned.explain import closed, marked
from polyglitch.compare.oracles.aligned.lexicon import Lexicon
from polyglitch.compare.oracles.aligned.links import link, pair_off, read_plain

SOURCE, FOLLOWUP = "eine alte schule denkt so", "eine neue schule denkt so"
FIRST, SECOND = "one old faction thinks so", "one new school of thought thinks so"
KNOWN = {("schule", "faction"): 0.9, ("schule", "school"): 0.9, ("schule", "thought"): 0.3}


def story() -> tuple[list[str], list[str], list[set[int]], dict[int, float], dict[int, float]]:
    back = {(target, source): value for (source, target), value in KNOWN.items()}
    lexicon = Lexicon(KNOWN, back)
    texts = [read_plain(text, "de") for text in (SOURCE, FOLLOWUP)]
    texts += [read_plain(text, "en") for text in (FIRST, SECOND)]
    linked = link(*texts, lexicon)
    pairing = pair_off(linked.first, linked.second, lexicon, None)
    here = {1: 0.01, 2: 0.6}
    there = {1: 0.01, 2: 0.2, 3: 0.3, 4: 0.1}
    places = marked(linked, pairing, (here, there), 0.5)
    return FIRST.split(), SECOND.split(), places, here, there


def test_the_counterpart_is_marked_and_the_small_word_between() -> None:
    first, second, places, _, _ = story()
    assert [first[at] for at in sorted(places[0])] == ["faction"]
    assert [second[at] for at in sorted(places[1])] == ["school", "of", "thought"]


def test_only_changed_words_are_ever_marked() -> None:
    _, _, places, here, there = story()
    assert places[0] <= here.keys()
    assert places[1] <= there.keys()


def test_a_gap_is_closed_only_by_changed_words() -> None:
    assert closed({1, 3}, {1, 2, 3}) == {1, 2, 3}
    assert closed({1, 3}, {1, 3}) == {1, 3}
    assert closed({1, 9}, set(range(10))) == {1, 9}
