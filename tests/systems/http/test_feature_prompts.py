"""A feature as it is sent: what a prompt file says arrives at the server, and decides which relations are tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from polyglitch.corpus.read import open_corpus
from polyglitch.errors import UsageError
from polyglitch.records import Input, Turn
from polyglitch.systems.http.openai import RemotePrompt
from polyglitch.systems.prompts import load_prompt
from polyglitch.tools import open_system, with_prompt
from tests.systems.http.recorder import Asked, recorder

FEATURE = """
system = "You help at {{shop}}. Labels: {labels}."
user = "About: {context}\\n{text} ({tone})"
labels = ["yes", "no"]
logprobs = true
[variables]
shop = ""
tone = "friendly"
one = ""
two = ""
[swap]
variables = ["one", "two"]
answers = [["yes", "no"]]
[[examples]]
user = "Open?"
assistant = "yes"
[[examples]]
user = "Closed?"
assistant = "no"
[[tools]]
name = "book"
[tools.parameters]
type = "object"
[[tools]]
name = "cancel"
[schema.properties]
name = { type = "string" }
"""


@pytest.fixture
def feature(tmp_path: Path) -> Path:
    (tmp_path / "feature.toml").write_text(FEATURE, "utf-8")
    return tmp_path / "feature.toml"


def said(text: str, **more: Any) -> tuple[int, Any]:
    usage = {"prompt_tokens": 30, "completion_tokens": 2}
    return 200, {"choices": [{"message": {"content": text}, **more}], "usage": usage}


def test_all_of_a_prompt_is_sent_and_an_input_never_read_as_a_template(feature: Path) -> None:
    item = Input(
        "Is {tone} open?", "A shop.", turns=(Turn("user", "Hi."),), values={"shop": "{labels}"}
    )
    told = {"content": [{"token": "yes", "logprob": -0.5}, {"token": ".", "logprob": -0.1}]}
    with recorder(lambda _: said("yes", logprobs=told)) as server:
        system = open_system(with_prompt(f"openai:m@{server.base}", str(feature)))
        other_order = replace(item, reversed=("examples", "tools", "labels"))
        plain, turned = system.ask([item, other_order])
        system.close()
    body = next(a.json for a in server.asked if "yes, no" in a.json["messages"][0]["content"])
    roles = [(m["role"], m["content"]) for m in body["messages"]]
    assert roles == [
        ("system", "You help at {labels}. Labels: yes, no."),
        ("user", "Open?"),
        ("assistant", "yes"),
        ("user", "Closed?"),
        ("assistant", "no"),
        ("user", "Hi."),
        ("user", "About: A shop.\nIs {tone} open? (friendly)"),
    ]
    assert [tool["function"]["name"] for tool in body["tools"]] == ["book", "cancel"]
    assert body["response_format"]["json_schema"]["schema"]["properties"] == {
        "name": {"type": "string"}
    }
    other = next(a.json for a in server.asked if "no, yes" in a.json["messages"][0]["content"])
    assert other["messages"][1]["content"] == "Closed?"
    assert [tool["function"]["name"] for tool in other["tools"]] == ["cancel", "book"]
    assert (plain.label, plain.tokens, plain.likelihood) == ("yes", (30, 2), -0.3)
    assert turned.label == "yes"


def test_a_tool_call_is_an_answer_with_name_and_arguments() -> None:
    call = {"function": {"name": "book", "arguments": '{"seats": 2}'}}
    with recorder(
        lambda _: (200, {"choices": [{"message": {"content": None, "tool_calls": [call]}}]})
    ) as server:
        system = open_system(f"openai:m@{server.base}")
        (found,) = system.ask([Input("Two seats.")])
        system.close()
    assert json.loads(found.text) == {"name": "book", "arguments": {"seats": 2}}


@pytest.mark.slow
def test_what_a_prompt_declares_chooses_the_relations(feature: Path, cli: Any) -> None:
    prompt = load_prompt(str(feature), RemotePrompt)
    assert prompt.parts == (
        "chat", "examples", "labels", "swap:one/two:yes=no", "tools", "keys:name",
    )  # fmt: skip
    rows = [
        {"text": f"Is shop {n} open?", "shop": "Holm", "one": f"a{n}", "two": "b"} for n in range(3)
    ]
    corpus = feature.parent / "rows.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def reply(asked: Asked) -> tuple[int, Any]:
        return said("yes")  # whatever comes first and second

    with recorder(reply) as server:
        done = cli(
            *("run", "--system", f"openai:m@{server.base}", "--prompt", feature, "--json"),
            *("--method", "llm", "--corpus", corpus, "--fail-under", "0.5"),
            code=1,
        )
    assert "degenerate" in done.stderr
    by_relation = json.loads(done.stdout)["by_relation"]
    assert {"same:example-order", "same:tool-order", "same:label-order"} <= set(by_relation)
    assert by_relation["follows:judge-swap"]["violated"] == 3  # it says yes on both sides


@pytest.mark.slow
def test_a_prompt_that_does_not_fit_is_refused_with_the_reason(tmp_path: Path, cli: Any) -> None:
    bad = tmp_path / "bad.toml"
    for text, why in (
        ('user = "x"', "where the {text}"),
        ('user = "{text}"\nuzer = "x"', "uzer"),
        ('user = "{text}"\n[variables]\ntext = "a"', "must be a word of its own"),
        ('user = "{text}"\n[swap]\nvariables = ["a", "b"]', "not under [variables]"),
    ):
        bad.write_text(text, "utf-8")
        with pytest.raises(UsageError) as error:
            load_prompt(str(bad), RemotePrompt)
        assert why in str(error.value)
    done = cli(
        *(
            "run",
            "--system",
            "python:m:f",
            "--prompt",
            bad,
            "--method",
            "llm",
            "--corpus",
            "sample",
        ),
        code=2,
    )
    assert "swap" in done.stderr
    bad.write_text('user = "{text}"', "utf-8")
    done = cli(
        *(
            "run",
            "--system",
            "python:m:f",
            "--prompt",
            bad,
            "--method",
            "llm",
            "--corpus",
            "sample",
        ),
        code=2,
    )
    assert "takes no prompt" in done.stderr and "openai" in done.stderr


def test_a_text_of_ones_own_is_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Be kind.\n{{ text }}\n", "utf-8")
    prompt = load_prompt(str(tmp_path / "mine.txt"))
    assert prompt.messages(Input("Hi")) == [{"role": "user", "content": "Be kind.\nHi"}]


CHATS = [
    {"messages": [{"role": "user", "content": "My bus is 12."}, {"role": "assistant", "content": "Good."},
                  {"role": "user", "content": "Which bus?"}, {"role": "assistant", "content": "Bus 12."}]},
    {"conversations": [{"from": "human", "value": "Which tram?"}, {"from": "gpt", "value": "Tram 4."}]},
    {"input": [{"role": "user", "content": [{"type": "text", "text": "Which train?"}]}], "target": "The red one"},
    {"input": "Largest?", "choices": ["Mars", "Jupiter"], "target": "B", "id": 7},
    {"doc_id": 3, "doc": {"question": "Smallest?", "choices": {"text": ["Mars", "Jupiter"], "label": ["A", "B"]}},
     "target": 0, "resps": [["A"]]},
    {"doc_id": 4, "doc": {"question": "Which barks?", "choices": ["cat", "dog"], "answer": 1}, "target": "1"},
    {"question": "Where?", "contexts": ["It is here.", "It is red."], "answer": ["here", "in here"]},
]  # fmt: skip


def test_chats_and_other_peoples_test_sets_are_corpora(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    bad = {"messages": [{"role": "narrator", "content": "Once."}]}
    path.write_text("".join(json.dumps(row) + "\n" for row in [*CHATS, bad]), "utf-8")
    corpus = open_corpus(str(path))
    rows = [(seed.input.text, seed.label) for seed in corpus]
    assert rows == [
        ("Which bus?", "Bus 12."),
        ("Which tram?", "Tram 4."),
        ("Which train?", "The red one"),
        ("Largest?\nA) Mars\nB) Jupiter", "Jupiter"),
        ("Smallest?\nA) Mars\nB) Jupiter", "Mars"),
        ("Which barks?\nA) cat\nB) dog", "dog"),
        ("Where?", "here"),
    ]
    first, *_, last = corpus
    assert [turn.role for turn in first.input.turns] == ["user", "assistant"]
    assert last.input.context == "It is here.\n\nIt is red."
    assert [s.reason for s in corpus.skipped] == ["no chat"]


def test_a_row_without_its_variable_is_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a", "shop": "x"}\n{"text": "b"}\n', "utf-8")
    corpus = open_corpus(str(path), variables={"shop": "", "tone": "kind"})
    assert [seed.input.values for seed in corpus] == [{"shop": "x"}]
    assert [s.reason for s in corpus.skipped] == ["no variable"]
