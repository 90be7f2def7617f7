"""PatInv: sentences of different meaning must not get the same translation.

Gupta, He, Meister, Su: Machine Translation Testing via Pathological Invariance, ESEC/FSE 2020. The published script
cannot run as shipped (its synonym filter is called like a function, its phrase collector loses its arguments); this is
what the paper describes. Bracketing is compared on dependencies; synonyms come from WordNet where it is installed.
"""

from __future__ import annotations

from typing import Literal

from polyglitch.compare.oracles.two_outputs import different_output
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.meaning import CONTENT, both_meanings, less_meaning, other_meaning
from polyglitch.protocols import Mutate
from polyglitch.registry import PUBLISHED, Method, named_oracle, oracle_needs

Mode = Literal["replace", "remove", "both"]


def patinv(
    mode: Mode = "both",
    proposer: str = "auto:unlike",
    top: int = 10,
    per_seed: int | None = None,
    report: int = 3,
    oracle: str = PUBLISHED,
    pos: tuple[str, ...] = CONTENT,
    faithful: bool = False,
) -> Method:
    """Replace or remove words of meaning; report the sentences whose translation stays the same.

    What is removed is a modifier or an adjunct, so that a sentence is left; `faithful`, any phrase or word, as
    published.
    """
    needs = ("parser",) if mode == "remove" else ("parser", f"proposer:{proposer}")
    return Method(
        name="patinv",
        task="translation",
        mutate=mutation(mode, proposer, top, per_seed, pos, faithful),
        compare=named_oracle(oracle, different_output()),
        issues=worst_first(report),
        needs=(*needs, *oracle_needs(oracle)),
    )


def mutation(
    mode: Mode,
    proposer: str,
    top: int,
    per_seed: int | None,
    pos: tuple[str, ...],
    faithful: bool,
) -> Mutate:
    """The cases of a mode; `per_seed` bounds each mode on its own."""
    if mode == "replace":
        return other_meaning(proposer, top, per_seed, pos)
    if mode == "remove":
        return less_meaning(per_seed, pos, faithful)
    return both_meanings(proposer, top, per_seed, pos, faithful)
