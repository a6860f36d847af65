"""The kinds of columns, and what a look at a column says about its kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from constraint_sdc.calendar import DateNotation
from constraint_sdc.settings.reason import Reason


class ColumnKind(Enum):
    """What the values of a variable look like."""

    MEASUREMENT = "measurement"
    CODE = "code"
    ORDINAL_CODE = "ordinal code"
    YEAR = "year"
    MONTH = "month"
    DATE = "date"
    WEIGHT = "weight"
    HOUSEHOLD_NUMBER = "household number"
    IDENTIFIER = "identifier"
    FREE_TEXT = "free text"
    CATEGORY = "category"
    NUMBERS_WITH_MISSING_CODES = "numbers with missing codes"
    CONSTANT = "constant"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A kind with its evidence; `notation` is how dates are written."""

    kind: ColumnKind
    evidence: tuple[Reason, ...]
    is_certain: bool = False
    notation: DateNotation | None = None
