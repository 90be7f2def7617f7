"""How a project gates its own translator: `pytest --polyglitch-report out/report.html`."""

import toy

import polyglitch

# SIT on plain text: no parser of the target language is asked for.
OPTIONS = {
    "corpus": "sentences.txt",
    "source_language": "en",
    "parameters": {"sit": {"structure": "raw", "proposer": "vectors"}},
}


@polyglitch.check(method="sit", system=toy.translate, max_violation_rate=0.05, **OPTIONS)
def test_translator_is_consistent(result):
    assert result.figures["cases"] > 20


def test_forgetful_is_found_out(polyglitch):
    result = polyglitch(toy.forgetful, "sit", **OPTIONS)
    assert result.violation_rate > 0
    assert "não sei" in result.describe(0)
