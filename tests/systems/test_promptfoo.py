"""A promptfoo configuration as it is: its prompts, provider and tests are run without another file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyglitch.corpus.read import open_corpus
from polyglitch.errors import UsageError
from polyglitch.records import Input
from polyglitch.systems.prompts import load_prompt
from tests.systems.http.recorder import recorder

CONFIG = """
description: questions on notices
prompts:
  - "Notice of {{place}}: {{context}} Question: {{ question }}"
  - file://chat.json
providers:
  - id: openai:chat:small-model
    config:
      apiBaseUrl: BASE
  - anthropic:other
defaultTest:
  vars:
    place: Holm
tests:
  - vars: {question: "When does it open?", context: It opens at 9.}
    assert: [{type: icontains, value: 9}, {type: llm-rubric, value: is polite}]
  - vars: {question: "Who runs it?", context: Nora runs it., place: Lund}
    assert: [{type: equals, value: Nora}]
"""
CHAT = [
    {"role": "system", "content": "Be kind at {{place}}."},
    {"role": "user", "content": "Open?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "{{context}} {{question}}"},
]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "chat.json").write_text(json.dumps(CHAT), "utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIG, "utf-8")
    return tmp_path / "promptfooconfig.yaml"


@pytest.mark.needs("yaml")
def test_prompts_and_tests_are_read(config: Path) -> None:
    item = Input("When?", "At 9.", values={"place": "Holm"})
    first = load_prompt(f"{config}#1")
    assert first.fill(item)[0] == "Notice of Holm: At 9. Question: When?"
    told = load_prompt(f"{config}#2").messages(item)
    assert [m["content"] for m in told] == ["Be kind at Holm.", "Open?", "Yes.", "At 9. When?"]
    rows = [
        (s.input.text, s.input.context, s.label, s.input.values)
        for s in open_corpus(str(config), variables={"place": ""})
    ]
    assert rows == [
        ("When does it open?", "It opens at 9.", "9", {"place": "Holm"}),
        ("Who runs it?", "Nora runs it.", "Nora", {"place": "Lund"}),
    ]


@pytest.mark.needs("yaml")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "t.csv",
            'question,__expected\n"Open, when?",contains: 9\nWho?,similar(0.8): Nora\nWhere?,Lund\n',
        ),
        (
            "t.jsonl",
            '{"vars": {"question": "Open, when?"}, "assert": [{"type": "contains", "value": 9}]}\n'
            '{"vars": {"question": "Who?"}}\n'
            '{"vars": {"question": "Where?"}, "assert": [{"type": "equals", "value": "Lund"}]}\n',
        ),
    ],
)
def test_tests_may_stand_in_a_file_of_their_own(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(f"prompts: ['{{{{question}}}}']\ntests: file://{name}", "utf-8")
    rows = [(seed.input.text, seed.label) for seed in open_corpus(str(config))]
    assert rows == [("Open, when?", "9"), ("Who?", None), ("Where?", "Lund")]


@pytest.mark.slow
@pytest.mark.needs("yaml")
def test_a_configuration_is_all_that_a_run_needs(config: Path, cli: Any) -> None:
    with recorder(lambda _: (200, {"choices": [{"message": {"content": "It says 9."}}]})) as server:
        config.write_text(CONFIG.replace("BASE", server.base), "utf-8")
        done = cli(
            *("run", "--method", "llm", "--prompt", config, "--json"),
            *("--param", "llm.relations=polite,fact-removed"),
        )
    columns = json.loads(done.stdout)["columns"]
    assert [column["prompt"].rpartition("#")[2] for column in columns] == ["1", "2"]
    assert all(column["cells"]["same:polite"]["holds"] == 2 for column in columns)
    assert {asked.json["model"] for asked in server.asked} == {"small-model"}


@pytest.mark.needs("yaml")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("prompts: ['{{ q | upper }}']", "logic"),
        ("prompts: ['hello']", "no prompt has a variable"),
        ("prompts: ['file://p.py']", "is a program"),
        ("a: 1", "no promptfoo configuration"),
        ("prompts: [", "not YAML"),
        ("prompts: ['{{q}}']\ntests: [{description: x}]", "no `vars`"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "c.yaml").write_text(text, "utf-8")
    with pytest.raises(UsageError) as error:
        load_prompt(str(tmp_path / "c.yaml"))
    assert why in str(error.value)
