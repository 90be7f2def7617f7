"""A gate among the tests that a stranger has already."""

from mine import classify

import polyglitch


@polyglitch.check(
    method="relations", system=classify, corpus="reviews.jsonl", max_violation_rate=0.1
)
def test_the_classifier_is_steady(result):
    assert result.figures["cases"] > 20
