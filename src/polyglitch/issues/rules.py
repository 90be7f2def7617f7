"""One issue a seed: its worst violations, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from polyglitch.component import component
from polyglitch.issues.kinds import suggest_kind
from polyglitch.protocols import IssueRule
from polyglitch.records import Issue, Seed, Trial, Verdict, digest


@component
def worst_first(top: int = 3) -> IssueRule:
    """The `top` most severe violations of a seed; among equals, the shortest output (SIT's rule)."""

    def build(seed: Seed, violations: Sequence[tuple[Trial, Verdict]]) -> list[Issue]:
        if not violations:
            return []
        worst = sorted(
            violations,
            key=lambda item: (-item[1].severity, len(item[0].outputs[-1].text), item[1].case_id),
        )[:top]
        method = worst[0][0].case.method
        # The answers are part of the name: a label given to an old model's is not the new one's.
        answers = [output.text or output.label for trial, _ in worst for output in trial.outputs]
        return [
            Issue(
                id=digest([method, seed.id, *(v.case_id for _, v in worst), *answers]),
                seed_id=seed.id,
                method=method,
                case_ids=tuple(verdict.case_id for _, verdict in worst),
                severity=worst[0][1].severity,
                kind=suggest_kind(*worst[0]),
            )
        ]

    return build
