"""Sentences that several utility measures share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from constraint_sdc.model.assessment import Figure, Measured
from constraint_sdc.model.pair import Pair

_MOST_NAMED = 5


def named(names: Sequence[str]) -> str:
    """Return names for a sentence, the first few of many.

    >>> named(["V1"]), named(["V1", "V2", "V3"]), named([f"V{j}" for j in range(1, 10)])
    ('V1', 'V1, V2 and V3', 'V1, V2, V3, V4, V5 and 4 more')
    """
    if len(names) > _MOST_NAMED + 1:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> counted(1, "variable"), counted(0, "variable"), counted(2, "category", "categories")
    ('1 variable', '0 variables', '2 categories')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def variables_of(pair: Pair) -> str:
    """Return how many numeric variables can be measured: those lost in masking cannot."""
    return counted(len(pair.numeric) - len(pair.lost), "numeric variable")


def mean_of(numbers: Iterable[float | None]) -> float | None:
    """Return the mean of the numbers that are defined, None if none is."""
    defined = [number for number in numbers if number is not None]
    if not defined:
        return None
    total = sum(defined)
    return total / len(defined) if math.isfinite(total) else sum(number / len(defined) for number in defined)


def not_measured(name: str, title: str, figures: tuple[Figure, ...], why: str) -> Measured:
    """Return a measure whose figures are all not defined, and why."""
    return Measured(name, title, figures, f"Not defined: {why}.", notes=(f"Not defined: {why}.",))
