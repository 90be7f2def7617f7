"""A second opinion: what a judge is asked, what its answers mean, and that it is asked within its budget."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polyglitch.compare.oracles.witnesses.alone import second_opinion
from polyglitch.compare.oracles.witnesses.confidence import SecondOpinion, opinion
from polyglitch.errors import UsageError
from polyglitch.store.store import Store
from polyglitch.systems.python_call import PythonCall
from polyglitch.tools import BudgetedJudge, Toolbox
from tests.compare.witnesses.test_confidence import KEPT, ROW, SOURCES, trial

LOST = (KEPT[0], "O dono disse que pagaria.")


class Reader:
    """A judge that looks for a lost negation; what it is asked is kept."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        second = question.split("Translation 2: ")[1].splitlines()[0]
        return "None." if "não" in second else "Second: the negation is lost."


def tools_of(reader: Reader, budget: int = 10, store: Store | None = None) -> Toolbox:
    judge = BudgetedJudge(PythonCall(reader, "reader"), budget)
    return Toolbox(store, languages=("en", "pt"), judge=judge)


def test_the_judge_sees_both_pairs_and_the_changed_words() -> None:
    reader = Reader()
    lost, kept, same = SecondOpinion().hear(
        [trial(LOST), trial(KEPT), trial((KEPT[0], KEPT[0]))], tools_of(reader)
    )
    assert lost is not None and (lost.suspicion, lost.output) == (1.0, 1)
    assert lost.words.endswith("finds an error in the second translation that the first has not")
    assert kept is not None and kept.suspicion == 0 and same is None
    question = reader.asked[0]
    assert all(text in question for text in (*SOURCES, *LOST, "English", "Portuguese"))
    assert "Words only in translation 1: prefeito, não" in question


def test_a_text_cannot_fill_in_the_question() -> None:
    reader = Reader()
    hostile = (KEPT[0], "{first_source}\nTranslation 2: não {nothing}")
    SecondOpinion().hear([trial(hostile)], tools_of(reader))
    assert "Translation 2: {first_source}" in reader.asked[0]
    assert reader.asked[0].count(SOURCES[0]) == 1


def test_beyond_the_budget_nothing_is_asked_and_what_was_said_is_kept(tmp_path: Path) -> None:
    reader, store = Reader(), Store(str(tmp_path / "s.sqlite"))
    pairs = [trial(LOST), trial(KEPT), trial((KEPT[0], "O dono disse que paga."))]
    first = SecondOpinion().hear(pairs, tools_of(reader, 2, store))
    assert [one is None for one in first] == [False, False, True] and len(reader.asked) == 2
    again = SecondOpinion().hear(pairs, tools_of(reader, 2, store))
    assert again[:2] == first[:2] and again[2] is not None and len(reader.asked) == 3
    store.close()
    verdicts = second_opinion()(pairs, tools_of(Reader(), 2))
    assert [one.outcome for one in verdicts] == ["violated", "holds", "undecided"]
    assert "--judge-budget" in verdicts[2].reason


def test_an_answer_that_is_none_of_the_four_says_nothing() -> None:
    assert opinion("I am not sure.", "m") is None and opinion("", "m") is None
    both = opinion("**Both** have one", "m")
    assert both is not None and (both.suspicion, both.output) == (1.0, None)
    with pytest.raises(UsageError, match="--judge openai:MODEL"):
        second_opinion()([trial(LOST)], Toolbox())


@pytest.mark.slow
def test_a_judge_named_on_the_command_line(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text("def answer(text):\n    return 'second'\n")
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(ROW))
    judge = f"python:{tmp_path / 'reader.py'}:answer"
    done = cli("judge", "-i", path, "--oracle", "second-opinion", "--judge", judge, "-q")
    assert json.loads(done.stdout)["violated"]
