"""The lexicons of sentiment: what is installed speaks, what is not is no reason to stop."""

from __future__ import annotations

import pytest

from polyglitch.errors import Missing
from polyglitch.nlp.lexicons import terms


def test_without_packages_the_bundled_words_do(monkeypatch: pytest.MonkeyPatch) -> None:
    terms.open_lexicon.cache_clear()
    monkeypatch.setattr(terms, "find_spec", lambda name: None)
    assert terms.installed_sources() == ("bundled",)
    lexicon = terms.open_lexicon("en")
    assert lexicon.signature == "lexicon:en:bundled"
    assert lexicon.polarity("wonderful") == "positive"
    assert terms.open_lexicon("en", terms.INDEPENDENT).signature == lexicon.signature
    with pytest.raises(Missing, match="vaderSentiment is not installed"):
        terms.open_lexicon("en", ("vader",))
    terms.open_lexicon.cache_clear()


@pytest.mark.needs("afinn")
def test_afinn_is_a_voice_of_its_own() -> None:
    lexicon = terms.open_lexicon("en", ("bundled", "afinn"))
    assert lexicon.polarity("abhorrent") == "negative"
    assert lexicon.polarity("breathtaking") == "positive"
