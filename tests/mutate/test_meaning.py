"""PatInv's cases: another meaning in the same shape, or a piece of meaning less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from polyglitch.mutate.meaning import both_meanings, less_meaning, other_meaning, without
from polyglitch.nlp.lexicons import words as wordnet
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.records import Candidate, Input, Seed, Slot
from polyglitch.tools import Toolbox

TEXT = "The old teacher quickly opened the heavy door of the school."


class Proposals:
    """Hands out the same words for every slot."""

    signature = "proposals"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        words = ("teachers", "small", "window", "the", "closed", "slowly", "doorway")
        return [[Candidate(word, 1.0) for word in words] for _ in slots]


class Tools(Toolbox):
    """A toolbox whose only proposer is the one above."""

    def proposer(self, name: str, language: str | None) -> Any:
        return Proposals()


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyglitch.mutate.meaning.dictionary_folder", lambda: None)


def seed(text: str = TEXT) -> Seed:
    return Seed("s", Input(text, language="en"))


def test_a_replacement_keeps_the_shape_and_is_no_form_of_the_word() -> None:
    cases = list(other_meaning()([seed()], Tools()))
    swaps = {(case.edit.old, case.edit.new) for case in cases if case.edit}
    assert {("heavy", "small"), ("door", "window"), ("opened", "closed")} <= swaps
    assert ("teacher", "teachers") not in swaps  # a form of it
    assert not any(new in ("the", "doorway") for old, new in swaps if old == "door")
    assert ("door", "slowly") not in swaps  # another tag
    assert all(case.relation == "different" for case in cases)


def removed(text: str) -> dict[str, str]:
    cases = less_meaning()([seed(text)], Toolbox())
    return {case.edit.old: case.inputs[1].text for case in cases if case.edit}


def test_modifiers_and_adjuncts_go_and_complements_stay() -> None:
    gone = removed("After the storm she carefully put an old letter back into the wooden drawer.")
    assert gone["After the storm"].startswith("She carefully put")
    assert gone["carefully"] == "After the storm she put an old letter back into the wooden drawer."
    assert gone["wooden"].endswith("into the drawer.")
    assert not {"into the wooden drawer", "letter", "back", "she", "an old letter"} & gone.keys()


def test_the_article_goes_with_what_is_left() -> None:
    gone = removed("The stranger who lived there sold a private island.")
    assert gone["private"] == "The stranger who lived there sold an island."
    assert gone["who lived there"] == "The stranger sold a private island."


def test_what_stands_between_commas_goes_with_both() -> None:
    gone = removed("The new firm, which makes batteries, has hired a director.")
    assert "The new firm has hired a director." in gone.values()


def test_what_only_stresses_or_tears_a_clause_stays() -> None:
    assert "actually" not in removed("Does anybody actually assemble this wardrobe alone?")
    assert "proper" not in removed("I would not trust the old tent in a proper storm.")
    assert "-" not in removed("The command returns a non-zero exit code on errors.")
    assert "nowhere" not in removed("She stayed because there was nowhere else dry to stand.")
    assert not any(
        text.endswith(";.") for text in removed("Carry on; never double the next one.").values()
    )
    text = "The Supplier warrants that the Goods will be free from defects."
    assert "The Supplier warrants." not in removed(text).values()


def test_an_adjective_that_is_all_that_is_said_stays() -> None:
    assert "highest" not in removed("Prices climbed to their highest level.")
    assert removed("It was a bitter winter.") == {}
    assert "warm" not in removed("Leave the dough in a warm place.")
    assert "soft" not in removed("The priest was a man with pale eyes and a soft voice.")
    assert "delicious" not in removed("Great location, friendly staff and a delicious breakfast.")


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Fold the berries gently into the cold cream.", "gently"),
        ("The installer looks for missing files and loads them when necessary.", "when necessary"),
        ("The heat of the chillies varies wildly from one batch to the next.", "wildly"),
        ("The box is heavy, and the lid of the box pops open at night.", "of the box"),
        ("Never rinse the pasta after draining, since the starch helps.", "after draining"),
        ("An unexpected error stopped the big upload.", "unexpected"),
    ],
)
def test_what_goes_without_saying_stays(text: str, never: str) -> None:
    assert never not in removed(text)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("The tenant shall keep the garden in a tidy condition.", "tidy"),
        ("He blamed rising costs, and the paper cited a weak currency.", "weak"),
        ("Best almond croissant in town, and the staff remember your order.", "Best"),
        ("Happy birthday you old goat, hope the kids let you sleep in!", "Happy"),
        ("It is a tense, beautifully shot thriller that loses its nerve.", "beautifully"),
        ("Nice idea, but the touch controls react to every drop of rain.", "Nice"),
        ("Add the stock a ladle at a time, waiting until each one is gone.", "a ladle"),
        ("The neighbours brought round a tray of sweets.", "round"),
        ("The prince opened a children's hospice named after his aunt.", "after his aunt"),
        ("Call the ward straight away if it hurts.", "straight"),
        ("She folded the letter and went downstairs as if nothing had happened.", "downstairs"),
        ("Heavy snow fell and left many households without electricity.", "without electricity"),
        ("You should start to bend your knee on the day after surgery.", "after surgery"),
        (
            "If you can't find fresh figs, dried ones soaked in warm tea make a perfectly good substitute.",
            "If you can't find",
        ),
        ("She said the manager counts how many times they go to the loo.", "how many times"),
        ("We booked the cottage for August, fifty quid deposit each please.", "quid"),
        ("The old man in bed six opened his eyes.", "in bed"),
        (
            "He had the kind of face that people asked for directions.",
            "that people asked for directions",
        ),
        (
            "The Contractor warrants that it holds all licences which are necessary.",
            "that it holds all licences which are necessary",
        ),
    ],
)
def test_what_a_sentence_does_not_stand_without_stays(text: str, never: str) -> None:
    assert never not in removed(text)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("The goods are free from defects for twelve months after delivery.", "after delivery"),
        ("Someone adds people to this group without asking.", "without asking"),
        ("The owner of a calendar can change who sees it.", "of a calendar"),
        ("When the snow melted they found the old bicycle.", "When the snow melted"),
        ("The home side, who had not won since May, scored twice.", ", who had not won since May,"),
        ("Any dispute that cannot be resolved amicably goes to court.", "amicably"),
        ("The map loads slowly on tablets with little memory.", "slowly"),
    ],
)
def test_what_says_something_of_its_own_still_goes(text: str, taken: str) -> None:
    assert taken in removed(text)


def test_as_published_what_is_removed_is_long_enough_and_leaves_a_sentence() -> None:
    cases = list(less_meaning(faithful=True)([seed()], Toolbox()))
    gone = {case.edit.old: case.inputs[1].text for case in cases if case.edit}
    assert gone["quickly"] == "The old teacher opened the heavy door of the school."
    assert gone["of the school"] == "The old teacher quickly opened the heavy door."
    assert "old" not in gone  # fewer than seven characters
    assert all(len(text.split()) >= 3 for text in gone.values())
    assert len(set(gone.values())) == len(gone)


def test_both_kinds_come_seed_by_seed_and_each_is_bounded() -> None:
    seeds = [Seed("a", Input(TEXT, language="en")), Seed("b", Input(TEXT, language="en"))]
    cases = list(both_meanings(per_seed=2)(seeds, Tools()))
    assert [case.seed_id for case in cases] == ["a"] * 4 + ["b"] * 4


@pytest.mark.parametrize(
    ("text", "piece", "left"),
    [
        ("Then, last week, it rained.", "last week", "Then, it rained."),
        ("Quietly they left.", "Quietly", "They left."),
        ("They left in haste.", "in haste", "They left."),
    ],
)
def test_commas_blanks_and_capitals_are_put_right(text: str, piece: str, left: str) -> None:
    start = text.index(piece)
    assert without(text, start, start + len(piece)) == left


def test_a_synonym_is_no_change_of_meaning_and_an_opposite_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("polyglitch.mutate.meaning.dictionary_folder", wordnet.dictionary_folder)
    if wordnet.dictionary_folder() is None:
        pytest.skip("WordNet is not installed: apt-get install wordnet-base")
    from polyglitch.mutate.meaning import unlike

    parse = open_spacy("en").parse(["The big car had a majority of the doors open."])[0]
    slots = {token.text: Slot(parse, place) for place, token in enumerate(parse.tokens)}
    apart = unlike("en")
    assert not apart(slots["car"], "automobile")
    assert not apart(slots["big"], "large")
    assert apart(slots["majority"], "minority")
    assert apart(slots["doors"], "windows")
    assert not apart(slots["doors"], "door")
