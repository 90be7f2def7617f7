"""Gradients to the source embeddings of any torch model, without a second way through it.

The embeddings are caught where the model itself looks them up, so that whatever it does next (Marian multiplies them by
`embed_scale` when it is given ids, and not when it is given embeddings) is done as in an ordinary call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def caught_embeddings(module: Any) -> Iterator[list[Any]]:
    """The output of the first call of an embedding module, made the start of the gradient."""
    caught: list[Any] = []

    def catch(_: Any, __: Any, output: Any) -> Any:
        if caught:  # a decoder that shares the module is left alone
            return output
        caught.append(output.detach().requires_grad_())
        return caught[0]

    hook = module.register_forward_hook(catch)
    try:
        yield caught
    finally:
        hook.remove()
