"""Phrases and clauses of several words: only by productions that the sentence lacks, where it bears them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from polyglitch.mutate.capabilities.cases import may_grow
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.expansion import Seen, expand
from polyglitch.mutate.capabilities.grown_drafts import GrownDraft, has_grown
from polyglitch.mutate.capabilities.phrase_frames import (
    PhraseFrame,
    frames,
    phrase_gaps,
    wordings,
)
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.nlp.lexicons.terms import INDEPENDENT, open_lexicon
from polyglitch.nlp.parsers.constituents import Grammar, open_grammar, productions, tree_of
from polyglitch.records import Candidate, Filling, Gap, Parse, Slot
from polyglitch.tools import Toolbox


class Chooser:
    """Fits `Proposer` and `PhraseFiller`: takes the last wording by the alphabet, and no single words."""

    signature = "chooser"

    def __init__(self) -> None:
        self.gaps: list[Gap] = []

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        raise AssertionError("who fills gaps is not asked for single words")

    def fill(
        self, gaps: Sequence[Gap], allowed: Callable[[str, str], bool], top: int
    ) -> list[list[Filling]]:
        self.gaps += gaps
        return [[Filling((max(gap.wordings),), 1.0)] if gap.wordings else [] for gap in gaps]


def parsed(*texts: str) -> list[Parse]:
    return Toolbox().parser("en").parse(list(texts))


def grown(parse: Parse, proposer: Chooser | None = None) -> list[Expanded]:
    words = proposer or Chooser()
    (found,) = expand(
        [parse],
        Toolbox().parser("en"),
        words,
        open_grammar("en"),
        open_lexicon("en", INDEPENDENT),
        9,
        Seen(words),
    )
    return [row for row in found if row.production]


def places(text: str) -> set[tuple[str, str]]:
    """The word that each frame would stand behind, with its production."""
    (parse,) = parsed(text)
    gaps = phrase_gaps(parse, open_grammar("en"))
    return {(parse.tokens[gap.index - 1].text, gap.frame.production) for gap in gaps}


def test_every_frame_is_a_production_of_the_reference_grammar_and_takes_no_side() -> None:
    grammar, lexicon = open_grammar("en"), open_lexicon("en", INDEPENDENT)
    assert len({frame.production for frame in frames("en")}) > 12
    for frame in frames("en"):
        if frame.parts[0] != "...":
            assert grammar.probability(frame.phrase, frame.parts) > 0, frame.production
        assert frame.adds in frame.parts
        for words in wordings(frame):
            sides = {lexicon.polarity(word, word) for word in words.split()}
            assert not sides & {"positive", "negative"}, words
    assert frames("pt") == ()


def test_wordings_are_all_choices_of_a_frame() -> None:
    frame = PhraseFrame(
        "NP -> NP SBAR", "SBAR", "behind noun", ("that (it|she) (tells|has to tell)", "we see")
    )
    assert wordings(frame) == (
        "that it tells",
        "that it has to tell",
        "that she tells",
        "that she has to tell",
        "we see",
    )


@pytest.mark.needs("spacy")
def test_a_clause_stands_behind_the_noun_that_bears_it() -> None:
    behind = "NP -> NP SBAR"
    assert ("story", behind) in places("The story is thin.")
    assert ("story", behind) not in places("A story is thin.")
    assert ("story", behind) not in places("Its story is thin.")
    assert ("story", behind) not in places("The story of two brothers is thin.")
    assert ("story", behind) not in places("The story that they tell is thin."), "it has one"
    assert ("film", behind) in places("It is the best film.")
    assert ("film", behind) not in places("It is the long film.")
    assert ("movie", "NP -> NP , SBAR ,") in places("The movie works.")
    assert ("movie", "NP -> NP , SBAR ,") not in places(
        "The cast works even when the movie doesn't."
    )
    assert ("plot", "NP -> NP PP") in places("The plot is thin.")
    assert ("plot", "NP -> NP PP") not in places("The plot is thin and the movie is long."), (
        "beside a movie, of the film would name another"
    )


@pytest.mark.needs("spacy")
def test_an_aside_parts_subject_and_verb_of_the_main_clause() -> None:
    aside = "S -> NP , SBAR , VP ."
    assert ("script", aside) in places("The script is thin.")
    assert ("script", aside) not in places("If the script is thin, nobody cares.")
    assert ("script", aside) not in places("Sadly, the script is thin.")
    assert ("script", aside) not in places("Is the script thin?")
    assert not any(
        production == aside for _, production in places("I saw that the script is thin.")
    )


@pytest.mark.needs("spacy")
def test_a_statement_of_one_clause_grows_at_its_end() -> None:
    joined, clause = "VP -> VP CC VP", "VP -> ... SBAR"
    assert {("funny", joined), ("funny", clause)} <= places("The film is funny.")
    assert ("funny", clause) not in places("The film is funny because the cast is funny.")
    assert ("funny", clause) not in places("The film is not funny.")
    assert ("nothing", joined) not in places("The film has nothing."), "who has does not do so"
    assert ("comedy", "NP -> NP PP .") in places("A dull comedy.")
    assert ("comedy", "NP -> NP PP .") not in places("A dull comedy that drags.")


@pytest.mark.needs("spacy")
def test_what_is_added_is_read_as_the_phrase_that_was_meant() -> None:
    (before,) = parsed("The story is thin.")
    for added, label, fine in (
        (" that it tells", "SBAR", True),
        (" that it tells", "PP", False),
        (" of the film", "PP", True),
        (" telling", "SBAR", False),
    ):
        (after,) = parsed(f"The story{added} is thin.")
        draft = GrownDraft(after.text, 9, 2, tuple(added.split()), (label,), "NP -> NP " + label)
        assert has_grown(before, after, draft) is fine, added
    (other,) = parsed("The story is thin, and I mean it.")
    draft = GrownDraft(other.text, 17, 4, ("and", "I", "mean", "it"), ("S",), "S -> S , CC S")
    assert has_grown(before, other, draft)


@pytest.mark.needs("spacy")
def test_a_sentence_grows_once_by_each_production_and_clauses_come_out() -> None:
    (parse,) = parsed("The story is thin.")
    chooser = Chooser()
    found = grown(parse, chooser)
    made = [row.production for row in found]
    assert len(set(made)) == len(made) >= 4
    assert sum("SBAR" in row.tags or "VP" in row.tags for row in found) >= 2
    assert all(len(row.words) > 1 for row in found if row.tags != ("NP",))
    for row in found:
        tree = tree_of(row.parse)
        assert tree is not None
        assert any(row.tags[0] in parts for _, parts, _ in productions(tree)), row.parse.text
    asked = [gap for gap in chooser.gaps if gap.wordings]
    assert asked and all(
        gap.text == parse.text and words[0] in " ," for gap in asked for words in gap.wordings
    )


@pytest.mark.needs("spacy")
def test_a_grammar_without_the_production_lets_nothing_grow() -> None:
    (parse,) = parsed("The story is thin.")
    poor = Grammar({"S": {("NP", "VP", "."): 1}, "NP": {("DT", "NN"): 1}})
    assert phrase_gaps(parse, poor) == []


@pytest.mark.needs("spacy")
def test_no_rule_quotes_the_view_of_the_writer() -> None:
    (parse, personal) = parsed("The story is thin.", "I think the story is thin.")
    (plain,) = load_suite("sentiment", ("02-short-laden",))
    (quoting,) = load_suite("sentiment", ("10-question-no",))
    views = [row for row in grown(parse) if row.view]
    others = [row for row in grown(parse) if not row.view]
    assert views and others
    assert all(may_grow(plain, row) for row in (*views, *others))
    assert not any(may_grow(quoting, row) for row in views)
    assert all(may_grow(quoting, row) for row in others)
    assert not any(gap.frame.view for gap in phrase_gaps(personal, open_grammar("en")))


@pytest.mark.needs("spacy")
def test_a_second_statement_grows_behind_its_conjunction() -> None:
    joined, begun = "S -> SBAR , NP VP", "S -> CC , SBAR , NP VP ."
    assert ("but", joined) in places("The plot is thin, but it's a funny film.")
    assert ("but", joined) not in places("The plot is thin but funny.")
    assert ("But", begun) in places("But the script is thin.")
    assert ("But", joined) not in places("But the script is thin.")
    (parse,) = parsed("The plot is thin, but it's a funny film.")
    (text,) = [row.parse.text for row in grown(parse) if row.production == joined]
    assert text.startswith("The plot is thin, but, ") and text.endswith(", it's a funny film.")


@pytest.mark.needs("spacy")
def test_an_opinion_is_told_of_judgements_alone() -> None:
    (judged, told, kept) = parsed(
        "The script is thin.", "The script follows two brothers.", "The script is on the shelf."
    )
    assert not any(row.frame.judges for row in phrase_gaps(kept, open_grammar("en")))
    own = {row.frame.judges for row in phrase_gaps(told, open_grammar("en")) if row.frame.view}
    assert own == {False}
    assert any(row.frame.judges for row in phrase_gaps(judged, open_grammar("en")))
    (sure,) = parsed("The script is certainly thin.")
    assert not any(row.frame.sure for row in phrase_gaps(sure, open_grammar("en")))
