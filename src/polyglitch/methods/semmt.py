"""SemMT: quantifiers and logic must survive a round trip.

Cao, Li, Li, Wen, Cheung, Chen: SemMT, A Semantic-Based Testing Approach for Machine Translation Systems, TOSEM 2022.
The sentence and its back-translation become regexes and are compared. The default score is SemMT-R with stated costs;
the metrics `semmt-r-plain`, `semmt-d` and `semmt-h` are the paper's own. The published tool drops group quantifiers
and reads `\\b` as a letter; nothing of that is here.
"""

from __future__ import annotations

from polyglitch.compare.metrics.measure import find_metric, limit_of
from polyglitch.compare.oracles.meaning import THRESHOLD, By, same_meaning
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.reword import reword
from polyglitch.registry import Method
from polyglitch.represent.abstraction.relations import Side


def semmt(
    metrics: tuple[str, ...] = ("semmt-r",),
    thresholds: tuple[float, ...] = (),
    weights: tuple[float, ...] = (),
    k: float = 0.5,
    vague: Side = "over",
    mutants: int = 2,
    cross: str = "",
    cross_back: str = "",
    locate: By = "meaning",
    report: int = 3,
) -> Method:
    """Send sentences there and back; report those whose quantifiers or logic came back changed.

    Several `metrics` are joined by either-or, each with its own of the `thresholds`, or, with `weights`, by
    their weighted mean and the first threshold. Without one a similarity is held to 0.79 of its best value, a
    distance to none at all. `cross_back` names other translators for the way back, to tell which
    trip is at fault by the meaning they bring back; `cross` those for the way there, to tell it by agreement.
    """
    limits = [limit_of(find_metric(name), None, THRESHOLD).threshold for name in metrics]
    return Method(
        name="semmt",
        task="translation",
        mutate=reword(per_seed=mutants),
        compare=same_meaning(
            metrics, thresholds or tuple(limits), weights, k, vague, cross, cross_back, locate
        ),
        issues=worst_first(report),
        needs=("data:semmt:reword.toml",),
        route="round trip",
    )
