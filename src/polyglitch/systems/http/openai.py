"""`openai:MODEL@BASE_URL?prompt=NAME`: chat or completions of any server that speaks OpenAI's protocol.

The prompt is a bundled one or a TOML file, as for local models; there it may also say `json = "path"`, for an answer
that is a JSON object with the text at that path, have `[[tools]]` and a `[schema]` of the answer, and a `[body]` table
with more keys of the request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from polyglitch.errors import UsageError
from polyglitch.files.foreign import one_line
from polyglitch.records import Input, Output, digest, encode
from polyglitch.registry import suggest
from polyglitch.systems.answers import LONGEST_ERROR, answer
from polyglitch.systems.http.api import (
    Address,
    Api,
    Call,
    Fault,
    encode_json,
    find_key,
    parse_address,
)
from polyglitch.systems.http.system import HttpSystem
from polyglitch.systems.http.template import JsonPath, follow, parse_path
from polyglitch.systems.prompts import Prompt, load_prompt

HOME = "https://api.openai.com/v1"
APIS = ("chat", "completions")
FENCE = re.compile(r"\A\s*```\w*\n(.*?)\n?```\s*\Z", re.DOTALL)


class Tool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool that the model may call; its parameters are a JSON schema."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class RemotePrompt(Prompt, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A prompt with what only a server understands."""

    json: str = ""  # where in the JSON object of the answer the text stands
    tools: tuple[Tool, ...] = ()
    schema: dict[str, Any] = msgspec.field(default_factory=dict)  # of the answer, as a JSON schema
    enforce: bool = True  # whether the server is sent the schema, or only the prompt tells it
    logprobs: bool = False  # whether to ask how likely each word of the answer was
    body: dict[str, Any] = msgspec.field(
        default_factory=dict
    )  # more keys of the request, over those that are set here

    @property
    def parts(self) -> tuple[str, ...]:
        """What it declares, as relations ask for it."""
        keys = "/".join(self.schema.get("properties", {}))
        more = (["tools"] if len(self.tools) > 1 else []) + ([f"keys:{keys}"] if keys else [])
        return ("chat", *super().parts, *more)


def open_openai(rest: str, timeout: float) -> HttpSystem:
    """A model of a server, behind a prompt."""
    address = parse_address("openai", rest, HOME, ("prompt", "api"))
    api = address.options.get("api", "chat")
    if api not in APIS:
        raise UsageError(f"openai: no api is called {api!r}{suggest(api, APIS)}")
    prompt = load_prompt(address.options.get("prompt", "plain"), RemotePrompt)
    key = find_key(address, "openai", "OPENAI_API_KEY", HOME)
    headers = {"Content-Type": "application/json"}
    if key.secret:
        headers["Authorization"] = f"Bearer {key.secret}"
    url = f"{address.base}/{'chat/completions' if api == 'chat' else 'completions'}"
    path = parse_path(prompt.json, f"prompt {address.options.get('prompt', 'plain')!r}, json")
    fixed = fixed_keys(address, prompt)

    def call(inputs: Sequence[Input]) -> Call:
        return Call(url, encode_json(fixed | question(prompt, inputs[0], api)), headers)

    def read(data: Any, count: int) -> list[Output]:
        choice = follow(data, ("choices", 0))
        output = read_choice(choice, prompt, path)
        return [msgspec.structs.replace(output, likelihood=likelihood(choice))]

    def characters(item: Input) -> int:
        return sum(len(message["content"]) for message in prompt.messages(item))

    return HttpSystem(
        Api(
            f"openai:{address.name}@{address.base}|{api}|prompt={digest([encode(prompt)], 12)}",
            call,
            read,
            key,
            prompt.languages or (None, None),
            characters=characters,
            answer_tokens=prompt.answer_tokens,
            tokens=usage,
        ),
        timeout,
    )


def fixed_keys(address: Address, prompt: RemotePrompt) -> dict[str, Any]:
    """What every request says: greedy and short, unless the prompt's body says otherwise."""
    keys: dict[str, Any] = {"model": address.name, "temperature": 0}
    if "max_completion_tokens" not in prompt.body:  # newer models take one, older the other
        keys["max_tokens"] = prompt.answer_tokens
    if prompt.schema and prompt.enforce:
        form = {"name": "answer", "schema": prompt.schema}
        keys["response_format"] = {"type": "json_schema", "json_schema": form}
    elif prompt.json:
        keys["response_format"] = {"type": "json_object"}
    if prompt.logprobs:
        keys["logprobs"] = True
    return keys | prompt.body


def question(prompt: RemotePrompt, item: Input, api: str) -> dict[str, Any]:
    """The part of a request that the input is in."""
    chat = prompt.messages(item)
    if api == "completions":
        return {"prompt": "\n\n".join(message["content"] for message in chat)}
    if not prompt.tools:
        return {"messages": chat}
    tools = prompt.tools[::-1] if "tools" in item.reversed else prompt.tools
    offered = [{"type": "function", "function": msgspec.to_builtins(tool)} for tool in tools]
    return {"messages": chat, "tools": offered}


def read_choice(choice: Any, prompt: RemotePrompt, path: JsonPath) -> Output:
    """The output of a choice: its text, the JSON field asked for, or one of the labels."""
    if not isinstance(choice, dict):
        raise Fault(f"a choice is of type {type(choice).__name__}, not an object", billed=True)
    message = choice.get("message")
    if isinstance(message, dict) and message.get("refusal"):
        return Output(status="refused", error=f"{message['refusal']!s:.200}")
    if isinstance(message, dict) and message.get("tool_calls"):
        return answer(called_tools(message["tool_calls"]))
    text = choice.get("text") if message is None else follow(message, ("content",))
    if choice.get("finish_reason") == "content_filter":
        return Output(status="refused", error="stopped by the service's content filter")
    if not isinstance(text, str):
        raise Fault(f"the content is of type {type(text).__name__}, not text", billed=True)
    cut_off = choice.get("finish_reason") == "length"
    if prompt.json and not cut_off:
        return in_labels(read_json(text, path), prompt)
    output = in_labels(text, prompt)
    if cut_off and output.label is None:  # a label that is there is whole, whatever came after it
        why = "the answer reached its limit of tokens (finish_reason: length)"
        return msgspec.structs.replace(output, status="cut off", error=why)
    return output


def called_tools(calls: Any) -> str:
    """The tools that the model called, as JSON: one object, or a list of several."""
    if not isinstance(calls, list):
        raise Fault(f"tool_calls is of type {type(calls).__name__}, not a list", billed=True)
    found = []
    for call in calls:
        name, given = follow(call, ("function", "name")), follow(call, ("function", "arguments"))
        if isinstance(given, str):
            try:
                given = msgspec.json.decode(given or "{}")
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                raise Fault(
                    f"a tool's arguments are not JSON: {given!r:.80}", billed=True
                ) from None
        found.append({"name": name, "arguments": given})
    return encode(found[0] if len(found) == 1 else found)


def read_json(text: str, path: JsonPath) -> str:
    """The text at a path of the model's JSON; a model that wrote something else may do better again."""
    fenced = FENCE.match(text)
    try:
        found = follow(msgspec.json.decode(fenced[1] if fenced else text), path)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Fault(f"the model's answer is not JSON: {text!r:.80}", billed=True) from None
    return found if isinstance(found, str) else encode(found)


def in_labels(text: str, prompt: Prompt) -> Output:
    """The text, or the label that it starts with where the prompt has labels."""
    if not prompt.labels or not text.strip():
        return answer(text.strip())
    said = text.strip(" \n\t\"'*.:").casefold()
    # The longest first: of "no" and "none", "none at all" starts with both.
    for label in sorted(prompt.labels, key=len, reverse=True):
        if re.match(rf"{re.escape(label.casefold())}\b", said):
            return Output(text=text.strip(), label=label)
    why = f"{text.strip()!r:.80} is none of the labels {', '.join(prompt.labels)}"
    return Output(status="no label", error=one_line(why, LONGEST_ERROR))


def likelihood(choice: dict[str, Any]) -> float | None:
    """The mean log-probability of the words of an answer, where the service tells; it may tell anything."""
    told = choice.get("logprobs")
    listed = told.get("content") if isinstance(told, dict) else None
    if not isinstance(listed, list):
        return None
    found = [word.get("logprob") for word in listed if isinstance(word, dict)]
    known = [float(x) for x in found if isinstance(x, (int, float)) and -1e4 < x <= 0]
    return round(sum(known) / len(known), 4) if known and len(known) == len(listed) else None


def usage(data: Any) -> tuple[object, object] | None:
    """Tokens read and written, where the answer tells; what it says may be anything."""
    told = data.get("usage") if isinstance(data, dict) else None
    if not isinstance(told, dict):
        return None
    return told.get("prompt_tokens"), told.get("completion_tokens")
