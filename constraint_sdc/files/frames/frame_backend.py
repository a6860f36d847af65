"""What a library of data frames has to offer, in one file for each library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class FrameBackend(Protocol):
    """Frames of one library as Arrow tables, and back."""

    name: str

    def to_table(self, frame: Any, called: str, *, keeps_rows: bool) -> tuple[Any, Mapping[str, Any]]:
        """Return the frame as an Arrow table without metadata of the library, and the type of each column.

        `called` is how messages name the frame. With `keeps_rows` labels of rows that a table cannot hold are refused,
        because rows are given back.
        """
        ...

    def from_table(self, table: Any, types: Mapping[str, Any]) -> Any:
        """Return a table as a frame whose columns have these types; those of other names have the usual ones."""
        ...
