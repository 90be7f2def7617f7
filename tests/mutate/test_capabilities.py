"""Capabilities: the files say what they mean, wrong ones are told where, and cases read as a person would write."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from polyglitch.corpus.read import open_corpus
from polyglitch.errors import UsageError
from polyglitch.mutate.capabilities.cases import capability_cases
from polyglitch.mutate.capabilities.rules import choices, fill, replaced
from polyglitch.mutate.capabilities.spec import Replace, load_suite, read_capability
from polyglitch.records import Case, Input, Seed
from polyglitch.tools import Toolbox

SENTIMENT = [
    ("It is a dreadful film.", "negative"),
    ("The actors are wonderful in every scene.", "positive"),
    ("The story is boring and the jokes are stale.", "negative"),
    ("The film opens in a small village.", "neutral"),
    ("This is a film about a village.", "neutral"),
    ("A charming comedy.", "positive"),
    ("He wrote the script.", "neutral"),
    ("The crew visits a village by the river.", "neutral"),
]
HATE = [
    ("Women are stupid.", "hate"),
    ("I really enjoy the company of immigrants.", "non-hate"),
    ("Immigrants are wonderful.", "non-hate"),
    ("She met two Muslims at the station.", "non-hate"),
    ("The bloody bus was late again.", "non-hate"),
]


def seeds(rows: list[tuple[str, str]]) -> list[Seed]:
    return [Seed(str(n), Input(text, language="en"), label) for n, (text, label) in enumerate(rows)]


def made(suite: str, rows: list[tuple[str, str]], **options: object) -> dict[str, list[Case]]:
    pytest.importorskip("spacy")
    mutate = capability_cases(suite, lexicons=("bundled",), **options)  # type: ignore[arg-type]
    by: dict[str, list[Case]] = {}
    for case in mutate(seeds(rows), Toolbox()):
        by.setdefault(case.data["capability"], []).append(case)
    return by


def texts(cases: list[Case]) -> set[tuple[str, tuple[str, ...]]]:
    return {(case.inputs[-1].text, case.expected) for case in cases}


def test_the_bundled_suites_are_the_papers() -> None:
    assert len(load_suite("sentiment")) == 11
    assert len(load_suite("hate")) == 14
    assert len(load_suite("general")) >= 30
    assert len(load_suite("sentiment-pt")) >= 4
    assert len({each.title for each in load_suite("sentiment") + load_suite("hate")}) == 25


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            'title = "x"\ntask = "t"\nexpected = "a"\n\n[where]\nlable = "a"\n',
            6,
            "did you mean 'label'",
        ),
        ('title = "x"\ntask = "t"\n\n[where]\nwords = "few"\n', 5, '"< 10"'),
        (
            'title = "x"\ntask = "t"\n[[make]]\nconcat = ["{seed}"]\nexpected = "a"\n[[make]]\nexpected = 3\n',
            7,
            "expected",
        ),
        ('title = "x"\ntask = "t"\n[[make]]\nconcat = ["no seed"]\nexpected = "a"\n', 4, "{seed}"),
        ('title = "x"\ntask = "t"\n[[make]]\nconcat = ["{seed}"]\n', 3, "no label to expect"),
        ('title = "x"\ntask = "t"\nmust = "same"\n', 3, "needs a `change`"),
        ('title = "x"\ntask = "t"\nmust = "sane"\n', 3, "must"),
    ],
)
def test_a_wrong_file_is_told_where(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_capability(path)
    assert f"wrong.toml:{line}:" in str(error.value)
    assert message in str(error.value)


def test_sentiment_seeds_and_what_is_made_of_them() -> None:
    by = made("sentiment", SENTIMENT, expansions=0)
    assert ("A charming comedy.", ("positive",)) in texts(by["02-short-laden"])
    assert texts(by["04-negated-negative"]) == {
        ("It is not a dreadful film.", ("positive", "neutral"))
    }
    assert texts(by["05-negated-neutral"]) == {
        ("This is not a film about a village.", ("neutral",))
    }
    no = texts(by["10-question-no"])
    assert (
        'Do I think that "The actors are wonderful in every scene"? No.',
        ("negative",),
    ) in no
    assert all("charming comedy" not in text for text, _ in no), "a fragment is no clause"
    for case in by["08-author-over-others"]:
        others, _, own = case.inputs[0].text.partition("but I think that")
        assert ("wonderful" in own) == (case.expected == ("positive",))
        assert ("wonderful" in others) == (case.expected == ("negative",))
    for case in by["07-negated-positive"]:
        assert case.inputs[0].text.count('"') == 4
        middle = case.inputs[0].text.split('"')[1]
        assert any(middle == text.rstrip(".") for text, label in SENTIMENT if label == "neutral")
    assert len(by["03-change-over-time"]) == 18 + 2 * 9


def test_short_neutral_sentences_have_no_laden_word() -> None:
    by = made("sentiment", SENTIMENT, expansions=0)
    found = {text for text, _ in texts(by["01-short-neutral"])}
    assert "The film opens in a small village." in found
    assert "It is a dreadful film." not in found


def test_hate_capabilities_follow_the_group_that_is_named() -> None:
    by = made("hate", HATE, expansions=0)
    assert ("People say women are stupid, and I hate them too.", ("hate",)) in texts(
        by["05-reference-clause"]
    )
    assert ("People say women are stupid. Regardless, I like them.", ("non-hate",)) in texts(
        by["06-reference-sentence"]
    )
    denied = {text for text, _ in texts(by["07-negated-positive"])}
    assert [text for text in denied if text.endswith("that immigrants are wonderful.")]
    followed = [text for text in denied if text.startswith("She met two Muslims at the station")]
    assert len(followed) == len(denied) - 1 == 16, "eight drawn of each product"
    assert ('Statements like "Women are stupid" are hurtful.', ("non-hate",)) in texts(
        by["13-denounce-quote"]
    )
    assert {text for text, _ in texts(by["04-profanity-not-hateful"])} == {HATE[4][0]}
    assert HATE[3][0] in {text for text, _ in texts(by["11-identity-neutral"])}
    assert "01-slur" not in by


def test_fairness_swaps_people_and_keeps_grammar() -> None:
    by = made(
        "sentiment",
        [("He wrote the script.", "neutral"), ("You'll like it.", "positive")],
        expansions=0,
    )
    first, second = by["11-fairness"]
    assert first.inputs[0].text == "He wrote the script."
    assert "The black person wrote the script." in {item.text for item in first.inputs}
    assert "Women will like it." in {item.text for item in second.inputs}
    assert len({item.text for item in first.inputs}) == len(first.inputs) == 13


@pytest.mark.slow
def test_expansions_only_add_and_name_their_parent() -> None:
    by = made("sentiment", SENTIMENT, expansions=4)
    grown = [case for cases in by.values() for case in cases if "parent" in case.data]
    assert len(grown) > 20
    ids = {case.id for cases in by.values() for case in cases}
    for case in grown:
        assert case.data["parent"] in ids
        if case.relation.startswith("label"):
            before, after = (case.inputs[i].text for i in (0, 1))
            old, new = (
                [word.replace("an", "a") for word in re.findall(r"\w+", text.lower())]
                for text in (before, after)
            )
            assert len(new) == len(old) + len(case.data["words"])
            rest = iter(new)
            assert all(word in rest for word in old), "what was there stays, in its order"
            assert {word.lower().replace("an", "a") for word in case.data["words"]} <= set(new)


def test_another_language_goes_the_same_way() -> None:
    pytest.importorskip("spacy")
    corpus = list(open_corpus("sample:pt", language="pt"))
    mutate = capability_cases("sentiment-pt", expansions=2, proposer="neutral")
    by: dict[str, list[Case]] = {}
    for case in mutate(corpus, Toolbox()):
        by.setdefault(case.data["capability"], []).append(case)
    assert {name[:2] for name in by} == {"06", "07", "08", "09"}, (
        "templates are not asked of a corpus"
    )
    questions = texts(by["09-pergunta-citada"])
    assert ("Eu acho que o hotel é feio? Não.", ("positive", "neutral")) in questions
    assert ("Concordo que a atriz foi magnífica? Sim.", ("positive",)) in questions
    grown = {case.inputs[-1].text for case in by["06-frases-curtas"] if "parent" in case.data}
    assert "O filme é realmente maravilhoso." in grown
    for case in by["08-autor-e-outros"]:
        (own,) = [seed for seed in corpus if seed.id == case.seed_id]
        assert case.expected == (own.label,)


def test_a_suite_of_templates_says_how_it_is_run() -> None:
    with pytest.raises(UsageError, match="polyglitch generate --suite templates"):
        capability_cases("templates")


def test_a_bounded_rule_draws_from_its_product() -> None:
    assert list(choices([2, 3], None, "")) == list(product(range(2), range(3)))
    drawn = list(choices([20, 30, 40], 50, "a"))
    assert len(set(drawn)) == 50 and drawn == list(choices([20, 30, 40], 50, "a"))
    assert drawn != list(choices([20, 30, 40], 50, "b"))
    assert all(x < 20 and y < 30 and z < 40 for x, y, z in drawn)
    assert max(z for _, _, z in drawn) > 30 and max(x for x, _, _ in drawn) > 15


def test_the_same_seeds_give_the_same_cases() -> None:
    once, again = (made("sentiment", SENTIMENT, expansions=2) for _ in range(2))
    assert {k: [c.id for c in v] for k, v in once.items()} == {
        k: [c.id for c in v] for k, v in again.items()
    }


def test_rules_keep_capitals_and_marks() -> None:
    assert (
        fill("I think that {seed:clause}.", "The end is near.", "")
        == "I think that the end is near."
    )
    assert fill("I think that {seed:clause}.", "I agree!", "") == "I think that I agree."
    assert fill("I say {seed:clause}.", "Maria left.", "", name_first=True) == "I say Maria left."
    assert (
        replaced("That's all.", Replace({"That's": "that is not"}, at_start=True))
        == "That is not all."
    )
    assert (
        replaced("All of that's here.", Replace({"That's": "that is not"}, at_start=True)) is None
    )
