"""What a campaign is asked to do: one record, the same keys on the command line and in polyglitch.toml."""

from __future__ import annotations

import inspect
import re
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from polyglitch import registry
from polyglitch.errors import UsageError
from polyglitch.files.settings import LANGUAGE, is_trusted, parse_toml, read_text
from polyglitch.registry import Method

FILE = "polyglitch.toml"
Count = Annotated[int, msgspec.Meta(ge=1)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Language = Annotated[str, msgspec.Meta(pattern=LANGUAGE)]


class Campaign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a run."""

    system: str = ""
    prompt: str | None = (
        None  # a prompt file, or the name of a bundled one, for a system that takes one
    )
    back: str | None = None  # the way back, for round trips
    lens: str | None = None  # says how likely outputs are; else the system itself, where it tells
    judge: str | None = None  # a language model for a second opinion where the oracle is unsure
    judge_budget: Count = 200  # questions to it at most
    corpus: str = ""
    text_column: str | None = None
    label_column: str | None = None
    context_column: str | None = None
    fields: dict[str, str] = {}  # text, label, context, title, id to the columns that hold them
    format: str | None = None  # of the corpus, where its name does not tell
    encoding: str | None = None  # of the corpus, where it is not UTF-8
    source_language: Language | None = None
    target_language: Language | None = None
    methods: tuple[str, ...] = ()
    parameters: dict[str, dict[str, Any]] = {}
    labels: dict[str, str] = {}  # what the system says, to what the tests call it
    store: str = "polyglitch.sqlite"
    seed: int = 0
    limit: Count | None = None  # seeds
    budget: Count | None = None  # distinct queries
    repeat: Count = 1  # times that each input is asked
    jobs: Count | None = None
    timeout: Positive = 60.0
    rate: Positive | None = None  # requests a second, over the network
    char_rate: Positive | None = None  # characters a second, over the network
    retries: Annotated[int, msgspec.Meta(ge=0)] = 8
    price: str | None = None  # of a million characters, or READ/WRITTEN of a million tokens
    max_chars: Count | None = None  # characters sent over the network
    max_cost: Positive | None = None
    rank: str = "none"
    parser: str | None = None  # spacy, stanza, benepar, spacy:PACKAGE; else the best there is
    fail_under: Share | None = None
    capability_limits: dict[str, Share] = {}  # as fail_under, of one capability
    max_undecided: Share | None = None  # of the cases, before a gate fails
    fresh: bool = False
    retry_errors: bool = False
    engine: str = "local"  # or ray, or ray:ADDRESS
    output: tuple[str, ...] = ()

    @property
    def foreign_lens(self) -> bool:
        """Whether another model than the system under test is the lens."""
        return self.lens not in (None, self.system)


def find_file(start: Path | None = None) -> Path | None:
    """The nearest polyglitch.toml from a folder upwards."""
    folder = (start or Path.cwd()).resolve()
    return next((up / FILE for up in (folder, *folder.parents) if (up / FILE).is_file()), None)


def read_file(path: Path) -> dict[str, Any]:
    """The keys of a configuration file, checked; errors name file, line, key and value."""
    text = read_text(path)
    keys = parse_toml(text, str(path))
    known = tuple(Campaign.__struct_fields__)
    for key in keys:
        if key not in known:
            where = line_of(text, key)
            raise UsageError(f"{path}:{where}: unknown key {key!r}{registry.suggest(key, known)}")
    if isinstance(
        keys.get("methods"), str
    ):  # as on the command line: one name, or several by comma
        keys["methods"] = [name.strip() for name in keys["methods"].split(",") if name.strip()]
    try:
        msgspec.convert(keys, Campaign, strict=True)
    except msgspec.ValidationError as error:
        key, told = plain_error(error, keys)
        raise UsageError(f"{path}:{line_of(text, key)}: {told}") from None
    return keys


KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text in quotes",
    "bool": "true or false",
    "array": 'a list such as ["a", "b"]',
    "object": "a table",
    "null": "nothing",
}


def plain_error(error: msgspec.ValidationError, keys: dict[str, Any]) -> tuple[str, str]:
    """The key that an error is about, and the error in words that people use of a file of settings."""
    said, _, path = str(error).partition(" - at `")
    steps = re.findall(r"\w+|\[\.\.\.\]", path.removeprefix("$").rstrip("`"))
    names = [step for step in steps if step != "[...]" and not step.isdigit()]
    key = names[0] if names else ""
    kinds = re.match(r"Expected `([^`]+)`, got `([^`]+)`", said)
    if kinds:
        wanted = [KINDS.get(kind.strip(), kind.strip()) for kind in kinds[1].split("|")]
        said = f"must be {' or '.join(kind for kind in wanted if kind != KINDS['null'])}"
        said += f", and is {KINDS.get(kinds[2], kinds[2])}"
    else:
        said = re.sub(r"^Expected `\w+( \| null)?`", "must be", said)
        said = re.sub(
            r"^must be matching regex .*", "must be the code of a language, such as en", said
        )
    value = f" = {keys[key]!r}" if key in keys else ""
    return key, f"{'.'.join(names)}{value}: {said}"


def line_of(text: str, key: str) -> int:
    """The line that sets a key, or 1."""
    pattern = re.compile(rf"^\s*(\[+\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
    return next((n for n, line in enumerate(text.splitlines(), 1) if pattern.match(line)), 1)


def make_campaign(options: dict[str, Any], file: Path | None = None) -> Campaign:
    """A campaign from a configuration file and options, which win over it; parameters are joined one by one."""
    keys = read_file(file) if file else {}
    given = options.get("parameters", {})
    if file:
        check_trust(file, keys, options)
        place_store(keys, file)
    parameters = {name: dict(values) for name, values in keys.get("parameters", {}).items()}
    for name, values in given.items():
        parameters[name] = parameters.get(name, {}) | values
    labels = keys.get("labels", {}) | options.get("labels", {})
    joined = {"parameters": parameters, "labels": labels}
    keys |= options | {key: value for key, value in joined.items() if value}
    try:
        return msgspec.convert(keys, Campaign, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(f"bad option: {plain_error(error, keys)[1]}") from None


def configured_store() -> str:
    """The store of the polyglitch.toml here or above, else the usual one."""
    file = find_file()
    keys = {key: value for key, value in read_file(file).items() if key == "store"} if file else {}
    if file:
        check_trust(file, keys, {})
        place_store(keys, file)
    return str(keys.get("store", Campaign().store))


def place_store(keys: dict[str, Any], file: Path) -> None:
    """A store that is named in a file lies beside that file."""
    if "store" in keys and "://" not in keys["store"]:
        keys["store"] = str(file.parent / keys["store"])


def check_trust(file: Path, keys: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse what a file would have executed or connected to, unless its folder is trusted or an option says other."""
    given = options.get("parameters", {})
    left = {key: value for key, value in keys.items() if key not in options}
    left["parameters"] = {
        name: {key: value for key, value in values.items() if key not in given.get(name, {})}
        for name, values in keys.get("parameters", {}).items()
    }
    found = acting(left)
    if found and not is_trusted(file, acting(read_file(file))):
        name, value = next(iter(found.items()))
        writes = name in ("store", "output") and "://" not in value
        what = "writes outside its folder" if writes else "runs a program, imports code or connects"
        raise UsageError(
            f"{file}: {name} = {value!r} {what}; that is taken from the command line, or from a folder "
            f"that you trust: read the file, then `polyglitch trust {file.parent}`"
        )


def acting(keys: dict[str, Any], reach: tuple[str, ...] = ("bundled", "files")) -> dict[str, str]:
    """What among some settings executes or connects, by its name; `reach` says which systems are harmless."""
    found = {
        key: str(keys[key])
        for key in ("system", "back", "lens", "judge")
        if keys.get(key) not in (None, "", "none") and opens(str(keys[key])) not in reach
    }
    written = {"store": [keys.get("store", "")], "output": keys.get("output", [])}
    for key, places in written.items():
        if any("://" in str(place) or leaves(str(place)) for place in places):
            found[key] = str(keys[key])
    for key in ("parser", "engine"):  # spacy:PACKAGE imports a package, ray:ADDRESS joins a cluster
        if ":" in str(keys.get(key) or ""):
            found[key] = keys[key]
    for method, values in keys.get("parameters", {}).items():
        for key, value in values.items():
            pieces = value.split(",") if isinstance(value, str) else value
            for piece in pieces if isinstance(pieces, (list, tuple)) else ():
                if isinstance(piece, str) and not is_plain(piece, reach):
                    found[f"parameters.{method}.{key}"] = str(value)
    return found


def leaves(place: str) -> bool:
    """Whether a file that is written lies, or could lie, outside the folder that one is in."""
    path = Path(place)
    outside = PureWindowsPath(place).anchor or path.is_absolute() or ".." in path.parts
    return bool(outside) or any(folder.is_symlink() for folder in path.parents)


def opens(uri: str) -> str:
    """What the system of a URI can reach: bundled, files, or anything."""
    scheme = uri.strip().partition(":")[0]
    entry = (registry.entries("systems") | registry.entries("lenses")).get(scheme)
    return str(entry.data.get("opens", "anything")) if entry else "anything"


def is_plain(value: str, reach: tuple[str, ...]) -> bool:
    """Whether a parameter names no program, address or model from elsewhere: aligned:0.1, in-context:smollm."""
    name, colon, argument = value.strip().partition(":")
    if not colon or re.fullmatch(r"[0-9.]+", argument):
        return True
    for kind in ("proposers", "embedders"):
        if name in (known := registry.entries(kind)):
            return argument in known or argument in registry.entries("embedders")
    return opens(value) in reach


def takes_several(kind: Any) -> bool:
    """Whether a parameter of this type is a list, or a list or something else: then text is split at its commas."""
    return get_origin(kind) is tuple or any(get_origin(part) is tuple for part in get_args(kind))


def make_method(name: str, parameters: dict[str, Any] | None = None) -> Method:
    """A method by name with its parameters, each checked against what the method takes."""
    factory = registry.load("methods", name)
    known = inspect.signature(factory).parameters
    types = get_type_hints(factory)
    values: dict[str, Any] = {}
    for key, value in (parameters or {}).items():
        if key not in known:
            raise UsageError(
                f"method {name!r} has no parameter {key!r}{registry.suggest(key, tuple(known))}"
            )
        if isinstance(value, str) and takes_several(types[key]):
            value = [part for item in value.split(",") if (part := item.strip())]
        try:
            values[key] = msgspec.convert(value, types[key], strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"method {name!r}: {key} = {value!r}: {error}") from None
    made = factory(**values)
    assert isinstance(made, Method)  # noqa: S101 - what the registry promises
    return made
