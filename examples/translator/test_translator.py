"""How a project gates its own translator: `pytest --polyglitch-report out/report.html`."""

import toy

import polyglitch

SENTENCES = "sentences.txt"


@polyglitch.check(
    method="transrepair",
    system=toy.translate,
    corpus=SENTENCES,
    max_violation_rate=0.05,
    source_language="en",
)
def test_translator_is_consistent(result):
    assert result.figures["cases"] > 20


def test_forgetful_is_found_out(polyglitch):
    result = polyglitch(toy.forgetful, "transrepair", corpus=SENTENCES, source_language="en")
    assert result.violation_rate > 0
    assert "não sei" in result.describe(0)
