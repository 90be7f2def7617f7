"""What a classifier said, under the names of the suites: binary answers become three classes."""

from __future__ import annotations

from collections.abc import Mapping

from polyglitch.records import Output

# A binary model has no neutral: in the middle third of its scale it is taken to say so (ALiCT, section 4).
LOW, HIGH = 1 / 3, 2 / 3
POSITIVE, NEGATIVE, NEUTRAL = "positive", "negative", "neutral"
ALIASES = {
    **dict.fromkeys(("positive", "pos", "label_1", "1 star up"), POSITIVE),
    **dict.fromkeys(("negative", "neg", "label_0"), NEGATIVE),
    **dict.fromkeys(("neutral", "neu"), NEUTRAL),
    **dict.fromkeys(("hate", "hateful", "toxic", "hate speech", "offensive", "yes"), "hate"),
    **dict.fromkeys(
        ("non-hate", "not hateful", "non-toxic", "normal", "nothate", "no"), "non-hate"
    ),
}


def three_classes(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores of a binary model as three: neutral has 1 - 3|p - 1/2| in the middle third, else 0."""
    p = scores[POSITIVE]
    if not LOW < p < HIGH:
        return {POSITIVE: p, NEGATIVE: 1 - p, NEUTRAL: 0.0}
    neutral = 1 - 3 * abs(p - 0.5)
    return {POSITIVE: p * (1 - neutral), NEGATIVE: (1 - p) * (1 - neutral), NEUTRAL: neutral}


def read_label(output: Output, known: Mapping[str, str] = ALIASES) -> tuple[str, dict[str, float]]:
    """Label and scores under the names of the suites; a label with scores for two classes gets three."""
    said = (output.label if output.label is not None else output.text).strip()
    label = known.get(said.lower().rstrip(".! "), said)
    scores = {known.get(name.lower(), name): value for name, value in output.scores.items()}
    if set(scores) == {POSITIVE, NEGATIVE} and sum(scores.values()) > 0:
        total = sum(scores.values())
        scores = three_classes({POSITIVE: scores[POSITIVE] / total})
        label = max(scores, key=lambda name: scores[name])
    return label, scores
