"""How a table is read that does not say it itself: what separates its cells, its encoding, what an empty cell is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

EmptyCell: TypeAlias = Literal["absent", "empty"]
DecimalMark: TypeAlias = Literal[".", ","]
SdmxReading: TypeAlias = Literal["observations", "elements"]


@dataclass(frozen=True, slots=True)
class TableReading:
    """What a user says about tables; None means "not given": it is found in the file, or a default decides.

    `empty` says whether an empty cell is no value at all (the default) or a value without text. `decimal` is the sign
    before the fraction of a number: a point unless it is given. `sdmx` says whether a message of SDMX-ML is read as its
    observations (the default), or as the XML elements that it consists of.
    """

    delimiter: str | None = None
    encoding: str | None = None
    empty: EmptyCell | None = None
    decimal: DecimalMark | None = None
    sdmx: SdmxReading | None = None

    def over(self, other: TableReading) -> TableReading:
        """Return what is given here, and the other's where nothing is.

        >>> TableReading(delimiter=";").over(TableReading(delimiter=",", encoding="cp1252"))
        TableReading(delimiter=';', encoding='cp1252', empty=None, decimal=None, sdmx=None)
        """
        mine = {one.name: getattr(self, one.name) for one in fields(self)}
        return TableReading(**{name: getattr(other, name) if value is None else value for name, value in mine.items()})

    def to_json(self) -> dict[str, str]:
        """Return what is given."""
        mine = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in mine.items() if value is not None}


def table_reading_from_json(content: Mapping[str, Any]) -> TableReading:
    """Return what the section `table` of a recipe or certificate says; entries of other kinds are left out."""
    return TableReading(**{one.name: content.get(one.name) for one in fields(TableReading)})
