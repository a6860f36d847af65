"""What a microdata file looks like, variable by variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VariableDescription:
    """One variable: its lexical form in words, and how many records have a value, none, an empty one or a code.

    `form` is integer, decimal, scientific or text; None when no record has a value. `decimals` is the most digits after
    a point. `codes` counts the user-missing codes, which are no values.
    """

    name: str
    form: str | None
    decimals: int
    values: int
    absent: int
    empty: int
    nil: int
    codes: Mapping[str, int]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """A whole file: where its records are, and its variables in order of first appearance."""

    data: str
    record: str
    wrappers: tuple[str, ...]
    style: str
    encoding: str
    records: int
    variables: tuple[VariableDescription, ...]
