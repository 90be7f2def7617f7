"""How the tensors of GGUF files are packed: blocks of weights that share a scale, unpacked to float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyglitch.protocols import Floats

SMALL, LARGE = 32, 256  # weights of a block


def float32(blocks: Any) -> Floats:
    """Numbers as they are."""
    return np.ascontiguousarray(blocks).view("<f4").astype(np.float32)


def float16(blocks: Any) -> Floats:
    """Numbers of half the length."""
    return np.ascontiguousarray(blocks).view("<f2").astype(np.float32)


def bfloat16(blocks: Any) -> Floats:
    """The upper halves of float32 numbers."""
    upper = np.ascontiguousarray(blocks).view("<u2").astype(np.uint32)
    return (upper << 16).view(np.float32)


def halves(packed: Any) -> Any:
    """Four-bit numbers of some bytes: all lower halves, then all upper ones."""
    return np.concatenate([packed & 15, packed >> 4], -1)


def q4_0(blocks: Any) -> Floats:
    """Scale, then 32 weights of four bits around 8."""
    found: Floats = float16(blocks[:, :2]) * (halves(blocks[:, 2:]).astype(np.int8) - 8)
    return found


def q4_1(blocks: Any) -> Floats:
    """Scale, least value, then 32 weights of four bits: the lower halves of 16 bytes, then the upper ones."""
    scale, least = float16(blocks[:, :2]), float16(blocks[:, 2:4])
    found: Floats = halves(blocks[:, 4:]) * scale + least
    return found


def q8_0(blocks: Any) -> Floats:
    """Scale, then 32 weights of eight bits."""
    found: Floats = float16(blocks[:, :2]) * blocks[:, 2:].view(np.int8)
    return found


def scales_of(packed: Any) -> tuple[Floats, Floats]:
    """Eight scales and eight least values of six bits each, from twelve bytes."""
    low, least, rest = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scale = np.concatenate([low & 63, (rest & 15) | ((low >> 6) << 4)], 1)
    minimum = np.concatenate([least & 63, (rest >> 4) | ((least >> 6) << 4)], 1)
    return scale.astype(np.float32), minimum.astype(np.float32)


def q4_k(blocks: Any) -> Floats:
    """Eight groups of 32 weights of four bits, each with a scale and a least value of six bits."""
    scale, least = scales_of(blocks[:, 4:16])
    scale *= float16(blocks[:, :2])
    least *= float16(blocks[:, 2:4])
    values = halves(blocks[:, 16:].reshape(-1, 4, 32)).reshape(-1, 8, 32).astype(np.float32)
    values *= scale[:, :, None]
    values -= least[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


def q5_k(blocks: Any) -> Floats:
    """The same with a fifth bit of each weight apart from the others."""
    scale, least = scales_of(blocks[:, 4:16])
    scale *= float16(blocks[:, :2])
    least *= float16(blocks[:, 2:4])
    fifth = (blocks[:, None, 16:48] >> np.arange(8, dtype=np.uint8)[:, None]) & 1
    low = halves(blocks[:, 48:].reshape(-1, 4, 32)).reshape(-1, 8, 32)
    values = (low | (fifth << 4)).astype(np.float32)
    values *= scale[:, :, None]
    values -= least[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


def q6_k(blocks: Any) -> Floats:
    """Sixteen groups of 16 weights: four bits in one place, two in another, a scale of eight bits."""
    low = halves(blocks[:, :128].reshape(-1, 2, 64)).reshape(-1, 2, 4, 32)
    shifts = np.array([0, 2, 4, 6], np.uint8)[:, None]
    high = (blocks[:, 128:192].reshape(-1, 2, 1, 32) >> shifts) & 3
    values = ((low | (high << 4)).astype(np.int8) - 32).reshape(-1, 16, 16).astype(np.float32)
    scale = blocks[:, 192:208].view(np.int8) * float16(blocks[:, 208:])
    values *= scale[:, :, None]
    found: Floats = values.reshape(-1, LARGE)
    return found


# By the number of the kind: the bytes of one block, the weights in it, and how they are unpacked.
KINDS = {
    0: (4, 1, float32),
    1: (2, 1, float16),
    2: (18, SMALL, q4_0),
    3: (20, SMALL, q4_1),
    8: (34, SMALL, q8_0),
    12: (144, LARGE, q4_k),
    13: (176, LARGE, q5_k),
    14: (210, LARGE, q6_k),
    30: (2, 1, bfloat16),
}
