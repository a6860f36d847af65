"""A data frame as an Arrow table, and the way back: the frame that comes back has the very values of the table."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import narwhals as nw
import pyarrow as pa
from narwhals.exceptions import DuplicateError
from narwhals.typing import IntoDataFrame as IntoDataFrame

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.frames.arrow_frame import ArrowFrames
from constraint_sdc.files.frames.columns import column_of_cells, is_same_column, refuse_names, refuse_types
from constraint_sdc.files.frames.frame_backend import FrameBackend
from constraint_sdc.files.frames.pandas_frame import PandasFrames
from constraint_sdc.files.frames.polars_frame import PolarsFrames
from constraint_sdc.files.tables.arrow.container import BATCH

PANDAS = PandasFrames()
BACKENDS: Mapping[nw.Implementation, FrameBackend] = MappingProxyType(
    {
        nw.Implementation.PANDAS: PANDAS,
        nw.Implementation.POLARS: PolarsFrames(),
        nw.Implementation.PYARROW: ArrowFrames(),
    }
)
"""The libraries whose frames are read."""


@dataclass(frozen=True, slots=True)
class FrameCopy:
    """A data frame as an Arrow table, and what is needed to give back a frame of its kind."""

    backend: FrameBackend
    table: Any
    types: Mapping[str, Any]

    def write(self, path: Path) -> None:
        """Write the table as an Arrow file; the same table makes the same bytes."""
        table = self.table.unify_dictionaries()
        options = pa.ipc.IpcWriteOptions(unify_dictionaries=True)
        with pa.ipc.new_file(str(path), table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=BATCH)

    def frame_of(self, content: bytes) -> Any:
        """Return the table in an Arrow file as a frame of this kind.

        The frame is converted once more, and must have the values of the file: what was judged is what is returned.
        """
        table = pa.ipc.open_file(io.BytesIO(content)).read_all()
        frame = self.backend.from_table(table, self.types)
        again, _ = self.backend.to_table(frame, "masked frame", keeps_rows=True)
        for name in table.column_names:
            if not is_same_column(again.column(name), table.column(name)):
                what = f"column {name!r}: the masked values cannot be given back as {self.types.get(name)}"
                raise DataError(what, file="masked frame", hint="convert the column first, such as to text")
        return frame


def is_frame(value: object) -> bool:
    """Tell whether something is given in place of a path; what it is, is looked at when it is copied."""
    return not isinstance(value, (str, bytes, PathLike))


def copy_frame(frame: Any, called: str, *, keeps_rows: bool) -> FrameCopy:
    """Return a frame as a table; DataError names the column, and the row, of what cannot be held.

    `called` is how messages name the frame. With `keeps_rows` the rows are given back, and labels of rows that would be
    lost are refused.
    """
    backend = backend_of(frame, called)
    table, types = backend.to_table(frame, called, keeps_rows=keeps_rows)
    for length, what in ((table.num_columns, "columns"), (table.num_rows, "rows")):
        if not length:
            raise DataError(f"the frame has no {what}", file=called, hint="give a frame with records")
    refuse_types(table, called)
    return FrameCopy(backend, table, types)


def backend_of(frame: Any, called: str) -> FrameBackend:
    """Return the library of a frame; UsageError for what is no frame, or not computed yet."""
    known = ", ".join(backend.name for backend in BACKENDS.values())
    hint = f"give a path, or a data frame or table of: {known}"
    try:
        found = nw.from_native(frame, pass_through=True, allow_series=True)
    except DuplicateError:
        refuse_names(getattr(frame, "column_names", None) or frame.columns, called)
        raise
    if isinstance(found, nw.LazyFrame):
        raise UsageError("the frame is lazy: its rows are not computed yet", file=called, hint="call .collect() first")
    if isinstance(found, nw.Series):
        raise UsageError("is a single column, not a data frame", file=called, hint="such as series.to_frame()")
    if not isinstance(found, nw.DataFrame) or found.implementation not in BACKENDS:
        kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__qualname__}"
        what = type(frame).__qualname__ if kind.startswith("builtins.") else kind
        raise UsageError(f"is of type {what}, not a data frame", file=called, hint=hint)
    return BACKENDS[found.implementation]


def frame_of_rows(head: Sequence[str], rows: Sequence[Sequence[Any]], backend: FrameBackend) -> Any:
    """Return a table of a result as a frame of a library."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(head)
    return backend.from_table(pa.table([column_of_cells(list(cells)) for cells in columns], names=list(head)), {})
