"""The sentences of a corpus that capabilities may take: read, parsed and grown."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from polyglitch.errors import UsageError
from polyglitch.languages import language as language_of
from polyglitch.mutate.capabilities.expansion import Expanded, Seen, expand
from polyglitch.mutate.capabilities.predicates import CorpusSentence, fits, may_fit, not_parsed
from polyglitch.mutate.capabilities.spec import Capability, spoken
from polyglitch.mutate.slots import begins_with_name
from polyglitch.nlp.lexicons.terms import INDEPENDENT, open_lexicon, term_lists
from polyglitch.nlp.parsers.grammar import open_grammar
from polyglitch.nlp.sentences import readable
from polyglitch.protocols import Parse, Tools
from polyglitch.records import Seed
from polyglitch.registry import suggest


@dataclass(frozen=True)
class FoundSeed:
    """A seed as a sentence, with its parse and what it grew into."""

    seed: Seed
    sentence: CorpusSentence
    parse: Parse
    grown: tuple[tuple[Expanded, CorpusSentence], ...] = ()


def find(
    seeds: Sequence[Seed],
    labels: str,
    lexicons: tuple[str, ...],
    chosen: Sequence[Capability],
    tools: Tools,
) -> list[FoundSeed]:
    """The seeds that may fit a capability, as readable, parsed sentences under the suite's own labels."""
    language = spoken(chosen, seeds[0].input.language if seeds else None)
    rated = language if language_of(language).file("sentiment.toml") else chosen[0].language
    names, lexicon = label_names(labels), open_lexicon(rated, lexicons)
    wanted = [capability.where for capability in chosen]
    wanted += [rule.other for capability in chosen for rule in capability.make if rule.other]
    drafts: list[tuple[Seed, CorpusSentence]] = []
    for seed in seeds:
        label = names.get((seed.label or "").lower(), seed.label)
        text = readable(seed.input.text)
        sentence = CorpusSentence(text, label, lexicon, not_parsed, language, seed.data)
        if text and any(may_fit(sentence, condition) for condition in wanted):
            drafts.append((seed, sentence))
    parses = tools.words(language).parse([sentence.text for _, sentence in drafts])
    return [
        FoundSeed(seed, with_parse(sentence, parse), parse)
        for (seed, sentence), parse in zip(drafts, parses, strict=True)
    ]


def with_parse(sentence: CorpusSentence, parse: Parse) -> CorpusSentence:
    """The sentence of a parse, with the label and data of another."""
    return replace(sentence, text=parse.text, parsed=lambda: parse)


def grow(
    found: list[FoundSeed],
    chosen: Sequence[Capability],
    most: int,
    proposer: str,
    tools: Tools,
    grammar: str = "",
    added: tuple[str, ...] = (),
) -> list[FoundSeed]:
    """The sentences that some capability takes, with their expansions, re-parsed."""
    language = chosen[0].language
    wanted = [
        item for item in found if any(c.expand and fits(item.sentence, c.where) for c in chosen)
    ]
    if not wanted:
        return found
    parser, words = tools.parser(language), tools.proposer(proposer, language)
    lexicon = open_lexicon(language, added) if added else wanted[0].sentence.lexicon
    rows = expand(
        [item.parse for item in wanted],
        parser,
        words,
        open_grammar(grammar or language),
        lexicon,
        most,
        Seen(words),
    )
    grown = {
        id(item): tuple((row, with_parse(item.sentence, row.parse)) for row in some)
        for item, some in zip(wanted, rows, strict=True)
    }
    return [FoundSeed(i.seed, i.sentence, i.parse, grown.get(id(i), ())) for i in found]


def grown_texts(
    texts: Sequence[str], language: str, most: int, proposer: str, tools: Tools, grammar: str = ""
) -> list[list[str]]:
    """For each text at most so many that say the same with more words; for tests that are there already."""
    parser, words = tools.parser(language), tools.proposer(proposer, language)
    rows = expand(
        parser.parse(texts),
        parser,
        words,
        open_grammar(grammar or language),
        open_lexicon(language, INDEPENDENT),
        most,
        Seen(words),
    )
    return [[row.parse.text for row in some] for some in rows]


def starts_with_name(parse: Parse, language: str) -> bool:
    """Whether the first word keeps its capital inside a sentence; taggers take `Trans people` for a name."""
    if not parse.tokens:
        return False
    first = parse.tokens[0]
    if first.text.lower() in first_words(language):
        return first.text in term_lists(language).get("written capital", ())
    return first.tag.startswith("NNP") and begins_with_name(parse)


@cache
def first_words(language: str) -> frozenset[str]:
    """What names of groups begin with, in lower case."""
    return frozenset(term.split()[0].lower() for term in term_lists(language).get("identity", ()))


@cache
def label_names(name: str) -> dict[str, str]:
    """What a corpus calls its labels, to what capabilities call them."""
    path = files("polyglitch").joinpath("resources", "capabilities", "labels.toml")
    table = tomllib.loads(path.read_text("utf-8"))
    if name not in table:
        raise UsageError(f"no set of labels is called {name!r}{suggest(name, tuple(table))}")
    return table["words"] | table[name]  # type: ignore[no-any-return]
