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


CHINESE = [
    ("The mayor opened the new bridge on Friday.", "The mayor opened the new school on Friday.",
     "市长周五启用了新桥。", "市长周五开办了这所新学校。"),
    ("The doctor did not sign the letter.", "The nurse did not sign the letter.",
     "医生没有在信上签名。", "护士在信上签了名。"),
    ("Two ships left the harbour at dawn.", "Two boats left the harbour at dawn.",
     "黎明时分，两艘船离开了港口。", "两艘小船离开了。"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.needs("jieba")
def test_a_chinese_pair_alone_and_among_others_gets_the_same_verdict() -> None:
    trials = [trial(number, texts) for number, texts in enumerate(CHINESE)]
    oracle = aligned(language="zh")
    together = oracle(trials, Toolbox())
    alone = [oracle([one], Toolbox())[0] for one in trials]
    assert together == alone == oracle(trials[::-1], Toolbox())[::-1]
    assert len({verdict.score for verdict in alone}) == len(CHINESE)
    assert alone[1].outcome == "violated"  # a lost negation
