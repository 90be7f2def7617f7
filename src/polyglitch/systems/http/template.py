"""`http:request.toml`: any service that takes a text and answers JSON, described in a file.

The file says `url`, `answer` (a path into the JSON) and, as the service wants them, `method`, `query`, `headers`,
`body` or `form`, `languages`. `{text}`, `{context}` and `{title}` stand for the input, `{key}` in a header, the body or
the form for the key, whose variable is named as `key`. Places are filled after the template was read, each once: a
text can change nothing but its own place.

Paths into JSON: `data.translations[0].text`, as a request template or a prompt names its answer. Such plain paths are
walked here, since JMESPath does not tell which step leads nowhere, and keys need no quotes; whatever has other brackets
is an expression of JMESPath, such as `content[?type=='text'].text | [0]`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlencode, urlsplit

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from polyglitch.errors import UsageError
from polyglitch.records import Input, Output, digest, encode
from polyglitch.systems.answers import answer
from polyglitch.systems.http.api import Api, Call, Fault, Key, check_url, encode_json, read_key
from polyglitch.systems.http.system import HttpSystem

PLACE = re.compile(r"\{(text|context|title|key)\}")
Code = Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}$")]


class RequestTemplate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A request template as its file has it."""

    url: str
    answer: str = ""  # the text, or
    label: str = ""  # a classifier's label and
    scores: str = ""  # an object of scores by label
    method: Literal["POST", "GET", "PUT"] = "POST"
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: Any = None  # sent as JSON
    form: dict[str, str] = {}  # or as a form
    key: str = ""
    languages: tuple[Code, Code] | None = None
    version: str = ""  # of the service, where it tells: another version is another system


def open_template(rest: str, timeout: float) -> HttpSystem:
    """The service that a file describes."""
    if rest.startswith("//"):
        raise UsageError(
            f"http:{rest}: an address alone does not say how to ask; describe the request in a file and write "
            "http:request.toml (see docs/how-to/test-a-service.md)"
        )
    template = read_template(Path(rest))
    key = read_key(template.key, template.url, rest) if template.key else Key()
    headers = {name: value.replace("{key}", key.secret) for name, value in template.headers.items()}
    filled = msgspec.structs.replace(template, headers=headers)
    paths = {
        name: parse_path(getattr(template, name), f"{rest}: {name}")
        for name in ("answer", "label", "scores")
        if getattr(template, name)
    }

    def call(inputs: Sequence[Input]) -> Call:
        return make_call(filled, inputs[0], key)

    def read(data: Any, count: int) -> list[Output]:
        found = {name: follow(data, path) for name, path in paths.items()}
        if list(found) == ["answer"]:
            return [answer(found["answer"])]
        found["text"] = found.pop("answer", "")
        return [answer(found)]

    place = urlsplit(template.url)
    # The name of the key's variable changes no answer.
    told = msgspec.structs.replace(template, key="")
    signature = f"http:{place.netloc}{place.path}|template={digest([encode(told)], 12)}"
    languages = template.languages or (None, None)
    return HttpSystem(Api(signature, call, read, key, languages), timeout)


def read_template(path: Path) -> RequestTemplate:
    """A template from its file; errors name the file and the key that is wrong."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"http: {str(path)!r} cannot be read: {error}") from None
    try:
        template = msgspec.convert(tomllib.loads(text), RequestTemplate)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from None
    check_url(template.url, str(path))
    if not (template.answer or template.label or template.scores):
        raise UsageError(f"{path}: say where the answer is: answer, label or scores = a JSON path")
    if template.body is not None and template.form:
        raise UsageError(f"{path}: a request has a body or a form, not both")
    if "{text}" not in encode([template.query, template.body, template.form]):
        raise UsageError(
            f"{path}: query, body or form must say where the {{text}} of an input goes"
        )
    check_places(template, path)
    return template


def check_places(template: RequestTemplate, path: Path) -> None:
    """The key has a variable and stands where it is not written into logs; headers are plain text."""
    if "{key}" in encode([template.headers, template.body, template.form]) and not template.key:
        raise UsageError(f"{path}: {{key}} is used, and `key` does not name its variable")
    if "{key}" in encode(template.query) or "{key}" in template.url:
        raise UsageError(f"{path}: an address is written into logs; put {{key}} into a header")
    for name, value in template.headers.items():
        if not (name + value).isascii() or not (name + value).isprintable():
            raise UsageError(f"{path}: the header {name!r} holds characters that no header has")


def make_call(template: RequestTemplate, item: Input, key: Key) -> Call:
    """The request for an input."""
    headers = template.headers
    query = urlencode(fill(template.query, item, key))
    url = f"{template.url}{'&' if '?' in template.url else '?'}{query}" if query else template.url
    if template.form:
        kind, body = "application/x-www-form-urlencoded", urlencode(fill(template.form, item, key))
        return Call(url, body.encode(), {"Content-Type": kind} | headers, template.method)
    if template.body is None:
        return Call(url, b"", headers, template.method)
    body_bytes = encode_json(fill(template.body, item, key))
    return Call(url, body_bytes, {"Content-Type": "application/json"} | headers, template.method)


def fill(value: Any, item: Input, key: Key) -> Any:
    """A part of the template with the input in its places, however deep they are."""
    if isinstance(value, str):
        given = {"text": item.text, "context": item.context or "", "title": item.title or ""}
        given["key"] = key.secret
        return PLACE.sub(lambda place: given[place[1]], value)
    if isinstance(value, list):
        return [fill(one, item, key) for one in value]
    if isinstance(value, dict):
        return {name: fill(one, item, key) for name, one in value.items()}
    return value


STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")

Steps = tuple[str | int, ...]
JsonPath = Steps | ParsedResult


def parse_path(text: str, where: str) -> JsonPath:
    """The steps of a path, before which `$` and a dot may stand; anything more is an expression of JMESPath."""
    rest = plain = text.strip().removeprefix("$")
    steps: list[str | int] = []
    while found := STEP.match(rest):
        steps.append(found[1] if found[1] is not None else int(found[2]))
        rest = rest[found.end() :]
    if not rest:
        return tuple(steps)
    try:
        return jmespath.compile(plain.removeprefix("."))
    except JMESPathError as error:
        cause = str(error).partition("\n")[0].rstrip(":")
        raise UsageError(
            f"{where}: {text!r} is no path into JSON ({cause}); write keys and places, such as "
            "data.answers[0].text, or an expression of JMESPath"
        ) from None


def follow(data: Any, path: JsonPath) -> Any:
    """What stands at a path, or the fault that names the step that leads nowhere."""
    if not isinstance(path, tuple):
        return searched(data, path)
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            kind = type(data).__name__
            raise Fault(f"no {step!r} in the {kind} of the answer", billed=True) from None
    return data


def searched(data: Any, path: ParsedResult) -> Any:
    """What an expression finds; JMESPath says null for nothing, and nothing is a fault."""
    try:
        found = path.search(data)
    except JMESPathError as error:
        raise Fault(f"{path.expression} fails on the answer: {error}", billed=True) from None
    if found is None:
        kind = type(data).__name__
        raise Fault(f"nothing at {path.expression} in the {kind} of the answer", billed=True)
    return found
