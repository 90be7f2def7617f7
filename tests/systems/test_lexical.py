"""The lexical classifiers: known texts get their labels, and a name with a tail is refused."""

from __future__ import annotations

import pytest

from polyglitch.errors import UsageError
from polyglitch.records import Input
from polyglitch.systems.lexical import by_polarity
from polyglitch.tools import open_system


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "module", "good", "bad"),
    [
        ("vader", "vaderSentiment", "positive", "negative"),
        ("textblob", "textblob", "positive", "negative"),
        ("profanity", "profanity_check", "non-hate", "hate"),
    ],
)
def test_known_texts(name: str, module: str, good: str, bad: str) -> None:
    pytest.importorskip(module)
    system = open_system(name)
    texts = ["What a wonderful day.", "You are a horrible, stupid idiot."]
    outputs = system.ask([Input(text) for text in texts])
    assert [output.label for output in outputs] == [good, bad]
    assert all(output.ok and output.scores for output in outputs)
    with pytest.raises(UsageError, match="takes nothing"):
        open_system(f"{name}:large")


def test_polarity_has_a_neutral_middle() -> None:
    assert [by_polarity(x)[0] for x in (-0.05, -0.04, 0.04, 0.05)] == [
        "negative",
        "neutral",
        "neutral",
        "positive",
    ]
