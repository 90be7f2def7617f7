"""`polyglitch generate`: the tests of a suite of capabilities as a file, without asking any system."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from polyglitch.cli.main import read_fields, reading, say

if TYPE_CHECKING:
    from polyglitch.records import Seed

EXPANSIONS = 5  # of a sentence, as the method has it


@click.command(name="generate")
@click.option(
    "--suite", default="sentiment", help="Bundled name, folder of capability files, or one file."
)
@click.option("--capability", "only", multiple=True, help="Some of the suite (repeatable).")
@click.option("--corpus", help="Labelled sentences; not needed for templates.")
@reading
@click.option(
    "--labels", default="words", help="What the corpus calls its labels: words, sst5, davidson."
)
@click.option(
    "--expansions",
    type=click.IntRange(0),
    show_default="5; of an imported suite 0",
    help="Grown sentences for each seed; 0 for none.",
)
@click.option("--proposer", default="ngrams", help="What fills the masks.")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    help="Who says which words praise or blame: bundled, afinn, vader, textblob (repeatable).",
    show_default="those that are installed",
)
@click.option("--grammar", default="", help="A table that `polyglitch grammar` wrote.")
@click.option("--limit", type=int, help="At most so many seeds, or sentences of a template.")
@click.option(
    "--each",
    type=click.IntRange(1),
    help="At most so many tests and as many expansions a capability, of many sentences.",
)
@click.option("--seed", default=0, help="Where random choices start.")
@click.option(
    "--import", "imported", type=click.Path(path_type=Path), help="A suite made elsewhere."
)
@click.option(
    "--numbered", is_flag=True, help="Imported labels 0, 1, 2 are negative, neutral, positive."
)
@click.option("-o", "--output", default="-", help="JSON lines: text, label, capability, parent.")
def command(
    suite: str,
    only: tuple[str, ...],
    corpus: str | None,
    labels: str,
    expansions: int | None,
    proposer: str,
    lexicons: tuple[str, ...],
    grammar: str,
    limit: int | None,
    each: int | None,
    seed: int,
    imported: Path | None,
    numbered: bool,
    output: str,
    fields: tuple[str, ...],
    format: str | None,
    encoding: str | None,
) -> None:
    """Write tests: text, expected label, capability."""
    counts: Counter[str] = Counter()
    if imported is not None:
        rows = imported_rows(imported, numbered, counts)
        if each:  # before they grow: a suite of CheckList's has some 70,000 tests
            rows = drawn_evenly(rows, each, seed)
        if expansions:
            rows = grown_rows(rows, expansions, proposer, grammar, seed)
    elif corpus is None:
        rows = template_rows(suite, only, proposer, limit, seed)
    else:
        from polyglitch.corpus.read import open_corpus

        opened = partial(
            open_corpus, corpus, fields=read_fields(fields), format=format, encoding=encoding
        )
        most = EXPANSIONS if expansions is None else expansions
        rows = corpus_rows(
            suite, only, opened, labels, most, proposer, limit, seed, grammar, lexicons
        )
    if each:
        rows = drawn_evenly(rows, each, seed)
    with click.open_file(output, "w", encoding="utf-8", atomic=output != "-") as out:
        for row in rows:
            counts[counted(row)] += 1
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    for name, count in sorted(counts.items()):
        say(f"{name}: {count}", err=True)


def counted(row: dict[str, object]) -> str:
    """Under what a test is counted: the title of its capability, and its name for `--capability`."""
    title, name = row.get("capability_title"), row["capability"]
    told = f"{title} ({name})" if title and title != name else str(name)
    return f"{told}, expanded" if row.get("parent") else told


def drawn_evenly(
    rows: Iterable[dict[str, object]], each: int, seed: int
) -> Iterator[dict[str, object]]:
    """At most so many tests and expansions of each capability, of different sentences first."""
    import random

    by: dict[tuple[str, bool], list[dict[str, object]]] = {}
    for row in rows:
        by.setdefault((str(row["capability"]), "parent" in row), []).append(row)
    for key in sorted(by):
        some = by[key]
        random.Random(f"{seed} {key}").shuffle(some)  # noqa: S311 - no secret
        times: Counter[object] = Counter()
        order = []
        for place, row in enumerate(some):
            sentence = row.get("seed", row["text"])
            times[sentence] += 1
            order.append((times[sentence], place))
        yield from (some[place] for _, place in sorted(order)[:each])


def corpus_rows(
    suite: str,
    only: tuple[str, ...],
    opened: Callable[..., Iterable[Seed]],
    labels: str,
    expansions: int,
    proposer: str,
    limit: int | None,
    seed: int,
    grammar: str = "",
    lexicons: tuple[str, ...] = (),
) -> Iterator[dict[str, object]]:
    """The cases of a corpus, as a run would make them, a few seeds at a time."""
    from itertools import islice

    from polyglitch.flow import SEEDS_AT_ONCE
    from polyglitch.mutate.capabilities.cases import capability_cases
    from polyglitch.mutate.capabilities.spec import load_suite
    from polyglitch.nlp.lexicons.terms import INDEPENDENT
    from polyglitch.tools import Toolbox

    language = load_suite(suite, only)[0].language
    mutate = capability_cases(
        suite, only, labels, expansions, proposer, lexicons, grammar=grammar, added=INDEPENDENT
    )
    seeds, tools = islice(iter(opened(language=language)), limit), Toolbox(seed=seed)
    while chunk := list(islice(seeds, SEEDS_AT_ONCE)):
        for case in mutate(chunk, tools):
            row: dict[str, object] = {
                "id": case.id,
                "text": case.inputs[-1].text,
                "label": "|".join(case.expected),
                "capability": case.data["capability"],
                "capability_title": case.data["title"],
                "relation": case.relation,
                "seed": case.seed_id,
            }
            if len(case.inputs) > 1:
                row["inputs"] = [item.text for item in case.inputs]
            if "parent" in case.data:
                row["parent"] = case.data["parent"]
            yield row


def template_rows(
    suite: str, only: tuple[str, ...], proposer: str, limit: int | None, seed: int
) -> Iterator[dict[str, object]]:
    """The sentences of the templates of a suite."""
    from itertools import islice

    from polyglitch.errors import UsageError
    from polyglitch.mutate.capabilities.rules import fill_masks, fill_template
    from polyglitch.mutate.capabilities.spec import listed, load_suite
    from polyglitch.nlp.lexicons.terms import open_lexicon
    from polyglitch.tools import Toolbox

    chosen = [each for each in load_suite(suite, only) if each.template]
    if not chosen:
        raise UsageError(f"suite {suite!r} has no templates: name a labelled corpus with --corpus")
    tools = Toolbox(seed=seed)
    for capability in chosen:
        lexicon = open_lexicon(capability.language, ("bundled",))
        for template in capability.template:
            texts = fill_template(template.text, lexicon, capability.language, seed)
            if "{mask:" in template.text:
                words = tools.proposer(proposer, capability.language)
                texts = (full for text in texts for full in fill_masks(text, words, lexicon))
            label = "|".join(listed(template.expected))
            for text in islice(texts, limit):
                yield {"text": text, "label": label, "capability": capability.name}


def imported_rows(path: Path, numbered: bool, counts: Counter[str]) -> Iterator[dict[str, object]]:
    """The rows of a suite made elsewhere; what was left out is counted."""
    from polyglitch.corpus.suites import read_suite

    skipped: Counter[str] = Counter()
    for row in read_suite(path, skipped, numbered):
        yield {"text": row.text, "label": row.label, "capability": row.capability}
    counts.update({f"skipped, {reason}": count for reason, count in skipped.items()})


def grown_rows(
    rows: Iterable[dict[str, object]], most: int, proposer: str, grammar: str, seed: int
) -> Iterator[dict[str, object]]:
    """The rows of a suite, each with its expansions after it, which inherit the label (ALiCT's figure 5)."""
    from itertools import islice

    from polyglitch.flow import SEEDS_AT_ONCE
    from polyglitch.languages import DEFAULT
    from polyglitch.mutate.capabilities.predicates import grown_texts
    from polyglitch.records import digest
    from polyglitch.tools import Toolbox

    tools, left = Toolbox(seed=seed), iter(rows)
    while chunk := list(islice(left, SEEDS_AT_ONCE)):
        texts = [str(row["text"]) for row in chunk]
        for row, grown in zip(
            chunk, grown_texts(texts, DEFAULT, most, proposer, tools, grammar), strict=True
        ):
            yield row
            name = digest([str(row["capability"]), str(row["text"])])
            for text in grown:
                yield row | {"text": text, "parent": name, "inputs": [row["text"], text]}
