"""RTI's cases: noun phrases paired with what contains them."""

from __future__ import annotations

import pytest

from polyglitch.mutate.cut_rules import asked_for
from polyglitch.mutate.phrases import noun_phrases
from polyglitch.mutate.universal_cut_rules import runs_on
from polyglitch.records import Input, Parse, Seed, Token, Tree
from polyglitch.tools import Toolbox

TEXT = "The new owner of the large steel factory near the river praised the former union leader's work."


def seed(text: str) -> Seed:
    return Seed("s", Input(text, language="en"))


def test_every_phrase_is_paired_once_with_each_container() -> None:
    cases = list(noun_phrases()([seed(TEXT)], Toolbox()))
    pairs = {(case.inputs[0].text, case.inputs[1].text) for case in cases}
    assert len(pairs) == len(cases)
    phrases = {phrase for _, phrase in pairs}
    assert "the large steel factory near the river" in phrases
    assert "the large steel factory" in phrases
    assert "The new owner" not in phrases  # two words of its own are too few
    assert (TEXT, "the large steel factory") in pairs
    assert ("the large steel factory near the river", "the large steel factory") in pairs
    assert not any(phrase.endswith("'s") for phrase in phrases)


def test_the_edit_says_where_the_phrase_stands() -> None:
    for case in noun_phrases()([seed(TEXT)], Toolbox()):
        edit = case.edit
        assert edit is not None and edit.kind == "contained" and case.relation == "contained"
        assert case.inputs[0].text[edit.start : edit.end] == edit.old == case.inputs[1].text


def test_longer_phrases_and_lesser_ones_on_request() -> None:
    cases = list(noun_phrases(shorter=5, content=2)([seed(TEXT)], Toolbox()))
    assert all(len(case.inputs[1].text.split()) < 5 for case in cases)
    assert any(case.inputs[1].text == "The new owner" for case in cases)
    assert list(noun_phrases()([], Toolbox())) == []


def phrases_of(text: str) -> set[str]:
    return {case.inputs[1].text for case in noun_phrases()([seed(text)], Toolbox())}


def test_what_a_verb_may_ask_for_is_no_part_of_a_phrase() -> None:
    assert "the seller of any visible damage" not in phrases_of(
        "The customer must inform the seller of any visible damage within seven days."
    )
    assert "the main interest rates unchanged" not in phrases_of(
        "The central bank left the main interest rates unchanged."
    )
    assert "a young nurse in the upper left arm" not in phrases_of(
        "It is given by a young nurse in the upper left arm."
    )


def test_a_sentence_without_a_full_phrase_gives_the_fullest_it_has() -> None:
    assert phrases_of("The old woman closed the door.") == {"The old woman"}
    assert phrases_of("She closed the door.") == {"the door"}
    faithful = noun_phrases(least=3)([seed("She closed the door.")], Toolbox())
    assert list(faithful) == []


def test_a_verb_that_was_read_as_a_noun_is_no_part_of_a_phrase() -> None:
    assert "thin strips and season" not in phrases_of(
        "Cut the chicken into thin strips and season with pepper."
    )
    assert "the fee results" not in phrases_of(
        "Failure to pay the fee results in the loss of all benefits."
    )
    assert "my battery and the support team" not in phrases_of(
        "The app drains my battery and the support team is useless."
    )


def test_what_a_verb_gives_or_makes_of_a_thing_is_no_part_of_its_phrase() -> None:
    assert "the group access" not in phrases_of("The deal gives the group access to new markets.")
    assert "the tablet whole" not in phrases_of("Swallow the tablet whole with a glass of water.")
    assert "the editor crash" not in phrases_of(
        "This release fixes a bug that made the editor crash."
    )
    assert "a reasonable time to carry out repairs" not in phrases_of(
        "The landlord may enter the premises at a reasonable time to carry out repairs."
    )


def test_the_end_of_a_list_is_no_phrase_of_its_own() -> None:
    taken = phrases_of(
        "The circus took with it two small goats, a tuba and the brother of the mayor."
    )
    assert not any(phrase.startswith("a tuba and") for phrase in taken)
    taken = phrases_of("It is no trifle without a layer of jelly and far too much sherry.")
    assert not any(phrase.startswith("jelly and") for phrase in taken)
    taken = phrases_of("Use the spoon supplied with the syrup, not one from your kitchen drawer.")
    assert not any(", not" in phrase for phrase in taken)
    assert "the red lamp and the small tuba" in phrases_of(
        "We sold the red lamp and the small tuba."
    )


def test_nothing_of_a_phrase_is_left_behind() -> None:
    assert "setup wizard" not in phrases_of("The setup wizard copies the required files.")
    assert "most two screws" not in phrases_of("Use at most two screws for each shelf.")
    assert "out of four residents" not in phrases_of(
        "Three out of four residents are against the new road."
    )


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Leave it until it has doubled in size, which takes an hour.", "size, which"),
        ("Once the onions are soft, pour in the wine and stir.", "soft, pour"),
        ("The museum is open daily from nine to five.", "nine to five"),
        ("We meet at six, don't be late this time.", "late this"),
        ("I bought two of these lamps and both flicker when I dim them.", "both flicker"),
        ("It took a day to assemble the wardrobe and one door still hangs crooked.", "and one"),
        ("The jacket looks nothing like the photo and smells of plastic.", "smells of"),
        ("Teachers across the country plan to strike next week over low pay.", "country plan"),
        ("A letter lay on the carpet, sealed with black wax.", "sealed"),
        ("At dawn the prisoner heard a key turn in the lock.", "key turn"),
        ("The parties agree to keep the terms of this settlement secret.", "secret"),
        ("The program checks the spelling of each word and underlines mistakes.", "underlines"),
        ("Swallow the big capsule whole with a glass of water.", "whole"),
        ("It returns the rows that match the new filter, or zero if there are none.", ", or zero"),
        ("Thousands were stranded on Friday when a computer failure hit the airport.", "when"),
        ("The stranger ordered soup, paid with a gold ring and left without a word.", "ordered"),
        ("Snow covered the garden, and the handle of a spade showed above it.", "showed"),
        ("I finished the puzzle and there is one piece missing.", "missing"),
        ("I tried to book it on the company web-site last night.", "company web"),
        ("The dog ran into the kitchen, chaos followed.", "kitchen, chaos"),
        ("The pool will be closed for two days next week.", "two days next"),
    ],
)
def test_what_may_belong_to_the_whole_sentence_ends_no_phrase(text: str, never: str) -> None:
    assert not any(never in case.inputs[1].text for case in noun_phrases()([seed(text)], Toolbox()))


def test_a_participle_that_cannot_be_a_past_tense_stays_with_its_noun() -> None:
    assert "the only chapter written in verse" in phrases_of(
        "My teacher read us the only chapter written in verse."
    )


@pytest.mark.parametrize(
    ("text", "never"),
    [
        (
            "A party which delays in enforcing a right under this Lease does not give it up.",
            "A party",
        ),
        (
            "The author grants the publisher an exclusive licence to copy it.",
            "an exclusive licence",
        ),
        ("Dried ones soaked in tea are a good substitute.", "Dried ones"),
        (
            "Stick it on a clean, dry and hairless part of your body.",
            "a clean, dry and hairless part",
        ),
        ("The ending kind of makes up for it.", "The ending kind"),
        ("It was the coldest night of the winter so far.", "the coldest night of the winter"),
        (
            "The Author grants the Publisher a licence to reproduce the Work in print, audio and electronic form.",
            "print, audio and electronic",
        ),
        (
            "The Caterer will provide sufficient staff, crockery and serving equipment for the number of guests.",
            "sufficient staff",
        ),
        ("Chill the broth until the fat sets on top.", "the fat sets"),
        ("Version 7.2 halves the startup time.", "Version 7.2 halves"),
        (
            "Dark mode follows the system setting by default, but you can change it.",
            "the system setting by default",
        ),
        ("Are you bringing the speaker or should I borrow my sister's?", "my sister"),
        ("You can pick up a calendar or print one from our website.", "one from our website"),
        ("The wine list starts at thirty pounds a bottle.", "thirty pounds"),
        ("Simmer the jam with two tablespoons of brandy.", "two tablespoons"),
        (
            "Score the duck skin in a tight crosshatch, season well, and lay it in a cold pan.",
            "a tight crosshatch, season well",
        ),
        ("Shred half a red cabbage finely and salt it.", "Shred half a red cabbage"),
        (
            "On the third morning the guards brought bread, a bucket of clean water and no explanation.",
            "a bucket of clean water and no explanation",
        ),
        (
            "Place batteries and small electrical items in a clear bag on top of your bin.",
            "a clear bag on top of your bin",
        ),
        ("Split the vanilla pod lengthways, scrape out the seeds.", "the vanilla pod lengthways"),
        (
            "She regarded all foreigners with suspicion, particularly those from the next county.",
            "particularly those from the next county",
        ),
        (
            "My boss wants the whole report rewritten by tomorrow morning.",
            "the whole report rewritten by tomorrow morning",
        ),
        ("An adult needs between seven and nine hours of sleep.", "seven and nine hours"),
        ("Add the stock a ladle at a time.", "a time"),
        (
            "Brush the loaves with beaten egg, scatter over the poppy seeds and bake for half an hour.",
            "the loaves with beaten egg",
        ),
        (
            "The nature trail is two miles long and suitable for sturdy pushchairs in dry weather.",
            "sturdy pushchairs in dry weather",
        ),
        (
            "Type the name of a branch and press Enter to switch to it.",
            "the name of a branch and press Enter",
        ),
        ("I like mine with a fried egg and chilli oil.", "mine with a fried egg and chilli oil"),
        ("The train stopped at a station whose name had been painted over.", "a station"),
        (
            "There's leftover lasagne in the fridge if you want it.",
            "leftover lasagne in the fridge",
        ),
        (
            "The hairdryer overheats after five minutes and smells of burning plastic.",
            "five minutes and smells of burning plastic",
        ),
        (
            "By morning the tide had taken the tents, the boats and both of the dogs.",
            "the boats and both of the dogs",
        ),
        ("The filling can be made up to two days ahead.", "to two days"),
        ("The prince opened a children's hospice named after his late aunt.", "a children"),
        ("The old cook tasted the sauce, closed her eyes and wept.", "her eyes and wept"),
        (
            "Plan your route in advance and carry a paper map in case your phone loses signal.",
            "case your phone loses signal",
        ),
        ("Happy birthday you old goat, hope it was fun!", "Happy birthday you old goat"),
    ],
)
def test_what_goes_on_behind_it_is_not_cut_off(text: str, never: str) -> None:
    assert never not in phrases_of(text)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("All bills are payable within thirty days of receipt.", "thirty days"),
        ("The widow set two plates on the table.", "two plates"),
        ("Simmer the jam with two tablespoons of brandy.", "two tablespoons of brandy"),
        ("When the orchestra of frogs fell silent, she knew.", "the orchestra of frogs"),
        ("The old waterfall itself was worth the walk.", "The old waterfall itself"),
        ("Cut the meat into even cubes.", "even cubes"),
        ("He won a jackpot of four million pounds.", "a jackpot of four million pounds"),
    ],
)
def test_what_is_whole_without_more_is_still_cut(text: str, taken: str) -> None:
    assert taken in phrases_of(text)


def italian(text: str, parts: str, heads: str = "") -> Parse:
    """A sentence with a part of speech for each word, and whose heads some words have."""
    hangs = dict(pair.split(">") for pair in heads.split())
    words, at, tokens = text.split(), 0, []
    for number, (word, pos) in enumerate(zip(words, parts.split(), strict=True)):
        at = text.index(word, at)
        head = words.index(hangs[word]) if word in hangs else number
        tokens.append(Token(word, at, at + len(word), pos, pos, word, head, "conj"))
        at += len(word)
    return Parse(text, tuple(tokens), universal=True, language="it")


@pytest.mark.parametrize(
    ("text", "parts", "heads", "start", "end"),
    [
        ("è forse una sfida", "AUX ADV DET NOUN", "", 1, 4),
        ("con una scena perché Fiona", "ADP DET NOUN SCONJ PROPN", "", 1, 5),
        ("Una libertà che , a quanto", "DET NOUN PRON PUNCT ADP PRON", "", 0, 6),
        ("in cui liberazione e sollievo", "ADP PRON NOUN CCONJ NOUN", "", 1, 5),
        ("un progetto sfidando i nemici", "DET NOUN VERB DET NOUN", "", 0, 5),
        ("isola dove da anni", "NOUN ADV ADP NOUN", "", 0, 4),
        ("circa ettari e antico", "ADV NOUN CCONJ ADJ", "antico>ettari", 1, 4),
        ("soli tre centimetri cubi", "ADJ NUM NOUN ADJ", "cubi>centimetri", 0, 3),
        ("sono ingiallite e macchiate", "AUX NOUN CCONJ NOUN", "", 1, 4),
        ("medicina comune scoperta", "NOUN ADJ NOUN", "", 1, 3),
        ("una patente di guida valida", "DET NOUN ADP NOUN ADJ", "", 3, 5),
        ("a inguaiare Minetto", "ADP VERB PROPN", "", 1, 3),
        ("un uomo proprio", "DET NOUN ADV", "", 0, 3),
        ('ha visto " Henry', "AUX VERB PUNCT PROPN", "", 2, 4),
    ],
)
def test_a_phrase_that_takes_in_or_leaves_behind_is_no_phrase(
    text: str, parts: str, heads: str, start: int, end: int
) -> None:
    assert runs_on(italian(text, parts, heads), Tree("NP", start, end))


@pytest.mark.parametrize(
    ("text", "parts", "start", "end"),
    [
        ("con una buona sfida", "ADP DET ADJ NOUN", 1, 4),
        ("un libro che leggo spesso", "DET NOUN PRON VERB ADV", 0, 5),
        ("quasi tutte le terre", "ADV ADJ DET NOUN", 0, 4),
        ("friggere in olio bollente", "VERB ADP NOUN ADJ", 2, 4),
        ("uno schermo luminoso e grande", "DET NOUN ADJ CCONJ ADJ", 0, 5),
        ("una squadra molto forte", "DET NOUN ADV ADJ", 0, 4),
    ],
)
def test_a_whole_phrase_runs_on_nowhere(text: str, parts: str, start: int, end: int) -> None:
    heads = "grande>luminoso" if "grande" in text else ""
    assert not runs_on(italian(text, parts, heads), Tree("NP", start, end))


def test_a_preposition_after_an_order_that_was_taken_for_a_noun_is_in_doubt() -> None:
    parse = italian("Trattieni il respiro per cinque secondi", "NOUN DET NOUN ADP NUM NOUN")
    assert asked_for(parse, 3)


def test_a_phrase_does_not_end_with_the_mark_of_a_question() -> None:
    from polyglitch.mutate.phrases import Phrase, trimmed

    assert trimmed("Dov'è New York?", Phrase(6, 15)) == (6, 14)
