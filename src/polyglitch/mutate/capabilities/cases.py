"""Cases from a suite of capabilities: seeds found by predicates, made by rules, grown by expansion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polyglitch.errors import UsageError
from polyglitch.mutate.capabilities import rules
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.predicates import (
    CorpusSentence,
    FoundSeed,
    find,
    fits,
    grow,
    starts_with_name,
)
from polyglitch.mutate.capabilities.rules import variants
from polyglitch.mutate.capabilities.spec import Capability, load_suite
from polyglitch.mutate.relations import change, reads_grammar, speaks
from polyglitch.protocols import Mutation, Tools
from polyglitch.records import Case, Input, Parse, Seed, digest, new_case
from polyglitch.registry import component


@component
def capability_cases(
    suite: str,
    capabilities: tuple[str, ...] = (),
    labels: str = "words",
    expansions: int = 5,
    proposer: str = "ngrams",
    lexicons: tuple[str, ...] = (),
    per_capability: int | None = None,
    grammar: str = "",
    content: str = "",
    added: tuple[str, ...] = (),
) -> Mutation:
    """Cases of every capability that a seed fits; `per_capability` bounds those of a seed.

    `grammar` is a table that `polyglitch grammar` wrote, for the bundled one. `content` names what the capability files
    and that table say, so that an edited file makes another method. `lexicons` choose the sentences, `added` say which
    words are neutral enough to be put in; named for none, they are those that are installed.
    """
    chosen = [each for each in load_suite(suite, capabilities) if asks_for_corpus(each)]
    if not chosen:
        raise UsageError(
            f"suite {suite!r} has templates only, which need no corpus: `polyglitch generate --suite {suite} "
            "--limit 20 -o tests.jsonl` writes some of each, `polyglitch run --system SYSTEM --method suite --corpus "
            "tests.jsonl` runs them"
        )

    def mutate(seeds: Sequence[Seed], tools: Tools) -> Iterator[Case]:
        found = find(seeds, labels, lexicons, chosen, tools)
        if expansions:
            found = grow(found, chosen, expansions, proposer, tools, grammar, added)
        for item in found:
            made: set[str] = set()
            for capability in chosen:
                stream = cases_of(capability, item, found, tools)
                for number, case in enumerate(stream):
                    if number == per_capability:
                        break
                    if case.id not in made:
                        made.add(case.id)
                        yield case

    return mutate


def asks_for_corpus(capability: Capability) -> bool:
    """Whether a capability makes something of sentences, or has templates alone."""
    return bool(capability.make or capability.expected or not capability.template)


def cases_of(
    capability: Capability, item: FoundSeed, others: Sequence[FoundSeed], tools: Tools
) -> Iterator[Case]:
    """The cases of one capability for one sentence, those of its expansions after its own."""
    if not fits(item.sentence, capability.where):
        return
    if capability.must == "fairness":
        yield from _fairness_cases(capability, item)
    elif capability.must == "label":
        yield from _label_cases(capability, item, others)
    else:
        yield from _changed_cases(capability, item, tools)


def _label_cases(
    capability: Capability, item: FoundSeed, others: Sequence[FoundSeed]
) -> Iterator[Case]:
    own: dict[str, Case] = {}
    for made in _made(capability, item, item.sentence, others):
        data: dict[str, object] = {"capability": capability.name, "choice": made.choice}
        case = _case(capability, item, (made.text,), made.expected, data)
        own[made.choice] = case
        yield case
    for row, sentence in item.grown:
        if not may_grow(capability, row) or not fits(sentence, capability.where):
            continue
        for made in _made(capability, item, sentence, others):
            parent = own.get(made.choice)
            if parent is None:
                continue
            data = {
                "capability": capability.name,
                "choice": made.choice,
                "parent": parent.id,
                "words": list(row.words),
            }
            texts = (parent.inputs[0].text, made.text)
            case = _case(capability, item, texts, made.expected, data)
            yield case


def may_grow(capability: Capability, row: Expanded) -> bool:
    """Whether a capability takes an expansion by words of such tags."""
    allowed = capability.expand
    if (row.around or row.view) and (capability.make or not isinstance(allowed, bool)):
        return False  # a rule quotes the sentence, or the file names the tags of words
    return allowed if isinstance(allowed, bool) else set(row.tags) <= set(allowed)


def _made(
    capability: Capability, item: FoundSeed, sentence: CorpusSentence, others: Sequence[FoundSeed]
) -> Iterator[rules.Made]:
    if not capability.make:
        expected = rules.labels(capability.expected, sentence.label)
        yield rules.Made(sentence.text, "", expected)
    name_first = starts_with_name(item.parse, sentence.language)
    for number, rule in enumerate(capability.make):
        if not fits(sentence, rule.where):
            continue
        companions: list[str] = []
        if rule.other is not None:
            fitting = [o for o in others if o is not item and fits(o.sentence, rule.other)]
            fitting.sort(key=lambda o: digest([item.seed.id, o.seed.id]))
            companions = [o.sentence.text for o in fitting[: rule.others]]
        yield from rules.apply(
            rule, number, sentence.text, sentence.label, companions, name_first, item.seed.id
        )


def _fairness_cases(capability: Capability, item: FoundSeed) -> Iterator[Case]:
    most = int(capability.arguments.get("variants", 20))
    parents: list[Case] = []
    rows: list[tuple[Parse, tuple[str, ...]]] = [(item.parse, ())]
    rows += [
        (row.parse, row.words) for row, sentence in item.grown if fits(sentence, capability.where)
    ]
    for parse, words in rows:
        texts = variants(parse, most)
        if not texts:
            continue
        data: dict[str, object] = {"capability": capability.name}
        if parents:
            data |= {"parent": parents[0].id, "words": list(words)}
        case = _case(capability, item, (parse.text, *texts), (), data)
        parents.append(case)
        yield case


def _changed_cases(capability: Capability, item: FoundSeed, tools: Tools) -> Iterator[Case]:
    if reads_grammar(capability.change) and not item.parse.tagged:
        return  # the plan of the run says so
    if not speaks(capability.change, item.sentence.language):
        return  # and of this
    changes = change(capability.change, item.parse, tools, capability.arguments)
    toward = {key: capability.arguments[key] for key in ("toward",) if key in capability.arguments}
    for text in changes:
        data = {"capability": capability.name, **toward}
        yield _case(capability, item, (item.sentence.text, text), (), data)


def _case(
    capability: Capability,
    item: FoundSeed,
    texts: tuple[str, ...],
    expected: tuple[str, ...],
    data: Mapping[str, object],
) -> Case:
    """A case whose relation says which capability and what must hold."""
    seed = item.seed.input
    inputs = tuple(Input(text, seed.context, seed.title, seed.language) for text in texts)
    said = {**data, "title": capability.title}
    return new_case(item.seed, f"{capability.must}:{capability.name}", inputs, None, expected, said)
