"""The values of an Arrow column as texts, and texts as values: each value has one spelling, which reads back as it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from constraint_sdc.data.series import double_text
from constraint_sdc.data.variable import KEY, VariableInfo, info_from_json
from constraint_sdc.errors import DataError

Texts: TypeAlias = Callable[[Any], list[str | None]]
"""Turns an Arrow array into texts, null into None."""


def info_of(name: str, field: Any) -> VariableInfo:
    """Describe a column: by the description that `convert` stores, else by its type."""
    noted = info_from_json(name, (field.metadata or {}).get(KEY, b""))
    if noted is not None:
        return noted
    if pa.types.is_integer(field.type):
        return VariableInfo(name, "integer", 0)
    if pa.types.is_decimal(field.type):
        scale = max(field.type.scale, 0)
        return VariableInfo(name, "decimal" if scale else "integer", scale)
    return VariableInfo(name, "double" if pa.types.is_floating(field.type) else "text")


def texts_of(field: Any, path: Path) -> Texts:
    """Choose how the column's values are spelled.

    Integers, decimals (with their scale) and text are spelled as they are, doubles and floats as their shortest
    positional text, booleans true and false, dates and times as ISO text (a time zone becomes UTC). Lists, structures
    and binary columns are refused by name.
    """
    type_ = value_type(field.type)
    is_ = pa.types
    if is_.is_integer(type_):
        return _mapped(str)
    if is_.is_float64(type_):
        return _mapped(lambda value: double_text(float(value)))
    if is_.is_floating(type_):
        kind = np.float32 if is_.is_float32(type_) else np.float16
        return _mapped(lambda value: _short_text(kind(value)))
    if is_.is_decimal(type_):
        return _mapped(_decimal_text)
    if is_.is_boolean(type_):
        return _mapped(lambda value: "true" if value else "false")
    if is_text(type_) or is_.is_null(type_):
        return _mapped(str)
    if is_.is_timestamp(type_):
        return _timestamps
    if is_.is_date(type_) or is_.is_time(type_):
        return _dates_and_times
    raise DataError(
        f"column {field.name!r} is of type {field.type}, which has no text form",
        file=str(path),
        hint="drop or convert it",
    )


def value_type(type_: Any) -> Any:
    """Return the type of the values, for a dictionary that of its values."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def is_text(type_: Any) -> bool:
    """Tell whether values are texts."""
    is_ = pa.types
    return bool(is_.is_string(type_) or is_.is_large_string(type_) or is_.is_string_view(type_))


def _short_text(value: Any) -> str:
    """Return the shortest text that reads back to the same float of its own precision."""
    if not math.isfinite(value):
        return double_text(float(value))
    return np.format_float_positional(value, trim="-")


def _mapped(text: Callable[[Any], str]) -> Texts:
    def texts(array: Any) -> list[str | None]:
        if pa.types.is_dictionary(array.type):
            values = texts(array.dictionary)
            return [None if code is None else values[code] for code in array.indices.to_pylist()]
        return [None if value is None else text(value) for value in array.to_pylist()]

    return texts


def _decimal_text(value: Decimal) -> str:
    return format(value, "f")


def _plain(array: Any) -> Any:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _dates_and_times(array: Any) -> list[str | None]:
    return [None if text is None else _iso(text) for text in _plain(array).cast(pa.string()).to_pylist()]


def _timestamps(array: Any) -> list[str | None]:
    plain = _plain(array)
    zone = "Z" if plain.type.tz else ""
    texts = plain.cast(pa.timestamp(plain.type.unit)).cast(pa.string()).to_pylist()
    return [None if text is None else _iso(text) + zone for text in texts]


def _iso(text: str) -> str:
    """Return the text with T in place of the blank and without trailing zeros in the fraction of a second."""
    text = text.replace(" ", "T")
    return text.rstrip("0").rstrip(".") if "." in text else text


# And back.


_NOT_FINITE = {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}


class NoValueError(Exception):
    """A text is no value of a column's type: the place of the text."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


def array_of(texts: Sequence[str | None], type_: Any) -> Any:
    """Return texts as an array of a type that is no dictionary; NoValueError for the first text that is no value.

    >>> array_of(["1", None], pa.int8()).to_pylist()
    [1, None]
    """
    try:
        return _array(texts, type_)
    except (ValueError, ArithmeticError, pa.ArrowException):
        if len(texts) == 1:
            raise NoValueError(0) from None
    for row, text in enumerate(texts):
        try:
            array_of([text], type_)
        except NoValueError:
            raise NoValueError(row) from None
    raise NoValueError(0)


def _array(texts: Sequence[str | None], type_: Any) -> Any:
    is_ = pa.types
    if is_.is_integer(type_):
        return pa.array([None if text is None else int(text) for text in texts], type_)
    if is_.is_float16(type_):
        return pa.array([None if text is None else np.float16(_float(text)) for text in texts], type_)
    if is_.is_floating(type_):
        return pa.array([None if text is None else _float(text) for text in texts], type_)
    if is_.is_decimal(type_):
        return pa.array([None if text is None else Decimal(text) for text in texts], type_)
    if is_.is_boolean(type_):
        return pa.array([None if text is None else {"true": True, "false": False}[text] for text in texts], type_)
    strings = pa.array(texts, pa.string())
    if is_.is_timestamp(type_) and type_.tz:
        bare = pa.array([None if text is None else text.removesuffix("Z") for text in texts], pa.string())
        return bare.cast(pa.timestamp(type_.unit)).cast(pa.timestamp(type_.unit, "UTC")).cast(type_)
    return strings.cast(type_)


def _float(text: str) -> float:
    return _NOT_FINITE[text] if text in _NOT_FINITE else float(text)
