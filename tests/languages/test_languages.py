"""A language is a folder: what its record promises, and what languages without one still have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import polyglitch
from polyglitch.cli.list import command
from polyglitch.compare.oracles.two_outputs import fold
from polyglitch.errors import Missing
from polyglitch.languages import known_languages, language, two_letters
from polyglitch.languages.record import differ_by_ending, share_half, share_most
from polyglitch.mutate.swap import swap_words
from polyglitch.nlp.proposers.slot_words import open_slots
from polyglitch.nlp.sentences import split_sentences
from polyglitch.records import Input, Seed
from polyglitch.tools import Toolbox

FOLDERS = ("de", "en", "es", "fr", "it", "pt", "ru", "zh")
BY_LANGUAGE = re.compile(r'(==|!=|in \() *"(en|pt|es|zh|fr|de)"')


@pytest.mark.parametrize("code", FOLDERS)
def test_a_folder_has_all_that_code_may_ask_for(code: str) -> None:
    known = language(code)
    assert known.name and known.script and known.sentence_marks and known.titles
    assert len(known.function_words) >= 100 and len(known.pronouns) >= 30
    parts = {*range(21), *range(20, 101, 10), 1000, 10**6, 10**9}
    # Russian writes what lies between as two words, which are counted apart.
    assert parts | (set() if code == "ru" else set(range(101))) <= set(known.numbers.values())
    assert known.negation.words and not any(" " in word for word in known.negation.all)
    assert known.parser.install


def test_no_code_elsewhere_names_a_language() -> None:
    root = Path(polyglitch.__file__).parent
    named = [
        f"{path}: {line}"
        for path in root.rglob("*.py")
        if "languages" not in path.parts
        for line in path.read_text("utf-8").splitlines()
        if BY_LANGUAGE.search(line)
    ]
    assert not named


def test_regions_and_three_letters_lead_to_the_same_language() -> None:
    assert language("pt-BR") is not None and language("pt_BR").code == language("por").code == "pt"
    assert (two_letters("eng"), two_letters("spa"), two_letters("qqq")) == ("en", "es", None)


@pytest.mark.parametrize(
    ("code", "script", "spaced"),
    [("uk", "Cyrillic", True), ("ja", "Kana", False), ("th", "Thai", False), ("xx", "Latin", True)],
)
def test_a_language_without_a_folder_is_told_by_its_script(
    code: str, script: str, spaced: bool
) -> None:
    assert (language(code).script, language(code).spaced) == (script, spaced)
    assert language(None).code == "" and not language(None).stop_words


@given(st.text(max_size=12))
def test_any_code_gives_a_language(code: str) -> None:
    assert language(code).sentence_marks


def test_what_a_language_lacks_is_said_with_who_has_it() -> None:
    with pytest.raises(Missing, match=r"for 'fr'.*bundled for: en"):
        language("fr").table("qa/templates.toml", "questions")


def test_sentences_end_as_their_language_ends_them() -> None:
    assert split_sentences("他来了。我走了。", "zh") == ["他来了。", "我走了。"]
    assert split_sentences("Dr. Ng left. He ran.", "en") == ["Dr. Ng left.", "He ran."]


def test_adjectives_agree_in_german_as_they_do_in_portuguese() -> None:
    assert fold("großen", "de") == fold("großer", "de") and fold("novas", "pt") == fold(
        "novo", "pt"
    )
    assert fold("bigger", "en") == "bigger"


@given(st.text("abcdeé", min_size=1, max_size=9))
def test_a_word_is_a_form_of_itself(word: str) -> None:
    assert share_half(word, word) and share_most(word, word.upper() if word.isascii() else word)
    assert differ_by_ending(word, word) == (len(word) >= 3)


TEXTS = (
    "O governo aprovou a nova lei na semana passada.",
    "A empresa vendeu a casa velha no centro da cidade.",
    "O diretor mostrou o livro novo ao amigo do vizinho.",
    "A escola abriu a porta grande na manhã de hoje.",
)


def test_sit_has_slots_and_cases_on_portuguese() -> None:
    pytest.importorskip("spacy")
    seeds = [Seed(str(i), Input(text, language="pt")) for i, text in enumerate(TEXTS)]
    tools = Toolbox(languages=("pt", "pt"), corpus=seeds)
    parses = tools.parser("pt").parse(TEXTS)
    assert all(open_slots(parse, ("NOUN", "ADJ"), edges=False) for parse in parses)
    cases = list(swap_words("corpus")(seeds, tools))
    assert cases and all(case.edit and case.edit.old != case.edit.new for case in cases)
    # "a" is an article here, not the English one that becomes "an".
    assert not any(re.search(r"\ban\b", case.inputs[1].text) for case in cases)


@pytest.mark.slow
def test_list_languages_says_what_each_can_do() -> None:
    rows = json.loads(CliRunner().invoke(command, ["languages", "--json"]).output)
    assert [one.code for one in known_languages()] == list(FOLDERS)
    assert [row["name"] for row in rows][: len(FOLDERS)] == list(FOLDERS)
    for row in rows:
        assert all(part["ready"] or part["install"] for part in row["parts"].values())
    by_code = {row["name"]: row for row in rows}
    assert by_code["pt"]["methods"]["rti"]["state"] == "ready"
    assert by_code["pt"]["methods"]["semmt"]["why"] == "semmt reads English only"
    assert by_code["fi"]["methods"]["relations"]["state"] == "weaker"
    assert by_code["sv"]["methods"]["rti"]["command"]
    for witness in ("grammar", "fluency"):
        heard = {code: by_code[code]["witnesses"][witness]["state"] for code in ("pt", "fr")}
        assert heard == {"pt": "ready", "fr": "not possible"}
    told = CliRunner().invoke(command, ["languages"]).output
    assert "translations into it are judged by" in told and "to get it:" in told


def test_swaps_and_tags_under_the_aim_are_called_weaker(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyglitch.cli import languages as page
    from polyglitch.nlp.parsers.choose import ParserChoice

    poorer = msgspec.structs.replace(language("de"), swaps_natural=84)
    german = page.as_source(poorer, "sit")
    assert (german.state, german.why) == ("weaker", "84 of 100 swaps read naturally")
    assert page.as_source(language("de"), "sit").state == "ready"
    assert page.as_source(language("pt"), "sit").state == "ready"
    assert page.as_source(language("de"), "rti").state == "ready"
    fetched = ParserChoice("spacy", "parser-tr", "fetched")
    monkeypatch.setattr(page, "choose", lambda code: fetched)
    turkish = page.as_source(language("tr"), "rti")
    assert turkish.state == "weaker"
    assert "parts of speech are right" in turkish.why
