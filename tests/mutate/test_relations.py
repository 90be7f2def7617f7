"""General relations: what each change makes of a sentence, and that it leaves alone what it cannot change."""

from __future__ import annotations

import pytest

from polyglitch.errors import UsageError
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.mutate.relations import CHANGES, change
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.tools import Toolbox

pytestmark = pytest.mark.needs("spacy")
FIXED = {
    "upper_case": ("The film is good.", "THE FILM IS GOOD."),
    "lower_case": ("The film is good.", "the film is good."),
    "title_case": ("The film isn't good.", "The Film Isn't Good."),
    "outer_spaces": ("Fine.", "  Fine.  "),
    "drop_final_mark": ("The film is good.", "The film is good"),
    "add_final_mark": ("The film is good", "The film is good."),
    "drop_commas": ("Slow, dull, and 1,000 minutes long.", "Slow dull and 1,000 minutes long."),
    "straight_quotes": ('He said "no".', "He said “no”."),
    "drop_accents": ("A cliché.", "A cliche."),
    "contract": ("It is not bad.", "It isn't bad."),
    "write_out": ("It isn't Ana's.", "It is not Ana's."),
    "slang": ("Are you going to see it?", "R u gonna see it?"),
    "other_spelling": ("My favorite film.", "My favourite film."),
    "synonym": ("It was a boring film.", "It was a dull film."),
    "hypernym": ("The dog barked.", "The animal barked."),
    "digits_for_words": ("It took three days.", "It took 3 days."),
    "other_gender": ("He lost his hat.", "She lost her hat."),
    "other_order": ("It rained. We left.", "We left. It rained."),
    "passive": ("The critics praised the film.", "The film was praised by the critics."),
    "negate": ("The film is good.", "The film is not good."),
    "antonym": ("The film is good.", "The film is bad."),
    "exclaim": ("The film is good.", "The film is good!"),
    "said_twice": ("Good.", "Good. Good."),
    "reported": ("Good.", 'Here is what I think: "Good."'),
}


def changed(name: str, text: str) -> list[str]:
    return list(change(name, open_spacy("en").parse([text])[0], Toolbox(), {"most": 20}))


@pytest.mark.parametrize("name", sorted(FIXED))
def test_what_a_change_makes(name: str) -> None:
    before, after = FIXED[name]
    assert after in changed(name, before)


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("other_name", "Maria saw Maria's brother.", "Maria"),
        ("other_city", "London is not far from London Bridge.", "London"),
        ("other_country", "She left Peru.", "Peru"),
        ("other_number", "It cost 45 dollars, yes, 45.", "45"),
        ("other_group", "The Muslims sat down.", "Muslims"),
        ("pronoun_to_group", "She sat down.", "She"),
    ],
)
def test_what_is_swapped_is_swapped_everywhere(name: str, text: str, part: str) -> None:
    found = changed(name, text)
    assert found and all(part not in each for each in found)


@pytest.mark.parametrize("name", ["swap_letters", "drop_letter", "double_letter", "keyboard_slip"])
def test_a_typo_is_one_word(name: str) -> None:
    text = "The actors deliver a convincing performance."
    for each in changed(name, text):
        differing = [a for a, b in zip(text.split(), each.split(), strict=True) if a != b]
        assert len(differing) == 1


def test_what_cannot_change_is_left_alone() -> None:
    assert not changed("negate", "It is not good.")
    assert not changed("passive", "It rained.")
    assert not changed("other_number", "In 1999 it rained.")
    assert not changed("intensify", "It is not good.")
    assert changed("intensify", "It is good.")[0].split()[2] != "good."
    assert changed("weaken", "It is friendly.")[0].split()[2] in ("fairly", "quite", "reasonably")
    assert changed("intensify", "It is superb.")[0].split()[2] in ("really", "truly", "absolutely")


def test_every_relation_names_a_change_and_every_change_is_used() -> None:
    used = {each.change for each in load_suite("general")}
    assert used == set(CHANGES)
    with pytest.raises(UsageError, match="did you mean 'synonym'"):
        list(change("synonim", open_spacy("en").parse(["x"])[0], Toolbox(), {}))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other_number", "It cost $1 000 in all."),  # a blank sets thousands apart
        ("other_number", "Call 0049 at once."),
        ("other_number", "It became a city on May 26, 1955."),  # a month has no 34 days
        ("other_number", "They met on 5/30/00 at 12:30."),
        ("other_order", "The fence looks good. Regards"),  # the end of a letter
        ("other_order", 'She said: "We love it. Everybody will hear of you."'),  # torn quotation
        ("other_order", "The room was clean. Food lets the place down though."),
        ("negate", "My results were just awful."),
        ("negate", "The food is mediocre at best."),
        ("negate", "This is by far the best shop in town."),
        ("antonym", "Does anyone know a good plumber?"),
        ("opening_phrase", "And the massages are heavenly!"),
        ("opening_phrase", "Well last night my hamster escaped from his cage."),
        ("other_gender", "I talked with Gary Wilson, and he confirmed it."),
        ("hypernym", "She called the in-house lawyers."),
        ("hypernym", "I am writing an essay for school."),
        ("other_order", "A man came in. He was wet."),  # the pronoun would come before its noun
        ("other_order", "We left early. So nobody saw us."),
        ("negate", "The film is good and the music annoys everyone."),
        ("antonym", "She is happy because the others left."),
        ("opening_phrase", "I think the film is good."),  # one opening is enough
        ("pronoun_to_group", "When she arrived, the doctor left."),  # the doctor is meant
        ("pronoun_to_group", "Wash your hands."),  # anybody is meant
        ("pronoun_to_group", "You are the best teacher in this school."),  # people are not one
        ("other_gender", "After she had eaten, my aunt washed the plates."),  # she is the aunt
        ("other_gender", "When she arrived, Clara found the shop open."),  # she is Clara
        ("negate", "Is the film good?"),
        ("weaken", "The film is superb."),  # what is the utmost is so or is not
        ("intensify", "My phone was dead."),
        ("other_number", "You may park here until 10 in the morning."),  # a day has no hour 19 then
        ("other_order", "The flat is bright. Unfortunately, the lift is broken."),
        (
            "other_gender",
            "The teacher praised Sarah because she had finished first.",
        ),  # Sarah is she
        ("other_gender", "My cousin is proud of his beard."),
        ("negate", "They are friendly and always on time."),  # which of the two is denied?
        ("negate", "Unemployment is still terrible."),
        ("negate", "Breakfast was generous, with fresh bread."),
        ("antonym", "She is a kind woman who listens to everyone."),
        ("antonym", "The guest leaves the room in good condition."),  # said of no subject
        ("opening_phrase", "Thank you for your help."),
        ("hypernym", "They fed my dog."),  # nobody speaks of "my animal"
        ("digits_for_words", "The oak is two hundred years old."),
        ("passive", "I missed the bus."),  # "The bus was missed by me"
        ("passive", "The girl held her breath."),
        ("passive", "The database stores every message in a separate table."),
        ("reported", "Where did you buy it?"),
        ("praise_after", "Where did you buy it?"),
        ("pronoun_to_group", "You will not find a better suitcase."),  # anybody is meant
    ],
)
def test_what_a_change_leaves_alone(name: str, text: str) -> None:
    assert changed(name, text) == []


def test_a_day_keeps_no_capital_inside_a_sentence() -> None:
    assert all(", today we" in made for made in changed("opening_phrase", "Today we left early."))
    assert all(", Maria" in made for made in changed("opening_phrase", "Maria left early."))
    assert all(", German" in made for made in changed("opening_phrase", "German cars are dear."))


def test_nobody_hears_of_their_own_deeds() -> None:
    assert changed("opening_phrase", "I loved the garden.") == ["By the way, I loved the garden."]


def test_an_opinion_is_no_hearsay() -> None:
    assert changed("opening_phrase", "The soup was awful.") == ["By the way, the soup was awful."]


def test_has_is_written_out_as_has() -> None:
    assert changed("write_out", "He's been ill, and she's tired.") == [
        "He has been ill, and she is tired."
    ]


def test_going_to_is_short_before_a_verb_alone() -> None:
    assert changed("slang", "I am going to the dentist, and I am going to complain.") == [
        "I am going to the dentist, & I am gonna complain."
    ]


def test_all_words_of_a_text_are_spelled_one_way() -> None:
    assert changed("other_spelling", "My favourite colour.") == ["My favorite color."]


def test_no_man_is_called_male() -> None:
    made = changed("other_group", "A white man helped me.")
    assert made and not any("male man" in text for text in made)
