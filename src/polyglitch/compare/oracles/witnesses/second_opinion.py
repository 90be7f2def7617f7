"""A second opinion: a language model is shown both sources, both translations and the changed words, and asked.

It is dear and not always right, so it is asked only about pairs that other witnesses leave open, within a budget; what
it said is kept, and asked again only when the model or the question changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from polyglitch.compare.oracles.witnesses.changed_words import Pair, Statement, changed_pair
from polyglitch.files.foreign import one_line
from polyglitch.files.settings import parse_toml
from polyglitch.languages import language as language_of
from polyglitch.protocols import Tools
from polyglitch.records import Trial, digest

# What an answer may be, and which output it blames.
ANSWERS: dict[str, tuple[float, int | None, str]] = {
    "first": (1.0, 0, "finds an error in the first translation that the second has not"),
    "second": (1.0, 1, "finds an error in the second translation that the first has not"),
    "both": (1.0, None, "finds an error of its own in each translation"),
    "none": (0.0, None, "finds both translations equally good"),
}
LONGEST = 2000  # characters of a text in the question


class SecondOpinion:
    """Asks the judge of the campaign about every pair it is given whose outputs differ."""

    name = "judge"

    def __init__(self, language: str | None = None) -> None:
        self.language = language  # of the outputs, where the campaign does not tell
        self.signature = f"judge(question={digest([question_frame()], 8)})"

    def hear(self, trials: Sequence[Trial], tools: Tools) -> list[Statement | None]:
        """1 where the judge sees an error that one output has and the other has not, else 0; nothing unasked."""
        judge = tools.judge
        if judge is None:
            return [None] * len(trials)
        languages = (tools.languages[0], self.language or tools.languages[1])
        pairs = [changed_pair(trial, languages[1]) for trial in trials]
        questions = [pair and question(pair, languages) for pair in pairs]
        wanted = list(dict.fromkeys(text for text in questions if text))
        kind = f"judge:{judge.signature}"
        keys = {text: digest([text], 32) for text in wanted}
        known = tools.remember(kind, list(keys.values()))
        new = [text for text in wanted if keys[text] not in known]
        answers = zip(new, judge.answers(new), strict=True)
        said = {keys[text]: answer for text, answer in answers if answer is not None}
        tools.keep(kind, said)
        known |= said
        name = judge.signature.partition("|")[0]
        return [opinion(known.get(keys[text]), name) if text else None for text in questions]


def question(pair: Pair, languages: tuple[str | None, str | None]) -> str:
    """What the judge is asked about a pair; all that a system said stands between marks, as text to be judged."""
    changed = [
        ", ".join(
            pair.text(word) for word in pair.words if word.output == output and not word.early
        )
        for output in (0, 1)
    ]
    names = [language_of(code).name or code if code else "another language" for code in languages]
    values = {
        "source": names[0] if languages[0] else "one language",
        "target": names[1],
        **dict(zip(("first_source", "second_source"), pair.inputs, strict=True)),
        **dict(zip(("first", "second"), pair.outputs, strict=True)),
        **dict(zip(("first_changed", "second_changed"), changed, strict=True)),
    }
    shown = {key: one_line(str(text), LONGEST) or "(nothing)" for key, text in values.items()}
    # In one step, so that a text with a name in braces is not filled in turn.
    return re.sub(r"\{(\w+)\}", lambda match: shown[match[1]], question_frame())


@cache
def question_frame() -> str:
    """The question with places for the texts."""
    text = files("polyglitch").joinpath("resources", "judge.toml").read_text("utf-8")
    return str(parse_toml(text, "judge.toml")["question"])


def opinion(answer: str | None, name: str) -> Statement | None:
    """An answer as a statement; one that is none of the four says nothing."""
    found = re.match(r"\W*(\w+)", (answer or "").casefold())
    if not found or found[1] not in ANSWERS:
        return None
    suspicion, output, words = ANSWERS[found[1]]
    return Statement(SecondOpinion.name, suspicion, f"{name} {words}", output)
