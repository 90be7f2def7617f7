"""Ranks of words: from a white box built by hand, where it is plain what must come first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.protocols import Inspection
from polyglitch.rank.cached_rank import CachedRank, check_rank
from polyglitch.rank.scores import NEVER, by_word, draw, mean_score, pieces_of
from polyglitch.records import Input, Output, Parse, Seed, Token
from polyglitch.store.store import Store
from polyglitch.tools import Toolbox

TEXT = "Old clerks misfiled it."
WORDS = ("Old", "clerks", "misfiled", "it", ".")


def parse_of(text: str, words: Sequence[str]) -> Parse:
    tokens, start = [], 0
    for index, word in enumerate(words):
        start = text.index(word, start)
        tokens.append(Token(word, start, start + len(word), "NN", "NOUN", word, index, "dep"))
        start += len(word)
    return Parse(text, tuple(tokens))


PARSE = parse_of(TEXT, WORDS)
SEED = Seed("1", Input(TEXT, language="en"))
SEEN = Inspection(  # "misfiled" is two pieces; the last token ends the sentence
    source_tokens=("Old", "clerks", "mis", "filed", "it", ".", "</s>"),
    source_spans=((0, 3), (4, 10), (11, 14), (14, 19), (20, 22), (22, 23), (0, 0)),
    gradients=np.array([0.5, 1.0, 0.2, 3.0, 2.0, 9.0, 9.0], np.float32),
    target_tokens=("Velhos", "funcionários", "arqui", "varam", "</s>"),
    probabilities=np.array([0.9, 0.3, 0.8, 0.5, 0.01], np.float32),
    attention=np.array(
        [
            [0.8, 0.1, 0.1, 0, 0, 0, 0],
            [0.1, 0.8, 0.1, 0, 0, 0, 0],
            [0, 0, 0.9, 0.1, 0, 0, 0],
            [0, 0, 0.1, 0.9, 0, 0, 0],
            [0, 0, 0, 0, 0, 0.1, 0.9],
        ],
        np.float32,
    ),
    salience=np.array([0.5, 1.0, 0.7, 0.7, 0.1, 9.0, 9.0], np.float32),
)


class GlassTranslator:
    """A white box that shows SEEN and counts how often it is asked and opened."""

    signature, languages, batch_size, parallel = "glass", ("en", "pt"), 1, 1

    def __init__(self) -> None:
        self.inspected: list[str] = []

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        return [Output("Velhos funcionários arquivaram.") for _ in inputs]

    def inspect(self, inputs: Sequence[Input], outputs: Any = None) -> list[Inspection]:
        self.inspected += outputs
        return [SEEN for _ in inputs]

    def close(self) -> None: ...


class Shut:
    """A system that shows nothing."""

    signature, languages, batch_size, parallel = "shut", ("en", "pt"), 1, 1

    def ask(self, inputs: Sequence[Input]) -> list[Output]:
        return [Output(status="error", error="down") for _ in inputs]

    def close(self) -> None: ...


def order(name: str, system: Any, tools: Toolbox, seed: Seed = SEED) -> list[str]:
    scores = CachedRank(name, system, system.ask).scores([seed], [PARSE], tools)[0]
    ranked = sorted(range(len(WORDS)), key=lambda index: -scores[index])
    return [WORDS[index] for index in ranked if scores[index] > NEVER]


def test_pieces_are_merged_into_words_and_punctuation_never_ranks() -> None:
    tools = Toolbox()
    assert order("gri", GlassTranslator(), tools) == ["misfiled", "it", "clerks", "Old"]
    assert order("gri-input", GlassTranslator(), tools) == ["misfiled", "clerks", "Old", "it"]
    # The end of the sentence is the least sure token of all, and comes from no word.
    assert order("wali-least", GlassTranslator(), tools) == ["clerks", "misfiled", "Old", "it"]


def test_doubt_is_shared_out_as_attention_is_with_that_of_the_neighbours() -> None:
    # Doubts .1 .7 .2 .5 .99; with those beside them .8, 1.0, 1.4, 1.69 and 1.49.
    scores = CachedRank("wali", GlassTranslator(), GlassTranslator().ask)
    found = dict(zip(WORDS, scores.scores([SEED], [PARSE], Toolbox())[0].tolist(), strict=True))
    assert found["Old"] == pytest.approx(0.8 * 0.8 + 0.1 * 1.0)
    assert found["clerks"] == pytest.approx(0.1 * 0.8 + 0.8 * 1.0)
    assert found["misfiled"] == pytest.approx(0.1 * 0.8 + 0.1 * 1.0 + 1.4 + 1.69)
    assert found["it"] == 0  # no output token looks at it
    assert found["."] == NEVER  # the last output token does, and yet: punctuation


def test_a_rank_is_computed_once_and_explains_the_answer_that_was_asked(tmp_path: Path) -> None:
    store, system = Store(str(tmp_path / "s.sqlite")), GlassTranslator()
    first = order("gri", system, Toolbox(store))
    assert order("gri", system, Toolbox(store)) == first
    assert system.inspected == ["Velhos funcionários arquivaram."]
    order("wali", system, Toolbox(store))
    with_reference = Seed("1", SEED.input, data={"reference": "Arquivaram mal."})
    order("gri", system, Toolbox(store), with_reference)
    assert system.inspected[1:] == ["Velhos funcionários arquivaram.", "Arquivaram mal."]
    store.close()


def test_a_seed_without_an_answer_has_no_favourite_word() -> None:
    system = GlassTranslator()
    scores = CachedRank("gri", system, Shut().ask).scores([SEED], [PARSE], Toolbox())[0]
    assert set(scores.tolist()) == {NEVER} and not system.inspected


def test_a_system_that_shows_nothing_is_refused_by_the_names_of_those_that_do() -> None:
    with pytest.raises(UsageError, match=r"--rank gri .*shut.* bergamot:, firefox:.* smollm2:"):
        check_rank("gri", Shut())
    check_rank("random", Shut())
    with pytest.raises(UsageError, match="did you mean 'wali'"):
        check_rank("walli", GlassTranslator())


def test_chance_depends_on_text_and_seed_alone() -> None:
    assert draw(PARSE, 1).tolist() == draw(PARSE, 1).tolist()
    assert draw(PARSE, 1).tolist() != draw(PARSE, 2).tolist()
    assert draw(PARSE, 1)[-1] == NEVER and (draw(PARSE, 1)[:-1] >= 0).all()
    orders = {tuple(np.argsort(draw(PARSE, seed)[:-1])) for seed in range(200)}
    assert len(orders) == 24  # every order of four words comes up


words = st.lists(st.text("abcdé", min_size=1, max_size=6), min_size=1, max_size=6)


@pytest.mark.slow
@given(words, st.data())
def test_every_word_finds_exactly_the_pieces_cut_from_it(parts: list[str], data: Any) -> None:
    text = " ".join(parts)
    parse = parse_of(text, parts)
    spans: list[tuple[int, int]] = []
    owner: list[int] = []
    for index, token in enumerate(parse.tokens):
        inner = range(token.start + 1, token.end)
        cuts = sorted(data.draw(st.sets(st.sampled_from(inner)))) if inner else []
        edges = [token.start, *cuts, token.end]
        spans += pairwise(edges)
        owner += [index] * (len(edges) - 1)
    for index, token in enumerate(parse.tokens):
        assert pieces_of(token, [*spans, (0, 0)]) == [n for n, o in enumerate(owner) if o == index]
    seen = Inspection(
        tuple(text[a:b] for a, b in spans), tuple(spans), np.ones(len(spans), np.float32), (),
        np.zeros(0, np.float32), np.zeros((0, len(spans)), np.float32),
    )  # fmt: skip
    counts = by_word(parse, seen, lambda pieces: float(len(pieces)))
    assert counts.sum() == len(spans)


def test_a_sentence_is_as_promising_as_its_words_on_average() -> None:
    assert mean_score(np.array([1, NEVER, 3], np.float32)) == 2
    assert mean_score(np.array([NEVER], np.float32)) == mean_score(np.zeros(0, np.float32)) == NEVER
