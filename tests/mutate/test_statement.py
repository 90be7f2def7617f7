"""Questions become statements and clauses, or nothing; never something that is not English."""

from __future__ import annotations

import pytest

from polyglitch.mutate.qa.statement import embedded, is_yes_no, yes_no_statements
from polyglitch.mutate.qa.wording import capitals_of, core, past, third_person

pytestmark = pytest.mark.needs("spacy")

STATEMENTS = {
    "Does honey keep for years without spoiling?": "honey keeps for years without spoiling",
    "Did the Green Lanterns win the city cup?": "the Green Lanterns won the city cup",
    "Is the night train to Varna late?": "the night train to Varna is late",
    "Is the cellar of the old library a safe place?": "the cellar of the old library is a safe place",
    "Was Tadeo Brun born in Portugal?": "Tadeo Brun was born in Portugal",
    "Has the bridge ever been closed?": "the bridge has ever been closed",
    "Is there a footpath on the bridge?": "there is a footpath on the bridge",
    "Can you take a dog on the ferry?": "you can take a dog on the ferry",
    "Does the ferry always stop in January?": "the ferry always stops in January",
    "Isn't the bridge closed?": "the bridge isn't closed",
}
CLAUSES = {
    "Why does the ferry stop running in January?": "why the ferry stops running in January",
    "Who is the trainer of the team?": "who the trainer of the team is",
    "Who gave the library to the town?": "who gave the library to the town",
    "When was the bridge finished?": "when the bridge was finished",
    "Which country did Tadeo Brun move to?": "which country Tadeo Brun moved to",
    "Is breakfast included?": "whether breakfast is included",
}


@pytest.fixture(scope="module")
def parser():  # type: ignore[no-untyped-def]
    from polyglitch.nlp.parsers.choose import open_spacy

    return open_spacy("en")


@pytest.mark.slow
def test_yes_no_questions_become_statements(parser) -> None:  # type: ignore[no-untyped-def]
    made = yes_no_statements(parser.parse(list(STATEMENTS)), parser)
    assert dict(zip(STATEMENTS, made, strict=True)) == STATEMENTS


def test_questions_become_clauses(parser) -> None:  # type: ignore[no-untyped-def]
    made = embedded(parser.parse(list(CLAUSES)), parser)
    assert dict(zip(CLAUSES, made, strict=True)) == CLAUSES


def test_what_is_no_question_becomes_nothing(parser) -> None:  # type: ignore[no-untyped-def]
    texts = ["The bridge is long.", "Is?", "What?", "Tell me more about it"]
    assert yes_no_statements(parser.parse(texts), parser) == [None] * 4


def test_a_wh_question_is_no_yes_no_question(parser) -> None:  # type: ignore[no-untyped-def]
    assert (
        is_yes_no("does it snow?") and is_yes_no("Isn't it late?") and is_yes_no("Won't it rain?")
    )
    assert not is_yes_no("Who did it?") and not is_yes_no("In which town is it?")


def test_the_core_loses_clauses_and_adverbs_but_not_the_subject(parser) -> None:  # type: ignore[no-untyped-def]
    asked = "Can congress actually pass a law about taxes after it is voted down?"
    (parse,) = parser.parse([asked])
    assert core(parse) == "Can congress pass a law about taxes"


def test_names_get_the_capitals_of_their_context() -> None:
    context = "The guard Steph Curry plays in the NBA. Brothers are common there."
    asked = "does steph curry have brothers in the nba?"
    assert (
        capitals_of(asked, context, "Curry family") == "does Steph Curry have brothers in the NBA?"
    )
    assert capitals_of("Does he?", context, None) == "Does he?"


@pytest.mark.parametrize(
    ("verb", "third", "before"),
    [
        ("go", "goes", "went"),
        ("stop", "stops", "stopped"),
        ("carry", "carries", "carried"),
        ("play", "plays", "played"),
        ("have", "has", "had"),
        ("open", "opens", "opened"),
        ("admit", "admits", "admitted"),
        ("watch", "watches", "watched"),
        ("bake", "bakes", "baked"),
        # What rules and a short list had wrong: compounds, stress, -c, -oo.
        ("offer", "offers", "offered"),
        ("limit", "limits", "limited"),
        ("equip", "equips", "equipped"),
        ("acquit", "acquits", "acquitted"),
        ("panic", "panics", "panicked"),
        ("quiz", "quizzes", "quizzed"),
        ("overthrow", "overthrows", "overthrew"),
        ("withstand", "withstands", "withstood"),
        ("mislead", "misleads", "misled"),
        ("upset", "upsets", "upset"),
        ("tattoo", "tattoos", "tattooed"),
        ("video", "videos", "videoed"),
        # What the library has wrong alone.
        ("broadcast", "broadcasts", "broadcast"),
    ],
)
def test_verbs_are_conjugated(verb: str, third: str, before: str) -> None:
    assert (third_person(verb), past(verb)) == (third, before)
