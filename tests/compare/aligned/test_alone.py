"""With links of each pair alone a verdict does not depend on what is judged together."""

from __future__ import annotations

import pytest

from polyglitch.compare.oracles.aligned import aligned
from polyglitch.records import Case, Input, Output, Trial
from polyglitch.tools import Toolbox

STORIES = [
    ("The man sold his car.", "The man sold his house.", "O homem vendeu o carro dele.", "O senhor vendeu sua casa."),
    ("The judge read the letter.", "The judge read the law.", "O juiz leu a carta.", "O juiz leu a lei em voz alta."),
    ("She came in black clothes.", "She came in black shoes.", "Veio de roupa preta.", "Veio de sapatos brancos."),
    ("The minister did not pay.", "The teacher did not pay.", "O ministro não pagou.", "O professor pagou."),
]  # fmt: skip


def trial(number: int, texts: tuple[str, str, str, str]) -> Trial:
    inputs = tuple(Input(text, language="en") for text in texts[:2])
    outputs = tuple((Output(text),) for text in texts[2:])
    return Trial(Case(str(number), "s", "similar", inputs), outputs)


@pytest.mark.slow
def test_a_pair_alone_and_among_others_gets_the_same_verdict() -> None:
    trials = [trial(number, texts) for number, texts in enumerate(STORIES)]
    oracle = aligned(language="pt", links="pair")
    together = oracle(trials, Toolbox())
    turned = oracle(trials[::-1], Toolbox())[::-1]
    alone = [oracle([one], Toolbox())[0] for one in trials]
    assert together == alone == turned
    assert len({verdict.score for verdict in alone}) == len(STORIES)
