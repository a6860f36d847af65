"""Frames of pandas: columns of any dtype, also Python objects of one kind; a named index is a column."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pyarrow as pa

from constraint_sdc.errors import DataError
from constraint_sdc.files.frames.columns import refuse_names

INDEX = "\0index"
"""The entry of the types that lists the columns of the index; no column of a frame is called so."""


class PandasFrames:
    """Data frames of pandas.

    The levels of a named index are columns, on which a recipe decides as on all others. An unnamed one that counts the
    rows from 0 is made anew. Any other would be lost, or would publish labels on which nobody decided.
    """

    name = "pandas"

    def to_table(self, frame: Any, called: str, *, keeps_rows: bool) -> tuple[Any, Mapping[str, Any]]:
        """Return the frame as a table."""
        levels = _levels(frame, called, keeps_rows)
        plain = frame.reset_index() if levels else frame
        refuse_names(plain.columns, called)
        arrays = [_array(plain[name], called) for name in plain.columns]
        return pa.table(arrays, names=list(plain.columns)), {**dict(plain.dtypes), INDEX: levels}

    def from_table(self, table: Any, types: Mapping[str, Any]) -> Any:
        """Return a table as a frame; levels of the index that the table still has are its index again."""
        import pandas as pd

        columns = {name: _series(table.column(name), types.get(name)) for name in table.column_names}
        frame = pd.DataFrame(columns, columns=table.column_names)
        levels = [name for name in types.get(INDEX, ()) if name in table.column_names]
        return frame.set_index(levels) if levels else frame


def _levels(frame: Any, called: str, keeps_rows: bool) -> list[str]:
    import pandas as pd

    index = frame.index
    if any(name is not None for name in index.names):
        refuse_names(index.names, called)
        return list(index.names)
    is_default = isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(frame)))
    if keeps_rows and not is_default and len(frame):
        raise DataError(
            "the index has labels of its own and no name, so nobody can decide whether they are published",
            file=called,
            hint="drop it with frame.reset_index(drop=True), or name it with frame.rename_axis('id')",
        )
    return []


# Columns to Arrow.


def _array(series: Any, called: str) -> Any:
    import pandas as pd

    where = f"column {series.name!r}"
    if isinstance(series.dtype, pd.CategoricalDtype):
        _refuse_mixture(series.cat.categories.astype(object).array, where, "category", called)
    elif _is_object(series.dtype):
        _refuse_mixture(series.array, where, "row", called)
    try:
        found = pa.Array.from_pandas(series)
    except (ValueError, TypeError, OverflowError, pa.ArrowException):
        what = f"{where}: values of type {series.dtype} that Arrow cannot hold"
        raise DataError(what, file=called, hint="drop or convert it") from None
    if isinstance(found.type, pa.ExtensionType):
        what = f"{where}: values of type {series.dtype}, which have no text form"
        raise DataError(what, file=called, hint="drop or convert it")
    return found


_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("text", (str,)),
    ("boolean", (bool, np.bool_)),
    ("integer", (Integral,)),
    ("decimal", (Decimal,)),
    ("number", (Real,)),
    ("time stamp", (datetime,)),
    ("date", (date,)),
    ("time", (time,)),
)


def _refuse_mixture(values: Any, where: str, counted: str, called: str) -> None:
    """Refuse Python objects of several kinds, or of one that is no single value; the place of the first is named."""
    first: tuple[str, int] | None = None
    for place, value in enumerate(values, 1):
        if _is_missing(value):
            continue
        kind = next((name for name, types in _KINDS if isinstance(value, types)), None)
        at = f"{where}, {counted} {place}"
        if kind is None:
            nested = isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray))
            what = f"{at}: {'a nested value' if nested else f'a value of type {type(value).__name__}'}"
            raise DataError(f"{what}, which has no text form", file=called, hint="drop or convert the column")
        first = (kind, place) if first is None else first
        if kind != first[0]:
            what = f"{at}: {_one(kind)}, but {_one(first[0])} in {counted} {first[1]}"
            raise DataError(what, file=called, hint="give the column values of one kind")


def _one(kind: str) -> str:
    return kind if kind == "text" else f"an {kind}" if kind == "integer" else f"a {kind}"


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


# Columns from Arrow.


def _series(column: Any, dtype: Any) -> Any:
    """Return a column with its dtype; integers and truth values that are missing now need a nullable one."""
    import pandas as pd

    if dtype is None:
        return column.to_pandas()
    if _is_object(dtype):
        return pd.Series(column.to_pylist(), dtype=object)
    if isinstance(dtype, pd.CategoricalDtype):
        series = column.to_pandas()
        return series.cat.rename_categories(series.cat.categories.astype(dtype.categories.dtype))
    if isinstance(dtype, np.dtype) and dtype.kind in "iub" and column.null_count:
        dtype = pd.api.types.pandas_dtype(
            "boolean" if dtype.kind == "b" else dtype.name.replace("i", "I").replace("u", "U")
        )
    if hasattr(dtype, "__from_arrow__"):
        return pd.Series(dtype.__from_arrow__(column))
    return column.to_pandas().astype(dtype)


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"
