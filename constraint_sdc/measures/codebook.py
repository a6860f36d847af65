"""The codebook of a masked file: every variable, what became of it, its scale, and how many values it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True, slots=True)
class CodebookEntry:
    """One variable. `fate` is masked, computed, kept or removed; a removed one has nothing else.

    `distinct` counts the values of the masked file, `blank` its records without one. `low` and `high` are its smallest
    and largest number, which reports hide unless the user asks for values.
    """

    name: str
    fate: str
    role: str | None = None
    scale: str | None = None
    distinct_before: int | None = None
    distinct: int | None = None
    blank: int | None = None
    low: float | None = None
    high: float | None = None


def codebook_of(pair: Pair, removed: tuple[str, ...]) -> tuple[CodebookEntry, ...]:
    """Return every variable of the original."""
    return (*(_entry(v, pair) for v in pair.variables), *(CodebookEntry(name, "removed") for name in removed))


def _entry(variable: Compared, pair: Pair) -> CodebookEntry:
    fate = "computed" if variable.name in pair.computed else "masked" if variable.is_masked else "kept"
    is_filled, was_filled = np.isfinite(variable.masked), np.isfinite(variable.original)
    numbers = variable.masked[is_filled] if variable.scale is Scale.NUMERIC else np.zeros(0)
    is_date = variable.grid.notation is not None
    low, high = (None, None) if is_date or not len(numbers) else (float(numbers.min()), float(numbers.max()))
    return CodebookEntry(
        variable.name,
        fate,
        variable.role.value,
        "date" if is_date else variable.scale.value,
        len(np.unique(variable.original_code[was_filled])),
        len(np.unique(variable.masked_code[is_filled])),
        int((~is_filled).sum()),
        low,
        high,
    )
