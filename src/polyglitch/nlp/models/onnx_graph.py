"""Small networks for onnxruntime, put together node by node.

Written by hand as the package `onnx`, which does this, is 30 MB for the few fields of its files that are needed here.
A file is protobuf: a field is its number and kind, then a number or so many bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.files.lazy_numpy import np

FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7  # as the format numbers them
KINDS = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
NUMBER, NUMBERS, REAL = 2, 7, 1  # kinds of an attribute
# How products are computed with it, told wherever what depends on their last digits is kept.
ARITHMETIC = "int8.2"
FORMAT, OPERATORS, CONTRIBUTED = 8, 17, "com.microsoft"  # versions, and whose further operators


@cache
def has_onnxruntime() -> bool:
    """Whether it is installed."""
    return find_spec("onnxruntime") is not None


def varint(value: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    value &= (1 << 64) - 1  # how negative ones are written
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: int | str | bytes) -> bytes:
    """A field of a message: a number, or something with a length before it."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    """A setting of a node."""
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, REAL)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, NUMBER)
    return field(1, name) + b"".join(field(8, one) for one in value) + field(20, NUMBERS)


def described(name: str, width: int | None) -> bytes:
    """What goes in or comes out: as many rows as there are of so many numbers, or of any shape."""
    tensor = field(1, FLOAT)
    if width is not None:
        tensor += field(2, field(1, field(2, f"rows of {name}")) + field(1, field(1, width)))
    return field(1, name) + field(2, field(1, tensor))


class Graph:
    """Nodes in the order in which they are computed; what each makes goes by a name."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, Any] = {}
        self._shared: dict[str, str] = {}
        self._made = 0

    def constant(self, values: Any) -> str:
        """Numbers that stay the same."""
        name = self._name()
        self._constants[name] = np.asarray(values)
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **settings: Any) -> str:
        """What an operator makes of its inputs."""
        name = self._name()
        self._add(operator, inputs, [name], domain, settings)
        return name

    def nodes(self, operator: str, count: int, *inputs: str, **settings: Any) -> list[str]:
        """The same of an operator that makes several things."""
        names = [self._name() for _ in range(count)]
        self._add(operator, inputs, names, "", settings)
        return names

    def once(self, name: str, make: Callable[[], str]) -> str:
        """What several nodes need, made for the first of them."""
        if name not in self._shared:
            self._shared[name] = make()
        return self._shared[name]

    def put(self, name: str, made: str) -> None:
        """Give what was made a name by which it comes out."""
        self._add("Identity", [made], [name], "", {})

    def session(self, inputs: Mapping[str, int | None], outputs: Mapping[str, int | None]) -> Any:
        """The network, ready to run on one thread; rows of so many numbers, or of any shape, go in and come out."""
        import onnxruntime

        onnxruntime.set_default_logger_severity(3)
        onnxruntime.disable_telemetry_events()  # Windows would be told
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Else each network keeps room of its own, and one after the other finds it cold: a third of all time.
        options.enable_cpu_mem_arena = False
        return onnxruntime.InferenceSession(
            self._file(inputs, outputs), options, providers=["CPUExecutionProvider"]
        )

    def _name(self) -> str:
        self._made += 1
        return f"_{self._made}"

    def _add(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str,
        settings: Mapping[str, Any],
    ) -> None:
        parts = [field(1, one) for one in inputs]
        parts += [field(2, one) for one in outputs]
        parts += [field(4, operator), field(7, domain)]
        parts += [field(5, attribute(name, value)) for name, value in settings.items()]
        self._nodes.append(b"".join(parts))

    def _file(self, inputs: Mapping[str, int | None], outputs: Mapping[str, int | None]) -> bytes:
        graph = [field(1, node) for node in self._nodes]
        graph.append(field(2, "network"))
        for name, values in self._constants.items():
            head = [field(1, size) for size in values.shape]
            head += [field(2, KINDS[values.dtype.name]), field(8, name)]
            graph.append(
                field(5, b"".join(head) + field(9, np.ascontiguousarray(values).tobytes()))
            )
        graph += [field(11, described(name, width)) for name, width in inputs.items()]
        graph += [field(12, described(name, width)) for name, width in outputs.items()]
        versions = [
            field(8, field(1, domain) + field(2, version))
            for domain, version in (("", OPERATORS), (CONTRIBUTED, 1))
        ]
        return field(1, FORMAT) + b"".join(versions) + field(7, b"".join(graph))
