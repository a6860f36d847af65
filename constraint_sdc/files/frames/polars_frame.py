"""Frames of Polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from constraint_sdc.errors import DataError
from constraint_sdc.files.frames.columns import listed_values


class PolarsFrames:
    """Data frames of Polars. Names are unique texts already; categories are kept."""

    name = "Polars"

    def to_table(self, frame: Any, called: str, *, keeps_rows: bool) -> tuple[Any, Mapping[str, Any]]:
        """Return the frame as a table; what Polars notes about categories could list values that masking takes away."""
        import polars as pl

        del keeps_rows  # rows have no labels
        for name, dtype in frame.schema.items():
            if dtype == pl.Object:
                what = f"column {name!r} holds Python objects, which are of any kind"
                raise DataError(what, file=called, hint="cast it to a type of Polars")
        table = frame.to_arrow()
        fields = [field.with_metadata(None) for field in table.schema]
        return table.cast(pa.schema(fields)), dict(frame.schema)

    def from_table(self, table: Any, types: Mapping[str, Any]) -> Any:
        """Return a table as a frame."""
        import polars as pl

        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        return frame.with_columns(
            [_retyped(pl, frame[name], table.column(name), types[name]) for name in table.column_names if name in types]
        )


def _retyped(pl: Any, series: Any, column: Any, dtype: Any) -> Any:
    """Return a column with its type; an enumeration lists the values that the table lists."""
    if isinstance(dtype, pl.Enum):
        return series.cast(pl.String).cast(pl.Enum(listed_values(column)))
    return series.cast(dtype)
