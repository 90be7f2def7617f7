"""A run in words: its name, whether it passes its limits, what came of it in a sentence, what most of it is about, and
how to make it again.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from polyglitch.languages import language
from polyglitch.records import Case, Group, Issue
from polyglitch.registry import suggest
from polyglitch.results.degenerate import Degenerate
from polyglitch.results.findings import Chart
from polyglitch.results.findings import Gate as Gate
from polyglitch.results.history import History, short_id
from polyglitch.results.tables import CapabilityResult
from polyglitch.store.store import shown

MOST_BARS = 12
RELATIONS = {  # those that methods have besides `what must hold:what is tested`
    "similar": "a word swapped for a similar one",
    "contained": "a phrase alone and in its sentence",
    "same meaning": "there and back again",
    "different": "a change of meaning",
    "facts kept": "the facts of the source",
}
BUNDLED = "sample"
NO_TITLES: Mapping[str, str] = {}
NAMES_LANGUAGES = re.compile(r":[a-z]{2,3}-[a-z]{2,3}\b")  # a URI such as firefox:en-pt


def title_of(definition: dict[str, Any]) -> str:
    """What was tested on what, as a heading: `Firefox’s translator, English to Portuguese, on reviews.csv`."""
    parts = [system_in_words(definition["systems"][0]), languages_in_words(definition["languages"])]
    heading = ", ".join(filter(None, parts))
    return f"{heading[:1].upper()}{heading[1:]}, on {corpus_in_words(definition['corpus']['name'])}"


def system_in_words(signature: str) -> str:
    """What people call a system, without the version and digest that its signature carries."""
    uri = uri_of(signature)
    scheme, _, rest = uri.partition(":")
    name = rest.rpartition("/")[2] if scheme in ("cmd", "replay", "bergamot") else rest
    name = name.rpartition(":")[2] if scheme == "python" else name
    said = system_names().get(scheme)
    return said.format(name=name or scheme) if said else uri


def uri_of(signature: str) -> str:
    """A signature without the version and digest that it carries."""
    return re.sub(r"#[0-9a-f]{8,}$", "", signature.split("|")[0])


@cache
def system_names() -> dict[str, str]:
    """What systems are called, by the scheme of their URI."""
    text = files("polyglitch").joinpath("resources", "system_names.toml").read_text("utf-8")
    return tomllib.loads(text)


def languages_in_words(pair: Sequence[str | None]) -> str:
    """`English to Portuguese`; nothing where a system does not translate."""
    source, target = pair
    if not source or not target or source == target:
        return ""
    return f"{language(source).name or source} to {language(target).name or target}"


def corpus_in_words(name: str) -> str:
    """A corpus by its file, or what the bundled one is."""
    return "the bundled sentences" if name == BUNDLED else Path(name).name or name


def day_in_words(created: str) -> str:
    """A date as people write it: `16 November 2026, 17:05 UTC`; anything else as it is."""
    try:
        when = datetime.fromisoformat(created)
    except ValueError:
        return created
    zone = when.tzname() or ""
    return f"{when.day} {when:%B %Y, %H:%M} {zone}".strip()


def answer_of(history: History, groups: Sequence[Group], affected: int) -> str:
    """What came of a run: how many inputs are affected, and by what most of all."""
    figures = history.row["figures"]
    seeds, cases = figures.get("seeds", 0), figures.get("cases", 0)
    name = unit(history.definition)
    if not cases:
        return f"Nothing was tested: no test could be made or asked of {seeds:,} {name}."
    if not affected:
        return f"No fault was found in {cases:,} tests of {seeds:,} {name}."
    told = f"{share_in_words(affected, seeds)} {name} {'is' if affected == 1 else 'are'} affected"
    largest = groups[0] if groups and len(groups[0].issue_ids) > 1 else None
    if largest and largest.title:
        told += f"; the most common fault: {largest.title} ({len(largest.issue_ids):,} findings)"
    elif most := commonest_kind(groups):
        told += f"; what goes wrong most often: {most}"
    elif weakest := weakest_of(figures):
        told += f"; what fails most: {weakest}"
    return f"{told}."


def commonest_kind(groups: Sequence[Group]) -> str:
    """The kind of most findings, with how many they are; nothing where methods suspect no kind."""
    kinds = Counter[str]()
    for group in groups:
        kinds[group.kind] += len(group.issue_ids)
    del kinds[""]
    name, count = kinds.most_common(1)[0] if kinds else ("", 0)
    return f"{name} ({count:,} {'finding' if count == 1 else 'findings'})" if name else ""


def weakest_of(figures: Mapping[str, Any]) -> str:
    """What most of the failed tests test, with how many of them failed; nothing where all test the same."""
    failed, tests = Counter[str](), Counter[str]()
    for relation, row in figures.get("by_relation", {}).items():
        name = tested_in_words(relation, figures)
        failed[name] += row["violated"]
        tests[name] += row["violated"] + row["holds"]
    if len(tests) < 2 or not failed.total():
        return ""
    name, count = failed.most_common(1)[0]
    return f"{name} ({count:,} of {tests[name]:,} tests)"


def unit(definition: dict[str, Any]) -> str:
    """What a corpus is made of, for its system."""
    return "sentences" if languages_in_words(definition["languages"]) else "inputs"


def share_in_words(part: int, whole: int) -> str:
    """A share as people say it: `3 in 10`, `1 in 40`, or `2 of 9` where there are few."""
    if whole <= 20 or part >= whole:
        return f"{part:,} of {whole:,}" if part < whole else f"All {whole:,}"
    tenths = round(10 * part / whole)
    if tenths >= 10:
        return f"{part:,} of {whole:,}"
    return f"{tenths} in 10" if tenths > 1 else f"1 in {round(whole / part):,}"


def chart_of(
    issues: Iterable[Issue], figures: Mapping[str, Any], groups: Sequence[Group] = ()
) -> Chart | None:
    """Findings by kind where methods suspect kinds, else violated tests by what they test.

    What is one bug is of one kind, whatever else is suspected in one of its pairs. A single kind would be a single bar:
    what is tested says more where several things failed.
    """
    found = list(issues)
    shared = {name: group.kind for group in groups if group.kind for name in group.issue_ids}
    about = (shared.get(issue.id) or issue.kind for issue in found)
    kinds = Counter(kind for kind in about if kind)
    violated = Counter[str]()
    for relation, row in figures.get("by_relation", {}).items():
        violated[tested_in_words(relation, figures)] += row["violated"]
    counts = dict((+violated).most_common(MOST_BARS))
    if kinds and 2 * kinds.total() >= len(found):
        kinds["other"] += len(found) - kinds.total()
        if len(+kinds) > 1 or len(counts) < 2:
            return Chart("What the findings are about", dict((+kinds).most_common(MOST_BARS)))
    return Chart("Tests that failed, by what they test", counts) if counts else None


def tested_in_words(relation: str, figures: Mapping[str, Any]) -> str:
    """What a relation tests by the title of its capability, where the run has one."""
    return relation_in_words(relation, titles_of(figures))


def capability_of(relation: str) -> str:
    """The name behind what must hold: `03-change-over-time` of `label:03-change-over-time`."""
    return relation.partition(":")[2]


def titles_of(figures: Mapping[str, Any]) -> dict[str, str]:
    """The titles of the capabilities that a run tested, by their names."""
    rows = figures.get("by_capability", ())
    return {row["name"]: row["title"] for row in rows if row.get("title")}


@cache
def titles_of_llm_relations() -> dict[str, str]:
    """The titles of the relations of LLM features, by their names."""
    from polyglitch.mutate.llm.relations import bundled

    return {one.name: one.title for one in bundled()}


def relation_in_words(relation: str, titles: Mapping[str, str] = NO_TITLES) -> str:
    """What a relation tests: the title of its capability, or `change over time` for `label:03-change-over-time`."""
    about = capability_of(relation)
    # Reading the relations of LLM features costs something: not where a relation names nothing.
    if title := titles.get(about) or (about and titles_of_llm_relations().get(about)):
        return title
    name = RELATIONS.get(relation) or relation.partition(":")[2] or relation
    return re.sub(r"^\d+[-_]", "", name).replace("-", " ").replace("_", " ")


def capability(case: Case) -> str:
    """What a case tests, in words."""
    named = case.data.get("title")
    return named if isinstance(named, str) and named else relation_in_words(case.relation)


def run_again(history: History) -> str:
    """The command that makes a run again, from what the store knows of it."""
    definition = history.definition
    opened = definition.get("opened", {})
    system = opened.get("system") or uri_of(definition["systems"][0])
    words = ["run", "--system", system]
    for back in definition["systems"][1:]:
        words += ["--back", uri_of(back)]
    if "back" in opened and len(definition["systems"]) < 2:
        words += ["--back", opened["back"]]
    words += ["--lens", opened["lens"]] if "lens" in opened else []
    words += ["--corpus", definition["corpus"]["name"]]
    if not NAMES_LANGUAGES.search(system):
        for option, code in zip(("source", "target"), definition["languages"], strict=True):
            words += [f"--{option}-language", code] if code else []
    words += ["--method", ",".join(method["name"] for method in definition["methods"])]
    for option in ("limit", "budget", "seed", "repeat", "parser"):
        if definition.get(option):
            words += [f"--{option}", str(definition[option])]
    if definition.get("rank", "none") != "none":
        words += ["--rank", definition["rank"]]
    for said, meant in definition.get("labels", {}).items():
        words += ["--label", f"{said}={meant}"]
    for method, values in opened.get("parameters", {}).items():
        for key, value in values.items():
            told = ",".join(map(str, value)) if isinstance(value, list) else value
            words += ["--param", f"{method}.{key}={told}"]
    return shlex.join(["polyglitch", *words, "--store", shown(history.store.where)])


def look_at(history: History) -> str:
    """The command that opens a run in the browser."""
    where = shown(history.store.where)
    return shlex.join(["polyglitch", "review", "--store", where, "--run", short_id(history)])


MAX_UNDECIDED = 0.2  # of the cases: beyond it the share that holds is of too few to speak for all


def gate_of(
    figures: dict[str, Any],
    fail_under: float | None = None,
    max_undecided: float | None = None,
    by_capability: Mapping[str, float] | None = None,
) -> Gate:
    """Judge the figures of a run; any limit makes a gate, which a degenerate system never passes."""
    decided = figures["cases"] - figures["undecided"]
    holds = (decided - figures["violations"]) / decided if decided else 0.0
    limited = fail_under is not None or max_undecided is not None or bool(by_capability)
    failures: tuple[str, ...] = ()
    since = ""
    if limited:
        degenerate, undecided = degenerate_of(figures).sentence, too_many(figures, max_undecided)
        parts = tuple(under_limit(figures, by_capability or {}))
        failures = tuple(filter(None, (degenerate, undecided, *parts)))
        reasons = {
            "the system is degenerate": degenerate,
            "too many are undecided": undecided,
            "a capability is under its limit": parts,
        }
        since = next((reason for reason, told in reasons.items() if told), "")
    under = fail_under is not None and holds < fail_under
    passed = not (under or failures) if limited else None
    told = f"{percent(holds, fail_under)} of {decided:,} decided cases hold"
    if fail_under is not None:
        told += f" (limit {fail_under * 100:g}%)"
    if passed is not None:
        told += ": passed" if passed else ": failed"
        told += f", since {since}" if since and not under else ""
    return Gate(holds, decided, passed, f"{told}.", failures)


def kept_gate(figures: dict[str, Any]) -> Gate | None:
    """What came of a run by the limits it was started with; nothing for one that judged nothing."""
    limits = figures.get("limits", {})
    return gate_of(figures, **limits) if figures.get("cases") else None


def under_limit(figures: dict[str, Any], limits: Mapping[str, float]) -> Iterator[str]:
    """What to say of each capability of which too little holds, or of which nothing was decided."""
    found = msgspec.convert(figures.get("by_capability", []), list[CapabilityResult])
    for name, limit in limits.items():
        results = [result for result in found if result.name == name]
        if not results:
            known = tuple(sorted({result.name for result in found}))
            yield f"No case of capability {name!r} was tested (limit {limit * 100:g}%){suggest(name, known)}."
        for result in results:
            if not result.decided:
                yield f"{result.title} ({name}): none of {result.cases:,} cases was decided."
            elif result.holds < limit:
                yield (
                    f"{result.title} ({name}): {percent(result.holds, limit)} of {result.decided:,} decided cases "
                    f"hold, limit {limit * 100:g}%."
                )


def degenerate_of(figures: dict[str, Any]) -> Degenerate:
    """What is known of a run's answers; nothing in stores of earlier versions."""
    return msgspec.convert(figures.get("degenerate", {}), Degenerate)


def too_many(figures: dict[str, Any], limit: float | None) -> str:
    """What to say where too many cases were left undecided, or nothing."""
    most = MAX_UNDECIDED if limit is None else limit
    cases, undecided = figures["cases"], figures["undecided"]
    if not cases or undecided / cases <= most:
        return ""
    return (
        f"{undecided:,} of {cases:,} cases are undecided ({percent(undecided / cases, most)}), more than the "
        f"{most * 100:g}% that --max-undecided allows."
    )


def percent(value: float, limit: float | None = None) -> str:
    """A share in percent, with as many digits as it takes to see on which side of the limit it is."""
    for digits in range(1, 6):
        told = f"{value * 100:.{digits}f}"
        if limit is None or value == limit or float(told) != round(limit * 100, 9):
            break
    return f"{told}%"
