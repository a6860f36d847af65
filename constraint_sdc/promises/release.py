"""A release: the original records and those read back from the written file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from constraint_sdc.arrays import Codes, SmallCodes
from constraint_sdc.data.codes import join_codes
from constraint_sdc.data.table import State, Table
from constraint_sdc.evaluate.distinct_texts import codes_of_values
from constraint_sdc.settings.words import VariableWish


@dataclass(frozen=True, slots=True)
class Release:
    """The records of both files in the same order; `k` of the run.

    `blocks` are the masked variables that representatives share, `averaged` those of them that are means. `every_block`
    has also blocks in which each record has values of its own, and `numbers` are the variables that are numbers or
    dates. `missing` are the texts that stand for a missing value, by variable, and `wishes` what the recipe says
    besides. `weights` is the variable by which records count in means.
    """

    before: Table
    after: Table
    k: int
    blocks: tuple[tuple[str, ...], ...] = ()
    averaged: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    every_block: tuple[tuple[str, ...], ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wishes: Mapping[str, VariableWish] = field(default_factory=dict)
    weights: str | None = None


def value_codes(table: Table, name: str) -> Codes | SmallCodes:
    """Return a number for each different value of a variable, text and state; one number if no record has it."""
    if name not in table.columns:
        return np.zeros(table.records, np.int64)
    column = table.column(name)
    # An empty element and one that says nil look alike to a reader, so they are one value here.
    is_nil = column.state == State.NIL
    if is_nil.any():
        column = replace(column, state=np.where(is_nil, np.uint8(State.EMPTY), column.state))
    return codes_of_values(column)


def classes(table: Table, names: Sequence[str]) -> Codes:
    """Return a number for each combination of values of these variables.

    >>> from constraint_sdc.data.table import column_of
    >>> columns = {"A": column_of("A", ["1", "1", "2"]), "B": column_of("B", ["x", "y", "x"])}
    >>> classes(Table(columns, 3), ["A", "B"]).tolist()
    [0, 1, 2]
    """
    return join_codes((value_codes(table, name) for name in names), table.records)
