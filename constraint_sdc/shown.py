"""Results that describe themselves in a notebook.

The words and tables are in `constraint_sdc.reports.notebook`, far above the types that they describe. It is found by
name when something is shown, as the package finds its verbs: no result imports it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

_WORDS = "constraint_sdc.reports.notebook"


class Shown:
    """A result with a `repr` of one line and an HTML form; neither contains a value of the microdata.

    A dataclass that inherits from it is declared with `repr=False` and has an entry in `reports/notebook.py`.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_words().line(self))

    def _repr_html_(self) -> str:
        return str(_words().html(self))


class Tabled(Shown):
    """A result that is naturally a table, or several."""

    __slots__ = ()

    def to_frame(self, table: str | None = None) -> DataFrame:
        """Return a table of the result as a pandas data frame: the one of this name, by default the main one.

        An unknown name raises UsageError, whose message lists the tables of the result.
        """
        frame: DataFrame = _words().frame(self, table)
        return frame


def sheet_of(result: Tabled, table: str | None) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    """Return the names of the columns of a result's table, and its rows."""
    sheet = _words().sheet(result, table)
    return sheet.head, sheet.rows


def _words() -> Any:
    return importlib.import_module(_WORDS)
