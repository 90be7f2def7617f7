"""What each language can do here and now: which of its tools are installed, and what would bring the others."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from polyglitch.errors import as_works_here
from polyglitch.languages import Language
from polyglitch.languages.record import Package
from polyglitch.nlp.lexicons.words import dictionary_folder
from polyglitch.nlp.models.downloads import data_folder, known_downloads, lacking
from polyglitch.nlp.parsers.choose import choose, how_to_install

ANY_PROPOSER = "corpus"  # serves whatever language a parser serves
NONE_KNOWN = "no package is known for this language"


def describe_language(one: Language) -> dict[str, Any]:
    """The name of a language, and the state of each part."""
    return {"name": one.code, "about": f"{one.name}, {one.script} script", "parts": parts(one)}


def parts(known: Language) -> dict[str, dict[str, str]]:
    """What is ready of a language, and the command for what is not."""
    choice = choose(known.code)
    parser = choice.told if choice else ""
    return {
        "parser": state(parser, as_works_here(how_to_install(known.code))),
        "proposers": proposers(known, bool(parser)),
        "vectors": package(known.vectors or known.pivot),
        "dictionary": package(known.dictionary or known.pivot),
        "wordnet": state(
            str(dictionary_folder() or "") if known.wordnet else "",
            known.wordnet.install if known.wordnet else "",
        ),
        "negation": state(f"{len(known.negation.all)} words" if known.negation.all else "", ""),
        "numbers": state(f"{len(known.numbers)} number words" if known.numbers else "", ""),
    }


def state(ready: str, install: str) -> dict[str, str]:
    """What there is, and where there is nothing, what brings it."""
    return {"ready": ready, "install": "" if ready else install or NONE_KNOWN}


def package(known: Package | None) -> dict[str, str]:
    """The state of a package that carries data of the language."""
    if known is None:
        return state("", "")
    fetched = (name for name, one in known_downloads().items() if one.module == known.package)
    there = find_spec(known.package) or any(map(data_folder, fetched))
    return state(known.package if there else "", as_works_here(known.install))


def proposers(known: Language, parsed: bool) -> dict[str, str]:
    """Which proposers would open, and what the others lack."""
    names = (*known.proposers, ANY_PROPOSER)
    lacking = {name: missing(name, parsed) for name in names}
    ready = [name for name, lack in lacking.items() if not lack]
    wanted = dict.fromkeys(lack for lack in lacking.values() if lack)
    return {"ready": ", ".join(ready), "install": "; ".join(wanted)}


def missing(name: str, parsed: bool) -> str:
    """The command that a proposer waits for; nothing when it is ready."""
    if name == "wordnet":
        return "" if dictionary_folder() else "apt-get install wordnet-base"
    if name == ANY_PROPOSER:
        return "" if parsed else "a parser (above)"
    return as_works_here("; ".join(lacking(name)))
