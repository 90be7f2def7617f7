"""What tells one service from another: where it is, how a question is put, how its answer is read, and which key it
takes.

An address is `NAME@BASE_URL?option=value`; keys come from the environment only. A key belongs to a host. The usual
variable of a service is read for the service's own host; for any other host the variable has to be named with `?key=`,
so that no key goes to whoever an address happens to name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.records import Input, Output
from polyglitch.registry import suggest

ADDRESS = re.compile(r"(?P<name>[^?]+?)(@(?P<base>https?://[^?]+))?(\?(?P<options>.*))?")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]+)?")


class Address(msgspec.Struct, frozen=True):
    """A URI taken apart."""

    name: str
    base: str
    options: dict[str, str]


def parse_address(scheme: str, rest: str, home: str, known: tuple[str, ...] = ()) -> Address:
    """Name, base URL (the service's own home by default) and options, each checked."""
    found = ADDRESS.fullmatch(rest)
    if not found:
        raise UsageError(f"{scheme}:{rest}: write {scheme}:NAME@http://HOST:PORT")
    base = found["base"] or home
    if not base:
        raise UsageError(
            f"{scheme}:{rest} names no address; write {scheme}:{rest}@http://HOST:PORT"
        )
    options = dict(parse_qsl(found["options"] or "", keep_blank_values=True))
    for option in options:
        if option not in (allowed := (*known, "key")):
            raise UsageError(f"{scheme}: no option {option!r}{suggest(option, allowed)}")
    check_url(base, scheme)
    return Address(found["name"], base.rstrip("/"), options)


def check_url(url: str, where: str) -> None:
    """Refuse an address that cannot be asked, or that carries a password."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises for a port that is none
    except ValueError as error:
        raise UsageError(f"{where}: {url!r} is no address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{where}: {url!r} is no address; it starts with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"{where}: the address carries a user name or password; put a key into an environment variable and "
            "name the variable with key="
        )


def find_key(address: Address, scheme: str, usual: str, home: str, needed: bool = True) -> Key:
    """The key for an address: of the variable it names, or of the usual one at the service's own host."""
    named = address.options.get("key", "")
    own = urlsplit(address.base).hostname == urlsplit(home).hostname if home else False
    variable = named or (usual if own else "")
    if not variable:
        return Key()
    return read_key(variable, address.base, scheme, needed or bool(named))


def read_key(variable: str, url: str, where: str, needed: bool = True) -> Key:
    """A key by the name of its variable; never sent in the clear to another machine."""
    secret = os.environ.get(variable, "").strip()
    if not secret:
        if needed:
            raise SystemFailed(
                f"{where}: no key; set the environment variable {variable} to the key of {urlsplit(url).hostname}"
            )
        return Key()
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise UsageError(f"{where}: {variable} holds characters that no key has; set it again")
    if urlsplit(url).scheme != "https" and not is_loopback(url):
        raise UsageError(
            f"{where}: {url} would carry the key of {variable} unencrypted; use an https:// address"
        )
    return Key(variable, secret)


def is_loopback(url: str) -> bool:
    """Whether an address stays on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def language_pair(name: str, scheme: str) -> tuple[str, str]:
    """Source and target of `en-de` or `en-pt_BR`."""
    source, _, target = name.partition("-")
    if not LANGUAGE.fullmatch(source) or not LANGUAGE.fullmatch(target):
        raise UsageError(f"{scheme}: {name!r} is no pair of languages; for example {scheme}:en-de")
    return source.replace("_", "-"), target.replace("_", "-")


def two_letters(pair: tuple[str, str]) -> tuple[str | None, str | None]:
    """The languages without their regions."""
    source, target = (code.partition("-")[0].lower() for code in pair)
    return source, target


def whole_number(address: Address, option: str, default: int, most: int) -> int:
    """An option that counts something."""
    text = address.options.get(option, str(default))
    if not text.isdigit() or not 1 <= int(text) <= most:
        raise UsageError(f"{option}={text!r}: give a whole number from 1 to {most}")
    return int(text)


MOST_BYTES = 1_000_000  # of an answer; a translation of the longest accepted text is far below
MOST_CHARACTERS = 10_000  # that a request carries when it carries several texts


class Call(msgspec.Struct, frozen=True):
    """One request, whole."""

    url: str
    body: bytes
    headers: dict[str, str] = {}
    method: str = "POST"


class Fault(Exception):
    """Why a request gave no answer, and what can be done about it."""

    def __init__(
        self,
        what: str,
        *,
        again: bool = True,  # the same request may be answered later
        ours: bool = False,  # the request is at fault, the service is well
        stops: bool = False,  # no request can be answered: a wrong key, an unknown model
        busy: bool = False,  # the service asks for fewer requests
        billed: bool = False,  # the service may have done the work
        late: bool = False,
        unreached: bool = False,  # nobody listens at the address
        wait: float | None = None,  # seconds that the service asks for
    ) -> None:
        super().__init__(what)
        self.again, self.ours, self.stops, self.busy = again, ours, stops, busy
        self.billed, self.late, self.wait = billed, late, wait
        self.unreached = unreached


@dataclass(frozen=True)
class Key:
    """A key from the environment. Its value is shown nowhere: not here, not in errors, not in the store."""

    variable: str = ""
    secret: str = field(default="", repr=False)

    def hide(self, text: str) -> str:
        """A text that came from the service, without the key that it may repeat, however it spells it."""
        return spellings(self.secret).sub("***", text) if self.secret else text

    def hide_in(self, value: Any) -> Any:
        """The same for JSON that was read: an escape in it is a letter by now."""
        if not self.secret:
            return value
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(one) for one in value]
        if isinstance(value, dict):
            return {self.hide_in(name): self.hide_in(one) for name, one in value.items()}
        return value


@cache
def spellings(secret: str) -> re.Pattern[str]:
    """A key in letters of either case, JSON's escapes, percent signs or entities, letter by letter."""
    return re.compile("".join(map(spelling, secret)), re.IGNORECASE)


def spelling(letter: str) -> str:
    """The ways to write a letter in a text."""
    code = ord(letter)
    return rf"(?:{re.escape(letter)}|\\+u00{code:02x}|%{code:02x}|&#0*{code};|&#x0*{code:x};)"


def text_length(item: Input) -> int:
    """What translation services count: the characters of the text."""
    return len(item.text)


@dataclass(frozen=True)
class Api:
    """A service as the rest of this folder sees it."""

    signature: str
    call: Callable[[Sequence[Input]], Call]
    read: Callable[[Any, int], list[Output]]  # raises Fault for what is no answer
    key: Key = Key()
    languages: tuple[str | None, str | None] = (None, None)
    together: int = 1  # texts that a request may carry
    characters: Callable[[Input], int] = text_length
    answer_tokens: int = 0  # at most, where tokens are paid for
    # Read and written, as the service says; whether it can be believed is the meter's to judge.
    tokens: Callable[[Any], tuple[object, object] | None] = lambda _: None


def encode_json(value: object) -> bytes:
    """A JSON body."""
    return msgspec.json.encode(value)


def same_count(found: object, count: int) -> list[Any]:
    """A list with an answer for each question, or the fault that it is not one."""
    if not isinstance(found, list):
        raise Fault(f"the answer holds {type(found).__name__} instead of a list", billed=True)
    if len(found) != count:
        raise Fault(f"{len(found)} answers to {count} questions", billed=True)
    return found
