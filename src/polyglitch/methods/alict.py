"""ALiCT: linguistic capabilities from a labelled corpus, with sentences grown by a reference grammar.

Lee et al.: Automated testing of linguistic capabilities, TOSEM. Where table and published code differ the table's
intent is kept (each capability file says how under `source`); `faithful` judges fairness as the code does.
"""

from __future__ import annotations

from polyglitch.compare.oracles.labels import label_relations
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.nlp.lexicons.terms import INDEPENDENT, installed_sources
from polyglitch.nlp.parsers.constituents import open_grammar
from polyglitch.records import digest
from polyglitch.registry import Method


def alict(
    suite: str = "sentiment",
    capabilities: tuple[str, ...] = (),
    labels: str = "words",
    expansions: int = 5,
    proposer: str = "ngrams",
    lexicons: tuple[str, ...] = (),
    added: tuple[str, ...] = (),
    per_capability: int | None = None,
    grammar: str = "",
    fairness: float = 0.1,
    report: int = 3,
    faithful: bool = False,
    thirds: bool = False,
) -> Method:
    """Test the capabilities of a suite (`sentiment`, `hate`, `general`, a folder, a file)."""
    chosen = load_suite(suite, capabilities)
    said = [repr(each) for each in chosen]
    content = digest(
        [*said, repr(sorted(open_grammar(grammar).counts.items()))] if grammar else said
    )
    return Method(
        name="alict",
        task="classification",
        mutate=capability_cases(
            suite,
            capabilities,
            labels,
            expansions,
            proposer,
            lexicons or installed_sources(),
            per_capability,
            grammar,
            content,
            added or INDEPENDENT,
        ),
        compare=label_relations(fairness=fairness, faithful=faithful, thirds=thirds or faithful),
        issues=worst_first(report),
        needs=("parser", f"proposer:{proposer}") if expansions else ("parser",),
        capabilities=tuple(each.name for each in chosen),
        language=chosen[0].language,
    )
