"""Sentences to regexes: on the published data, and on sentences written here."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from polyglitch.represent.automata.dfa import equivalent
from polyglitch.represent.descriptions.rerank import Style, describe, describe_all, style_of
from polyglitch.represent.descriptions.shapes import distance
from polyglitch.represent.regex.parse import parse


def right(pairs: list[tuple[str, str]]) -> float:
    found = describe_all([text for text, _ in pairs])
    good = [
        bool(item.regex) and equivalent(parse(item.regex), parse(regex))
        for item, (_, regex) in zip(found, pairs, strict=True)
    ]
    return sum(good) / len(good)


def read(path: Path) -> list[str]:
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()


@pytest.mark.slow
def test_most_of_kb13_is_read_as_people_do(shared_data: Path) -> None:
    texts = read(shared_data / "regex" / "kb13_first_half.src.txt")
    regexes = read(shared_data / "regex" / "kb13_first_half.targ.txt")
    assert style_of(texts) == "search"
    assert right(list(zip(texts, regexes, strict=True))) >= 0.90


@pytest.mark.slow
def test_turk_sentences_that_nobody_fitted(shared_data: Path) -> None:
    texts = read(shared_data / "regex" / "turk_val.src.txt.gz")
    regexes = [r.replace(" ", "") for r in read(shared_data / "regex" / "turk_val.targ.txt.gz")]
    assert right(list(zip(texts, regexes, strict=True))) >= 0.62


def own_words(half: int) -> list[tuple[str, str]]:
    """Our own descriptions: those that rules were written with (0), or the half that was held out (1)."""
    lines = read(Path(__file__).with_name("own_descriptions.tsv"))
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(text, regex) for text, regex in rows[half::2]]


@pytest.mark.parametrize(("half", "least"), [(0, 0.95), (1, 0.95)])
def test_descriptions_in_our_own_words(half: int, least: float) -> None:
    pairs = own_words(half)
    found = [describe(text, "search") for text, _ in pairs]
    good = [
        bool(item.regex) and equivalent(parse(item.regex), parse(regex))
        for item, (_, regex) in zip(found, pairs, strict=True)
    ]
    assert (len(good), sum(good) / len(good) >= least) == (50, True)


def test_more_than_four_is_not_four_or_more() -> None:
    for style in ("whole", "search"):
        over, least = (
            describe(f"lines with {n} digits", style) for n in ("more than 4", "4 or more")
        )
        assert not equivalent(parse(over.regex), parse(least.regex))


def test_three_things_to_choose_from_are_one_choice() -> None:
    found = describe("lines containing a vowel or a number or a capital letter", "whole")
    assert equivalent(parse(found.regex), parse(".*([AEIOUaeiou])|([0-9])|([A-Z]).*"))


def test_a_misspelt_word_is_read_alike_in_every_process() -> None:
    told = "from polyglitch.represent.descriptions.lexicon import nearest as n; print(n('proceed'), n('lettre'))"
    said = {
        subprocess.run(
            [sys.executable, "-c", told],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(said) == 1


@pytest.mark.slow
def test_synthetic_sentences_up_to_their_ambiguity(shared_data: Path) -> None:
    rows = [r.split("\t") for r in read(shared_data / "regex" / "nl_rx_synth_tokenised.tsv.gz")]
    pairs = [(text, regex.replace(" ", "")) for text, regex in rows]
    assert right(random.Random(3).sample(pairs, 1500)) >= 0.89


@pytest.mark.parametrize(
    ("text", "regex", "style"),
    [
        ("lines with a vowel before a number", "[AEIOUaeiou].*[0-9].*", "whole"),
        ("rows with a vowel in front of a digit", "[AEIOUaeiou].*[0-9].*", "whole"),
        ("lines with a number after a vowel", "[AEIOUaeiou].*[0-9].*", "whole"),
        ("a line starting with the string <M0>", "dog.*", "whole"),
        ("lines without a letter or a number", "~([A-Za-z]|[0-9])", "whole"),
        ("strings with at least three capital letters", "[A-Z]{3,}", "whole"),
        ("strings with 3 or more uppercase letters", "[A-Z]{3,}", "whole"),
        ("lines that contain at most 4 digits", "~((.*[0-9].*){5})", "search"),
        ("lines in which every letter is capital", "~(.*[a-z].*)", "search"),
        ("lines with all words ending in 'k'", "~(.*\\b(([A-Za-z]+)&~(.*k))\\b.*)", "search"),
        (
            "words that have a vowel as their first letter",
            ".*\\b[AEIOUaeiou][A-Za-z]*\\b.*",
            "search",
        ),
        ("lines with a 4 letter string", ".*[A-Za-z]{4}.*", "search"),
        ("lines with only one 'z'", "[^z]*z[^z]*", "search"),
        ("lines with a word and 3 numbers", "(.*\\b[A-Za-z]+\\b.*)&((.*[0-9].*){3})", "search"),
        (
            "lines with '-' between the words 'up' and 'go'",
            ".*(\\bup\\b.*-.*\\bgo\\b|\\bgo\\b.*-.*\\bup\\b).*",
            "search",
        ),
        (
            "lines with between 2 and 3 words",
            "([^A-Za-z]*\\b[A-Za-z]+\\b[^A-Za-z]*){2,3}",
            "search",
        ),
        ("lines with words ending in 'ly'", ".*\\b[A-Za-z]*ly\\b.*", "search"),
        ("lines with 'tea' but not 'milk'", "(.*tea.*)&(~(.*milk.*))", "search"),
        ("lines where 'one' comes before 'two' or 'six'", ".*one.*(two|six).*", "search"),
        ("lines of 12 characters or less", ".{0,12}", "search"),
        ("lines with 'tea' not followed by 'milk'", ".*tea(~(.*milk.*))", "search"),
        ("lines with a vowel and a number after it", ".*[AEIOUaeiou].*[0-9].*", "search"),
        ("lines having a digit after which there is a vowel", ".*[0-9].*[AEIOUaeiou].*", "search"),
        ("before 'tea' there must be a number", ".*[0-9].*tea.*", "search"),
        ("lines with upper or lower case letters", ".*[A-Za-z].*", "search"),
    ],
)
def test_sentences_mean_what_they_say(text: str, regex: str, style: Style) -> None:
    found = describe(text, style).regex
    assert equivalent(parse(found), parse(regex)), found


def test_unknown_words_lower_the_confidence_and_do_not_derail() -> None:
    plain = describe("lines with a vowel before a number")
    odd = describe("lines with a gleaming vowel before a preposterous number")
    assert odd.regex == plain.regex
    assert odd.confidence < plain.confidence
    assert odd.unknown == ("gleaming", "preposterous")
    assert describe("my neighbour sings").regex == ""


def test_singular_and_plural_are_told_apart_and_weigh_little() -> None:
    number = distance("lines with a vowel before a letter", "lines with vowels before a letter")
    order = distance("lines with a vowel before a letter", "lines with a letter before a vowel")
    negation = distance("lines with a vowel", "lines without a vowel")
    bound = distance("lines with at least 3 vowels", "lines with at most 3 vowels")
    assert 0 < number < min(order, negation, bound) / 2
    assert distance("not x", "not x") == 0
