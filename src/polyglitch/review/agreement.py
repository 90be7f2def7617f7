"""How far reviewers agree beyond chance: Cohen's kappa of every two, and the mean of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

Joint = Mapping[tuple[str, str], int]


class ReviewerAgreement(msgspec.Struct, frozen=True):
    """Two reviewers on the issues that both have labelled."""

    first: str
    second: str
    both: int
    agreed: int
    kappa: float | None  # none where chance alone explains everything


def cohen_kappa(joint: Joint) -> float | None:
    """Agreement beyond chance, from how often one said this and the other that (Cohen 1960)."""
    total = sum(joint.values())
    if not total:
        return None
    one: Counter[str] = Counter()
    other: Counter[str] = Counter()
    for (said, replied), count in joint.items():
        one[said] += count
        other[replied] += count
    seen = sum(count for (said, replied), count in joint.items() if said == replied) / total
    chance = sum(one[name] * other[name] for name in one) / total**2
    return None if chance == 1 else (seen - chance) / (1 - chance)


def agreements(pairs: Mapping[tuple[str, str], Joint]) -> list[ReviewerAgreement]:
    """Every two reviewers who have labelled an issue in common."""
    return [
        ReviewerAgreement(
            first,
            second,
            sum(joint.values()),
            sum(count for (said, replied), count in joint.items() if said == replied),
            cohen_kappa(joint),
        )
        for (first, second), joint in pairs.items()
    ]


def mean_kappa(found: list[ReviewerAgreement]) -> float | None:
    """The mean of the pairwise kappas (Light 1971): one figure for any number of reviewers."""
    known = [pair.kappa for pair in found if pair.kappa is not None]
    return sum(known) / len(known) if known else None


def in_words(kappa: float) -> str:
    """What Landis and Koch (1977) call a kappa."""
    names = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    return next((name for bound, name in names if kappa <= bound), "almost perfect")
