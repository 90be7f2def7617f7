"""All that a Bergamot model shows of some translations: every head, and gradients of several losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from polyglitch.protocols import Floats
from polyglitch.systems.bergamot.network import END, by_length, padded
from polyglitch.systems.bergamot.system import model_folder, open_translator
from polyglitch.systems.white_box import attributes

LEAST_MARGIN = 0.05  # below it the logarithm of a margin would outweigh all others


def margin(scores: Tensor, wanted: Tensor) -> Tensor:
    """How far each wanted word is ahead of the best other one."""
    own = scores.gather(1, wanted)[:, 0]
    return own - scores.scatter(1, wanted, -torch.inf).max(-1).values


def entropy(scores: Tensor) -> Tensor:
    """How spread out the choice of each word is."""
    logs = scores.log_softmax(-1)
    return -(logs.exp() * logs).sum(-1)


def chosen(scores: Tensor, wanted: Tensor) -> Tensor:
    """The log-probability of each wanted word."""
    return scores.log_softmax(-1).gather(1, wanted)[:, 0]


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "loss": lambda scores, wanted: -chosen(scores, wanted).sum(),
    "margin": lambda scores, wanted: -margin(scores, wanted).sum(),
    "log margin": lambda s, w: -margin(s, w).clamp(min=LEAST_MARGIN).log().sum(),
    "entropy": lambda scores, _: entropy(scores).sum(),
}


class Sight(NamedTuple):
    """What the model shows of one sentence and its translation."""

    spans: list[tuple[int, int]]
    surprisals: Floats  # of each output token
    entropies: Floats
    attention: Floats  # layer x head x target x source
    norms: dict[str, Floats]  # of the gradient of each loss, a source token
    products: dict[str, Floats]

    @property
    def doubts(self) -> Floats:
        """One minus the probability of each output token."""
        return np.asarray(1 - np.exp(-self.surprisals), np.float32)

    @property
    def trained(self) -> Floats:
        """The attention of the head that was trained to align."""
        return np.asarray(self.attention[-1][0], np.float32)


def look(outputs: dict[str, str]) -> dict[str, Sight]:
    """Look into the model with each sentence and its translation."""
    torch.set_num_threads(1)
    translator = open_translator(model_folder("en-pt"))
    network = translator.network
    texts = list(outputs)
    sources = [translator.encode(text) for text in texts]
    targets = [[*translator.pieces.encode(outputs[text]), END] for text in texts]
    found: dict[str, Sight] = {}
    for some in by_length([ids for ids, _ in sources]):
        ids, mask = padded([sources[n][0] for n in some])
        wanted, present = padded([targets[n] for n in some])
        with torch.enable_grad():
            embedded = network.embed(ids).requires_grad_()
            memory = network.encode(embedded, mask)
            nothing = torch.zeros(len(ids), 1, network.width)
            before = torch.cat([nothing, network.embed(wanted[:, :-1])], 1)
            states, _, layers = network.decode(before, memory, network.start(len(ids)), 0)
            scores, words = network.logits(states[present]), wanted[present][:, None]
            gradients = {
                name: torch.autograd.grad(loss(scores, words), embedded, retain_graph=True)[0]
                for name, loss in LOSSES.items()
            }
        surprisals, entropies = (
            -spread(chosen(scores, words), present),
            spread(entropy(scores), present),
        )
        attention = torch.stack(layers, 1).detach().numpy()
        for row, number in enumerate(some):
            s, t = len(sources[number][0]), len(targets[number])
            pairs = {
                name: attributes(gradient[row, :s], embedded[row, :s])
                for name, gradient in gradients.items()
            }
            found[texts[number]] = Sight(
                sources[number][1],
                surprisals[row, :t].numpy(),
                entropies[row, :t].numpy(),
                attention[row, :, :, :t, :s],
                {name: pair[0] for name, pair in pairs.items()},
                {name: pair[1] for name, pair in pairs.items()},
            )
    return found


def spread(values: Tensor, present: Tensor) -> Tensor:
    """Values of the words of a batch back in their rows."""
    return torch.zeros(present.shape).masked_scatter(present, values.detach())
