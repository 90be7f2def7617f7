"""What the learned models make of a word: what follows only speaks against it, opposites are told from synonyms."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.languages import language as language_of
from polyglitch.nlp.lexicons.near_words import LISTED, OF_A_KIND, NearWords
from polyglitch.nlp.proposers.candidate_scoring import (
    AROUND,
    CandidateJudge,
    CandidateModel,
    ScoredCandidate,
    best_first,
    learned,
    measures_around,
)
from polyglitch.nlp.proposers.in_context import LeastNatural
from polyglitch.nlp.proposers.slot_words import same_word, word_classes
from polyglitch.records import Parse, Slot, Token

DRUG = Token("drug", 0, 4, "NN", "NOUN", "drug", 0, "ROOT")
KNOWN_AS = "smollm"
SLOT = Slot(Parse("drug", (DRUG,), language="en"), 0)
odds = st.floats(-9, 4)


def candidate(word: str = "medicine", **known: Any) -> ScoredCandidate:
    values: dict[str, Any] = {
        "tokens": (1,),
        "near": 0.4,
        "similar": 0.7,
        "relation": "",
        "listed": "",
        "same_field": True,
        "own": -5.0,
        "gain": 0.0,
    }
    return ScoredCandidate(word, **(values | known))


@given(odds, odds, st.booleans())
def test_what_follows_makes_no_word_better(gain: float, step: float, wordnet: bool) -> None:
    """So a word that is too low already needs no further pass of the model."""
    judge = CandidateJudge(KNOWN_AS, wordnet)
    after = candidate(gain=gain, change=step, worst=min(step, 0.0))
    assert judge.natural(SLOT, after) <= judge.natural(SLOT, candidate(gain=gain)) + 1e-9


@given(odds, st.floats(-6, 0), st.floats(0, 3))
def test_likelier_sentences_are_more_natural(gain: float, change: float, less: float) -> None:
    judge = CandidateJudge(KNOWN_AS, wordnet=True)
    better = judge.natural(SLOT, candidate(gain=gain, change=change))
    assert better >= judge.natural(SLOT, candidate(gain=gain, change=change - less)) - 1e-9


def test_a_synonym_is_alike_and_an_opposite_is_not() -> None:
    judge = CandidateJudge(KNOWN_AS, wordnet=True, in_context=True)
    same = candidate(relation="synonym", in_context=0.7, state=0.96)
    opposite = candidate(relation="opposite", in_context=0.7, state=0.96)
    assert judge.alike(SLOT, same) > 0.7 > 0.3 > judge.alike(SLOT, opposite)
    assert judge.alike(SLOT, same) > judge.alike(SLOT, candidate(in_context=0.1, state=0.96))
    assert judge.alike(SLOT, same) > judge.alike(
        SLOT, candidate(relation="synonym", in_context=0.7, state=0.8)
    )


def test_until_the_model_has_passed_over_a_word_its_state_is_not_asked_for() -> None:
    judge = CandidateJudge(KNOWN_AS, wordnet=True)
    first = learned(KNOWN_AS)["natural at first"]
    assert "state" not in first.weights and "in context" not in first.weights
    assert judge.natural(SLOT, candidate()) == pytest.approx(first(candidate().features(SLOT)))
    assert judge.natural(SLOT, candidate(state=0.99)) > judge.natural(SLOT, candidate(state=0.8))


def test_what_is_not_installed_is_not_looked_at() -> None:
    assert not any(
        "wordnet" in name for name in learned(KNOWN_AS)["natural without wordnet"].weights
    )
    plain = learned(KNOWN_AS)["alike without wordnet without minilm"].weights
    assert "in context" not in plain and "same field" not in plain
    assert CandidateJudge(KNOWN_AS, True).signature != CandidateJudge(KNOWN_AS, False).signature


def test_the_best_come_first_and_equals_by_the_alphabet() -> None:
    scored = [(0.5, candidate("b")), (0.9, candidate("c")), (0.5, candidate("a"))]
    assert [one.word for _, one in best_first(scored, 0.2)] == ["c", "a", "b"]
    assert best_first(scored, 0.95) == []


def test_a_word_of_many_meanings_is_trusted_less() -> None:
    """A list has words for all of them: the boughs of a bank."""
    judge = CandidateJudge(KNOWN_AS, wordnet=True, soon=True)
    one, many = candidate(listed=LISTED, senses=1), candidate(listed=LISTED, senses=12)
    assert judge.natural(SLOT, one) > judge.natural(SLOT, many)


def test_words_that_are_scored_soon_have_models_of_their_own() -> None:
    soon, whole = (
        CandidateJudge(KNOWN_AS, wordnet=True, soon=True),
        CandidateJudge(KNOWN_AS, wordnet=True),
    )
    assert soon.signature != whole.signature
    told = candidate(state=0.98)
    assert soon.natural(SLOT, told) != whole.natural(SLOT, told)


def test_an_unknown_model_is_no_silence() -> None:
    with pytest.raises(KeyError):
        learned(KNOWN_AS)["fluent"]


def test_another_form_of_the_word_does_not_suit() -> None:
    drew = Token("drew", 0, 4, "VBD", "VERB", "draw", 0, "ROOT")
    slot = Slot(Parse("drew", (drew,), language="en"), 0)
    assert same_word(slot, "drawn") and not same_word(slot, "painted")


def test_adjectives_have_weights_of_their_own() -> None:
    old = Token("drug", 0, 4, "JJ", "ADJ", "drug", 0, "ROOT")
    one = candidate(gain=-2.0)
    adjective = one.features(Slot(Parse("drug", (old,), language="en"), 0))
    assert adjective["adjective gain"] == adjective["gain"] == -2.0
    assert one.features(SLOT)["adjective gain"] == 0.0


@given(odds, st.floats(-9, 0), st.sampled_from(["NOUN", "ADJ", "VERB", "ADV"]))
def test_a_model_says_what_its_weights_say_of_the_features(
    gain: float, change: float, part: str
) -> None:
    old = Token("drug", 0, 4, "XX", part, "drug", 0, "ROOT")
    slot, one = Slot(Parse("drug", (old,), language="en"), 0), candidate(gain=gain, change=change)
    for name in ("natural", "alike", "natural soon", "natural left without wordnet"):
        model = learned(KNOWN_AS)[name]
        assert CandidateModel(model)(slot, one) == pytest.approx(model(one.features(slot)))


def test_a_word_that_is_written_down_is_doubted_less() -> None:
    judge = CandidateJudge(KNOWN_AS, wordnet=True)
    plain, listed = candidate(), candidate(listed=LISTED)
    assert judge.alike(SLOT, listed) > judge.alike(SLOT, plain)
    assert 0 < judge.natural(SLOT, listed) < 1


def test_the_list_holds_base_forms_and_no_word_stands_for_itself() -> None:
    lines = [line for line in language_of("en").lines("near_words") if line[0] not in "[~"]
    assert len(lines) > 2500
    for line in lines:
        first, *others = line.split()
        assert others and first not in others, line
        assert len(set(others)) == len(others), line


def test_listed_words_take_the_form_of_the_slot() -> None:
    classes = word_classes("en")
    if classes is None:
        pytest.skip("no English pipeline")
    assert "bought" in classes.forms("buy", "VBD")
    assert "stopped" in classes.forms("stop", "VBD")
    assert classes.forms("repay", "VBN") == {"repaid"}
    assert {"burnt", "burned"} <= classes.forms("burn", "VBD")
    assert "children" in classes.forms("child", "NNS")
    listed = NearWords("en")
    assert listed.of("couch", "NOUN") == {"sofa": LISTED, "settee": LISTED}
    assert listed.of("month", "NOUN")["week"] == OF_A_KIND
    assert listed.of("month", "VERB") == {}


def test_listed_nouns_are_spared_and_verbs_are_not() -> None:
    first, last = LeastNatural.read("0.93/0.86", 0.72), LeastNatural.read("0.91/0.66/0.7", 0.72)
    assert first.least("NOUN", listed=True) == 0.86 < first.least("NOUN", listed=False)
    assert first.least("VERB", listed=True) == 0.93 < first.least("VERB", listed=False)
    assert last.least("VERB", listed=True) == 0.7
    assert LeastNatural.read("", 0.72).least("NOUN", listed=False) == 0.72


def test_an_order_is_told_from_what_is_told() -> None:
    """Readers stumble over more swaps where a sentence says what to do."""
    pan = Token("pan", 9, 12, "NN", "NOUN", "pan", 0, "dobj")
    told = {}
    for word, tag in (("Warm", "VB"), ("Sold", "VBD")):
        verb = Token(word, 0, 4, tag, "VERB", word.lower(), 0, "ROOT")
        text = f"{word} the pan"
        the = Token("the", 5, 8, "DT", "DET", "the", 2, "det")
        slot = Slot(Parse(text, (verb, the, pan), language="en"), 2)
        told[word] = dict(zip(AROUND, measures_around(slot), strict=True))
    assert told["Warm"]["order"] == 1.0 > told["Sold"]["order"]
    assert told["Sold"]["past"] == 1.0 > told["Warm"]["past"]
    assert told["Warm"]["is dobj"] == 1.0 and told["Warm"]["plural"] == 0.0


def test_gemma_hears_of_the_place_and_smollm_does_not() -> None:
    one = candidate()
    order = candidate(around=(1.0, *[0.0] * (len(AROUND) - 1)))
    asked = CandidateJudge("gemma", wordnet=True, soon=True)
    assert asked.natural(SLOT, order) < asked.natural(SLOT, one)
    before = CandidateJudge("smollm", wordnet=True, soon=True)
    assert before.natural(SLOT, order) == before.natural(SLOT, one)
