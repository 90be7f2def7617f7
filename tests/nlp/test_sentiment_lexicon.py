"""The lexicons of sentiment: what is installed speaks, what is not is no reason to stop."""

from __future__ import annotations

import pytest

from polyglitch.errors import Missing
from polyglitch.nlp.lexicons import sentiment


def test_without_packages_the_bundled_words_do(monkeypatch: pytest.MonkeyPatch) -> None:
    sentiment.open_lexicon.cache_clear()
    monkeypatch.setattr(sentiment, "find_spec", lambda name: None)
    assert sentiment.installed_sources() == ("bundled",)
    lexicon = sentiment.open_lexicon("en")
    assert lexicon.signature == "lexicon:en:bundled"
    assert lexicon.polarity("wonderful") == "positive"
    assert sentiment.open_lexicon("en", sentiment.INDEPENDENT).signature == lexicon.signature
    with pytest.raises(Missing, match="vaderSentiment is not installed"):
        sentiment.open_lexicon("en", ("vader",))
    sentiment.open_lexicon.cache_clear()


@pytest.mark.needs("afinn")
def test_afinn_is_a_voice_of_its_own() -> None:
    lexicon = sentiment.open_lexicon("en", ("bundled", "afinn"))
    assert lexicon.polarity("abhorrent") == "negative"
    assert lexicon.polarity("breathtaking") == "positive"
