"""Pieces and results as bytes for another process: plain values only, whoever sends them.

The bytes are pickles, and a pickle can name any function. So what is read names nothing but dataclasses, enumerations
and errors of this package, arrays, and a few plain types of Python: anything else is refused before it is loaded.
"""

from __future__ import annotations

import enum
import importlib
import io
import pickle
import struct
from dataclasses import is_dataclass
from typing import Any, Protocol

from constraint_sdc.engines.engine import is_worker

_PACKAGE = __name__.partition(".")[0]
_COUNT = struct.Struct(">Q")
_PLAIN = frozenset(
    {
        "builtins.bytearray",
        "builtins.complex",
        "builtins.frozenset",
        "builtins.range",
        "builtins.set",
        "builtins.slice",
        "collections.OrderedDict",
        "datetime.date",
        "decimal.Decimal",
        "fractions.Fraction",
        "pathlib.PosixPath",
        "pathlib.WindowsPath",
        "types.MappingProxyType",
        "numpy.dtype",
        "numpy.ndarray",
        "numpy._core.multiarray._reconstruct",
        "numpy._core.multiarray.scalar",
        "numpy._core.numeric._frombuffer",
    }
)


_IN_PLACE = "constraint_sdc.engines.scratch.array_in_place"


class NotPlainValueError(TypeError):
    """A piece or a result holds something that is not sent between processes."""


class _PlacePickler(pickle.Pickler):
    """Writes an array that lives in a scratch file as its place: who reads it maps the file.

    Not in a worker: its copies are private, and its files end with it.
    """

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind.__module__ != "numpy" or kind.__name__ not in ("ndarray", "memmap") or is_worker():
            return NotImplemented
        from constraint_sdc.engines.scratch import MAPPED_ABOVE, array_in_place, handle_of

        handle = handle_of(value) if value.nbytes >= MAPPED_ABOVE else None
        if handle is None:
            return NotImplemented
        return array_in_place, (str(handle.path), handle.dtype, handle.shape, handle.offset)


class _PlainUnpickler(pickle.Unpickler):
    """Loads plain values, and nothing else that a pickle can name."""

    def find_class(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in _PLAIN:
            return super().find_class(module, name)
        if f"{module}.{name}" == _IN_PLACE:
            return getattr(importlib.import_module(module), name)
        if module.partition(".")[0] == _PACKAGE and "." not in name:
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, (enum.Enum, BaseException))):
                return found
        raise NotPlainValueError(f"{module}.{name} is not sent between processes")


def packed(value: object) -> list[bytes | memoryview]:
    """Return a value as blocks of bytes that follow each other; arrays are not copied.

    Large arrays in scratch files are not even sent.
    """
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _PlacePickler(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    body = stream.getvalue()
    blocks: list[bytes | memoryview] = [body, *(buffer.raw() for buffer in buffers)]
    sizes = [len(body), *(buffer.raw().nbytes for buffer in buffers)]
    return [_COUNT.pack(len(blocks)) + b"".join(map(_COUNT.pack, sizes)), *blocks]


def packed_bytes(value: object) -> bytes:
    """Return a value as bytes.

    >>> unpacked(packed_bytes((1, "two")))
    (1, 'two')
    """
    return b"".join(packed(value))


class ByteSupply(Protocol):
    """A pipe or a file from which bytes are read into a buffer."""

    def readinto(self, buffer: Any, /) -> int | None:
        """Fill the buffer from its beginning; return how many bytes came."""
        ...


def unpacked(data: bytes | memoryview) -> Any:
    """Return the value that was packed; its arrays can be written to."""
    return read_parcel(io.BytesIO(data))


def read_parcel(source: ByteSupply) -> Any:
    """Return the value whose bytes come next; EOFError if they end too soon."""
    (count,) = _COUNT.unpack(_whole(source, _COUNT.size))
    sizes = [_COUNT.unpack(_whole(source, _COUNT.size))[0] for _ in range(count)]
    body, *buffers = [_whole(source, size) for size in sizes]
    return _PlainUnpickler(io.BytesIO(body), buffers=buffers).load()


_ALIGNED = 64  # bytes; NumPy copies an array that does not begin at a multiple of its item size


def packed_for_mapping(value: object) -> bytes:
    """Return a value as the bytes of a file from which `unpacked_in_place` takes arrays without a copy."""
    sizes, *blocks = packed(value)
    laid, at = [sizes], len(sizes)
    for block in blocks:
        gap = -at % _ALIGNED
        laid += [bytes(gap), block]
        at += gap + memoryview(block).nbytes
    return b"".join(laid)


def unpacked_in_place(data: memoryview) -> Any:
    """Return the value of `packed_for_mapping`; its arrays are parts of `data`, and cannot be written to if it cannot.

    >>> unpacked_in_place(memoryview(packed_for_mapping({"k": 5})))
    {'k': 5}
    """
    (count,) = _COUNT.unpack_from(data)
    found, at = [], _COUNT.size * (1 + count)
    for number in range(count):
        (size,) = _COUNT.unpack_from(data, _COUNT.size * (1 + number))
        at += -at % _ALIGNED
        found.append(data[at : at + size])
        at += size
    body, *buffers = found
    return _PlainUnpickler(io.BytesIO(body), buffers=buffers).load()


def _whole(source: ByteSupply, size: int) -> bytearray:
    found = bytearray(size)
    at, view = 0, memoryview(found)
    while at < size:
        count = source.readinto(view[at:])
        if not count:
            raise EOFError
        at += count
    return found
