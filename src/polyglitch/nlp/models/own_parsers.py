"""The small parsers of this project: not in the package, but in a folder of releases, or made by the recipe.

`polyglitch get parser-de` takes the packed file from the folder that `--from` or POLYGLITCH_RELEASES names, checks it
against the pinned hash, and keeps it where the recipe would put what it trains. Share-alike, each with its notice.
"""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import shutil
import tempfile
import zipfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from polyglitch.errors import UsageError, as_works_here, source_folder
from polyglitch.files.folders import cache_folder
from polyglitch.languages import language as language_of

VERSION = "0.1.0"
RELEASES = "POLYGLITCH_RELEASES"
PREFIX = "parser-"
MOST = 32 << 20  # bytes a parser may have when it is unpacked: some ten times what ours have
LONG_AGO = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # the time of every packed file, so that the same files give the same hash


class OwnParser(msgspec.Struct, frozen=True):
    """A released parser: its file, and how well it does on a test set that it was not trained on."""

    sha256: str
    megabytes: float
    licence: str
    measured: str
    upos: float
    uas: float
    las: float


@cache
def known_parsers() -> dict[str, OwnParser]:
    """All that were released, by language."""
    text = files("polyglitch").joinpath("resources", "parsers.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, OwnParser])


def file_name(code: str) -> str:
    """What the packed file of a language is called."""
    return f"{PREFIX}{code}-{VERSION}.zip"


def own_folder(language: str) -> Path:
    """Where the parser of a language is kept, once it is there."""
    return cache_folder() / f"{PREFIX}{language_of(language).code}-{VERSION}"


def fetched(language: str) -> Path | None:
    """The parser of a language that `get` or the recipe brought, or nothing."""
    folder = own_folder(language)
    return folder if language_of(language).code and (folder / "config.cfg").is_file() else None


def release_folder(told: str | None = None) -> Path | None:
    """The folder of releases: the one told (a path or file: address), else the one of the environment."""
    if not (place := told or os.environ.get(RELEASES, "")):
        return None
    parts = urlsplit(place)
    if "://" in place and parts.scheme != "file":
        raise UsageError(
            f"the folder of releases {place!r} is neither a path nor a file: address; what is elsewhere, fetch first"
        )
    return Path(unquote(parts.path) if parts.scheme == "file" else place)


def recipe(code: str) -> str:
    """The command that trains the parser of a language, as it works from here."""
    folder, _ = source_folder()
    there = f"cd {shlex.quote(str(folder))} && " if folder and Path.cwd() != folder else ""
    return as_works_here(f"{there}python -m recipes.train_parser {code}")


def offer(language: str) -> tuple[str, str]:
    """What brings the parser of a language: the command where its release is at hand, and the one that trains it."""
    code = language_of(language).code
    one = known_parsers().get(code)
    if one is None:
        return "", ""
    folder = release_folder()
    at_hand = folder is not None and (folder / file_name(code)).is_file()
    return f"polyglitch get {PREFIX}{code} ({one.megabytes} MB, {one.licence})" * at_hand, recipe(
        code
    )


def fetch_parser(code: str, told: str | None = None) -> Path:
    """Bring the parser of a language from a folder of releases."""
    one, folder = known_parsers()[code], release_folder(told)
    if folder is None:
        raise UsageError(
            f"get {PREFIX}{code}: no folder of releases is named: --from FOLDER, or {RELEASES}, where "
            f"{file_name(code)} lies; without one, {recipe(code)} trains it in some minutes"
        )
    file = folder / file_name(code)
    if not file.is_file():
        raise UsageError(
            f"get {PREFIX}{code}: {folder} has no {file_name(code)}; {recipe(code)} trains it"
        )
    packed = file.read_bytes()
    found = hashlib.sha256(packed).hexdigest()
    if found != one.sha256:
        raise UsageError(
            f"get {PREFIX}{code}: {file} is not the file that was released: its sha256 is {found}, not {one.sha256}. "
            "Nothing was kept"
        )
    return unpack(packed, own_folder(code))


def unpack(packed: bytes, folder: Path) -> Path:
    """The files of a packed parser in its folder, all of them or none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".get-") as draft:
        made = Path(draft) / "made"
        made.mkdir()
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST:
                raise UsageError(
                    f"get: what is packed for {folder.name} is larger than {MOST >> 20} MB"
                )
            for member in archive.infolist():
                target = (made / member.filename).resolve()
                if not target.is_relative_to(made.resolve()):
                    raise UsageError(f"get: {member.filename!r} leads out of {folder.name}")
                archive.extract(member, made)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
    return folder


def pack(language: str, folder: Path, release: Path) -> tuple[Path, str]:
    """A parser as the file of a release, and its hash; the same files always give the same."""
    release.mkdir(parents=True, exist_ok=True)
    file = release / file_name(language_of(language).code)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = zipfile.ZipInfo(path.relative_to(folder).as_posix(), LONG_AGO)
                name.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(name, path.read_bytes())
    return file, hashlib.sha256(file.read_bytes()).hexdigest()
