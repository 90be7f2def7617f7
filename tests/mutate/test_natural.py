"""Words that are left where they stand, and swaps that are refused: what keeps mutants readable."""

from __future__ import annotations

import msgspec
import pytest

from polyglitch.languages import language
from polyglitch.mutate.swap import (
    Swap,
    fit_in,
    not_repeated,
    same_countability,
    same_gender,
    same_place,
    same_tag,
    same_tags,
    wider,
)
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers.slot_words import (
    NATURAL_SLOTS,
    common_nouns,
    goes_with_article,
    open_slots,
)
from polyglitch.records import Parse, Slot

PARTS = ("NOUN", "ADJ", "NUM", "VERB")


def parse(text: str) -> Parse:
    return open_spacy("en").parse([text])[0]


def open_words(text: str, pos: tuple[str, ...] = PARTS) -> set[str]:
    parsed = parse(text)
    return {parsed.tokens[i].text for i in open_slots(parsed, pos, edges=False)}


def swap(text: str, old: str, new: str) -> Swap:
    parsed = parse(text)
    slot = Slot(parsed, next(i for i, t in enumerate(parsed.tokens) if t.text == old))
    draft = fit_in(slot, new)
    return Swap(slot, draft, parse(draft.text))


@pytest.mark.parametrize(
    ("text", "held", "free"),
    [
        (
            "Yesterday Maria Costa visited the small museum.",
            {"Maria", "Costa"},
            {"museum", "small"},
        ),
        ("In May the French minister left the building.", {"French", "May"}, {"minister"}),
        ("A number of farmers blocked the road.", {"number"}, {"farmers", "road"}),
        ("The team lost its nerve in the stadium.", {"nerve"}, {"stadium"}),
        ("The children bought ice cream near the beach.", {"ice", "cream"}, {"children", "beach"}),
        ("It costs 30 euros and 5 percent of the budget.", {"euros", "percent"}, {"budget"}),
        ("The left-wing party won the vote in the valley.", {"wing"}, {"valley"}),
        ("The party ' s members met in a tent.", {"party"}, {"tent"}),
        ("She thanked the girls and boys of the small village.", {"girls", "boys"}, {"small"}),
        ("They gave the poor a warm meal in the tent.", {"poor"}, {"tent"}),
        ("It has been the other way around since the war.", {"other", "way"}, {"war"}),
    ],
)
def test_held_words_are_not_touched(text: str, held: set[str], free: set[str]) -> None:
    found = open_words(text)
    assert not found & held
    assert free <= found


@pytest.mark.parametrize(
    "text",
    [
        "The boy was six feet tall and weighed 40 kilograms.",
        "It was five degrees below zero at two thirds of the stations.",
        "They waited three hours and forty minutes at the gate.",
        "The bridge is two miles long and ten yards wide today.",
    ],
)
def test_numbers_inside_measures_are_held(text: str) -> None:
    found = open_words(text)
    assert not found & {"six", "feet", "tall", "five", "degrees", "two", "thirds", "three", "hours"}
    assert not found & {"forty", "minutes", "miles", "long", "ten", "yards", "wide", "kilograms"}


def test_a_number_that_counts_is_open_and_one_inside_a_date_is_not() -> None:
    assert "three" in open_words("They saw three dogs in the garden.", ("NUM",))
    assert not open_words("They met on May 3 at 5 pm in 2019 again.", ("NUM",))


def test_filters_of_grammar() -> None:
    text = "The old man sold a house near the river."
    good = swap(text, "house", "farm")
    assert all(keep(good) for keep in (same_tag, same_tags, same_place, not_repeated))
    assert same_countability(good)
    assert not same_tag(swap(text, "house", "houses"))
    assert not not_repeated(swap(text, "house", "river"))
    assert not not_repeated(swap(text, "house", "rivers"))
    assert not_repeated(swap(text, "house", "theatre"))  # which only begins like "the"
    assert not same_countability(swap(text, "house", "furniture"))


def test_a_bare_noun_takes_no_noun_that_needs_an_article() -> None:
    text = "The region suffers from poverty."
    assert same_countability(swap(text, "poverty", "hunger"))
    assert not same_countability(swap(text, "poverty", "problem"))


def test_a_daughter_stays_one_when_the_sentence_goes_on_about_her() -> None:
    text = "The daughter sold the farm because she moved to town."
    assert not same_gender(swap(text, "daughter", "son"))
    assert same_gender(swap(text, "daughter", "niece"))
    assert same_gender(swap(text, "daughter", "teacher"))
    assert same_gender(swap("The daughter sold the farm.", "daughter", "son"))
    assert not same_gender(swap(text.replace("daughter", "cousin"), "cousin", "uncle"))
    assert same_gender(swap(text.replace("daughter", "cousin"), "cousin", "sister"))
    assert same_gender(swap("My cousin helped the queen.", "cousin", "uncle"))
    assert not language("en").words("female") & language("en").words("male")


def test_the_lists_are_there_and_clean() -> None:
    idioms = language("en").lines("idioms")
    assert len(idioms) >= 300 and len(set(idioms)) == len(idioms)
    assert all(
        phrase[0] == first
        for first, some in language("en").phrases("idioms").items()
        for phrase in some
    )
    assert {"the", "such"} <= language("en").words("never_proposed")
    assert language("xx").words("idioms") == frozenset()


def test_one_of_the_words_that_stayed_may_be_read_otherwise() -> None:
    text = "Backups are encrypted on your device and stored in two separate data centres."
    changed = swap(text, "device", "laptop")

    def read(**tags: str) -> Swap:
        tokens = [
            msgspec.structs.replace(token, tag=tags.get(token.text, token.tag))
            for token in changed.slot.parse.tokens
        ]
        other = msgspec.structs.replace(changed.slot.parse, tokens=tuple(tokens))
        return Swap(changed.slot, changed.draft, other)

    assert same_place(read())
    assert not same_place(swap("He left the old house unlocked.", "old", "his"))
    assert same_tags(read()) and same_tags(read(stored="VBD"))
    assert not same_tags(read(stored="VBD", separate="VB"))


def test_a_noun_written_small_is_no_name() -> None:
    text = "Do not open the oven now."
    parsed = parse(text)
    tagged = [
        msgspec.structs.replace(token, tag="NNP", pos="PROPN") if token.text == "oven" else token
        for token in parsed.tokens
    ]
    (oven,) = (
        token
        for token in common_nouns(msgspec.structs.replace(parsed, tokens=tuple(tagged))).tokens
        if token.text == "oven"
    )
    assert (oven.tag, oven.pos) == ("NN", "NOUN")


def test_an_article_counts_where_it_stands_whatever_it_hangs_on() -> None:
    """In chat the parser has "the" hang on "lol"."""
    parsed = parse("I fell asleep on the couch lol")
    loose = [
        msgspec.structs.replace(token, head=0) if token.text == "the" else token
        for token in parsed.tokens
    ]
    slot = Slot(
        msgspec.structs.replace(parsed, tokens=tuple(loose)),
        next(i for i, token in enumerate(loose) if token.text == "couch"),
    )
    assert goes_with_article(slot, "sofa")


def test_times_give_way_to_times_without_an_article() -> None:
    parsed = parse("We should go hiking next month.")
    place = next(i for i, token in enumerate(parsed.tokens) if token.text == "month")
    assert goes_with_article(Slot(parsed, place), "week")
    assert not goes_with_article(Slot(parsed, place), "house")


def test_base_form_and_present_are_one_and_a_word_may_hang_otherwise() -> None:
    changed = swap("Tell your nurse if you plan to travel.", "plan", "intend")

    def read(**known: str) -> Swap:
        tokens = [
            msgspec.structs.replace(token, **known) if token.text == "intend" else token
            for token in changed.parse.tokens
        ]
        return Swap(
            changed.slot,
            changed.draft,
            msgspec.structs.replace(changed.parse, tokens=tuple(tokens)),
        )

    assert same_tag(read(tag="VB")) and same_tag(read(tag="VBP"))
    assert not same_tag(read(tag="VBD"))
    assert same_place(read(tag="VB", relation="conj"))
    assert not same_place(read(tag="NN", relation="conj"))


def test_held_words_are_open_where_others_are_written_down_for_them() -> None:
    parsed = parse("The guests begin to come home in spite of it.")
    free = {parsed.tokens[i].text for i in open_slots(parsed, PARTS, True, wider(NATURAL_SLOTS))}
    assert "begin" in free - open_words(parsed.text)
    assert "home" not in free


def test_an_order_at_the_beginning_is_no_name() -> None:
    parsed = parse("Skim the milk.")
    named = msgspec.structs.replace(parsed.tokens[0], tag="NNP", pos="PROPN")
    taken = msgspec.structs.replace(parsed, tokens=(named, *parsed.tokens[1:]))
    assert common_nouns(taken).tokens[0].tag == "VB"
    other = msgspec.structs.replace(
        taken, tokens=(msgspec.structs.replace(named, text="Anna"), *parsed.tokens[1:])
    )
    assert common_nouns(other).tokens[0].tag == "NNP"
