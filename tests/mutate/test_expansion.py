"""Growing a sentence: where, by which tags, and that whoever fills a gap is asked at the right place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import pytest

from polyglitch.mutate.capabilities.cases import may_grow
from polyglitch.mutate.capabilities.expanded import Expanded
from polyglitch.mutate.capabilities.expansion import AROUND, Seen, expand, mixed, with_mask
from polyglitch.mutate.capabilities.places import sure_places, wide_gaps
from polyglitch.mutate.capabilities.set_phrases import closed_texts, opened_texts
from polyglitch.mutate.capabilities.spec import load_suite
from polyglitch.nlp.lexicons.terms import open_lexicon
from polyglitch.nlp.parsers.constituents import Grammar, open_grammar
from polyglitch.records import Candidate, Edit, Filling, Gap, Parse, Slot
from polyglitch.tools import Toolbox

TEXT = "The film is a wonderful surprise."


@pytest.fixture(scope="module")
def parse() -> Parse:
    (found,) = Toolbox().parser("en").parse([TEXT])
    return found


class Filler:
    """Fits `Proposer` and `PhraseFiller`; knows a few words of each tag and remembers what it was asked."""

    signature = "filler"
    words: ClassVar = {",": ",", "IN": "in", "NN": "fact", "JJ": "modern"}

    def __init__(self) -> None:
        self.gaps: list[Gap] = []

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        raise AssertionError("who fills gaps is not asked for single words")

    def fill(
        self, gaps: Sequence[Gap], allowed: Callable[[str, str], bool], top: int
    ) -> list[list[Filling]]:
        self.gaps += gaps
        assert allowed("modern", "JJ") and not allowed("terrible", "JJ")
        known = [all(tag in self.words for tag in gap.tags) for gap in gaps]
        return [
            [Filling(tuple(self.words[tag] for tag in gap.tags), -1.0)] if fine else []
            for gap, fine in zip(gaps, known, strict=True)
        ]


@pytest.mark.needs("spacy")
def test_a_mask_is_where_the_text_has_it(parse: Parse) -> None:
    masked = with_mask(parse, 1, "JJ", ("long",))
    assert masked.text == "The ___ long film is a wonderful surprise."
    assert [masked.text[t.start : t.end] for t in masked.tokens] == [t.text for t in masked.tokens]
    assert Slot(masked, 1).token.tag == "JJ"


@pytest.mark.needs("spacy")
def test_a_sentence_grows_by_phrases_of_several_words(parse: Parse) -> None:
    tools, filler = Toolbox(), Filler()
    lexicon = open_lexicon("en", ("bundled",))
    ((*grown,),) = expand(
        [parse], tools.parser("en"), filler, open_grammar("en"), lexicon, 9, Seen(filler)
    )
    texts = [row.parse.text for row in grown]
    assert "The film is, in fact, a wonderful surprise." in texts
    assert "The modern film is a wonderful surprise." in texts
    assert len(set(texts)) == len(texts)
    for gap in filler.gaps:
        assert gap.text == TEXT and gap.text[gap.at : gap.at + 1] in (" ", ".")


@pytest.mark.needs("spacy")
def test_gaps_are_where_richer_productions_have_a_word(parse: Parse) -> None:
    found = {(gap.index, gap.tags) for gap in wide_gaps(parse, open_grammar("en"))}
    assert found == {(1, ("JJ",)), (3, ("RB",)), (3, (",", "IN", "NN", ","))}
    poor = Grammar({"S": {("NP", "VP", "."): 1}})
    assert wide_gaps(parse, poor) == []


@pytest.mark.needs("spacy")
def test_a_statement_grows_by_a_set_phrase_before_it_and_no_rule_quotes_that() -> None:
    parser, grammar = Toolbox().parser("en"), open_grammar("en")
    statement, two, name, fragment, opened, question = parser.parse(
        [
            "The jokes are stale.",
            "The soup was cold and the waiter ignored us.",
            "Duvall is strong.",
            "A lazy film with a silly script.",
            "By the way, the jokes are stale.",
            "Who wrote the jokes?",
        ]
    )
    texts = [text for _, text in opened_texts(statement, grammar, "en")]
    assert "For the record, the jokes are stale." in texts and len(set(texts)) == len(texts) > 10
    assert texts == [text for _, text in opened_texts(statement, grammar, "en")]
    assert any(opened_texts(two, grammar, "en"))
    assert all(
        text.endswith(", Duvall is strong.") for _, text in opened_texts(name, grammar, "en")
    )
    assert not any(any(opened_texts(one, grammar, "en")) for one in (fragment, opened, question))
    (capability,) = load_suite("sentiment", ("02-short-laden",))
    (quoting,) = load_suite("sentiment", ("10-question-no",))
    (grown,) = expand(
        [statement], parser, Filler(), grammar, open_lexicon("en", ("bundled",)), 5, Seen(Filler())
    )
    behind = [text for _, text in closed_texts(fragment, grammar, "en")]
    assert "A lazy film with a silly script, as I said before." in behind
    assert not any(closed_texts(question, grammar, "en"))
    before = [row for row in grown if row.around]
    assert before and all(may_grow(capability, row) for row in before)
    assert not any(may_grow(quoting, row) for row in before)


@pytest.mark.needs("spacy")
def test_a_word_of_certainty_stands_where_the_writer_says_something() -> None:
    grammar = open_grammar("en")
    texts = {
        "The story goes nowhere.": ["goes"],
        "Maria is a filmmaker of talent.": ["a"],
        "The viewers will leave.": ["leave"],
        "If the script was poor, they missed it.": ["missed"],
        "I missed the script.": [],
        "There is a script.": ["is"],
        "Who wrote the script?": [],
        "The film is not funny.": [],
    }
    for text, parse in zip(texts, Toolbox().parser("en").parse(list(texts)), strict=True):
        found = [
            (parse.tokens[gap.index].text, gap.tags[0]) for gap, _ in sure_places(parse, grammar)
        ]
        # As an adverb, and as an aside between commas: far from other commas, and not behind *there*.
        tags = ("RB",) if "," in text or "There" in text else (",", "RB")
        assert sorted(found) == [(word, tag) for word in texts[text] for tag in tags], text


@pytest.mark.needs("spacy")
def test_most_of_what_grows_grows_within(parse: Parse) -> None:
    lexicon, parser = open_lexicon("en", ("bundled",)), Toolbox().parser("en")
    for proposer in (Filler(), Toolbox().proposer("ngrams", "en")):
        (grown,) = expand([parse], parser, proposer, open_grammar("en"), lexicon, 3, Seen(proposer))
        assert [row.around for row in grown] == [False, False, True]


@pytest.mark.needs("spacy")
def test_set_phrases_keep_off_titles_commands_and_inversions() -> None:
    parser, grammar = Toolbox().parser("en"), open_grammar("en")
    title, bare, command, inverted, plain, personal = parser.parse(
        [
            "The Sum of All Fears is a dull film.",
            "Promises is a compelling piece.",
            "Wait for the film to hit cable.",
            "Rarely has a title served such a warning.",
            "The film is a dull piece of work.",
            "I am a fan of the film.",
        ]
    )
    assert not any(any(opened_texts(one, grammar, "en")) for one in (title, bare))
    assert not any(any(closed_texts(one, grammar, "en")) for one in (command, inverted))
    openings = [text for _, text in opened_texts(plain, grammar, "en")]
    assert "As I see it, the film is a dull piece of work." in openings
    assert any(closed_texts(plain, grammar, "en"))
    own = [phrase.text for phrase, _ in opened_texts(personal, grammar, "en")]
    assert own and "as I see it" not in own


def test_a_text_grows_once_whichever_way_it_came() -> None:
    """A set phrase at the end is a production of the sentence for one way, and stands around it for the other."""
    edit = Edit("expand", 4, 4, "", "as I said")

    def grown(text: str, around: bool = False) -> Expanded:
        return Expanded(Parse(text, ()), edit, ("as", "I", "said"), ("SBAR",), "", around=around)

    within = [grown("It broke, as I said.")]
    around = [grown("It broke, as I said.", True), grown("After all, it broke.", True)]
    texts = [one.parse.text for one in mixed(within, around, 3, AROUND)]
    assert texts == ["It broke, as I said.", "After all, it broke."]
