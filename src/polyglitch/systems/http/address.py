"""Where a service is and which key it gets: `NAME@BASE_URL?option=value`, keys from the environment only.

A key belongs to a host. The usual variable of a service is read for the service's own host; for any other host the
variable has to be named with `?key=`, so that no key goes to whoever an address happens to name.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit

import msgspec

from polyglitch.errors import SystemFailed, UsageError
from polyglitch.registry import suggest
from polyglitch.systems.http.api import Key

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
