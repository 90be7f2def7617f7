"""A promptfoo configuration as data: its prompts as messages, its tests as rows, its providers by name.

Read are `prompts` (texts, chats as JSON, `file://` of either), `providers` of OpenAI's protocol, `tests` with `vars`
and `assert`, and `defaultTest`. What would run code is refused.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.errors import Missing, UsageError
from polyglitch.files.settings import read_text

ENDINGS = (".yaml", ".yml")
PLACE = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
ASSERTION = re.compile(
    r"(?<![a-z-])[a-z-]+(?:\([\d.]+\))?:"
)  # such as "similar(0.8):", which names no answer
LOGIC = re.compile(r"\{%|\{\{[^{}|(]*[|(]")
# Which variable is the question, and which the data that it is about; the first that is there.
TEXTS = (
    "question",
    "query",
    "text",
    "input",
    "message",
    "user_message",
    "prompt",
    "sentence",
    "review",
    "topic",
)
CONTEXTS = ("context", "passage", "document", "article", "documents")  # fmt: skip
EXPECTED = ("equals", "contains", "icontains", "starts-with")  # kinds of assert that name an answer


class PromptfooConfig(NamedTuple):
    """What is used of a configuration."""

    path: str
    prompts: tuple[tuple[tuple[str, str], ...], ...]  # each the roles and texts of its messages
    systems: tuple[str, ...]  # URIs, where a provider has one
    rows: tuple[dict[str, str], ...]
    text: str  # the variable that is the question
    context: str  # the variable that is the data, or nothing


@lru_cache(maxsize=16)
def read_promptfoo(name: str) -> PromptfooConfig:
    """The configuration in a file."""
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"promptfoo configuration {name!r}: no such file")
    keys = load_yaml(path)
    if not isinstance(keys, dict) or "prompts" not in keys:
        raise UsageError(
            f"{name}: no promptfoo configuration; it has `prompts`, `providers` and `tests`"
        )
    listed = keys["prompts"] if isinstance(keys["prompts"], list) else [keys["prompts"]]
    prompts = tuple(read_messages(one, path) for one in listed)
    names = dict.fromkeys(
        found for prompt in prompts for _, text in prompt for found in PLACE.findall(text)
    )
    if not names:
        raise UsageError(f"{name}: no prompt has a variable such as {{{{question}}}}")
    text = next((each for each in TEXTS if each in names), list(names)[-1])
    context = next((each for each in CONTEXTS if each in names and each != text), "")
    providers = keys.get("providers") or keys.get("targets") or []
    found = [
        provider_uri(one) for one in (providers if isinstance(providers, list) else [providers])
    ]
    rows = read_tests(keys, path)
    return PromptfooConfig(name, prompts, tuple(uri for uri in found if uri), rows, text, context)


def load_yaml(path: Path) -> Any:
    """A YAML file as plain values: nothing in it is executed."""
    try:
        import yaml  # type: ignore[import-untyped]  # its types are a package of their own
    except ImportError:
        raise Missing("PyYAML", f"reading {path}", "pip install 'polyglitch[promptfoo]'") from None
    try:
        return yaml.safe_load(read_text(path))
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{path}: not YAML: {' '.join(str(error).split()):.300}") from None


def read_messages(prompt: Any, config: Path) -> tuple[tuple[str, str], ...]:
    """A prompt as roles and texts: a text, a chat in JSON or YAML, or the file that holds one."""
    if isinstance(prompt, Mapping):
        prompt = prompt.get("raw") or prompt.get("id") or ""
    if isinstance(prompt, str) and prompt.startswith("file://"):
        path = config.parent / prompt.removeprefix("file://")
        if path.suffix in (".py", ".js", ".ts", ".mjs", ".cjs"):
            raise UsageError(
                f"{config}: prompt {prompt!r} is a program; only texts and chats are read"
            )
        prompt = load_yaml(path) if path.suffix in ENDINGS else read_text(path)
    if isinstance(prompt, str) and prompt.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):  # else a text that begins with a bracket
            prompt = json.loads(prompt)
    if isinstance(prompt, list):
        found = [
            (str(m.get("role", "")), m.get("content")) for m in prompt if isinstance(m, Mapping)
        ]
    else:
        found = [("user", prompt)]
    for role, text in found:
        if role not in ("system", "user", "assistant") or not isinstance(text, str):
            raise UsageError(
                f"{config}: a prompt has a message {role!r} that is no text; write role and content"
            )
        if logic := LOGIC.search(text):
            raise UsageError(
                f"{config}: a prompt has logic ({logic[0]!r}); only variables such as {{{{question}}}} are filled in"
            )
    return tuple((role, str(text)) for role, text in found)


def provider_uri(provider: Any) -> str:
    """The URI of a provider of OpenAI's protocol, or nothing for any other."""
    options: Mapping[str, Any] = {}
    if isinstance(provider, Mapping):
        if "id" not in provider and len(provider) == 1:
            ((name, options),) = provider.items()
            provider = {"id": name, **(options if isinstance(options, Mapping) else {})}
        options = provider.get("config") or {}
        provider = provider.get("id")
    scheme, _, rest = str(provider).partition(":")
    model = rest.removeprefix("chat:")
    if scheme != "openai" or not model or ":" in model.partition("/")[0]:
        return ""
    base = options.get("apiBaseUrl") or (
        f"https://{options['apiHost']}/v1" if options.get("apiHost") else ""
    )
    return f"openai:{model}@{base}" if base else f"openai:{model}"


def read_tests(keys: Mapping[str, Any], config: Path) -> tuple[dict[str, str], ...]:
    """The variables of each test, with the answer that its assertions name, if any."""
    given = keys.get("tests") or []
    tests = [
        test
        for each in (given if isinstance(given, list) else [given])
        for test in (tests_of_file(each, config) if isinstance(each, str) else [each])
    ]
    usual = keys.get("defaultTest") if isinstance(keys.get("defaultTest"), Mapping) else {}
    shared = (usual or {}).get("vars") or {}
    rows = []
    for test in tests:
        given = test.get("vars") if isinstance(test, Mapping) else None
        if not isinstance(given, Mapping):
            raise UsageError(f"{config}: a test has no `vars`")
        row = {
            str(name): str(value) for name, value in {**shared, **given}.items() if is_plain(value)
        }
        told = [a for a in test.get("assert") or [] if isinstance(a, Mapping)]
        answer = next((a.get("value") for a in told if a.get("type") in EXPECTED), None)
        if isinstance(answer, (str, int, float)):
            row["__expected"] = str(answer)
        rows.append(row)
    return tuple(rows)


def tests_of_file(name: str, config: Path) -> list[Any]:
    """The tests that a configuration keeps in a file of its own: YAML, JSON, a line each, or a table."""
    path = config.parent / name.removeprefix("file://")
    if path.suffix in ENDINGS:
        found = load_yaml(path)
        return found if isinstance(found, list) else [found]
    if path.suffix not in (".csv", ".json", ".jsonl"):
        raise UsageError(
            f"{config}: tests in {name!r} are read from YAML, JSON, JSONL and CSV; or give the file to --corpus"
        )
    text = read_text(path)
    if path.suffix == ".csv":
        return [test_of_row(row) for row in csv.DictReader(text.splitlines())]
    try:
        if path.suffix == ".json":
            found = json.loads(text)
            return found if isinstance(found, list) else [found]
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {' '.join(str(error).split()):.200}") from None


def test_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table as a test: `__expected` is what must come, "contains:" and the like before it."""
    cells = {k: v for k, v in row.items() if isinstance(k, str) and isinstance(v, str)}
    expected = next((v for k, v in cells.items() if k.startswith("__expected") and v), "")
    kind, _, value = expected.partition(":")
    told = {"type": kind, "value": value.strip()} if kind in EXPECTED else None
    if expected and not told and not ASSERTION.match(expected):
        told = {"type": EXPECTED[0], "value": expected}
    return {
        "vars": {k: v for k, v in cells.items() if not k.startswith("__")},
        "assert": [told] if told else [],
    }


def is_plain(value: Any) -> bool:
    """Whether a variable is a text or number, and not the name of a file or program."""
    return isinstance(value, (str, int, float)) and not str(value).startswith("file://")
