"""Language x method x witnesses: what is ready here, what is weaker and for want of what, what is not possible.

A method is asked for what it needs, and that is looked for as a run looks for it; only the parser is not loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

from polyglitch.campaign import make_method
from polyglitch.compare.oracles.facts.numbers import fact_lists
from polyglitch.errors import PolyglitchError, as_works_here
from polyglitch.files.lazy_numpy import has_numpy
from polyglitch.languages import Language, all_languages, known_languages
from polyglitch.mutate.capabilities.spec import GENERAL, load_suite
from polyglitch.mutate.relations import speaks
from polyglitch.nlp.capability import describe_language
from polyglitch.nlp.models.downloads import known_parsers
from polyglitch.nlp.models.downloads import lacking as commands
from polyglitch.nlp.models.misfits import network_of
from polyglitch.nlp.parsers.choose import ParserChoice, choose, how_to_install
from polyglitch.nlp.proposers.auto import AIM
from polyglitch.registry import Method
from polyglitch.tools import Toolbox

State = Literal["ready", "weaker", "not possible"]
METHODS = ("sit", "transrepair", "cat", "patinv", "rti", "facts", "semmt", "qaasker", "relations")
WITNESSES = ("pair", "facts", "agreement", "grammar", "rarity", "fluency", "structure")
SHORT = {"ready": "yes", "weaker": "weak", "not possible": "-"}
# What serves any two languages, as options of `run`: these witnesses look at no language of their own.
ANY_TARGET = (
    "--lens MODEL (confidence), --back SYSTEM (the way back), --judge MODEL (a second opinion)"
)
LAZY = "auto"  # the proposer that opens its models when it is asked
ADD = "docs/how-to/add-a-language.md"
TAGS_AIM = 90  # parts of speech right of 100, below which swaps and phrases are often cut wrongly


class Ability(NamedTuple):
    """A method or witness in a language: its state, why it is no better, and the command that brings the rest."""

    state: State
    why: str = ""
    command: str = ""


def language_matrix() -> list[dict[str, Any]]:
    """One row a language: those with a folder, then those that a parser is known for."""
    folders = known_languages()
    rest = [one for one in all_languages() if one not in folders and parsed(one)]
    return [row(one) for one in (*folders, *rest)]


def parsed(known: Language) -> bool:
    """Whether anything is known that parses a language."""
    return bool(known.parser.install or known.code in known_parsers() or choose(known.code))


def row(known: Language) -> dict[str, Any]:
    """A language with the state of every method on its sentences and every witness on translations into it."""
    cells = {name: as_source(known, name) for name in METHODS}
    heard = dict(zip(WITNESSES, as_target(known), strict=True))
    return describe_language(known) | {
        "methods": {name: cell._asdict() for name, cell in cells.items()},
        "witnesses": {name: cell._asdict() for name, cell in heard.items()},
    }


@cache
def method_of(name: str) -> Method:
    """A method as a run without parameters has it."""
    return make_method(name)


def as_source(known: Language, name: str) -> Ability:
    """Whether a method runs on sentences of a language."""
    choice = choose(known.code)
    for need in method_of(name).needs:
        if (lack := lacking(known, need, choice)) is not None:
            return lack
    if name == "relations":
        return relations(known)
    if name == "facts" and not fact_lists(known.code).written:
        return Ability("weaker", "numbers in digits, names and repeats only", f"facts.toml: {ADD}")
    if choice and choice.tags_only and name in ("rti", "patinv"):
        return Ability("weaker", "words and tags only", as_works_here(how_to_install(known.code)))
    return less_than_aimed_for(known, method_of(name).needs, choice) or Ability("ready")


def less_than_aimed_for(
    known: Language, needs: Sequence[str], choice: ParserChoice | None
) -> Ability | None:
    """What a method lacks that runs all the same: tags that are right, swaps that read naturally."""
    own = known_parsers().get(known.code) if choice and choice.origin != "installed" else None
    if "parser" in needs and own and own.upos < TAGS_AIM:
        better = as_works_here(known.parser.install)
        return Ability("weaker", f"{own.upos} of 100 parts of speech are right", better)
    swaps = any(need.startswith("proposer:auto") for need in needs)
    if not swaps or LAZY in known.proposers or known.swaps_natural >= AIM:
        return None
    read = f"{known.swaps_natural} of 100" if known.swaps_natural else "an unknown share of the"
    return Ability("weaker", f"{read} swaps read naturally", "a model: docs/how-to/proposers.md")


def lacking(known: Language, need: str, choice: ParserChoice | None) -> Ability | None:
    """What a need lacks in a language; nothing where it is met."""
    if need == "parser":
        if choice is not None:
            return None
        install = as_works_here(how_to_install(known.code))
        return Ability("not possible", "no tagger or parser is installed", install)
    kind, _, name = need.partition(":")
    registered = name.partition(":")[0]
    if kind == "proposer" and registered in set(known.proposers) - {LAZY}:
        wanted = "; ".join(commands(registered))  # what opens it would load its models
        return (
            Ability("not possible", f"the proposer {registered!r}", as_works_here(wanted))
            if wanted
            else None
        )
    try:
        Toolbox(languages=(known.code, known.code)).check(need, known.code, known.code)
    except PolyglitchError as error:
        why = getattr(error, "what", str(error).partition(",")[0])
        return Ability("not possible", why, getattr(error, "install", ""))
    return None


def relations(known: Language) -> Ability:
    """How many of the general relations speak a language."""
    all_of_them = load_suite(GENERAL)
    spoken = [each for each in all_of_them if speaks(each.change, known.code)]
    if len(spoken) == len(all_of_them):
        return Ability("ready")
    return Ability(
        "weaker",
        f"{len(spoken)} of {len(all_of_them)} relations have its words",
        f"wording.toml: {ADD}",
    )


def as_target(known: Language) -> Iterator[Ability]:
    """The witnesses on translations into a language, in the order of `WITNESSES`."""
    parts = describe_language(known)["parts"]
    knows = parts["dictionary"]["ready"] or parts["vectors"]["ready"]
    install = parts["dictionary"]["install"] or parts["vectors"]["install"]
    offered = install if install.startswith(("pip", "apt", "python", "/")) else ""
    yield (
        Ability("ready")
        if knows
        else Ability("weaker", "words are compared by their spelling", offered)
    )
    words = known.negation.all and known.numbers
    yield (
        Ability("ready")
        if words
        else Ability("weaker", "no words of negation or number", f"language.toml: {ADD}")
    )
    gendered = bool(known.agreement.determiners)
    yield (
        Ability("ready")
        if gendered
        else Ability("not possible", "no list of genders", f"language.toml: {ADD}")
    )
    structure = parsed_as_target(known)
    rules = known.concord.plural_verbs
    yield structure if rules else Ability("not possible", "no rules of its verbs")
    yield rarity(known)
    yield fluency(known)
    yield structure


def parsed_as_target(known: Language) -> Ability:
    """Whether translations into a language can be parsed."""
    choice = choose(known.code)
    if choice and not choice.tags_only:
        return Ability("ready")
    return Ability(
        "not possible", "no parser is installed", as_works_here(how_to_install(known.code))
    )


def rarity(known: Language) -> Ability:
    """Whether wordfreq knows the words of a language."""
    if not known.spaced:
        return Ability("not possible", "nothing parts its words")
    if not find_spec("wordfreq"):
        install = as_works_here("pip install 'polyglitch[frequencies]'")
        return Ability("not possible", "wordfreq is not installed", install)
    from wordfreq import available_languages

    listed = known.code in available_languages()
    return Ability("ready") if listed else Ability("not possible", "wordfreq has no list of it")


def fluency(known: Language) -> Ability:
    """Whether a network ships that reads a language, and can be computed."""
    if not network_of(known.code):
        return Ability("not possible", "no network of its words; one is trained for each language")
    if not has_numpy():
        install = as_works_here("pip install 'polyglitch[numpy]'")
        return Ability("not possible", "numpy is not installed", install)
    return Ability("ready")


def show(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The matrix as lines, and under it what would bring the rest."""
    yield from table(rows)
    yield "\nyes: ready; weak: works, and better with what is named below; -: not possible without it"
    yield f"in any language: {ANY_TARGET}\n"
    folders = {known.code for known in known_languages()}
    for each in rows:
        yield from brought(each) if each["name"] in folders else parser_of(each)


def parser_of(each: dict[str, Any]) -> Iterator[str]:
    """The parser of a language without a folder; what else it lacks is the folder."""
    state = each["parts"]["parser"]
    told = state["ready"] or f"none; to get one: {state['install']}"
    yield f"{each['name']}  {each['about']}; parser: {told}"


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The matrix as lines."""
    names = {row["name"]: f"{row['name']:<3} {row['about'].split(',')[0]}" for row in rows}
    width = max(map(len, names.values()))
    yield f"{'':<{width}}  {'sentences of it are tested by':<{9 * len(METHODS)}}  translations into it are judged by"
    heads = [f"{name[:8]:<8}" for name in METHODS], [f"{name[:9]:<9}" for name in WITNESSES]
    yield f"{'':<{width}}  {' '.join(heads[0])}    {' '.join(heads[1])}"
    for each in rows:
        sides = [
            " ".join(f"{SHORT[cell['state']]:<{8 + side}}" for cell in each[key].values())
            for side, key in enumerate(("methods", "witnesses"))
        ]
        yield f"{names[each['name']]:<{width}}  {sides[0]}    {sides[1]}".rstrip()


def brought(each: dict[str, Any]) -> Iterator[str]:
    """What a language lacks, the same lack told once, with its command."""
    lacks: dict[tuple[str, str], list[str]] = {}
    for key, said in (("methods", ""), ("witnesses", "witness ")):
        for name, cell in each[key].items():
            if cell["state"] != "ready":
                lacks.setdefault((cell["why"], cell["command"]), []).append(said + name)
    parser = each["parts"]["parser"]["ready"]
    yield f"{each['name']}  {each['about']}; parser: {parser or 'none'}"
    for (why, command), names in lacks.items():
        yield f"    {', '.join(names)}: {why}" + (
            f"\n        to get it: {command}" if command else ""
        )
