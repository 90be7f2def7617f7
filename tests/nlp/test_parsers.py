"""Which parser serves a language, and what is said when none does."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polyglitch.errors import Missing, UsageError
from polyglitch.files.lazy_numpy import one_thread, openblas
from polyglitch.nlp.parsers import choose as spacy_parser
from polyglitch.nlp.parsers import word_kinds
from polyglitch.nlp.parsers.choose import choose, open_parser
from polyglitch.nlp.parsers.constituents import tree_of
from polyglitch.nlp.parsers.stanza import parse_of


def test_installed_comes_before_bundled_and_portuguese_is_bundled() -> None:
    english, portuguese = choose("en"), choose("pt")
    assert english is not None and english.origin == "installed"
    assert portuguese is not None and portuguese.origin in ("installed", "bundled")
    assert choose("sw") is None


@pytest.mark.slow
def test_the_bundled_portuguese_pipeline_tags_parses_and_brackets() -> None:
    folder = spacy_parser.bundled("pt")
    assert folder is not None
    parser = open_parser("pt", f"spacy:{folder}")
    parse = parser.parse(["O presidente assinou o acordo no Brasil."])[0]
    tags = {token.text: (token.tag, token.pos, token.relation) for token in parse.tokens}
    assert tags["presidente"] == ("NOUN", "NOUN", "nsubj")
    assert tags["acordo"] == ("NOUN", "NOUN", "obj")
    assert tags["no"] == ("ADP+DET", "ADP", "case")  # one surface token, em + o
    assert next(t.lemma for t in parse.tokens if t.text == "assinou") == "assinar"
    tree = tree_of(parse)
    assert tree is not None and [child.label for child in tree.children][:2] == ["NP", "VP"]


def test_what_was_skimmed_is_completed_to_what_a_parse_gives() -> None:
    texts = ["The cats which I saw were asleep.", "A dog barked."]
    fresh, skimmed = spacy_parser.open_spacy("en"), spacy_parser.SpacyParser
    whole = fresh.parse(texts)
    parser = skimmed(fresh._pipeline)
    assert [len(one.tokens) for one in parser.skim(texts[:1])] == [len(whole[0].tokens)]
    assert parser.parse([*texts, texts[0]]) == [*whole, whole[0]]


def test_tags_come_without_heads_only_where_they_do_not_hang_on_them() -> None:
    english, folder = spacy_parser.open_spacy("en"), spacy_parser.bundled("pt")
    portuguese = open_parser("pt", f"spacy:{folder}")
    assert not english.tags_alone  # "which" is a pronoun or not by its head
    assert isinstance(portuguese, spacy_parser.SpacyParser) and portuguese.tags_alone
    text = ["O presidente assinou o acordo no Brasil."]
    told = [
        [(token.text, token.tag, token.pos, token.lemma) for token in parse.tokens]
        for parse in (*portuguese.parse(text), *portuguese.tag(text))
    ]
    assert told[0] == told[1]


def test_the_bundled_pipeline_is_small_and_carries_its_licence() -> None:
    folder = spacy_parser.bundled("pt")
    assert folder is not None
    assert sum(path.stat().st_size for path in folder.rglob("*")) < 8_500_000
    notice = (folder.parent / "README.md").read_text("utf-8")
    assert "CC BY-SA 4.0" in notice and "UD Portuguese-GSD" in notice


def test_a_named_model_serves_only_its_own_language() -> None:
    folder = spacy_parser.bundled("pt")
    english = open_parser("en", f"spacy:{folder}")
    assert "pt" not in english.signature


def test_what_is_missing_is_named_with_its_remedy() -> None:
    with pytest.raises(Missing, match="spacy download ru_core_news_sm"):
        open_parser("ru")
    with pytest.raises(Missing, match=r"""'sw'.*-c 'import stanza; stanza\.download\("sw"\)'"""):
        open_parser("sw")
    with pytest.raises(UsageError, match="no_such_model"):
        open_parser("en", "spacy:no_such_model")
    with pytest.raises(UsageError, match="did you mean 'spacy'"):
        open_parser("en", "spacey")


def word(number: int, text: str, upos: str, head: int, relation: str) -> Any:
    return SimpleNamespace(
        id=number, text=text, lemma=text, upos=upos, xpos=None, head=head, deprel=relation
    )


def test_a_token_of_two_words_in_stanza_is_one_token_here() -> None:
    """Objects of the shape that stanza documents: tokens with places, made of words with arcs."""
    words = [word(1, "Moro", "VERB", 0, "root"), word(2, "em", "ADP", 4, "case")]
    words += [word(3, "o", "DET", 4, "det"), word(4, "Porto", "PROPN", 1, "obl")]
    groups = [("Moro", 0, 4, words[:1]), ("no", 5, 7, words[1:3]), ("Porto", 8, 13, words[3:])]
    tokens = [
        SimpleNamespace(text=text, start_char=start, end_char=end, words=parts)
        for text, start, end, parts in groups
    ]
    sentence = SimpleNamespace(tokens=tokens, words=words, constituency=None)
    parse = parse_of("Moro no Porto", [sentence], "pt")
    assert [(t.text, t.tag, t.head, t.relation) for t in parse.tokens] == [
        ("Moro", "VERB", 0, "root"),
        ("no", "ADP+DET", 2, "case"),
        ("Porto", "PROPN", 0, "obl"),
    ]
    tree = tree_of(parse)
    assert tree is not None and tree.end == 3


def test_stanza_itself(tmp_path: Path) -> None:
    pytest.importorskip("stanza", reason="stanza is not installed")
    parse = open_parser("en", "stanza").parse(["The dog sleeps."])[0]
    assert [token.text for token in parse.tokens] == ["The", "dog", "sleeps", "."]


def test_products_stay_in_one_thread_until_the_last_who_asked_for_it_leaves() -> None:
    found = openblas()
    if found is None:
        pytest.skip("this numpy brings no OpenBLAS of its own")
    count, set_count = found
    before = count()
    set_count(2)
    try:
        with one_thread():
            with one_thread():
                assert count() == 1
            assert count() == 1
        assert count() == 2
    finally:
        set_count(before)


def test_without_numpy_no_file_of_the_folder_at_hand_is_taken_for_its_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "libopenblas.so").write_text("anything")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(openblas.__wrapped__.__globals__, "find_spec", lambda name: None)
    openblas.cache_clear()
    try:
        assert openblas() is None
    finally:
        openblas.cache_clear()


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            [
                "I'm gonna go, let's see whether y'all ain't there.",
                "There is a  man \n who gotta leave, c'mon!",
                "The council which met in the U.S. closed the bridge.",
                "The council which met in the U.K. closed the ridge.",
            ],
        ),
        ("pt", ["O conselho fechou a ponte.", "A comissão não a fechou."]),
    ],
)
def test_rules_that_are_remembered_match_as_the_rulers_own(language: str, texts: list[str]) -> None:
    pipeline = spacy_parser.open_spacy(language)._pipeline
    ruler = pipeline.get_pipe("attribute_ruler")
    assert "match" in vars(ruler)
    with pipeline.select_pipes(disable=["attribute_ruler", "lemmatizer"]):
        docs = list(pipeline.pipe(texts * 2))
    assert [ruler.match(doc) for doc in docs] == [type(ruler).match(ruler, doc) for doc in docs]


@pytest.mark.parametrize("language", ["en", "pt"])
def test_words_told_by_their_kind_are_what_the_whole_pipeline_says(language: str) -> None:
    texts = {
        "en": [
            "I'm gonna go, let's see whether y'all ain't there.",
            "There is a  man \n who gotta leave, c'mon!",
            "There were two dogs which barked; he saw the saw that she saw.",
            "Left, they left the leaves left on the left.",
        ],
        "pt": ["O conselho fechou a ponte.", "A comissão não a fechou,  nem  a viu."],
    }[language]
    parser = spacy_parser.open_spacy(language)
    for _ in range(2):  # the second time every kind is known
        fresh = spacy_parser.SpacyParser(parser._pipeline)
        plain = [word_kinds.parse_of(parser._pipeline(text)) for text in texts]
        assert parser._kinds and fresh.parse(texts) == parser.parse(texts) == plain


def test_rules_are_told_though_fewer_kinds_are_kept_than_a_text_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_kinds, "KINDS_OF_WORDS", 3)  # as after the 50,000 of a large corpus
    pipeline = spacy_parser.open_spacy("en")._pipeline
    ruler = pipeline.get_pipe("attribute_ruler")
    remembered = word_kinds.RememberedRules(ruler)
    with pipeline.select_pipes(disable=["attribute_ruler", "lemmatizer"]):
        (doc,) = pipeline.pipe(["The old dog saw the new dog, and both of them ran away."])
    assert remembered.match(doc) == type(ruler).match(ruler, doc)


@pytest.mark.needs("spacy")
def test_the_words_of_a_lemmatizer_are_kept_in_sets() -> None:
    from spacy.lookups import Lookups

    lookups = Lookups()
    lookups.add_table("lemma_index", {"noun": ["dog", "cat"]})
    pipeline = SimpleNamespace(components=[("lemmatizer", SimpleNamespace(lookups=lookups))])
    word_kinds.find_words_at_once(pipeline)
    assert lookups.get_table("lemma_index")["noun"] == {"dog", "cat"}
    word_kinds.find_words_at_once(SimpleNamespace(components=[]))
