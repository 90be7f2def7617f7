"""Neuron coverage of a torch model by hooks: which activations leave the bounds seen on known inputs.

Boundary coverage counts neurons that some test drives below the lowest or above the highest known value, two corners a
neuron; strong activation coverage counts those driven above the highest (DeepGauge's NBC and SNAC).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from polyglitch.files.lazy_numpy import np
from polyglitch.protocols import Floats


@dataclass
class Bounds:
    """Lowest and highest activation of every neuron, by layer."""

    low: dict[str, Floats]
    high: dict[str, Floats]


@dataclass(frozen=True)
class Coverage:
    """How many neurons there are and which shares left their bounds."""

    neurons: int
    boundary: float
    strong: float


@contextmanager
def watching(model: Any, layers: Iterable[str], see: Callable[[str, Any], None]) -> Iterator[None]:
    """Call `see(layer, output)` whenever a named layer has run; hooks go when the block ends."""
    named = dict(model.named_modules())
    hooks = [
        named[name].register_forward_hook(
            lambda _module, _inputs, output, name=name: see(name, output)
        )
        for name in layers
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def measure_bounds(model: Any, layers: Iterable[str], run: Callable[[], None]) -> Bounds:
    """The bounds of all neurons (last dimension of a layer's output) while `run` runs the model."""
    bounds = Bounds({}, {})

    def see(name: str, output: Any) -> None:
        low, high = _extremes(output)
        if name in bounds.low:
            low, high = np.minimum(low, bounds.low[name]), np.maximum(high, bounds.high[name])
        bounds.low[name], bounds.high[name] = low, high

    with watching(model, layers, see):
        run()
    return bounds


def widened(one: Bounds, other: Bounds) -> Bounds:
    """The bounds of both together."""
    if not one.low:
        return other
    low = {name: np.minimum(row, other.low[name]) for name, row in one.low.items()}
    high = {name: np.maximum(row, other.high[name]) for name, row in one.high.items()}
    return Bounds(low, high)


def coverage(known: Bounds, seen: Bounds) -> Coverage:
    """What tests add to known inputs."""
    below = sum(int((seen.low[name] < known.low[name]).sum()) for name in known.low)
    above = sum(int((seen.high[name] > known.high[name]).sum()) for name in known.high)
    neurons = sum(len(row) for row in known.low.values())
    if not neurons:
        return Coverage(0, 0.0, 0.0)
    return Coverage(neurons, (below + above) / (2 * neurons), above / neurons)


def _extremes(output: Any) -> tuple[Floats, Floats]:
    tensor = output[0] if isinstance(output, tuple) else output
    flat = tensor.detach().reshape(-1, tensor.shape[-1])
    low = np.asarray(flat.amin(0).float().cpu().numpy(), np.float32)
    high = np.asarray(flat.amax(0).float().cpu().numpy(), np.float32)
    return low, high


def linear_layers(model: Any) -> list[str]:
    """The names of all linear layers."""
    import torch

    return [name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)]
