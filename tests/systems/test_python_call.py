"""A user's own Python, whatever its shape, becomes a system; its failures become records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyglitch.errors import UsageError
from polyglitch.protocols import System
from polyglitch.records import Input, Output
from polyglitch.tools import open_system

SOURCE = """
from __future__ import annotations
import typing
from collections.abc import Sequence

from polyglitch.records import Output


def shout(text):
    return text.upper()

def shouts(texts):
    return [shout(text) for text in texts]

def annotated(sentences: Sequence[str]) -> list[str]:
    return [shout(text) for text in sentences]

def typed(sentences: typing.List[str]):
    return [shout(text) for text in sentences]

def marked(many):
    return [shout(text) for text in many]
marked.batch = True
marked.parallel = 3
marked.batch_size = 5

def plain(texts: str):
    return shout(texts)

def classify(text):
    return {"label": "long" if len(text) > 4 else "short", "scores": {"long": 0.5, "short": 0.5}}

def answer(question, context="nothing"):
    return f"{question} of {context}"

def answer_second(question, passage):
    return f"{question} of {passage}"

def answers(texts, *, context):
    return [f"{text} of {about}" for text, about in zip(texts, context)]

def moody(text):
    if "raise" in text: raise ValueError("cannot bear it")
    if "exit" in text: raise SystemExit(4)
    return {"none": None, "number": 0.7, "empty": ""}.get(text, shout(text))

def moody_batch(texts):
    moody_batch.calls += 1
    if "lose" in texts: return [shout(text) for text in texts if text != "lose"]
    return [moody(text) for text in texts]
moody_batch.calls = 0

class Whole:
    signature, languages, batch_size, parallel = "whole/1", ("en", "pt"), 7, 2
    def ask(self, inputs):
        return [Output(text=item.text[::-1]) for item in inputs]
    def close(self):
        pass

whole = Whole()
number = 3

class Demanding:
    def __init__(self, model): ...
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "my_own_system.py"
    path.write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield path
    sys.modules.pop("my_own_system", None)


def opened(name: str) -> System:
    return open_system(f"python:my_own_system:{name}")


def texts(system: System, *asked: str) -> list[str]:
    return [output.text for output in system.ask([Input(text) for text in asked])]


@pytest.mark.parametrize("name", ["shout", "shouts", "annotated", "typed", "marked", "plain"])
def test_single_and_batch_functions_are_told_apart(name: str) -> None:
    assert texts(opened(name), "one", "two", "three") == ["ONE", "TWO", "THREE"]


def test_a_function_may_say_how_it_wants_to_be_called() -> None:
    assert (opened("marked").parallel, opened("marked").batch_size) == (3, 5)
    assert opened("shout").parallel == 1


def test_labels_and_scores() -> None:
    output = opened("classify").ask([Input("a long text")])[0]
    assert output.label == "long"
    assert output.scores == {"long": 0.5, "short": 0.5}


@pytest.mark.parametrize("name", ["answer", "answer_second", "answers"])
def test_a_context_is_passed_to_those_who_take_it(name: str) -> None:
    asked = [Input("colour", context="sky"), Input("size", context="sea")]
    outputs = opened(name).ask(asked)
    assert [output.text for output in outputs] == ["colour of sky", "size of sea"]


def test_without_a_context_the_default_stands() -> None:
    assert texts(opened("answer"), "colour") == ["colour of nothing"]
    assert texts(opened("answer_second"), "colour") == ["colour of None"]


@pytest.mark.parametrize("name", ["moody", "moody_batch"])
def test_failures_stay_with_their_input(name: str) -> None:
    asked = ["fine", "raise", "none", "number", "empty", "exit", "good"]
    outputs = opened(name).ask([Input(text) for text in asked])
    assert [output.error for output in outputs] == [
        "",
        "ValueError: cannot bear it",
        "no answer (None)",
        "the answer is the number 0.7; return its label, or a mapping with `label` and `scores`",
        "empty answer",
        "SystemExit: 4",
        "",
    ]
    assert (outputs[0].text, outputs[-1].text) == ("FINE", "GOOD")


def test_a_batch_with_an_answer_too_few_is_never_shifted() -> None:
    outputs = opened("moody_batch").ask([Input("one"), Input("lose"), Input("three")])
    assert [output.text for output in outputs] == ["ONE", "", "THREE"]
    assert "not a list with one answer" in outputs[1].error


def test_a_good_batch_is_one_call() -> None:
    system = opened("moody_batch")
    texts(system, "a", "b", "c")
    assert sys.modules["my_own_system"].moody_batch.calls == 1


@pytest.mark.parametrize("name", ["Whole", "whole"])
def test_what_already_is_a_system_is_used_as_it_is(name: str) -> None:
    system = opened(name)
    assert (system.signature, system.batch_size, system.languages) == ("whole/1", 7, ("en", "pt"))
    assert system.ask([Input("abc")]) == [Output(text="cba")]


def test_a_file_works_as_well_as_a_module_and_an_edit_shows(module: Path) -> None:
    by_name, by_file = opened("shout"), open_system(f"python:{module}:shout")
    assert texts(by_file, "hello") == ["HELLO"]
    assert by_name.signature == by_file.signature
    assert by_name.signature.startswith("python:my_own_system:shout#")
    module.write_text(SOURCE + "\n# edited\n")
    assert open_system("python:./my_own_system.py:shout").signature != by_file.signature


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("my_own_system", "names no function"),
        ("my_own_system:shuot", "did you mean 'shout'"),
        ("nowhere_at_all:fn", "cannot be imported .ModuleNotFoundError"),
        ("./nowhere.py:fn", "cannot be imported .FileNotFoundError"),
        ("my_own_system:number", "is int; a function, an object with `predict`"),
        ("my_own_system:Demanding", "cannot be made without arguments"),
    ],
)
def test_a_wrong_name_is_explained(rest: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_system(f"python:{rest}")
