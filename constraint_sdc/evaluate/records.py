"""The records of a chunk with everything already read from them, so that rules share the work of parsing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.text import Text
from constraint_sdc.evaluate.value import TextItem
from constraint_sdc.model.table import Chunk, Column


class Records:
    """Columns of `count` records; each variable is read at most once, whatever the number of rules."""

    def __init__(self, columns: Mapping[str, Column], count: int) -> None:
        self._columns = columns
        self._items: dict[str, TextItem] = {}
        self.count = count

    @classmethod
    def of(cls, chunk: Chunk) -> Records:
        """Return the records of a chunk."""
        return cls(chunk.columns, len(chunk))

    def item(self, name: str) -> TextItem:
        """Return a variable's node; a name that no record has is absent everywhere."""
        if name not in self._columns:
            return self._nowhere
        if name not in self._items:
            column = self._columns[name]
            self._items[name] = TextItem(Reading(Text.of_column(column)), True, column.present())
        return self._items[name]

    @cached_property
    def _nowhere(self) -> TextItem:
        zeros = np.zeros(self.count, np.int64)
        return TextItem(Reading(Text(np.zeros(8, np.uint8), zeros, zeros)), True, np.zeros(self.count, np.bool_))
