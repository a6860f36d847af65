"""Arrow tables, which need no conversion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraint_sdc.files.frames.columns import refuse_names


class ArrowFrames:
    """Tables of pyarrow: schema and metadata stay as they are."""

    name = "Arrow"

    def to_table(self, frame: Any, called: str, *, keeps_rows: bool) -> tuple[Any, Mapping[str, Any]]:
        """Return the table itself."""
        del keeps_rows  # rows of a table have no labels
        refuse_names(frame.column_names, called)
        return frame, {}

    def from_table(self, table: Any, types: Mapping[str, Any]) -> Any:
        """Return the table itself."""
        del types  # the table has them
        return table
