"""A WordNet in miniature, in the format of wndb(5WN), and the real one where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.nlp.lexicons.words import WordNet, dictionary_folder, open_wordnet

LICENCE = "  1 This line stands for the licence that opens every file  \n"
# word: synset number; the pointers of each synset: symbol, number of the other, ends
MEANINGS = [
    (("hill", "mound"), [("@", 1, "0000")]),
    (("elevation",), [("~", 0, "0000")]),
    (("height",), [("!", 3, "0101")]),
    (("depth",), [("!", 2, "0101")]),
]


@pytest.fixture
def small(tmp_path: Path) -> WordNet:
    """Nouns only; the other parts of speech are there and all but empty."""
    lines: list[str] = []
    offsets: list[int] = []
    place = len(LICENCE)
    for words, pointers in MEANINGS:
        offsets.append(place)
        named = " ".join(f"{word} 0" for word in words)
        # Offsets have eight digits, so that a line is as long before they are known.
        links = " ".join(f"{symbol} {{{to}:08d}} n {ends}" for symbol, to, ends in pointers)
        text = f"{{own:08d}} 05 n {len(words):02x} {named} {len(pointers):03d} {links} | a meaning"
        lines.append(text)
        place += len(text.replace("{own:08d}", "0" * 8)) + 1
        for number in range(len(MEANINGS)):
            place -= text.count(f"{{{number}:08d}}") * (len(f"{{{number}:08d}}") - 8)
    made = [line.format(*offsets, own=own) for line, own in zip(lines, offsets, strict=True)]
    (tmp_path / "data.noun").write_text(LICENCE + "\n".join(made) + "\n")
    index = sorted(
        f"{word} n 1 1 @ 1 0 {offsets[number]:08d}"
        for number, (words, _) in enumerate(MEANINGS)
        for word in words
    )
    (tmp_path / "index.noun").write_text(LICENCE + "\n".join(index) + "\n")
    (tmp_path / "noun.exc").write_text("hilltops hill\n")
    for part in ("verb", "adj", "adv"):
        (tmp_path / f"index.{part}").write_text(LICENCE)
        (tmp_path / f"data.{part}").write_text(LICENCE)
    return WordNet(tmp_path)


def test_forms_synonyms_and_pointers(small: WordNet) -> None:
    assert small.bases("Hills", "NOUN") == ["hill"]
    assert small.bases("hilltops", "NOUN") == ["hill"]  # from the list of exceptions
    assert small.bases("valleys", "NOUN") == [] == small.synsets("hill", "VERB")
    assert small.synonyms("hills", "NOUN") == {"mound"}
    assert small.hypernyms("mound", "NOUN") == {"elevation"}
    assert small.antonyms("height", "NOUN") == {"depth"}
    assert small.neighbours("hill", "NOUN") == {"hill", "mound", "elevation"}
    assert small.synonyms("hill", "X") == set()


def test_the_installed_one() -> None:
    if dictionary_folder() is None:
        pytest.skip("WordNet is not installed: apt-get install wordnet-base")
    lexicon = open_wordnet()
    assert lexicon.bases("children", "NOUN") == ["child"]
    assert "automobile" in lexicon.synonyms("cars", "NOUN")
    assert "bad" in lexicon.antonyms("good", "ADJ")
